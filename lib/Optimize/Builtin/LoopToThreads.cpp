/// \file
/// loop-to-threads: a sequential loop with independent passes becomes the y
/// axis of the grid.

#include "Move.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"

using namespace mep;
using namespace clang;

namespace {

class Spreader {
public:
  Spreader(const MoveInput &In, const LoopView &L)
      : In(In), View(In.View), L(L), Key(View.key(L.Var)) {}

  /// Why the passes of the loop cannot run side by side; empty: they can.
  std::string conflict() {
    if (View.hasReturn(L.For) || View.synchronises(L.For))
      return "the loop synchronises or returns";
    bool Jumps = false;
    walk(L.For->getBody(), [&](const Stmt *S) {
      Jumps |= isa<BreakStmt>(S) || isa<ContinueStmt>(S);
      return true;
    });
    if (Jumps)
      return "the loop has break or continue";
    std::string Why = carriedVariable();
    if (Why.empty())
      Why = beginsBelowZero();
    if (Why.empty())
      Why = carriedMemory();
    return Why.empty() ? sharedWithRest() : Why;
  }

  MoveOutcome apply() {
    auto Spell = [&](const std::string &A) { return View.planSpelling(A); };
    Polynomial End = View.polynomial(L.Bound);
    if (L.Inclusive)
      End = End + Polynomial::constant(1);
    std::string Count = End.spelled(Spell);
    auto Whole = View.range(L.For), Head = View.range(L.For->getBody());
    auto Begin = View.range(L.Begin), Bound = View.range(L.Bound);
    LaunchPlan Plan = In.From.Plan;
    PlannedLaunch *Launch = mainLaunch(Plan, In.View);
    if (Count.empty())
      return MoveOutcome::refuse("the loop's bound '" + View.text(L.Bound) +
                                 "' is not made of sizes and parameters");
    if (!Whole || !Head || !Begin || !Bound || !Launch)
      return MoveOutcome::refuse("the loop comes from a macro");
    std::string Name = L.Var->getNameAsString();
    std::string Indent = View.indentation(Whole->Begin);
    std::string Test =
        Name + (L.Inclusive ? " <= " : " < ") + std::string(View.text(*Bound));
    if (View.polynomial(L.Begin) != Polynomial::constant(0))
      Test = Name + " >= " + std::string(View.text(*Begin)) + " && " + Test;
    TextEdits Edits;
    Edits.replace({Whole->Begin, Head->Begin},
                  "{ " + typeText(View, L.Var) + " " + Name +
                      " = blockIdx.y * blockDim.y + threadIdx.y;\n" + Indent +
                      "if (" + Test + ")\n" + Indent);
    Edits.insert(Whole->End, " }");
    Launch->Grid = {ceilDivided(threadsAlong(*Launch, 0), "32"),
                    ceilDivided(Count, "8"), "1"};
    Launch->Block = {"32", "8", "1"};
    return finish(In, "loop-to-threads", Edits, std::move(Plan),
                  {"assumes that subscripts of different (row, column) pairs "
                   "are different elements"});
  }

private:
  /// A variable of the kernel that one pass leaves for another.
  std::string carriedVariable() {
    std::set<const VarDecl *> Inside = View.modified(L.For->getBody());
    for (const VarDecl *V : Inside) {
      bool Local = false, Counter = false;
      walk(L.For->getBody(), [&](const Stmt *S) {
        if (auto *Decls = dyn_cast<DeclStmt>(S))
          for (const Decl *D : Decls->decls())
            Local |= D == V;
        if (auto *For = dyn_cast<ForStmt>(S))
          if (const LoopView *Inner = View.loop(For))
            Counter |= Inner->Var == V && usedOnlyAsCounter(V);
        return true;
      });
      if (!Local && !Counter && !V->getType()->isPointerType())
        return "'" + V->getNameAsString() + "' is carried from pass to pass";
    }
    bool Elsewhere = false;
    walk(View.Body, [&](const Stmt *S) {
      if (S == L.For)
        return false;
      auto *Ref = dyn_cast<DeclRefExpr>(S);
      Elsewhere |= Ref && Ref->getDecl() == L.Var;
      return true;
    });
    return Elsewhere ? "the loop's counter is used outside it" : "";
  }

  /// Every mention of \p V lies in a loop that counts with it.
  bool usedOnlyAsCounter(const VarDecl *V) {
    bool Only = true;
    walk(View.Body, [&](const Stmt *S) {
      if (auto *For = dyn_cast<ForStmt>(S))
        if (const LoopView *Loop = View.loop(For); Loop && Loop->Var == V)
          return false;
      auto *Ref = dyn_cast<DeclRefExpr>(S);
      Only &= !Ref || Ref->getDecl() != V;
      return true;
    });
    return Only;
  }

  /// The thread variable x where the loop begins at x + c with c >= 0.
  const ThreadIndex *triangle(int64_t &Distance) {
    for (const ThreadIndex &T : View.Threads) {
      auto D = (View.polynomial(L.Begin) - Polynomial::atom(View.key(T.Var)))
                   .asConstant();
      if (D && *D >= 0) {
        Distance = *D;
        return &T;
      }
    }
    return nullptr;
  }

  std::string beginsBelowZero() {
    int64_t Distance = 0;
    auto Constant = View.polynomial(L.Begin).asConstant();
    if ((Constant && *Constant >= 0) || triangle(Distance))
      return "";
    return "the loop's begin '" + View.text(L.Begin) +
           "' is not known to be zero or more";
  }

  /// Two passes touch one element, and one of them writes it.
  std::string carriedMemory() {
    Accesses All = View.accesses(L.For->getBody());
    if (!All.Unknown.empty())
      return "memory use that cannot be followed: " + All.Unknown;
    for (const Access &W : All.All)
      for (const Access &A : All.All)
        if (W.Write && W.Base == A.Base && !disjoint(W, A))
          return "passes may meet in '" + W.Root->getNameAsString() + "' ('" +
                 View.text(W.Node) + "' and '" + View.text(A.Node) + "')";
    return "";
  }

  bool disjoint(const Access &W, const Access &A) {
    auto Step = W.Index.coefficient(Key);
    bool Memory = false;
    for (const VarDecl *V : View.variables(W.Index, Memory))
      if (V != L.Var && View.modified(L.For->getBody()).count(V))
        return innerCounter(W, A);
    if (!Step || *Step == Polynomial() || Memory || onlyInOpaque(W.Index))
      return false;
    if (W.Index == A.Index)
      return true;
    int64_t Distance = 0;
    const ThreadIndex *T = triangle(Distance);
    return T && W.Index.swapped(Key, View.key(T->Var)) == A.Index;
  }

  /// `X[row][inner]`: the row moves by whole rows of the counter, the inner
  /// counter stays within one.
  bool innerCounter(const Access &W, const Access &A) {
    auto Step = W.Index.coefficient(Key);
    return Step && *Step != Polynomial() && !Step->asConstant() &&
           W.Index == A.Index && !onlyInOpaque(W.Index);
  }

  bool onlyInOpaque(const Polynomial &P) {
    for (const std::string &Atom : P.atoms())
      if (Atom != Key && View.dependsOn(Polynomial::atom(Atom), L.Var))
        return true;
    return false;
  }

  /// Statements outside the loop run once for each pass afterwards: they must
  /// say the same every time and not meet what the loop touches.
  std::string sharedWithRest() {
    Accesses Inside = View.accesses(L.For), All = View.accesses(View.Body);
    if (!All.Unknown.empty())
      return "memory use that cannot be followed: " + All.Unknown;
    std::set<std::string> Written, Used;
    for (const Access &A : All.All)
      if (A.Write)
        Written.insert(A.Base);
    for (const Access &A : Inside.All)
      Used.insert(A.Base);
    int64_t Distance = 0;
    const ThreadIndex *T = triangle(Distance);
    for (const Access &A : All.All) {
      if (View.within(A.Node, L.For))
        continue;
      std::string Name = "'" + A.Root->getNameAsString() + "'";
      if (A.Read && Written.count(A.Base))
        return Name + " is read outside the loop and written by the kernel";
      bool Diagonal =
          T && Distance > 0 && llvm::all_of(Inside.All, [&](const Access &I) {
            return I.Base != A.Base || meetsOnDiagonal(I, A, *T);
          });
      if (A.Write && Used.count(A.Base) && !Diagonal)
        return Name + " is written outside the loop and used in it";
    }
    return "";
  }

  /// \p Inside reaches \p Outside's element only where counter and thread
  /// index are equal, which the strict triangle leaves out.
  bool meetsOnDiagonal(const Access &Inside, const Access &Outside,
                       const ThreadIndex &T) {
    auto A = Inside.Index.coefficient(Key);
    if (!A)
      return false;
    Polynomial At = Inside.Index - *A * Polynomial::atom(Key) +
                    *A * Polynomial::atom(View.key(T.Var));
    return At == Outside.Index;
  }

  const MoveInput &In;
  const KernelView &View;
  const LoopView &L;
  std::string Key;
};

} // namespace

MoveOutcome mep::loopToThreads(const MoveInput &In) {
  const KernelView &View = In.View;
  std::string Why = dependsOnBlock(View);
  if (Why.empty())
    Why = sharedBuffer(In.Data);
  if (Why.empty() && (View.axis(1) || View.axis(2) || !View.axis(0)))
    Why = "the kernel does not use the x axis alone";
  if (Why.empty() && !In.From.Plan.Tunables.empty())
    Why = "the plan already chooses its blocks";
  if (Why.empty() && !View.guarded(View.axis(0)->Var))
    Why = "the thread index is not compared with its bound";
  if (!Why.empty())
    return MoveOutcome::refuse(Why);
  Why = "there is no loop around another";
  for (const LoopView &L : View.Loops) {
    bool Outermost = llvm::none_of(View.Loops, [&](const LoopView &Other) {
      return Other.For != L.For && View.within(L.For, Other.For);
    });
    if (!Outermost)
      continue;
    Spreader S(In, L);
    Why = S.conflict();
    if (Why.empty())
      return S.apply();
  }
  return MoveOutcome::refuse(Why);
}
