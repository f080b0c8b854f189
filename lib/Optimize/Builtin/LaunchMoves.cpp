/// \file
/// block-shape, thread-axis-swap and launch-bounds: which threads do the work,
/// not what they do.

#include "Move.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

using namespace mep;
using namespace clang;

/// Every thread index in use is bounded from above around what it addresses.
static std::string unguardedIndex(const KernelView &View) {
  for (const ThreadIndex &T : View.Threads)
    if (!View.guarded(T.Var))
      return "'" + T.Var->getNameAsString() +
             "' is not compared with its bound around every access";
  return "";
}

MoveOutcome mep::blockShape(const MoveInput &In) {
  const KernelView &View = In.View;
  std::string Why = dependsOnBlock(View);
  if (Why.empty())
    Why = unguardedIndex(View);
  LaunchPlan Plan = In.From.Plan;
  PlannedLaunch *Launch = mainLaunch(Plan, In.View);
  if (Why.empty() && (!Launch || !Plan.Tunables.empty()))
    Why = "the plan already chooses its blocks";
  if (!Why.empty())
    return MoveOutcome::refuse(Why);

  static const std::vector<int64_t> One = {32, 64, 128, 256, 512},
                                    Fast = {8, 16, 32, 64, 128},
                                    Slow = {1, 2, 4, 8, 16};
  std::array<std::string, 3> Block;
  bool Several = View.Threads.size() > 1, IsFirst = true;
  std::vector<std::string> Notes;
  for (unsigned Axis = 0; Axis < 3; ++Axis) {
    if (!View.axis(Axis)) {
      Notes.push_back("threads along an axis that the kernel does not look at "
                      "repeat the same work; one of them is launched");
      continue;
    }
    Block[Axis] = View.freshName(std::string("BLOCK_") + "XYZ"[Axis]);
    Plan.Tunables.push_back({Block[Axis], !Several  ? One
                                          : IsFirst ? Fast
                                                    : Slow});
    IsFirst = false;
  }
  reshape(*Launch, Block);
  return finish(In, "block-shape", {}, std::move(Plan), std::move(Notes));
}

/// How many accesses step by one element along \p T.
static unsigned contiguousAccesses(const KernelView &View,
                                   const ThreadIndex &T) {
  unsigned Count = 0;
  for (const Access &A : View.accesses(View.Body).All) {
    auto Step = A.Index.coefficient(View.key(T.Var));
    Count += Step && Step->asConstant() == 1;
  }
  return Count;
}

MoveOutcome mep::swapThreadAxes(const MoveInput &In) {
  const KernelView &View = In.View;
  std::string Why = dependsOnBlock(View);
  if (!Why.empty())
    return MoveOutcome::refuse(Why);
  const ThreadIndex *X = View.axis(0), *Y = View.axis(1);
  LaunchPlan Plan = In.From.Plan;
  PlannedLaunch *Launch = mainLaunch(Plan, In.View);
  if (!X || !Y)
    return MoveOutcome::refuse("the kernel does not use both x and y");
  if (!Launch || !Plan.Tunables.empty())
    return MoveOutcome::refuse("the plan already chooses its blocks");
  if (contiguousAccesses(View, *Y) <= contiguousAccesses(View, *X))
    return MoveOutcome::refuse(
        "neighbouring threads already touch neighbouring elements");
  TextEdits Edits;
  for (const ThreadIndex *T : {X, Y}) {
    bool Plain = true;
    walk(T->Var->getInit(), [&](const Stmt *S) {
      unsigned Axis = 0;
      auto *E = dyn_cast<Expr>(S);
      if (!E || (!isa<PseudoObjectExpr>(E) && !isa<MemberExpr>(E)))
        return true;
      llvm::StringRef Name = builtinIndex(E, Axis);
      auto R = View.range(E);
      Plain &=
          R && View.text(*R) == (Name + "." + llvm::Twine("xyz"[Axis])).str();
      if (R)
        Edits.replace({R->End - 1, R->End}, Axis == 0 ? "y" : "x");
      return false;
    });
    if (!Plain)
      return MoveOutcome::refuse("a thread index comes from a macro");
  }
  std::swap(Launch->Grid[0], Launch->Grid[1]);
  std::swap(Launch->Block[0], Launch->Block[1]);
  return finish(In, "thread-axis-swap", Edits, std::move(Plan));
}

MoveOutcome mep::launchBounds(const MoveInput &In) {
  LaunchPlan Plan = In.From.Plan;
  PlannedLaunch *Launch = mainLaunch(Plan, In.View);
  if (!Launch || Plan.Tunables.empty())
    return MoveOutcome::refuse("the plan does not choose the block itself");
  if (llvm::StringRef(In.From.Text).contains("__launch_bounds__"))
    return MoveOutcome::refuse("the kernel has launch bounds already");
  std::string Threads;
  int64_t Fewest = 1;
  for (const std::string &Side : Launch->Block) {
    auto Known = llvm::find_if(
        Plan.Tunables, [&](const Tunable &T) { return T.Name == Side; });
    if (Side == "1")
      continue;
    if (Known == Plan.Tunables.end() || Known->Values.empty())
      return MoveOutcome::refuse("a block side is not a constant of the text");
    Threads += (Threads.empty() ? "" : " * ") + Side;
    Fewest *= *llvm::min_element(Known->Values);
  }
  SourceLocation Name = In.View.Written->getLocation();
  auto R = In.View.range(SourceRange(Name, Name));
  if (!R || Threads.empty())
    return MoveOutcome::refuse("the kernel's name comes from a macro");
  std::string Blocks = In.View.freshName("MIN_BLOCKS");
  TextEdits Edits;
  Edits.insert(R->Begin, "__launch_bounds__(" + Threads + ", " + Blocks + ") ");
  // More threads than a multiprocessor holds are a bound that ptxas ignores.
  constexpr int64_t ResidentThreads = 2048;
  Tunable Resident{Blocks, {1}};
  for (int64_t Count : {2, 4})
    if (Count * Fewest <= ResidentThreads)
      Resident.Values.push_back(Count);
  Plan.Tunables.push_back(std::move(Resident));
  return finish(In, "launch-bounds", Edits, std::move(Plan));
}
