/// \file
/// Preparing a kernel: shapes, references, self-test, baseline.

#include "Session.h"
#include "ReadProbe.h"
#include "SelfTest.h"
#include "Statistics.h"
#include <algorithm>
#include <cmath>

using namespace mepworker;

/// The floor is worth half of what the rest of a preparation takes, and this.
static constexpr double LeastLookSeconds = 2, MostLookPart = 0.5;

CompileRequest Session::baselineRequest(const ShapeSpec &Shape) const {
  return {Prepared.Source, {Prepared.Kernel}, symbolsOf(Prepared.Shapes),
          Shape.Defines,   Prepared.Flags,    Prepared.NeedsFibers};
}

std::shared_ptr<Program> Session::baselineProgram(const ShapeSpec &Shape) {
  std::shared_ptr<Program> &Known = Programs[Shape.Defines];
  if (!Known) {
    Known = compileProgram(Run.device(), Run.dog(), baselineRequest(Shape),
                           CompileMs);
    keepInitializers(Run.device(), Prepared.Shapes, *Known);
  }
  return Known;
}

void Session::prepareShape(unsigned Index) {
  ShapeSpec &Spec = Prepared.Shapes[Index];
  CurrentShape = Spec.Name;
  auto New = std::make_unique<PreparedShape>();
  New->Index = Index;
  New->Weight = Spec.Weight;
  New->Code = baselineProgram(Spec);
  // A constant that the compiler folded into the code has no memory.
  std::erase_if(Spec.Buffers, [&](const BufferSpec &Buffer) {
    return Buffer.KeepsInitializer && !New->Code->Initial.count(Buffer.Symbol);
  });
  for (const BufferSpec &Buffer : Spec.Buffers)
    if (!Buffer.Symbol.empty() && !New->Code->Initial.count(Buffer.Symbol))
      throw BaselineError(status::Rejected,
                          "the source has no device global '" + Buffer.Symbol +
                              "'");
  New->Data = std::make_unique<ShapeData>(Run.device(), Run.host(), Spec,
                                          New->Code->Initial);
  New->Data->fill(Prepared.Settings.Seed);
  New->Bound = std::make_unique<Binding>(
      Run.device(), *New->Code, *New->Data, originalPlan(Spec), Prepared.Kernel,
      "shapes[" + std::to_string(Index) + "].");
  New->Known = studyBaseline(Run, *New->Data, *New->Bound, Prepared.Settings);
  Shapes.push_back(std::move(New));
}

BaselineAnswer Session::prepare(const PrepareRequest &Request) {
  Shapes.clear();
  Programs.clear();
  Dropped.clear();
  Prepared = Request;
  CompileMs = 0;
  Start = std::chrono::steady_clock::now();
  Random.seed(Request.Settings.Seed);
  Run.expect(0);
  try {
    prepareShapes();
    settleWeights();
    return measureBaseline();
  } catch (...) {
    Shapes.clear();
    throw;
  }
}

void Session::prepareShapes() {
  std::vector<CompileRequest> Soon;
  for (const ShapeSpec &Shape : Prepared.Shapes)
    Soon.push_back(baselineRequest(Shape));
  Run.device().announce(Soon, /*Next=*/true);
  for (unsigned I = 0; I < Prepared.Shapes.size(); ++I) {
    const std::string Name = Prepared.Shapes[I].Name;
    auto dropOrThrow = [&](const char *Status, const std::string &Why,
                           bool Fatal) {
      if (I == 0 || Fatal)
        throw BaselineError(Status, "shape " + Name + ": " + Why, Fatal);
      Dropped.push_back(Name + ": " + Why);
    };
    try {
      prepareShape(I);
    } catch (const Failure &Wrong) {
      dropOrThrow(Wrong.Status, std::string(Wrong.Status) + ": " + Wrong.what(),
                  Wrong.Fatal);
    } catch (const BaselineError &Wrong) {
      dropOrThrow(Wrong.Status, Wrong.what(), Wrong.Fatal);
    } catch (const DeviceError &Wrong) {
      dropOrThrow(status::LaunchFailed, Wrong.what(), false);
    }
  }
}

/// What the many runs of the self-test show not to be reproducible on the base
/// shape is so on the others.
void Session::followBase() {
  const auto &Buffers = base().Data->spec().Buffers;
  for (size_t I = 0; I < Buffers.size(); ++I)
    for (size_t S = 1; S < Shapes.size() && !base().Known.Reproducible[I]; ++S)
      for (size_t J = 0; J < Shapes[S]->Data->spec().Buffers.size(); ++J)
        if (Shapes[S]->Data->spec().Buffers[J].Name == Buffers[I].Name)
          Shapes[S]->Known.Reproducible[J] = false;
}

/// Of the shapes that count, the base shape first.
std::vector<PreparedShape *> Session::timed() const {
  std::vector<PreparedShape *> Timed;
  for (const auto &Shape : Shapes)
    if (Shape->Weight > 0)
      Timed.push_back(Shape.get());
  return Timed;
}

void Session::drop(const PreparedShape &Shape, const std::string &Why) {
  Dropped.push_back(Shape.name() + ": " + Why);
  std::erase_if(Shapes, [&](const auto &Each) { return Each.get() == &Shape; });
}

void Session::prepareTiming(PreparedShape &Shape) {
  CurrentShape = Shape.name();
  Shape.Bound->patch(*Shape.Data);
  double Once = Run.time(*Shape.Bound, 1, false);
  Shape.Batch = batchFor(Shape.Data->spec(), Once, Prepared.Settings.TMinUs);
}

/// A further shape on which the evaluator cannot tell wrong and slow kernels is
/// given up; a single one counts once.
void Session::settleWeights() {
  for (PreparedShape *Shape : timed()) {
    if (Shape == &base())
      continue;
    try {
      prepareTiming(*Shape);
      selfTestShape(Run, *Shape, Prepared.Kernel, Random);
    } catch (const Failure &Wrong) {
      if (Wrong.Fatal)
        throw;
      drop(*Shape, std::string(Wrong.Status) + ": " + Wrong.what());
    } catch (const BaselineError &Wrong) {
      if (Wrong.Fatal)
        throw;
      drop(*Shape, Wrong.what());
    }
  }
  if (timed().size() == 1)
    base().Weight = 1;
  TotalWeight = 0;
  for (const PreparedShape *Shape : timed())
    TotalWeight += Shape->Weight;
}

BaselineAnswer Session::measureBaseline() {
  prepareTiming(base());
  const std::vector<PreparedShape *> Timed = timed();
  Samples Taken =
      selfTest(Run, Timed, Prepared.Kernel, Prepared.Settings, Random);
  followBase();
  auto Seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         Start)
        .count();
  };
  const double Rest = Seconds();
  const double End = Rest + std::max(LeastLookSeconds, MostLookPart * Rest);
  for (size_t I = 0; I < Timed.size(); ++I) {
    PreparedShape &Shape = *Timed[I];
    const Samples &Own = Timed.size() > 1 ? Taken.OfShapes[I] : Taken;
    CurrentShape = Shape.name();
    Shape.BaselineNs = trimmedMean(Own.Baseline, Prepared.Settings.TrimPercent);
    Shape.ReadBytes = observeReadBytes(Run, *Shape.Data, *Shape.Bound,
                                       Shape.Known, Shape.BaselineNs,
                                       (End - Seconds()) / (Timed.size() - I));
  }
  CurrentShape.clear();
  return describe(Taken);
}

BaselineAnswer Session::describe(const Samples &Taken) {
  BaselineAnswer Answer;
  Answer.TimeNs = BaselineNs =
      trimmedMean(Taken.Baseline, Prepared.Settings.TrimPercent);
  double LongestNs = 0, Bytes = 0;
  for (const PreparedShape *Shape : timed()) {
    LongestNs = std::max(LongestNs, Shape->BaselineNs);
    Bytes +=
        Shape->Weight * double(Shape->ReadBytes + Shape->Known.WrittenBytes);
  }
  Run.expect(LongestNs);
  double Other = trimmedMean(Taken.Candidate, Prepared.Settings.TrimPercent);
  LeastEffect = std::max(0.01, std::fabs(BaselineNs / Other - 1));
  Answer.Noise = relativeDeviation(Taken.Baseline);
  Answer.Samples = Taken.Baseline.size();
  Answer.Batch = base().Batch;
  Answer.CompulsoryBytes = uint64_t(Bytes);
  Answer.FloorNs = Bandwidth > 0 ? Bytes / Bandwidth * 1e9 : 0;
  const KernelResources &Used = base().Bound->resources();
  Answer.Registers = Used.Registers;
  Answer.SharedBytes = Used.SharedBytes;
  Answer.LocalBytes = Used.LocalBytes;
  Answer.Checksum = base().Known.Checksum;
  Answer.Compiler = base().Code->Compiler;
  describeShapes(Answer);
  return Answer;
}

void Session::describeShapes(BaselineAnswer &Answer) const {
  for (const auto &Shape : Shapes)
    Answer.Shapes.push_back(Shape->name());
  Answer.DroppedShapes = Dropped;
  const std::vector<PreparedShape *> Timed = timed();
  for (const PreparedShape *Shape : Timed) {
    if (Timed.size() == 1)
      break;
    ShapeTimes L;
    L.Shape = Shape->name();
    L.Weight = Shape->Weight;
    L.TimeNs = L.BaselineNs = Shape->BaselineNs;
    L.Batch = Shape->Batch;
    if (Bandwidth > 0)
      L.FloorNs = double(Shape->ReadBytes + Shape->Known.WrittenBytes) /
                  Bandwidth * 1e9;
    Answer.Launches.push_back(std::move(L));
  }
}
