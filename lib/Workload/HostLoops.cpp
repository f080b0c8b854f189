/// \file
/// Values that change while a host loop launches the kernel: the workload takes
/// one launch that stands for the loop, and says which.
///
/// It is the middle one, except where the launches shrink or grow. Weighted by
/// their time, launches that shrink to nothing along one or two axes have their
/// mean after a third or a quarter of the loop; and a launch from the small
/// half of a loop may find nothing left to do.

#include "HostValues.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"

using namespace mep;
using namespace clang;
using llvm::dyn_cast;

/// The other side of the comparison of \p D in \p Condition.
static const Expr *limitOf(const ValueDecl *D, const Expr *Condition) {
  auto *B = Condition ? dyn_cast<BinaryOperator>(bare(Condition)) : nullptr;
  if (!B)
    return nullptr;
  if (B->getOpcode() == BO_LAnd) {
    if (const Expr *L = limitOf(D, B->getLHS()))
      return L;
    return limitOf(D, B->getRHS());
  }
  if (!B->isComparisonOp())
    return nullptr;
  auto Is = [&](const Expr *E) {
    auto *R = dyn_cast<DeclRefExpr>(bare(E));
    return R && R->getDecl()->getCanonicalDecl() == D->getCanonicalDecl();
  };
  return Is(B->getLHS())   ? B->getRHS()
         : Is(B->getRHS()) ? B->getLHS()
                           : nullptr;
}

/// The value after \p Quarters of a loop that multiplies, divides or shifts:
/// run it.
static std::optional<int64_t> stepped(int64_t First, int64_t Limit,
                                      llvm::StringRef Operator, int64_t Step,
                                      unsigned Quarters) {
  std::vector<int64_t> Values;
  bool Up = First < Limit;
  for (int64_t V = First; Values.size() < 64;) {
    if (Up ? V > Limit : V < Limit)
      break;
    Values.push_back(V);
    auto Next =
        evaluate(binaryTerm(Operator, integerTerm(V), integerTerm(Step)), {});
    if (!Next || Next->IsFloat || Next->Integer == V)
      break;
    V = Next->Integer;
  }
  if (Values.empty())
    return std::nullopt;
  return Values[Values.size() * Quarters / 4];
}

/// The value after \p Quarters of a loop that adds or subtracts.
static TermRef between(const TermRef &First, const TermRef &Limit,
                       unsigned Quarters) {
  auto Times = [](const TermRef &T, unsigned Factor) {
    return Factor == 1 ? T : binaryTerm("*", T, integerTerm(Factor));
  };
  // Halves where they do: `n / 2` reads better than `n * 2 / 4`.
  unsigned Parts = Quarters == 2 ? 2 : 4, Taken = Quarters == 2 ? 1 : Quarters;
  TermRef Sum = Times(Limit, Taken);
  if (First->What != Term::Integer || First->Int != 0)
    Sum = binaryTerm("+", Times(First, Parts - Taken), Sum);
  return binaryTerm("/", Sum, integerTerm(Parts));
}

TermRef HostValues::steps(const ValueDecl *D, const Reach &R, TermRef First,
                          TermRef Limit, const ForStmt *For) {
  const Definition &Step = *R.Step;
  static const char *const Names[] = {"", "a quarter", "the middle",
                                      "three quarters"};
  note("'" + D->getName().str() + "': " + Names[LoopQuarters] +
       " of the loop at " + placeOf(For->getForLoc()));
  std::string Place = placeOf(For->getForLoc());
  if (Step.Operator == "+" || Step.Operator == "-") {
    TermRef Value = between(First, Limit, LoopQuarters);
    if (Value->What != Term::Integer || Value->Int < 2)
      return Value;
    return Dimensions.position(D->getCanonicalDecl(), D->getName(), Value->Int,
                               Place);
  }
  TermValues Values = Dimensions.values();
  auto A = evaluate(First, Values), B = evaluate(Limit, Values);
  auto By =
      Step.Value ? evaluate(value(Step.Value, R.Place), Values) : std::nullopt;
  if (!A || !B || !By)
    return nullptr;
  auto Value =
      stepped(A->Integer, B->Integer, Step.Operator, By->Integer, LoopQuarters);
  if (!Value)
    return nullptr;
  return Dimensions.position(D->getCanonicalDecl(), D->getName(), *Value,
                             Place);
}

TermRef HostValues::inLoop(const ValueDecl *D, const Reach &R, const Point &P) {
  Reach Entry = R;
  Entry.Loop = nullptr;
  TermRef First = reached(D, Entry, P);
  if (!First)
    return named(D, nullptr, D->getLocation());
  auto *For = dyn_cast<ForStmt>(R.Loop);
  const Expr *Limit = For ? limitOf(D, For->getCond()) : nullptr;
  if (Limit && R.Step->How == Definition::Compound) {
    // The limit as it is inside the loop; it may not depend on D itself.
    Point Inside = R.Place;
    if (TermRef L = value(Limit, Inside))
      if (TermRef T = steps(D, R, First, L, For))
        return T;
  }
  note("'" + D->getName().str() + "' changes in the loop at " +
       placeOf(R.Loop->getBeginLoc()) + ": its first value is taken");
  if (First->What == Term::Integer && First->Int >= 2)
    return Dimensions.position(D->getCanonicalDecl(), D->getName(), First->Int,
                               placeOf(R.Source->At));
  return First;
}
