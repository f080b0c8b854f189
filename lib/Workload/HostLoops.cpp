/// \file
/// Values that change while a host loop launches the kernel: the workload takes
/// the middle of the loop and says so.

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

/// The middle value of a loop that multiplies, divides or shifts: run it.
static std::optional<int64_t> middle(int64_t First, int64_t Limit,
                                     llvm::StringRef Operator, int64_t Step) {
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
  return Values[Values.size() / 2];
}

TermRef HostValues::steps(const ValueDecl *D, const Reach &R, TermRef First,
                          TermRef Limit, const ForStmt *For) {
  const Definition &Step = *R.Step;
  note("'" + D->getName().str() + "': the middle of the loop at " +
       placeOf(For->getForLoc()));
  std::string Place = placeOf(For->getForLoc());
  if (Step.Operator == "+" || Step.Operator == "-") {
    TermRef Sum = First->What == Term::Integer && First->Int == 0
                      ? Limit
                      : binaryTerm("+", First, Limit);
    TermRef Middle = binaryTerm("/", Sum, integerTerm(2));
    if (Middle->What != Term::Integer)
      return Middle;
    return Middle->Int < 2
               ? Middle
               : Dimensions.position(D->getCanonicalDecl(), D->getName(),
                                     Middle->Int, Place);
  }
  TermValues Values = Dimensions.values();
  auto A = evaluate(First, Values), B = evaluate(Limit, Values);
  auto By =
      Step.Value ? evaluate(value(Step.Value, R.Place), Values) : std::nullopt;
  if (!A || !B || !By)
    return nullptr;
  auto Value = middle(A->Integer, B->Integer, Step.Operator, By->Integer);
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
