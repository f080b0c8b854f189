/// \file
/// Preparing a kernel, and the steps of a candidate's evaluation in the order
/// cheapest first.

#include "Session.h"
#include "SelfTest.h"
#include "Statistics.h"
#include <algorithm>
#include <cmath>

using namespace mepworker;
using Clock = std::chrono::steady_clock;

namespace {
constexpr unsigned ScreenPairs = 3;
/// A candidate whose few first samples read less is not measured further.
constexpr double ClearlySlower = 0.7;
constexpr unsigned FreshRounds = 2;
constexpr double Noisy = 0.05; ///< Relative standard deviation.

double msSince(Clock::time_point Start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - Start)
      .count();
}
} // namespace

// ---- prepare ----------------------------------------------------------------

std::shared_ptr<Program> Session::baselineProgram(const ShapeSpec &Shape) {
  std::shared_ptr<Program> &Known = Programs[Shape.Defines];
  if (!Known)
    Known = compileProgram(Run.device(), Run.dog(),
                           {Prepared.Source,
                            {Prepared.Kernel},
                            symbolsOf(Prepared.Shapes),
                            Shape.Defines,
                            Prepared.Flags,
                            Prepared.NeedsFibers},
                           CompileMs);
  return Known;
}

void Session::prepareShape(unsigned Index) {
  const ShapeSpec &Spec = Prepared.Shapes[Index];
  CurrentShape = Spec.Name;
  auto New = std::make_unique<PreparedShape>();
  New->Index = Index;
  New->Code = baselineProgram(Spec);
  for (const BufferSpec &Buffer : Spec.Buffers)
    if (!Buffer.Symbol.empty() && !New->Code->Initial.count(Buffer.Symbol))
      throw BaselineError("the source has no device global '" + Buffer.Symbol +
                          "'");
  New->Data =
      std::make_unique<ShapeData>(Run.device(), Spec, New->Code->Initial);
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
  Random.seed(Request.Settings.Seed);
  Run.expect(0);
  try {
    prepareShapes();
    return measureBaseline();
  } catch (...) {
    Shapes.clear();
    throw;
  }
}

void Session::prepareShapes() {
  for (unsigned I = 0; I < Prepared.Shapes.size(); ++I) {
    const std::string Name = Prepared.Shapes[I].Name;
    auto dropOrThrow = [&](const std::string &Why, bool Fatal) {
      if (I == 0 || Fatal)
        throw BaselineError("shape " + Name + ": " + Why, Fatal);
      Dropped.push_back(Name + ": " + Why);
    };
    try {
      prepareShape(I);
    } catch (const Failure &Wrong) {
      dropOrThrow(std::string(Wrong.Status) + ": " + Wrong.what(), Wrong.Fatal);
    } catch (const BaselineError &Wrong) {
      dropOrThrow(Wrong.what(), Wrong.Fatal);
    } catch (const DeviceError &Wrong) {
      dropOrThrow(Wrong.what(), false);
    }
  }
}

BaselineAnswer Session::measureBaseline() {
  CurrentShape = base().name();
  base().Bound->patch(*base().Data);
  double Once = Run.time(*base().Bound, 1, false);
  Batch = batchFor(base().Data->spec(), Once, Prepared.Settings.TMinUs);
  Samples Taken =
      selfTest(Run, base(), Prepared.Kernel, Batch, Prepared.Settings, Random);
  CurrentShape.clear();
  return describe(Taken);
}

BaselineAnswer Session::describe(const Samples &Taken) {
  BaselineAnswer Answer;
  Answer.TimeNs = BaselineNs =
      trimmedMean(Taken.Baseline, Prepared.Settings.TrimPercent);
  Run.expect(BaselineNs);
  double Other = trimmedMean(Taken.Candidate, Prepared.Settings.TrimPercent);
  LeastEffect = std::max(0.01, std::fabs(BaselineNs / Other - 1));
  Answer.Noise = relativeDeviation(Taken.Baseline);
  Answer.Samples = Taken.Baseline.size();
  Answer.Batch = Batch;
  const Expectation &Known = base().Known;
  Answer.CompulsoryBytes = Known.InputBytes + Known.WrittenBytes;
  Answer.FloorNs =
      Bandwidth > 0 ? double(Answer.CompulsoryBytes) / Bandwidth * 1e9 : 0;
  const KernelResources &Used = base().Bound->resources();
  Answer.Registers = Used.Registers;
  Answer.SharedBytes = Used.SharedBytes;
  Answer.LocalBytes = Used.LocalBytes;
  Answer.Checksum = checksum(base().Data->spec(), Known.Reference);
  Answer.Compiler = base().Code->Compiler;
  for (const auto &Shape : Shapes)
    Answer.Shapes.push_back(Shape->name());
  Answer.DroppedShapes = Dropped;
  return Answer;
}

// ---- evaluate ---------------------------------------------------------------

EvaluationAnswer Session::evaluate(const EvaluateRequest &Request) {
  if (Shapes.empty())
    throw RequestError("op: evaluate before a successful prepare");
  if (Request.Plans.size() != Prepared.Shapes.size())
    throw RequestError("plans: " + std::to_string(Request.Plans.size()) +
                       " given, one is needed for each of the " +
                       std::to_string(Prepared.Shapes.size()) + " shapes");
  auto Start = Clock::now();
  double KernelMs = Run.kernelMs();
  EvaluationAnswer Answer;
  Answer.Candidate = Request.Candidate;
  Answer.Tune = Request.Tune;
  try {
    judge(Request, Answer);
  } catch (const Failure &Wrong) {
    Answer.Status = Wrong.Status;
    Answer.Message = Wrong.what();
    Answer.Fatal = Wrong.Fatal;
  }
  Answer.OverheadMs = std::max(0.0, msSince(Start) - Answer.CompileMs -
                                        (Run.kernelMs() - KernelMs));
  return Answer;
}

void Session::judge(const EvaluateRequest &Request, EvaluationAnswer &Answer) {
  std::map<std::vector<std::string>, std::unique_ptr<Program>> Compiled;
  CompileRequest Wanted{Request.Source,
                        kernelsOf(Request.Plans, Prepared.Kernel),
                        symbolsOf(Prepared.Shapes),
                        {},
                        Prepared.Flags,
                        Request.NeedsFibers};
  auto bind = [&](PreparedShape &Shape) {
    CompileRequest Own = Wanted;
    Own.Defines = Shape.Data->spec().Defines;
    for (const auto &[Name, Value] : Request.Tune)
      Own.Defines.push_back(Name + "=" + std::to_string(Value));
    std::unique_ptr<Program> &Code = Compiled[Own.Defines];
    if (!Code)
      Code = compileProgram(Run.device(), Run.dog(), Own, Answer.CompileMs);
    return Binding(Run.device(), *Code, *Shape.Data, Request.Plans[Shape.Index],
                   Prepared.Kernel,
                   "plans[" + std::to_string(Shape.Index) + "].");
  };

  WorstError Worst;
  auto remember = [&] {
    Answer.WorstError = Worst.Error;
    Answer.Tolerance = Worst.Tolerance;
  };
  try {
    Binding OnBase = bind(base());
    Answer.Registers = OnBase.resources().Registers;
    Answer.SharedBytes = OnBase.resources().SharedBytes;
    Answer.LocalBytes = OnBase.resources().LocalBytes;
    verify(base(), OnBase, Worst);
    TimedPair Sides{*base().Data, *base().Bound, OnBase, base().Known, Batch};
    Samples Taken;
    if (screen(Sides, Taken, Worst)) {
      for (size_t I = 1; I < Shapes.size(); ++I) {
        Binding Other = bind(*Shapes[I]);
        verify(*Shapes[I], Other, Worst);
      }
      decide(Sides, Taken, Worst, Answer);
    } else {
      conclude(Taken, Answer);
      Answer.Status = "slower";
      Answer.Message = "clearly slower in the first samples";
    }
    remember();
  } catch (const Failure &) {
    remember();
    throw;
  }
}

/// The first data against the kept reference, twice; for the shapes that are
/// not timed, fresh data too (timing has fresh data of its own).
void Session::verify(PreparedShape &Shape, Binding &Candidate,
                     WorstError &Worst) {
  ShapeData &Data = *Shape.Data;
  const std::string Which = "shape " + Shape.name();
  Data.reset();
  Data.move(Random() % GuardedBuffer::Places);
  Contents First = Run.run(Data, Candidate, PoisonNaN);
  checkOutputs(Data.spec(), Shape.Known, Shape.Known.Reference, First,
               PoisonNaN, Which, Worst);
  checkReproducible(Data.spec(), Shape.Known, First,
                    Run.run(Data, Candidate, PoisonNaN, /*InputsToo=*/false),
                    Which);
  if (&Shape == &base())
    return;
  for (unsigned Round = 0; Round < FreshRounds; ++Round) {
    Data.refresh(Random);
    uint8_t Poison = Round & 1 ? PoisonNaN : PoisonOther;
    Contents Expected = Run.run(Data, *Shape.Bound, Poison);
    checkOutputs(Data.spec(), Shape.Known, Expected,
                 Run.run(Data, Candidate, Poison), Poison,
                 Which + ", fresh inputs", Worst);
  }
}

/// False when the candidate is clearly slower.
bool Session::screen(const TimedPair &Sides, Samples &Taken,
                     WorstError &Worst) {
  TimedPair First = Sides;
  Sides.Candidate.patch(Sides.Data);
  Sides.Data.refresh(Random);
  checkTimedRun(Run, Sides, Random, Worst);
  double Rough = Run.time(Sides.Candidate, 1, false);
  if (Rough > 20 * BaselineNs)
    First.Batch = 1;
  takePairs(Run, First, ScreenPairs, Clock::now(), Random, Taken, Worst,
            /*Check=*/false);
  RatioInterval Seen = ratioInterval(Taken.Baseline, Taken.Candidate, 34, 1);
  // The least disturbed samples must say so too: three samples on a busy
  // machine can be far off.
  double Least =
      *std::min_element(Taken.Baseline.begin(), Taken.Baseline.end()) /
      *std::min_element(Taken.Candidate.begin(), Taken.Candidate.end());
  return Least >= ClearlySlower || mepworker::judge(Seen) != Verdict::Slower;
}

void Session::decide(const TimedPair &Sides, Samples &Taken, WorstError &Worst,
                     EvaluationAnswer &Answer) {
  auto Deadline = Clock::now() +
                  std::chrono::milliseconds(int64_t(Prepared.Settings.TMaxMs));
  Taken = Samples();
  takePairs(Run, Sides, Prepared.Settings.Repeat, Deadline, Random, Taken,
            Worst);
  // A few samples on a busy machine can lie: a claim made from noisy ones is
  // measured once more, and all samples decide.
  conclude(Taken, Answer);
  if (Answer.Status != name(Verdict::Same) &&
      std::max(Answer.Noise, relativeDeviation(Taken.Baseline)) > Noisy)
    takePairs(Run, Sides, 2 * Prepared.Settings.Repeat, Deadline, Random, Taken,
              Worst);
  Sides.Data.refresh(Random);
  checkTimedRun(Run, Sides, Random, Worst);
  conclude(Taken, Answer);
  if (belowFloor(Answer.TimeNs))
    throw Failure(status::BelowFloor,
                  "takes " + std::to_string(Answer.TimeNs) + " ns to write " +
                      std::to_string(base().Known.WrittenBytes) +
                      " bytes, more than the device's memory can take");
}

void Session::conclude(const Samples &Taken, EvaluationAnswer &Answer) const {
  const Options &Settings = Prepared.Settings;
  RatioInterval Interval = ratioInterval(Taken.Baseline, Taken.Candidate,
                                         Settings.TrimPercent, Settings.Seed);
  Answer.TimeNs = trimmedMean(Taken.Candidate, Settings.TrimPercent);
  Answer.BaselineNs = trimmedMean(Taken.Baseline, Settings.TrimPercent);
  Answer.Ratio = Interval.Ratio;
  Answer.Low = Interval.Low;
  Answer.High = Interval.High;
  Answer.Noise = relativeDeviation(Taken.Candidate);
  Answer.Samples = Taken.Candidate.size();
  Answer.Status = name(mepworker::judge(Interval, LeastEffect));
}

/// Only bytes seen written count, at one and a half times the bandwidth of a
/// copy, and only when the data is too large to stay in the cache.
bool Session::belowFloor(double Ns) const {
  const PreparedShape &Base = *Shapes.front();
  if (Bandwidth <= 0 || Base.Data->bytes() < 2 * Run.device().facts().L2Bytes)
    return false;
  return Ns < double(Base.Known.WrittenBytes) / (1.5 * Bandwidth) * 1e9;
}
