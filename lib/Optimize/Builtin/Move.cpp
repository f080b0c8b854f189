/// \file
/// The table of moves, and the pieces that several of them share.

#include "Move.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"

using namespace mep;
using namespace clang;

// Order matters to the proposer: what an earlier move enables comes later.
static const Move Table[] = {
    {"accumulate-in-register", true, accumulateInRegister},
    {"loop-to-threads", true, loopToThreads},
    {"thread-axis-swap", true, swapThreadAxes},
    {"warp-per-row", true, warpPerRow},
    {"split-reduction", true, splitReduction},
    {"tile-contraction", true, tileContraction},
    {"block-shape", false, blockShape},
    {"restrict", false, addRestrict},
    {"unroll", false, unrollLoops},
    {"launch-bounds", false, launchBounds},
};

llvm::ArrayRef<Move> mep::builtinMoves() { return Table; }

MoveOutcome mep::finish(const MoveInput &In, const char *Name,
                        const TextEdits &Edits, LaunchPlan Plan,
                        std::vector<std::string> Notes) {
  auto Text = Edits.apply(In.From.Text);
  if (!Text)
    return MoveOutcome::refuse("its edits overlap");
  MoveOutcome Out;
  Out.Result = In.From;
  Out.Result->Text = std::move(*Text);
  Out.Result->Plan = std::move(Plan);
  Out.Result->Moves.push_back(Name);
  for (std::string &Note : Notes)
    if (!llvm::is_contained(Out.Result->Notes, Note))
      Out.Result->Notes.push_back(std::move(Note));
  auto *Made = llvm::find_if(
      Table, [&](const Move &M) { return llvm::StringRef(M.Name) == Name; });
  if (Made != std::end(Table) && Made->Structural)
    Out.Result->Text = withoutUnused(In.View, *Out.Result);
  return Out;
}

PlannedLaunch *mep::mainLaunch(LaunchPlan &Plan, const KernelView &View) {
  if (Plan.Launches.empty()) {
    Plan.Launches.emplace_back();
    Plan.Launches.front().Kernel = View.Kernel->getNameAsString();
  }
  return Plan.Launches.size() == 1 ? &Plan.Launches.front() : nullptr;
}

static std::string bracketed(const std::string &Expression) {
  bool IsName = llvm::all_of(
      Expression, [](char C) { return llvm::isAlnum(C) || C == '_'; });
  return IsName ? Expression : "(" + Expression + ")";
}

std::string mep::ceilDivided(const std::string &Total, const std::string &By) {
  if (By == "1")
    return Total;
  return "(" + Total + " + " + bracketed(By) + " - 1) / " + bracketed(By);
}

std::string mep::threadsAlong(const PlannedLaunch &Launch, unsigned Axis) {
  return bracketed(Launch.Grid[Axis]) + " * " + bracketed(Launch.Block[Axis]);
}

void mep::reshape(PlannedLaunch &Launch, std::array<std::string, 3> Block,
                  std::array<std::string, 3> Scale) {
  for (unsigned Axis = 0; Axis < 3; ++Axis) {
    if (Block[Axis].empty()) {
      Launch.Grid[Axis] = Launch.Block[Axis] = "1";
      continue;
    }
    std::string Total = threadsAlong(Launch, Axis);
    if (!Scale[Axis].empty())
      Total += " * " + bracketed(Scale[Axis]);
    Launch.Grid[Axis] = ceilDivided(Total, Block[Axis]);
    Launch.Block[Axis] = Block[Axis];
  }
}

std::string mep::sharedBuffer(const Workload &Data) {
  std::map<std::string, std::string> Owner;
  for (const Argument &A : Data.Arguments)
    for (const ArgumentPart &P : A.Parts)
      if (!P.Buffer.empty() && !Owner.emplace(P.Buffer, P.Name).second)
        return "'" + Owner[P.Buffer] + "' and '" + P.Name +
               "' point into one buffer";
  return "";
}

std::string mep::dependsOnBlock(const KernelView &View) {
  if (View.HasBarrier)
    return "the kernel has barriers or warp operations";
  if (!View.SharedArray.empty())
    return "shared memory '" + View.SharedArray +
           "' may depend on the block's size";
  if (!View.OtherBuiltin.empty())
    return "'" + View.OtherBuiltin +
           "' is used outside 'blockIdx * blockDim + threadIdx'";
  if (View.Threads.empty())
    return "no thread index of the form 'blockIdx * blockDim + threadIdx'";
  for (unsigned Axis = 0; Axis < 3; ++Axis)
    if (llvm::count_if(View.Threads, [&](const ThreadIndex &T) {
          return T.Axis == Axis;
        }) > 1)
      return "two variables hold the same thread index";
  return "";
}

std::string mep::typeText(const KernelView &View, const VarDecl *Var) {
  if (View.Written != View.Kernel)
    return "decltype(" + Var->getNameAsString() + ")";
  return Var->getType().getUnqualifiedType().getAsString(
      PrintingPolicy(Var->getASTContext().getLangOpts()));
}

static const ReturnStmt *onlyReturn(const Stmt *S) {
  if (auto *Block = dyn_cast<CompoundStmt>(S))
    S = Block->size() == 1 ? Block->body_front() : nullptr;
  return dyn_cast_or_null<ReturnStmt>(S);
}

std::optional<GuardedBody> mep::guardedBody(const KernelView &View,
                                            std::string &WhyNot) {
  GuardedBody Out;
  Out.Condition = "true";
  std::vector<const Stmt *> Rest(View.Body->body_begin(),
                                 View.Body->body_end());
  size_t At = 0;
  while (At < Rest.size() && isa<DeclStmt>(Rest[At]) &&
         View.accesses(Rest[At]).All.empty())
    Out.Prologue.push_back(Rest[At++]);
  auto *If = At < Rest.size() ? dyn_cast<IfStmt>(Rest[At]) : nullptr;
  if (If && !If->getElse() && !If->getConditionVariable() && !If->getInit()) {
    Out.Test = If->getCond();
    if (onlyReturn(If->getThen())) {
      Out.Negated = true;
      Out.Condition = "!(" + View.text(If->getCond()) + ")";
      Out.Inner.assign(Rest.begin() + At + 1, Rest.end());
    } else if (At + 1 == Rest.size()) {
      Out.Condition = View.text(If->getCond());
      if (auto *Then = dyn_cast<CompoundStmt>(If->getThen()))
        Out.Inner.assign(Then->body_begin(), Then->body_end());
      else
        Out.Inner.push_back(If->getThen());
    } else {
      WhyNot = "statements follow the guard";
      return std::nullopt;
    }
  } else {
    Out.Inner.assign(Rest.begin() + At, Rest.end());
  }
  for (const Stmt *S : Out.Inner)
    if (View.hasReturn(S) || !View.range(S)) {
      WhyNot = "a return inside the guarded part, or a statement from a macro";
      return std::nullopt;
    }
  return Out;
}

static const VarDecl *localVariable(const Expr *E) {
  auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  auto *Var = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  return Var && Var->isLocalVarDecl() && Var->getType()->isArithmeticType()
             ? Var
             : nullptr;
}

/// Reads one statement of the loop as `sum += term`.
static std::optional<SumLoop::Update> sumUpdate(const KernelView &View,
                                                const Stmt *S) {
  auto *Op = dyn_cast<BinaryOperator>(S);
  if (!Op || !Op->isAssignmentOp())
    return std::nullopt;
  const VarDecl *Sum = localVariable(Op->getLHS());
  if (!Sum || !View.range(Op->getLHS()) || !View.range(S))
    return std::nullopt;
  bool Minus = Op->getOpcode() == BO_SubAssign;
  if (!Minus && Op->getOpcode() != BO_AddAssign)
    return std::nullopt;
  return SumLoop::Update{Sum, Op->getLHS(), Op->getRHS(), Op, Minus};
}

std::optional<SumLoop> mep::sumLoop(const KernelView &View,
                                    const GuardedBody &Body,
                                    std::string &WhyNot) {
  SumLoop Out;
  unsigned Loops = 0;
  for (size_t I = 0; I < Body.Inner.size(); ++I)
    walk(Body.Inner[I], [&](const Stmt *S) {
      if (isa<WhileStmt>(S) || isa<DoStmt>(S) || isa<ForStmt>(S)) {
        ++Loops;
        if (S == Body.Inner[I] && isa<ForStmt>(S)) {
          Out.Loop = View.loop(cast<ForStmt>(S));
          Out.Position = I;
        }
      }
      return true;
    });
  if (Loops != 1 || !Out.Loop) {
    WhyNot = Loops == 0
                 ? "there is no loop"
                 : "there is not just one counted loop in the guarded part";
    return std::nullopt;
  }
  std::vector<const Stmt *> Statements;
  if (auto *Block = dyn_cast<CompoundStmt>(Out.Loop->For->getBody()))
    Statements.assign(Block->body_begin(), Block->body_end());
  else
    Statements.push_back(Out.Loop->For->getBody());
  for (const Stmt *S : Statements) {
    auto Update = sumUpdate(View, S);
    if (!Update) {
      WhyNot = "the loop does more than add to local sums";
      return std::nullopt;
    }
    if (!llvm::is_contained(Out.Sums, Update->Sum))
      Out.Sums.push_back(Update->Sum);
    Out.Updates.push_back(*Update);
  }
  for (const SumLoop::Update &U : Out.Updates) {
    std::set<const VarDecl *> Used = View.mentioned(U.Term);
    Accesses Reads = View.accesses(U.Term);
    bool Writes =
        llvm::any_of(Reads.All, [](const Access &A) { return A.Write; });
    if (!Reads.Unknown.empty() || Writes || View.synchronises(U.Term) ||
        llvm::any_of(Out.Sums,
                     [&](const VarDecl *S) { return Used.count(S); })) {
      WhyNot =
          "a term of the sum uses the sum, or memory that cannot be followed";
      return std::nullopt;
    }
  }
  if (Out.Sums.empty()) {
    WhyNot = "the loop is empty";
    return std::nullopt;
  }
  return Out;
}
