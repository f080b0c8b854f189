/// \file
/// Rounds × candidates × tunables on one worker.

#include "mep/Optimize/Optimizer.h"
#include "Admission.h"
#include "Journal.h"
#include "KernelView.h"
#include "Sanitizer.h"
#include "Sweep.h"
#include "mep/Support/Error.h"
#include "mep/Support/Files.h"
#include "mep/Workload/Resolve.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/ThreadPool.h"
#include <algorithm>
#include <deque>
#include <nlohmann/json.hpp>

using namespace mep;
using llvm::Error;
using llvm::Expected;

namespace {

/// A lower bound must rise by this much for a round to count as a gain.
constexpr double MinGain = 1.01;
/// How many of the best are measured again before giving up on a winner.
constexpr unsigned Confirmations = 3;
/// Each holds a parsed unit.
constexpr unsigned AdmissionThreads = 8;
/// A kernel below this does little but start.
constexpr double LaunchBoundNs = 6000;
/// Wall-clock seconds that one round should take, for kernels so slow that
/// measuring all variants would take hours.
constexpr double RoundSeconds = 240;
/// Baseline-long runs that an evaluation costs: four when it is judged to the
/// end, none when it is soon seen to be behind.
constexpr double RunsOfOneEvaluation = 2;

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
        Result(Result), Progress(Progress), Checked(C, Data, Options.Prober) {}

  Error run(llvm::StringRef JournalPath) {
    if (Error E = begin(JournalPath))
      return E;
    Error Stopped = rounds();
    if (!Stopped && Options.SanitizeAll)
      Stopped = sanitizeAll();
    if (!Stopped)
      Stopped = confirm();
    if (Stopped)
      takeUnconfirmed();
    conclude(/*IsConfirmed=*/!Stopped);
    return Stopped;
  }

private:
  Error begin(llvm::StringRef JournalPath) {
    // The measured bandwidth differs from start to start.
    Device On = W.device();
    On.BandwidthBytesPerS = 0;
    const EvaluateOptions &M = Options.Measure;
    std::string How = llvm::formatv("{0} {1} {2} {3} {4}", M.Seed, M.Repeat,
                                    M.TrimPercent, M.TMinUs, M.TMaxMs);
    std::string Key = contentHash(C.Text + printJson(toJson(Data)) +
                                  printJson(toJson(On)) + How);
    std::string SetAside;
    auto J = Journal::open(JournalPath, Key, SetAside);
    if (!J)
      return J.takeError();
    Record = std::move(*J);
    if (!SetAside.empty())
      llvm::errs() << "note: the journal of another session (of other code, "
                      "data, seed, measuring options or device) is now "
                   << SetAside << '\n';
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
      if (Error E = tryAll(std::move(*Candidates), Round))
        return E;
      double Now = bestLow();
      if (atFloor() || (Round > 0 && Now < Best * MinGain))
        return Error::success();
      Best = std::max(Best, Now);
    }
    return Error::success();
  }

  double evaluationSeconds() const {
    return std::min(20.0, Base.roundNs() * 1e-9 * RunsOfOneEvaluation);
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

  std::string sourceOf(const Candidate &Proposal) const {
    return C.withKernel(Proposal.DeviceText, Proposal.Plan.tunableNames());
  }

  /// One candidate on its way: admitted, and the variants to measure next.
  struct Pending {
    size_t Trial;
    std::string Source;
    std::optional<Sweep> Order; ///< None: it ended before the worker.
    std::vector<Tune> Batch;
  };

  Error tryAll(std::vector<Candidate> Candidates, unsigned Round) {
    std::vector<std::optional<Evaluation>> Refused(Candidates.size());
    {
      // Each is a parse of its own.
      llvm::DefaultThreadPool Pool(
          llvm::hardware_concurrency(AdmissionThreads));
      for (size_t I = 0; I < Candidates.size(); ++I)
        Pool.async([&, I] { Refused[I] = admit(C, Signature, Candidates[I]); });
      Pool.wait();
    }
    std::deque<Pending> Queue;
    for (size_t I = 0; I < Candidates.size(); ++I) {
      auto Next = enter(std::move(Candidates[I]), std::move(Refused[I]), Round);
      if (!Next)
        return Next.takeError();
      if (Next->Order)
        Queue.push_back(std::move(*Next));
    }
    while (!Queue.empty()) {
      Pending Now = std::move(Queue.front());
      Queue.pop_front();
      if (Error E = measure(Now, Queue))
        return E;
    }
    return Error::success();
  }

  Expected<Pending> enter(Candidate Proposal, std::optional<Evaluation> Refused,
                          unsigned Round) {
    if (Proposal.Id.empty())
      Proposal.Id = candidateId(Proposal);
    if (Error E = Record->record(Proposal))
      return E;
    Result.Trials.push_back({std::move(Proposal), Round, {}});
    Trial &T = Result.Trials.back();
    Pending Next{Result.Trials.size() - 1, "", {}, {}};
    if (const Evaluation *Known = Record->find(T.Proposal.Id, {});
        Known && !isCorrect(Known->Outcome) &&
        !T.Proposal.Plan.Tunables.empty()) {
      if (Error E = add(T, *Known, false))
        return E;
      return Next;
    }
    if (Refused) {
      if (Error E = add(T, *Refused, true))
        return E;
      return Next;
    }
    Next.Source = sourceOf(T.Proposal);
    Next.Order.emplace(T.Proposal.Plan, variantLimit(),
                       [&, Plan = T.Proposal.Plan](const Tune &Values) {
                         auto Plans = resolvePlan(Data, Plan, Values);
                         if (Plans)
                           return true;
                         Unfit = llvm::toString(Plans.takeError());
                         return false;
                       });
    Next.Batch = Next.Order->next();
    if (Next.Batch.empty()) {
      Evaluation None;
      None.Message = "no variant has a valid launch: " + Unfit;
      Next.Order.reset();
      if (Error E = add(T, None, true))
        return E;
    }
    return Next;
  }

  /// What of \p P's batch is not known yet, for the worker to compile ahead.
  void announceTo(std::vector<Announced> &List, const Pending &P) {
    const Candidate &Proposal = Result.Trials[P.Trial].Proposal;
    Announced New{P.Source, {}, {}};
    for (const Tune &Values : P.Batch)
      if (!Record->find(Proposal.Id, Values))
        New.Tunes.push_back(Values);
    if (New.Tunes.empty())
      return;
    auto Plans = resolvePlan(Data, Proposal.Plan, New.Tunes.front());
    if (!Plans)
      return llvm::consumeError(Plans.takeError());
    for (const ResolvedPlan &Each : *Plans)
      for (const ResolvedLaunch &Launch : Each.Launches)
        New.Kernels.push_back(Launch.Kernel);
    List.push_back(std::move(New));
  }

  Error measure(Pending &Now, const std::deque<Pending> &Later) {
    unsigned Failed = 0;
    for (; !Now.Batch.empty(); Now.Batch = Now.Order->next()) {
      std::vector<Announced> Soon;
      announceTo(Soon, Now);
      if (!Later.empty())
        announceTo(Soon, Later.front());
      if (!Soon.empty())
        W.announce(Soon);
      for (const Tune &Values : Now.Batch) {
        auto Outcome = measureOne(Now, Values);
        if (!Outcome)
          return Outcome.takeError();
        // Wrong or broken for three variants in a row: the rest is too.
        Failed = *Outcome >= Status::Pruned || *Outcome == Status::ResourceLimit
                     ? 0
                     : Failed + 1;
        if (Failed == 3 && !Result.Trials[Now.Trial].best())
          return Error::success();
      }
    }
    return Error::success();
  }

  Expected<Status> measureOne(Pending &Now, const Tune &Values) {
    if (Worker::Interrupted)
      return makeError(Failure::Interrupted, "interrupted");
    Trial &T = Result.Trials[Now.Trial];
    const Evaluation *Known = Record->find(T.Proposal.Id, Values);
    Evaluation Found;
    if (Known) {
      Found = *Known;
    } else {
      auto Plans = resolvePlan(Data, T.Proposal.Plan, Values);
      if (!Plans)
        return Plans.takeError();
      auto E = W.evaluate(T.Proposal, Now.Source, *Plans, Values, toBeat(T));
      if (!E)
        return E.takeError();
      Found = std::move(*E);
    }
    Status Outcome = Found.Outcome;
    Now.Order->tell(Values, Outcome >= Status::Pruned ? Found.Ratio : 0);
    if (Error Bad = add(T, std::move(Found), !Known))
      return Bad;
    return Outcome;
  }

  /// What a variant must come near to be worth judging to the end: the best of
  /// its own candidate and the last of the beam.
  double toBeat(const Trial &T) const {
    double Ratio = 0;
    if (const Evaluation *Own = T.best(); Own && Own->Outcome == Status::Faster)
      Ratio = Own->Ratio;
    auto Best = beam();
    if (Best.size() == Options.Beam)
      Ratio = std::max(Ratio, Best.back()->best()->Ratio);
    return Ratio;
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

  struct Entry {
    size_t Trial, Evaluation;
    double Low;
  };
  /// All that were faster, best first.
  std::vector<Entry> faster() const {
    std::vector<Entry> Order;
    for (size_t I = 0; I < Result.Trials.size(); ++I)
      for (size_t J = 0; J < Result.Trials[I].Evaluations.size(); ++J)
        if (const Evaluation &E = Result.Trials[I].Evaluations[J];
            E.Outcome == Status::Faster)
          Order.push_back({I, J, E.Low});
    llvm::sort(Order,
               [](const Entry &A, const Entry &B) { return A.Low > B.Low; });
    return Order;
  }

  /// What was found until the stop, right and faster on all shapes, but not
  /// measured a second time.
  void takeUnconfirmed() {
    auto Order = faster();
    if (Result.winner() || Order.empty())
      return;
    Result.BestTrial = int(Order.front().Trial);
    Result.BestEvaluation = int(Order.front().Evaluation);
  }

  /// Runs a variant of \p T under the sanitizer. When it does what it must
  /// not, all variants of \p T that seemed right are wrong: they are one text.
  Expected<bool> passes(Trial &T, const Tune &Values, SanitizerReport &Report) {
    if (!Options.Prober)
      return true;
    auto Found = Checked.judge(T.Proposal, sourceOf(T.Proposal), Values);
    if (!Found)
      return Found.takeError();
    Report = Found->Report;
    if (!Found->Wrong)
      return true;
    for (Evaluation &E : T.Evaluations) {
      if (!isCorrect(E.Outcome))
        continue;
      E.Outcome = Found->Wrong->Outcome;
      E.Message = Found->Wrong->Text;
      if (Error Bad = Record->record(E))
        return std::move(Bad);
      Progress(T.Round, T.Proposal, E);
    }
    return false;
  }

  Error sanitizeAll() {
    for (Trial &T : Result.Trials) {
      const Evaluation *Best = T.best();
      if (!Best)
        continue;
      SanitizerReport Report;
      const Tune Values = Best->Tune;
      if (auto Passed = passes(T, Values, Report); !Passed)
        return Passed.takeError();
      if (Report.Shape.empty())
        for (Evaluation &E : T.Evaluations)
          if (E.Tune == Values)
            E.Message += (E.Message.empty() ? "sanitizer " : "; sanitizer ") +
                         Report.Text;
    }
    return Error::success();
  }

  /// The best by their first measurement must pass the sanitizer and are
  /// measured once more: the maximum of many noisy numbers is too good to be
  /// true.
  Error confirm() {
    unsigned Measured = 0;
    for (const Entry &Next : faster()) {
      Trial &T = Result.Trials[Next.Trial];
      if (!T.best()) // Refused by an earlier variant.
        continue;
      const Tune Values = T.Evaluations[Next.Evaluation].Tune;
      SanitizerReport Report;
      auto Passed = passes(T, Values, Report);
      if (!Passed)
        return Passed.takeError();
      if (!*Passed)
        continue;
      if (Measured++ == Confirmations)
        break;
      auto Plans = resolvePlan(Data, T.Proposal.Plan, Values);
      if (!Plans)
        return Plans.takeError();
      auto E = W.evaluate(T.Proposal, sourceOf(T.Proposal), *Plans, Values);
      if (!E)
        return E.takeError();
      Status Outcome = E->Outcome;
      if (Error Bad = add(T, std::move(*E), true))
        return Bad;
      if (Outcome != Status::Faster)
        continue;
      Result.BestTrial = int(Next.Trial);
      Result.BestEvaluation = int(T.Evaluations.size()) - 1;
      if (Options.Prober)
        Result.Sanitizer = std::move(Report);
      return Error::success();
    }
    return Error::success();
  }

  void conclude(bool IsConfirmed) {
    if (const Evaluation *E = Result.winning()) {
      std::string Near = percentOfFloor(Base.FloorNs, E->TimeNs);
      Result.Outcome =
          llvm::formatv("{0:f2}x ({1:f2} to {2:f2}): {3}{4}{5}", E->Ratio,
                        E->Low, E->High,
                        Result.winner()->Proposal.changes(" + "),
                        Near.empty() ? "" : "; now at " + Near,
                        IsConfirmed ? "" : "; stopped before the end")
              .str();
      return;
    }
    std::string Why = "no candidate was faster";
    if (Result.Trials.empty())
      Why = "no move of the catalogue applies";
    else if (llvm::none_of(Result.Trials,
                           [](const Trial &T) { return T.best() != nullptr; }))
      Why = "no candidate computed the right answer";
    if (Base.meanNs() < LaunchBoundNs)
      Why += llvm::formatv("; launch-bound ({0:f1} us)", Base.meanNs() / 1000)
                 .str();
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
  Sanitizer Checked;
  std::string Unfit; ///< Why the last variant without a launch has none.
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
