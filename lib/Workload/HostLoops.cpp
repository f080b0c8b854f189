/// \file
/// Values that change while a host loop launches the kernel: those of the trip
/// that is looked at. Where the trips of the loop are not known, the workload
/// takes one launch that stands for the loop, and says which.
///
/// It is the middle one, except where the launches shrink or grow. Weighted by
/// their time, launches that shrink to nothing along one or two axes have their
/// mean after a third or a quarter of the loop; and a launch from the small
/// half of a loop may find nothing left to do.

#include "HostProgram.h"
#include "mep/Frontend/LoopTrips.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mep;
using namespace clang;
using llvm::dyn_cast;
using llvm::StringRef;

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

/// `cudaMemcpy(&n, …)` in the loop: what \p D is on any trip but the first is
/// known only when the application runs.
TermRef HostValues::readInLoop(const ValueDecl *D, const Reach &R) {
  StringRef Name = calledName(R.Step->Call);
  return unknown("'" + D->getNameAsString() + "' is set by " +
                     (Name.empty() ? "a call that is not followed"
                                   : "'" + Name.str() + "'") +
                     " in the loop at " + placeOf(R.Loop->getBeginLoc()) +
                     ", so that its value before the loop is that of the " +
                     "first trip only",
                 R.Step->At);
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

// ---- a certain trip --------------------------------------------------------

/// Trips that are gone through one by one for a value that no formula gives.
static constexpr int64_t MostCarriedTrips = 24;

static const Definition *stepIn(const HostIndex &Index, const ValueDecl *D,
                                const Guard &Loop, bool &IsOnly) {
  const Definition *Step = nullptr;
  IsOnly = true;
  for (const Definition &Each : Index.definitions(D)) {
    if (!llvm::is_contained(Each.Under, Loop))
      continue;
    IsOnly &= !Step;
    Step = &Each;
  }
  return Step;
}

/// Nothing in \p Loop changes a variable of \p S.
static bool isKept(const HostIndex &Index, const Stmt *S, const Guard &Loop) {
  bool IsOnly = false;
  if (!S)
    return true;
  if (auto *R = dyn_cast<DeclRefExpr>(S))
    if (stepIn(Index, R->getDecl(), Loop, IsOnly))
      return false;
  return llvm::all_of(S->children(), [&](const Stmt *Child) {
    return isKept(Index, Child, Loop);
  });
}

static TermRef power(const TermRef &Base, int64_t Exponent) {
  TermRef Product = integerTerm(1);
  for (int64_t I = 0; I < Exponent; ++I)
    Product = binaryTerm("*", Product, Base);
  return Product;
}

/// \p First after \p Times of `op= Step`.
static TermRef repeated(TermRef First, llvm::StringRef Operator,
                        const TermRef &Step, int64_t Times) {
  constexpr int64_t MostPowers = 62;
  if (Times == 0)
    return First;
  if (Operator == "+" || Operator == "-")
    return binaryTerm(Operator, First,
                      binaryTerm("*", Step, integerTerm(Times)));
  if (Times > MostPowers)
    return nullptr;
  if (Operator == "<<" || Operator == ">>")
    return binaryTerm(Operator, First,
                      binaryTerm("*", Step, integerTerm(Times)));
  if (Operator == "*" || Operator == "/")
    return binaryTerm(Operator, First, power(Step, Times));
  return nullptr;
}

/// Of a variable that one statement of the loop changes by steps: by a formula.
TermRef HostValues::byStep(const ValueDecl *D, const Point &P, size_t Loop,
                           const LoopTrip &Trip) {
  const Guard &G = P.Under[Loop];
  bool IsOnly = false;
  const Definition *Step = stepIn(Index, D, G, IsOnly);
  Guards Inside(P.Under.begin(), P.Under.begin() + Loop + 1);
  if (!Step || !IsOnly || Step->How != Definition::Compound ||
      Step->Under != Inside || !isKept(Index, Step->Value, G))
    return nullptr;
  Guards Outside(P.Under.begin(), P.Under.begin() + Loop);
  TermRef First = variable(D, {P.In, G.Order, Outside});
  TermRef By = Step->Value ? value(Step->Value, {P.In, Step->Order, Outside})
                           : integerTerm(1);
  if (!First || !By)
    return nullptr;
  TermRef Exact = repeated(First, Step->Operator, By, Trip.Number);
  TermRef Bound = Trip.Follows ? byBounds(D, P, Loop, Trip, First) : nullptr;
  TermValues Values = Dimensions.values();
  auto Number = evaluate(Exact, Values), Same = evaluate(Bound, Values);
  TermRef Value =
      Number && Same && Number->Integer == Same->Integer ? Bound : Exact;
  if (!Value || Value->What != Term::Integer || Value->Int < 2)
    return Value;
  return Dimensions.position(D->getCanonicalDecl(), D->getName(), Value->Int,
                             placeOf(G.Statement->getBeginLoc()));
}

/// The counter on a trip at the end or in the middle of a loop that counts by
/// one, by the loop's bounds.
TermRef HostValues::byBounds(const ValueDecl *D, const Point &P, size_t Loop,
                             const LoopTrip &Trip, TermRef First) {
  const Guard &G = P.Under[Loop];
  auto Head = loopHead(G.Statement);
  if (!Head || Head->Counter != D->getCanonicalDecl() || Head->Step ||
      !isKept(Index, Head->Limit, G))
    return nullptr;
  TermRef Limit = value(
      Head->Limit, {P.In, G.Order, {P.Under.begin(), P.Under.begin() + Loop}});
  if (!Limit)
    return nullptr;
  if (Trip.Number + 1 < Trip.Of)
    return between(First, Limit, 2);
  if (Head->Test == BO_LE || Head->Test == BO_GE)
    return Limit;
  return binaryTerm(Head->Change == BO_Sub ? "+" : "-", Limit, integerTerm(1));
}

/// At the end of the trip before.
TermRef HostValues::afterTrip(const ValueDecl *D, const Point &P, size_t Loop,
                              const LoopTrip &Trip) {
  const Stmt *S = P.Under[Loop].Statement;
  if (Trip.Number > MostCarriedTrips)
    return nullptr;
  int64_t &Number = Program.way().Trips[S].Number;
  llvm::SaveAndRestore Earlier(Number, Number - 1);
  return variable(D, {P.In,
                      Index.loopOrder(S).End,
                      {P.Under.begin(), P.Under.begin() + Loop + 1}});
}

/// On the trip of the loops around \p P that is looked at; null if none is, or
/// if it is not known there.
TermRef HostValues::atTrip(const ValueDecl *D, const Reach &R, const Point &P) {
  for (size_t I = P.Under.size(); I-- > 0;) {
    const Guard &G = P.Under[I];
    bool IsOnly = false;
    if (!G.isLoop() || (R.Source && llvm::is_contained(R.Source->Under, G)) ||
        !stepIn(Index, D, G, IsOnly))
      continue;
    const LoopTrip *Trip = Program.way().trip(G.Statement);
    if (!Trip)
      return nullptr;
    if (Trip->Number == 0)
      return variable(D,
                      {P.In, G.Order, {P.Under.begin(), P.Under.begin() + I}});
    const LoopTrip Now = *Trip;
    TermRef T = byStep(D, P, I, Now);
    return T ? T : afterTrip(D, P, I, Now);
  }
  return nullptr;
}
