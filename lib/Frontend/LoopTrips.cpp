#include "mep/Frontend/LoopTrips.h"
#include "clang/AST/Decl.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include <cmath>

using namespace mep;
using namespace clang;
using llvm::dyn_cast;
using llvm::dyn_cast_or_null;

namespace {

/// Steps of a loop that does not add are counted one by one.
constexpr unsigned MostSteps = 64;

/// The head in numbers.
struct LoopNumbers {
  int64_t First = 0, Limit = 0, Step = 1;
  BinaryOperatorKind Test = BO_LT;
  BinaryOperatorKind Change = BO_Add;
};

const ValueDecl *named(const Expr *E) {
  auto *R = E ? dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts()) : nullptr;
  return R ? llvm::cast<ValueDecl>(R->getDecl()->getCanonicalDecl()) : nullptr;
}

/// `for (T i = A; …` and `for (i = A; …`.
bool readFirst(const Stmt *Init, LoopHead &Out) {
  if (auto *D = dyn_cast_or_null<DeclStmt>(Init)) {
    auto *V =
        D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl()) : nullptr;
    Out.Counter = V ? V->getCanonicalDecl() : nullptr;
    Out.First = V ? V->getInit() : nullptr;
  } else if (auto *B = dyn_cast_or_null<BinaryOperator>(Init)) {
    if (B->getOpcode() != BO_Assign)
      return false;
    Out.Counter = named(B->getLHS());
    Out.First = B->getRHS();
  }
  return Out.Counter && Out.First;
}

BinaryOperatorKind turned(BinaryOperatorKind Test) {
  switch (Test) {
  case BO_LT:
    return BO_GT;
  case BO_GT:
    return BO_LT;
  case BO_LE:
    return BO_GE;
  case BO_GE:
    return BO_LE;
  default:
    return Test;
  }
}

bool readTest(const Expr *Condition, LoopHead &Out) {
  auto *B = Condition
                ? dyn_cast<BinaryOperator>(Condition->IgnoreParenImpCasts())
                : nullptr;
  if (!B || !(B->isRelationalOp() || B->getOpcode() == BO_NE))
    return false;
  Out.Limit = B->getRHS();
  Out.Test = B->getOpcode();
  if (named(B->getLHS()) == Out.Counter)
    return true;
  Out.Limit = B->getLHS();
  Out.Test = turned(Out.Test);
  return named(B->getRHS()) == Out.Counter;
}

/// `i++`, `i += C` and `i = i + C`.
bool readStep(const Expr *Increment, LoopHead &Out) {
  if (!Increment)
    return false;
  Increment = Increment->IgnoreParenImpCasts();
  if (auto *U = dyn_cast<UnaryOperator>(Increment)) {
    Out.Change = U->isDecrementOp() ? BO_Sub : BO_Add;
    return U->isIncrementDecrementOp() && named(U->getSubExpr()) == Out.Counter;
  }
  auto *B = dyn_cast<BinaryOperator>(Increment);
  if (!B || named(B->getLHS()) != Out.Counter)
    return false;
  Out.Step = B->getRHS();
  if (B->getOpcode() == BO_Assign) {
    B = dyn_cast<BinaryOperator>(Out.Step->IgnoreParenImpCasts());
    if (!B || named(B->getLHS()) != Out.Counter)
      return false;
    Out.Change = B->getOpcode();
    Out.Step = B->getRHS();
  } else if (B->isCompoundAssignmentOp()) {
    Out.Change = BinaryOperator::getOpForCompoundAssignment(B->getOpcode());
  } else {
    return false;
  }
  return true;
}

bool holds(const LoopNumbers &L, int64_t Counter) {
  switch (L.Test) {
  case BO_LT:
    return Counter < L.Limit;
  case BO_LE:
    return Counter <= L.Limit;
  case BO_GT:
    return Counter > L.Limit;
  case BO_GE:
    return Counter >= L.Limit;
  default:
    return Counter != L.Limit;
  }
}

/// Of a step that adds; nothing where the test never fails.
std::optional<double> added(const LoopNumbers &L) {
  if (!holds(L, L.First))
    return 0;
  double Way = double(L.Limit) - double(L.First), Step = double(L.Step);
  if (L.Test == BO_NE)
    return Step != 0 && std::fmod(Way, Step) == 0 && Way / Step > 0
               ? std::optional(Way / Step)
               : std::nullopt;
  bool Up = L.Test == BO_LT || L.Test == BO_LE;
  if (Step == 0 || Up != (Step > 0))
    return std::nullopt;
  bool Also = L.Test == BO_LE || L.Test == BO_GE;
  return Also ? std::floor(Way / Step) + 1 : std::ceil(Way / Step);
}

std::optional<int64_t> changed(const LoopNumbers &L, int64_t Counter) {
  int64_t Product = 0;
  switch (L.Change) {
  case BO_Mul:
    if (llvm::MulOverflow(Counter, L.Step, Product))
      return std::nullopt;
    return Product;
  case BO_Div:
    return L.Step == 0 || L.Step == -1 ? std::nullopt
                                       : std::optional(Counter / L.Step);
  case BO_Shl:
    return L.Step <= 0 || L.Step > 62 || Counter < 0 ||
                   Counter > (INT64_MAX >> L.Step)
               ? std::nullopt
               : std::optional(Counter << L.Step);
  case BO_Shr:
    return L.Step <= 0 || L.Step > 62 ? std::nullopt
                                      : std::optional(Counter >> L.Step);
  default:
    return std::nullopt;
  }
}

std::optional<double> stepped(const LoopNumbers &L) {
  int64_t Counter = L.First;
  for (unsigned Trips = 0; Trips <= MostSteps; ++Trips) {
    if (!holds(L, Counter))
      return Trips;
    auto Next = changed(L, Counter);
    if (!Next || *Next == Counter)
      return std::nullopt;
    Counter = *Next;
  }
  return std::nullopt;
}

std::optional<double> rangeTrips(const CXXForRangeStmt *Loop) {
  const Expr *Range = Loop->getRangeInit();
  auto *Array = llvm::dyn_cast_or_null<ConstantArrayType>(
      Range ? Range->getType().getCanonicalType().getTypePtr() : nullptr);
  return Array ? std::optional(Array->getSize().roundToDouble()) : std::nullopt;
}

} // namespace

std::optional<LoopHead> mep::loopHead(const Stmt *Loop) {
  auto *For = dyn_cast<ForStmt>(Loop);
  LoopHead Head;
  if (!For || !readFirst(For->getInit(), Head) ||
      !readTest(For->getCond(), Head) || !readStep(For->getInc(), Head))
    return std::nullopt;
  return Head;
}

std::optional<double> mep::loopTrips(const Stmt *Loop, LoopValue ValueOf) {
  if (auto *Range = dyn_cast<CXXForRangeStmt>(Loop))
    return rangeTrips(Range);
  if (auto *Do = dyn_cast<DoStmt>(Loop)) {
    auto Again = ValueOf(Do->getCond());
    return Again && *Again == 0 ? std::optional(1.0) : std::nullopt;
  }
  auto Head = loopHead(Loop);
  auto First = Head ? ValueOf(Head->First) : std::nullopt;
  auto Limit = First ? ValueOf(Head->Limit) : std::nullopt;
  auto Step = !Limit       ? std::nullopt
              : Head->Step ? ValueOf(Head->Step)
                           : std::optional<int64_t>(1);
  if (!Step)
    return std::nullopt;
  LoopNumbers Numbers{*First, *Limit, *Step, Head->Test, Head->Change};
  if (Numbers.Change == BO_Sub) {
    Numbers.Change = BO_Add;
    Numbers.Step = -Numbers.Step;
  }
  return Numbers.Change == BO_Add ? added(Numbers) : stepped(Numbers);
}
