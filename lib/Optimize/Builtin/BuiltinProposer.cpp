/// \file
/// The catalogue as a proposer: combines structural moves before anything is
/// measured, then refines what measured best.

#include "Move.h"
#include "mep/Optimize/Proposer.h"
#include "mep/Support/Files.h"
#include "mep/Support/Json.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"
#include <map>
#include <nlohmann/json.hpp>
#include <set>

using namespace mep;

std::string mep::candidateId(const Candidate &C) {
  return contentHash(C.DeviceText + printJson(toJson(C.Plan)));
}

namespace {

/// Most structural moves that are worth combining unmeasured.
constexpr unsigned MaxDepth = 4;

std::vector<std::string> firstValues(const LaunchPlan &Plan) {
  std::vector<std::string> Defines;
  for (const Tunable &T : Plan.Tunables)
    if (!T.Values.empty())
      Defines.push_back(T.Name + "=" + std::to_string(T.Values.front()));
  return Defines;
}

/// Order in which drafts are tried: on a GPU what long kernels gain most from
/// first; on a CPU, where barriers are costly, the simplest first.
unsigned rank(const Draft &D, const Device &On) {
  if (On.Platform == "cpu")
    return MaxDepth + 1 - std::min<size_t>(MaxDepth, D.Moves.size());
  auto Has = [&](const char *Name) {
    return llvm::is_contained(D.Moves, Name);
  };
  unsigned Rank = 0;
  Rank += Has("tile-contraction") ? 64 : 0;
  Rank += Has("warp-per-row") ? 64 : 0;
  Rank += Has("split-reduction") ? 64 : 0;
  Rank += Has("loop-to-threads") ? 32 : 0;
  Rank += Has("accumulate-in-register") ? 16 : 0;
  Rank += Has("block-shape") ? 8 : 0;
  Rank += Has("thread-axis-swap") ? 4 : 0;
  return Rank;
}

class BuiltinProposer : public Proposer {
public:
  const char *name() const override { return "builtin"; }

  llvm::Expected<std::vector<Candidate>> propose(const ProposalContext &Context,
                                                 unsigned Wanted) override {
    std::vector<Candidate> Out;
    if (Context.History.empty())
      Queue.clear();
    if (Context.Round == 0 || Context.Beam.empty()) {
      if (llvm::Error E = combine(Context))
        return std::move(E);
    }
    refine(Context);
    llvm::StringSet<> Known;
    for (const Trial &T : Context.History)
      Known.insert(T.Proposal.Id);
    std::vector<Candidate> Rest;
    for (Candidate &C : Queue) {
      if (Known.contains(C.Id))
        continue;
      if (Out.size() < Wanted)
        Out.push_back(std::move(C));
      else
        Rest.push_back(std::move(C));
    }
    Queue = std::move(Rest);
    return Out;
  }

private:
  /// Everything that structural moves reach from the original, each with and
  /// without a block shape of its own, and each other move by itself.
  llvm::Error combine(const ProposalContext &Context) {
    Draft Original;
    Original.Text = Context.Source.kernelText().str();
    std::vector<Draft> Reached{Original};
    std::vector<Draft> All;
    for (size_t I = 0; I < Reached.size(); ++I) {
      Draft From = Reached[I];
      auto View =
          KernelView::parse(Context.Source, From.Text, firstValues(From.Plan));
      if (!View) {
        if (I == 0)
          return View.takeError();
        llvm::consumeError(View.takeError());
        continue;
      }
      for (const Move &M : builtinMoves()) {
        // Hints on top of others wait until something was measured.
        bool Hint = !M.Structural && M.Apply != blockShape;
        if (llvm::is_contained(From.Moves, M.Name) ||
            (Hint && !From.Moves.empty()))
          continue;
        MoveOutcome Outcome = M.Apply({**View, From, Context.Data, Context.On});
        if (!Outcome.Result || !isNew(*Outcome.Result))
          continue;
        All.push_back(*Outcome.Result);
        if (M.Structural && From.Moves.size() < MaxDepth)
          Reached.push_back(*Outcome.Result);
      }
    }
    std::multimap<unsigned, const Draft *, std::greater<>> Ranked;
    for (const Draft &D : All)
      Ranked.emplace(rank(D, Context.On), &D);
    for (const auto &[Rank, D] : Ranked)
      Queue.push_back(candidate(*D, ""));
    return llvm::Error::success();
  }

  /// The other moves on top of the best so far, with its tunables fixed to
  /// their best values. These go first.
  void refine(const ProposalContext &Context) {
    std::vector<Candidate> Better;
    for (const Trial *T : Context.Beam) {
      const Evaluation *Best = T->best();
      if (!Best)
        continue;
      Draft From;
      From.Text = T->Proposal.DeviceText;
      From.Plan = T->Proposal.Plan;
      From.Moves = T->Proposal.Moves;
      for (Tunable &Each : From.Plan.Tunables)
        if (auto It = Best->Tune.find(Each.Name); It != Best->Tune.end())
          Each.Values = {It->second};
      auto View =
          KernelView::parse(Context.Source, From.Text, firstValues(From.Plan));
      if (!View) {
        llvm::consumeError(View.takeError());
        continue;
      }
      for (const Move &M : builtinMoves()) {
        if (llvm::is_contained(From.Moves, M.Name))
          continue;
        MoveOutcome Outcome = M.Apply({**View, From, Context.Data, Context.On});
        if (Outcome.Result && isNew(*Outcome.Result))
          Better.push_back(candidate(*Outcome.Result, T->Proposal.Id));
      }
    }
    Queue.insert(Queue.begin(), Better.begin(), Better.end());
  }

  bool isNew(const Draft &D) {
    return Seen.insert(contentHash(D.Text + printJson(toJson(D.Plan)))).second;
  }

  static Candidate candidate(const Draft &D, std::string Parent) {
    Candidate C;
    C.Parent = std::move(Parent);
    C.Proposer = "builtin";
    C.Moves = D.Moves;
    C.Summary = llvm::join(D.Moves, " + ");
    for (const std::string &Note : D.Notes)
      C.Summary += "; " + Note;
    C.DeviceText = D.Text;
    C.Plan = D.Plan;
    C.Id = candidateId(C);
    return C;
  }

  std::vector<Candidate> Queue; ///< Not yet proposed, best first.
  std::set<std::string> Seen;
};

} // namespace

std::unique_ptr<Proposer> mep::makeBuiltinProposer() {
  return std::make_unique<BuiltinProposer>();
}
