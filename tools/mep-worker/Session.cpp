/// \file
/// Preparing a kernel, and the steps of a candidate's evaluation in the order
/// cheapest first.

#include "Session.h"
#include "ReadProbe.h"
#include "SelfTest.h"
#include "Statistics.h"
#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace mepworker;
using Clock = std::chrono::steady_clock;

namespace {
constexpr unsigned ScreenPairs = 3, Looks = 2;
/// A candidate whose few first samples read less is not measured further.
constexpr double ClearlySlower = 0.7;
/// The same for one that reads less than this part of the ratio to beat.
constexpr double NearBest = 0.95;
/// One launch that takes longer than this, alone, already says something: it is
/// hopeless when it reaches less than this part of what is needed.
constexpr double RoughNs = 1e6, Hopeless = 0.8;
/// Baselines that take longer are run as rarely as can be.
constexpr double LongNs = 50e6;
constexpr unsigned FreshRounds = 2;
constexpr double Noisy = 0.05; ///< Relative standard deviation.
constexpr size_t FewPairs = 8;

double msSince(Clock::time_point Start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - Start)
      .count();
}
} // namespace

// ---- prepare ----------------------------------------------------------------

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
  for (size_t I = 0; I < Timed.size(); ++I) {
    PreparedShape &Shape = *Timed[I];
    const Samples &Own = Timed.size() > 1 ? Taken.OfShapes[I] : Taken;
    CurrentShape = Shape.name();
    Shape.BaselineNs = trimmedMean(Own.Baseline, Prepared.Settings.TrimPercent);
    Shape.ReadBytes = observeReadBytes(Run, *Shape.Data, *Shape.Bound,
                                       Shape.Known, Shape.BaselineNs);
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

// ---- evaluate ---------------------------------------------------------------

static std::vector<std::string>
definesOf(const PreparedShape &Shape,
          const std::map<std::string, int64_t> &Tune) {
  std::vector<std::string> Defines = Shape.Data->spec().Defines;
  for (const auto &[Name, Value] : Tune)
    Defines.push_back(Name + "=" + std::to_string(Value));
  return Defines;
}

void Session::announce(const AnnounceRequest &Request) {
  if (Shapes.empty())
    throw RequestError("op: announce before a successful prepare");
  std::vector<CompileRequest> Soon;
  for (const AnnouncedSource &Each : Request.Sources) {
    std::vector<std::string> Kernels;
    for (const std::string &Name : Each.Kernels)
      addOnce(Kernels, kernelExpression(Prepared.Kernel, Name));
    for (const auto &Tune : Each.Tunes)
      Soon.push_back({Each.Source, Kernels, symbolsOf(Prepared.Shapes),
                      definesOf(base(), Tune), Prepared.Flags,
                      Each.NeedsFibers});
  }
  Run.device().announce(Soon, /*Next=*/false);
}

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

CompileRequest Session::compileRequest(const EvaluateRequest &Request,
                                       const PreparedShape &Shape) const {
  CompileRequest Wanted{Request.Source,
                        kernelsOf(Request.Plans, Prepared.Kernel),
                        symbolsOf(Prepared.Shapes),
                        {},
                        Prepared.Flags,
                        Request.NeedsFibers};
  Wanted.Defines = definesOf(Shape, Request.Tune);
  return Wanted;
}

void Session::judge(const EvaluateRequest &Request, EvaluationAnswer &Answer) {
  std::map<std::vector<std::string>, std::unique_ptr<Program>> Compiled;
  auto bind = [&](PreparedShape &Shape) {
    CompileRequest Wanted = compileRequest(Request, Shape);
    std::unique_ptr<Program> &Code = Compiled[Wanted.Defines];
    if (!Code)
      Code = compileProgram(Run.device(), Run.dog(), Wanted, Answer.CompileMs);
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
    TimedPairs Sides;
    std::vector<std::unique_ptr<Binding>> Timed;
    for (PreparedShape *Shape : timed()) {
      Timed.emplace_back(new Binding(bind(*Shape)));
      if (Shape == &base()) {
        Answer.Registers = Timed[0]->resources().Registers;
        Answer.SharedBytes = Timed[0]->resources().SharedBytes;
        Answer.LocalBytes = Timed[0]->resources().LocalBytes;
      }
      verify(*Shape, *Timed.back(), Worst);
      Sides.push_back({*Shape->Data, *Shape->Bound, *Timed.back(), Shape->Known,
                       Shape->Batch, Shape->Weight});
    }
    Samples Taken;
    if (screen(Sides, Request.Beat, Taken, Worst)) {
      std::vector<PreparedShape *> Others;
      std::vector<CompileRequest> Soon;
      for (const auto &Shape : Shapes)
        if (Shape->Weight == 0) {
          Others.push_back(Shape.get());
          Soon.push_back(compileRequest(Request, *Shape));
        }
      Run.device().announce(Soon, /*Next=*/true);
      for (PreparedShape *Shape : Others) {
        Binding Other = bind(*Shape);
        verify(*Shape, Other, Worst);
      }
      decide(Sides, Taken, Worst, Answer);
    } else {
      giveUp(Taken, Request.Beat, Answer);
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
  verifyOnReference(Run, Data, *Shape.Bound, Candidate, Shape.Known, Which,
                    Worst);
  if (Shape.Weight > 0)
    return;
  for (unsigned Round = 0; Round < FreshRounds; ++Round) {
    Data.refresh(Random);
    compareRuns(Run, Data, *Shape.Bound, Candidate, Shape.Known,
                Round & 1 ? PoisonNaN : PoisonOther, Which + ", fresh inputs",
                Worst);
  }
}

/// Not clearly below: noisy samples give no candidate up.
static bool reaches(const Samples &Taken, double Ratio) {
  double Least =
      *std::min_element(Taken.Baseline.begin(), Taken.Baseline.end()) /
      *std::min_element(Taken.Candidate.begin(), Taken.Candidate.end());
  return Least >= Ratio ||
         ratioInterval(Taken.Baseline, Taken.Candidate, 34, 1).High >= Ratio;
}

/// Once, as in Samples.
double Session::roughTime(const TimedPairs &Sides) {
  double Ns = 0;
  for (const TimedPair &Each : Sides) {
    Each.Candidate.patch(Each.Data);
    Ns += Each.Weight * Run.time(Each.Candidate, 1, false);
  }
  return Ns;
}

/// False when the candidate is hopeless: clearly slower than the baseline, or
/// clearly behind \p Beat.
bool Session::screen(const TimedPairs &Sides, double Beat, Samples &Taken,
                     WorstError &Worst) {
  const double Long = LongNs * TotalWeight, Telling = RoughNs * TotalWeight;
  const bool IsLong = BaselineNs > Long;
  const double Needed = std::max(ClearlySlower, (IsLong ? 1 : NearBest) * Beat);
  double Rough = roughTime(Sides);
  for (unsigned I = 1; I < ScreenPairs && IsLong && Rough < Long; ++I)
    Rough = std::min(Rough, roughTime(Sides));
  if ((Rough > Telling || IsLong) &&
      BaselineNs < (IsLong ? 1 : Hopeless) * Needed * Rough) {
    Taken = {{BaselineNs}, {Rough}, {}};
    return false;
  }
  TimedPairs First = Sides;
  for (size_t I = 0; I < Sides.size(); ++I) {
    if (Rough > 20 * BaselineNs)
      First[I].Batch = 1;
    Sides[I].Data.refresh(Random);
  }
  checkTimedRun(Run, Sides, Random, Taken, Worst);
  // A few samples on a busy machine can be far off: short ones that say no are
  // taken twice, and the least disturbed must say so too.
  for (unsigned Look = 1; Look <= Looks; ++Look) {
    if (!IsLong)
      takePairs(Run, First, Look * ScreenPairs - Taken.Baseline.size(),
                HUGE_VAL, Random, Taken, Worst, /*Checked=*/false);
    if (reaches(Taken, Needed))
      return true;
    if (Rough > Telling || BaselineNs > Telling)
      break;
  }
  return false;
}

void Session::giveUp(const Samples &Taken, double Beat,
                     EvaluationAnswer &Answer) const {
  conclude(Taken, Answer);
  // Without a ratio to beat, only being slower gives a candidate up.
  if (Answer.Ratio < ClearlySlower || NearBest * Beat <= ClearlySlower) {
    Answer.Status = name(Verdict::Slower);
    Answer.Message = "clearly slower in the first samples";
    return;
  }
  char Text[120];
  std::snprintf(Text, sizeof(Text),
                "%.2fx in the first samples, behind %.2fx: not judged to the "
                "end",
                Answer.Ratio, Beat);
  Answer.Status = status::Pruned;
  Answer.Message = Text;
}

/// Says on which shapes a candidate loses what it gains on others.
static void noteSlowerShapes(EvaluationAnswer &Answer) {
  for (const ShapeTimes &L : Answer.Launches) {
    if (Answer.Ratio <= 1 || L.High >= 1)
      continue;
    char Text[160];
    std::snprintf(Text, sizeof(Text),
                  "%sslower on shape %s: %.2fx [%.2f, %.2f]",
                  Answer.Message.empty() ? "" : "; ", L.Shape.c_str(), L.Ratio,
                  L.Low, L.High);
    Answer.Message += Text;
  }
}

void Session::decide(const TimedPairs &Sides, Samples &Taken, WorstError &Worst,
                     EvaluationAnswer &Answer) {
  const Options &Settings = Prepared.Settings;
  const double MostSeconds = Settings.TMaxMs / 1e3;
  // The last pair is the checked one after timing.
  unsigned Wanted = Settings.Repeat - 1;
  Wanted -= std::min<unsigned>(Wanted, Taken.Baseline.size());
  takePairs(Run, Sides, Wanted, MostSeconds, Random, Taken, Worst);
  // A few samples on a busy machine can lie: a claim made from noisy ones, or
  // from few and short ones, is measured once more, and all samples decide.
  conclude(Taken, Answer);
  const bool AreFew =
      Taken.Baseline.size() < FewPairs && BaselineNs < RoughNs * TotalWeight;
  if (Answer.Status != name(Verdict::Same) &&
      (AreFew ||
       std::max(Answer.Noise, relativeDeviation(Taken.Baseline)) > Noisy))
    takePairs(Run, Sides, 2 * Settings.Repeat, MostSeconds, Random, Taken,
              Worst);
  for (const TimedPair &Each : Sides)
    Each.Data.refresh(Random);
  checkTimedRun(Run, Sides, Random, Taken, Worst);
  conclude(Taken, Answer);
  checkFloors(Taken);
  noteSlowerShapes(Answer);
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
  concludeShapes(Taken, Answer);
}

void Session::concludeShapes(const Samples &Taken,
                             EvaluationAnswer &Answer) const {
  const Options &Settings = Prepared.Settings;
  const std::vector<PreparedShape *> Timed = timed();
  Answer.Launches.clear();
  for (size_t I = 0; I < Taken.OfShapes.size(); ++I) {
    const Samples &Own = Taken.OfShapes[I];
    RatioInterval Interval = ratioInterval(Own.Baseline, Own.Candidate,
                                           Settings.TrimPercent, Settings.Seed);
    ShapeTimes L;
    L.Shape = Timed[I]->name();
    L.Weight = Timed[I]->Weight;
    L.TimeNs = trimmedMean(Own.Candidate, Settings.TrimPercent);
    L.BaselineNs = trimmedMean(Own.Baseline, Settings.TrimPercent);
    L.Ratio = Interval.Ratio;
    L.Low = Interval.Low;
    L.High = Interval.High;
    Answer.Launches.push_back(std::move(L));
  }
}

/// On each shape that is timed: only bytes seen written count, at one and a
/// half times the bandwidth of a copy, and only when the data is too large to
/// stay in the cache.
void Session::checkFloors(const Samples &Taken) const {
  const std::vector<PreparedShape *> Timed = timed();
  for (size_t I = 0; I < Timed.size() && Bandwidth > 0; ++I) {
    const PreparedShape &Shape = *Timed[I];
    if (Shape.Data->bytes() < 2 * Run.device().facts().L2Bytes)
      continue;
    double Ns = trimmedMean(Timed.size() > 1 ? Taken.OfShapes[I].Candidate
                                             : Taken.Candidate,
                            Prepared.Settings.TrimPercent);
    if (Ns < double(Shape.Known.WrittenBytes) / (1.5 * Bandwidth) * 1e9)
      throw Failure(
          status::BelowFloor,
          "takes " + std::to_string(Ns) + " ns to write " +
              std::to_string(Shape.Known.WrittenBytes) +
              " bytes, more than the device's memory can take" +
              (Timed.size() > 1 ? " (shape " + Shape.name() + ")" : ""));
  }
}
