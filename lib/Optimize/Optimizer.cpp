/// \file
/// Rounds × candidates × tunables on one worker.

#include "mep/Optimize/Optimizer.h"
#include "Admission.h"
#include "Journal.h"
#include "KernelView.h"
#include "mep/Support/Error.h"
#include "mep/Support/Files.h"
#include "mep/Workload/Resolve.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

using namespace mep;
using llvm::Error;
using Tune = std::map<std::string, int64_t>;

namespace {

/// A lower bound must rise by this much for a round to count as a gain.
constexpr double MinGain = 1.01;
/// How many of the best are measured again before giving up on a winner.
constexpr unsigned Confirmations = 3;
/// A kernel below this does little but start.
constexpr double LaunchBoundNs = 6000;
/// Wall-clock seconds that one round should take, for kernels so slow that
/// measuring all variants would take hours.
constexpr double RoundSeconds = 240;
/// Baseline-long runs that one evaluation costs, samples and checks together.
constexpr double RunsOfOneEvaluation = 30;

/// All combinations of the tunables' values, at most \p Limit of them; the
/// middle values first, then a seeded choice.
std::vector<Tune> variants(const LaunchPlan &Plan, unsigned Limit) {
  std::vector<Tune> All{{}};
  for (const Tunable &T : Plan.Tunables) {
    std::vector<Tune> Next;
    for (const Tune &Each : All)
      for (int64_t Value : T.Values) {
        Next.push_back(Each);
        Next.back()[T.Name] = Value;
      }
    All = std::move(Next);
    if (All.size() > 100000)
      break;
  }
  if (All.size() <= Limit)
    return All;
  Tune Middle;
  for (const Tunable &T : Plan.Tunables)
    Middle[T.Name] = T.Values[T.Values.size() / 2];
  std::mt19937 Random(1);
  std::shuffle(All.begin(), All.end(), Random);
  auto At = llvm::find(All, Middle);
  if (At != All.end())
    std::iter_swap(All.begin(), At);
  All.resize(Limit);
  return All;
}

std::string percentOfFloor(double FloorNs, double TimeNs) {
  if (FloorNs <= 0 || TimeNs <= 0)
    return "";
  return llvm::formatv("{0:f0} % of the floor", 100 * FloorNs / TimeNs).str();
}

class Search {
public:
  Search(Worker &W, const Closure &C, const Workload &Data,
         const Baseline &Base, Proposer &P, const OptimizeOptions &Options,
         KernelResult &Result, OptimizeProgress Progress)
      : W(W), C(C), Data(Data), Base(Base), P(P), Options(Options),
        Result(Result), Progress(Progress) {}

  Error run(llvm::StringRef JournalPath) {
    if (Error E = begin(JournalPath))
      return E;
    Error Stopped = rounds();
    if (!Stopped)
      Stopped = confirm();
    conclude();
    return Stopped;
  }

private:
  Error begin(llvm::StringRef JournalPath) {
    // The measured bandwidth differs from start to start.
    Device On = W.device();
    On.BandwidthBytesPerS = 0;
    std::string Key =
        contentHash(C.Text + printJson(toJson(Data)) + printJson(toJson(On)));
    std::string SetAside;
    auto J = Journal::open(JournalPath, Key, SetAside);
    if (!J)
      return J.takeError();
    Record = std::move(*J);
    if (!SetAside.empty())
      llvm::errs() << "note: the journal of another session is now " << SetAside
                   << '\n';
    auto View = KernelView::parse(C, C.kernelText(), {});
    if (!View)
      return View.takeError();
    Signature = (*View)->signature();
    return Error::success();
  }

  Error rounds() {
    double Best = 1;
    for (unsigned Round = 0; Round < Options.Rounds; ++Round) {
      ProposalContext Context{C,      Data, W.device(), Base, Result.Trials,
                              beam(), Round};
      auto Candidates = P.propose(Context, wanted());
      if (!Candidates)
        return Candidates.takeError();
      if (Candidates->empty())
        return Error::success();
      for (Candidate &Each : *Candidates)
        if (Error E = tryCandidate(std::move(Each), Round))
          return E;
      double Now = bestLow();
      if (atFloor() || (Round > 0 && Now < Best * MinGain))
        return Error::success();
      Best = std::max(Best, Now);
    }
    return Error::success();
  }

  double evaluationSeconds() const {
    return std::min(20.0, Base.TimeNs * 1e-9 * RunsOfOneEvaluation);
  }
  unsigned wanted() const {
    double Fit = RoundSeconds / (4 * evaluationSeconds());
    return Fit >= Options.Candidates ? Options.Candidates
                                     : std::max(4u, unsigned(Fit));
  }
  unsigned variantLimit() const {
    double Fit = RoundSeconds / (wanted() * evaluationSeconds());
    return Fit >= Options.MaxVariants ? Options.MaxVariants
                                      : std::max(3u, unsigned(Fit));
  }

  Error tryCandidate(Candidate Proposal, unsigned Round) {
    if (Proposal.Id.empty())
      Proposal.Id = candidateId(Proposal);
    if (Error E = Record->record(Proposal))
      return E;
    Result.Trials.push_back({std::move(Proposal), Round, {}});
    Trial &T = Result.Trials.back();
    if (const Evaluation *Known = Record->find(T.Proposal.Id, {});
        Known && !isCorrect(Known->Outcome) &&
        !T.Proposal.Plan.Tunables.empty())
      return add(T, *Known, false);
    if (auto Refused = admit(C, Signature, T.Proposal))
      return add(T, *Refused, true);
    std::string Source = C.withKernel(T.Proposal.DeviceText), Unfit;
    unsigned Failed = 0;
    for (const Tune &Values : variants(T.Proposal.Plan, variantLimit())) {
      if (Worker::Interrupted)
        return makeError(Failure::Interrupted, "interrupted");
      if (const Evaluation *Known = Record->find(T.Proposal.Id, Values)) {
        if (Error E = add(T, *Known, false))
          return E;
        continue;
      }
      auto Plans = resolvePlan(Data, T.Proposal.Plan, Values);
      if (!Plans) {
        Unfit = llvm::toString(Plans.takeError());
        continue; // A combination that no launch allows.
      }
      auto E = W.evaluate(T.Proposal, Source, *Plans, Values);
      if (!E)
        return E.takeError();
      if (Error Bad = add(T, *E, true))
        return Bad;
      // Wrong or broken for three variants in a row: the rest is too.
      Failed = isCorrect(E->Outcome) || E->Outcome == Status::ResourceLimit
                   ? 0
                   : Failed + 1;
      if (Failed == 3 && !T.best())
        break;
    }
    if (T.Evaluations.empty()) {
      Evaluation None;
      None.Candidate = T.Proposal.Id;
      None.Message = "no variant has a valid launch: " + Unfit;
      return add(T, None, true);
    }
    return Error::success();
  }

  Error add(Trial &T, Evaluation E, bool IsNew) {
    E.Candidate = T.Proposal.Id;
    if (IsNew)
      if (Error Bad = Record->record(E))
        return Bad;
    T.Evaluations.push_back(std::move(E));
    Progress(T.Round, T.Proposal, T.Evaluations.back());
    return Error::success();
  }

  std::vector<const Trial *> beam() const {
    std::vector<const Trial *> Out;
    for (const Trial &T : Result.Trials)
      if (const Evaluation *E = T.best(); E && E->Outcome == Status::Faster)
        Out.push_back(&T);
    llvm::sort(Out, [](const Trial *A, const Trial *B) {
      return A->best()->Low > B->best()->Low;
    });
    if (Out.size() > Options.Beam)
      Out.resize(Options.Beam);
    return Out;
  }

  double bestLow() const {
    auto Best = beam();
    return Best.empty() ? 0 : Best.front()->best()->Low;
  }

  bool atFloor() const {
    auto Best = beam();
    return !Best.empty() && Base.FloorNs > 0 &&
           Base.FloorNs >= Options.StopAtFloor * Best.front()->best()->TimeNs;
  }

  /// The best by their first measurement are measured once more: the maximum
  /// of many noisy numbers is too good to be true.
  Error confirm() {
    struct Entry {
      size_t Trial;
      Tune Values;
      double Low;
    };
    std::vector<Entry> Order;
    for (size_t I = 0; I < Result.Trials.size(); ++I)
      for (const Evaluation &E : Result.Trials[I].Evaluations)
        if (E.Outcome == Status::Faster)
          Order.push_back({I, E.Tune, E.Low});
    llvm::sort(Order,
               [](const Entry &A, const Entry &B) { return A.Low > B.Low; });
    for (size_t I = 0; I < Order.size() && I < Confirmations; ++I) {
      Trial &T = Result.Trials[Order[I].Trial];
      auto Plans = resolvePlan(Data, T.Proposal.Plan, Order[I].Values);
      if (!Plans)
        return Plans.takeError();
      auto E = W.evaluate(T.Proposal, C.withKernel(T.Proposal.DeviceText),
                          *Plans, Order[I].Values);
      if (!E)
        return E.takeError();
      Status Outcome = E->Outcome;
      if (Error Bad = add(T, std::move(*E), true))
        return Bad;
      if (Outcome != Status::Faster)
        continue;
      Result.BestTrial = int(Order[I].Trial);
      Result.BestEvaluation = int(T.Evaluations.size()) - 1;
      return Error::success();
    }
    return Error::success();
  }

  void conclude() {
    if (const Evaluation *E = Result.winning()) {
      std::string Near = percentOfFloor(Base.FloorNs, E->TimeNs);
      Result.Outcome =
          llvm::formatv("{0:f2}x ({1:f2} to {2:f2}): {3}{4}", E->Ratio, E->Low,
                        E->High,
                        llvm::join(Result.winner()->Proposal.Moves, " + "),
                        Near.empty() ? "" : "; now at " + Near)
              .str();
      return;
    }
    std::string Why = "no candidate was faster";
    if (Result.Trials.empty())
      Why = "no move of the catalogue applies";
    else if (llvm::none_of(Result.Trials,
                           [](const Trial &T) { return T.best() != nullptr; }))
      Why = "no candidate computed the right answer";
    if (Base.TimeNs < LaunchBoundNs)
      Why +=
          llvm::formatv("; launch-bound ({0:f1} us)", Base.TimeNs / 1000).str();
    else if (std::string Near = percentOfFloor(Base.FloorNs, Base.TimeNs);
             !Near.empty())
      Why += "; at " + Near;
    Result.Outcome = "1.00: " + Why;
  }

  Worker &W;
  const Closure &C;
  const Workload &Data;
  const Baseline &Base;
  Proposer &P;
  const OptimizeOptions &Options;
  KernelResult &Result;
  OptimizeProgress Progress;
  std::unique_ptr<Journal> Record;
  std::string Signature;
};

} // namespace

Error mep::optimizeKernel(Worker &W, const Closure &C, const Workload &Data,
                          const Baseline &Base, Proposer &P,
                          const OptimizeOptions &Options,
                          llvm::StringRef JournalPath, KernelResult &Result,
                          OptimizeProgress Progress) {
  return Search(W, C, Data, Base, P, Options, Result, Progress)
      .run(JournalPath);
}
