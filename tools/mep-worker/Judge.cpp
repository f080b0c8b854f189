/// \file
/// The steps of a candidate's evaluation, in the order cheapest first.

#include "Session.h"
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
  auto codeOf = [&](const PreparedShape &Shape) -> Program & {
    CompileRequest Wanted = compileRequest(Request, Shape);
    std::unique_ptr<Program> &Code = Compiled[Wanted.Defines];
    if (!Code)
      Code = compileProgram(Run.device(), Run.dog(), Wanted, Answer.CompileMs);
    return *Code;
  };
  auto bind = [&](PreparedShape &Shape) {
    return Binding(Run.device(), codeOf(Shape), *Shape.Data,
                   Request.Plans[Shape.Index], Prepared.Kernel,
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
    bool IsOriginal = !Request.IsControl;
    for (PreparedShape *Shape : timed()) {
      Timed.emplace_back(new Binding(bind(*Shape)));
      IsOriginal = IsOriginal && isOriginalOn(*Shape, codeOf(*Shape),
                                              Request.Plans[Shape->Index]);
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
    if (IsOriginal || screen(Sides, Request.Beat, Taken, Worst)) {
      announceOthers(Request);
      for (const auto &Shape : Shapes) {
        if (Shape->Weight > 0)
          continue;
        Binding Other = bind(*Shape);
        verify(*Shape, Other, Worst);
      }
      if (IsOriginal)
        concludeUnchanged(Answer);
      else
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

/// The shapes that are only verified.
void Session::announceOthers(const EvaluateRequest &Request) {
  std::vector<CompileRequest> Soon;
  for (const auto &Shape : Shapes)
    if (Shape->Weight == 0)
      Soon.push_back(compileRequest(Request, *Shape));
  Run.device().announce(Soon, /*Next=*/true);
}

/// Whether \p Code is the original's, and \p Asked launches the prepared kernel
/// as the original is launched.
bool Session::isOriginalOn(const PreparedShape &On, const Program &Code,
                           const Plan &Asked) const {
  const uint64_t Known = On.Code->Loaded->CodeDigest;
  const ShapeSpec &Shape = On.Data->spec();
  if (!Known || Code.Loaded->CodeDigest != Known || Asked.Launches.size() != 1)
    return false;
  const PlannedLaunch &Only = Asked.Launches.front();
  auto hasName = [](const ArgumentSpec &Argument, const std::string &Name) {
    return Argument.Name == Name;
  };
  return kernelExpression(Prepared.Kernel, Only.Kernel) == Prepared.Kernel &&
         Only.Shape == Shape.Launch &&
         (Only.Arguments.empty() ||
          std::equal(Shape.Arguments.begin(), Shape.Arguments.end(),
                     Only.Arguments.begin(), Only.Arguments.end(), hasName));
}

/// What is the original on every shape that is timed needs no clock.
void Session::concludeUnchanged(EvaluationAnswer &Answer) const {
  Answer.Status = name(Verdict::Same);
  Answer.Message = "compiles to the original's code, launched as the original";
  Answer.TimeNs = Answer.BaselineNs = BaselineNs;
  Answer.Ratio = Answer.Low = Answer.High = 1;
  const std::vector<PreparedShape *> Timed = timed();
  for (const PreparedShape *Shape : Timed)
    if (Timed.size() > 1)
      Answer.Launches.push_back({.Shape = Shape->name(),
                                 .Weight = Shape->Weight,
                                 .TimeNs = Shape->BaselineNs,
                                 .BaselineNs = Shape->BaselineNs,
                                 .Ratio = 1,
                                 .Low = 1,
                                 .High = 1});
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
  auto isHopeless = [&](double Ns) {
    return (Ns > Telling || IsLong) &&
           BaselineNs < (IsLong ? 1 : Hopeless) * Needed * Ns;
  };
  // A busy machine may spoil one launch, hardly the best of some.
  double Rough = roughTime(Sides);
  for (unsigned I = 1; I < ScreenPairs && Rough < Long; ++I)
    if (IsLong || isHopeless(Rough))
      Rough = std::min(Rough, roughTime(Sides));
  if (isHopeless(Rough)) {
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
