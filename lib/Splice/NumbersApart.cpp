#include "NumbersApart.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"

using namespace mep;
using namespace clang;
using llvm::dyn_cast;
using llvm::isa;

static std::optional<int64_t> constant(const Expr *E, ASTContext &Context) {
  Expr::EvalResult Value;
  if (!E->getType()->isIntegralOrEnumerationType() || E->isValueDependent() ||
      !E->EvaluateAsInt(Value, Context))
    return std::nullopt;
  return Value.Val.getInt().getExtValue();
}

/// \p E without what leaves every number as it is. A conversion to a narrower
/// type or to `bool` may make two numbers one, so it stays.
static const Expr *exactNumber(const Expr *E, ASTContext &Context) {
  for (const Expr *Before = nullptr; E != Before;) {
    Before = E;
    E = E->IgnoreParens();
    if (auto *F = dyn_cast<FullExpr>(E))
      E = F->getSubExpr();
    else if (auto *T = dyn_cast<MaterializeTemporaryExpr>(E))
      E = T->getSubExpr();
    else if (auto *S = dyn_cast<SubstNonTypeTemplateParmExpr>(E))
      E = S->getReplacement();
    auto *Cast = dyn_cast<CastExpr>(E);
    if (!Cast)
      continue;
    const Expr *Sub = Cast->getSubExpr();
    bool Widens = Cast->getCastKind() == CK_IntegralCast &&
                  !E->getType()->isBooleanType() &&
                  Context.getTypeSize(E->getType()) >=
                      Context.getTypeSize(Sub->getType());
    if (Widens || Cast->getCastKind() == CK_NoOp ||
        Cast->getCastKind() == CK_LValueToRValue)
      E = Sub;
  }
  return E;
}

/// By what they name, not by how it is spelled: an inner variable may have the
/// name of an outer one.
bool NumbersApart::isSame(const Expr *A, const Expr *B) const {
  ASTContext &Context = Stores.Unit.context();
  llvm::FoldingSetNodeID First, Second;
  exactNumber(A, Context)->Profile(First, Context, /*Canonical=*/true);
  exactNumber(B, Context)->Profile(Second, Context, /*Canonical=*/true);
  return First == Second;
}

// ---- by how they are written -----------------------------------------------

/// `(a + odd) % 2` beside `a % 2` or `a`, and the same with `& 1`.
bool NumbersApart::isParityOther(const Expr *A,
                                 const BinaryOperator *Remainder) const {
  ASTContext &Context = Stores.Unit.context();
  auto *P = dyn_cast<BinaryOperator>(A);
  auto *Sum =
      dyn_cast<BinaryOperator>(exactNumber(Remainder->getLHS(), Context));
  int64_t Wanted = Remainder->getOpcode() == BO_Rem ? 2 : 1;
  auto By = Sum ? constant(Sum->getRHS(), Context) : std::nullopt;
  if (constant(Remainder->getRHS(), Context) != Wanted || !Sum ||
      !Sum->isAdditiveOp() || !By || *By % 2 == 0)
    return false;
  return isSame(A, Sum->getLHS()) ||
         (P && P->getOpcode() == Remainder->getOpcode() &&
          constant(P->getRHS(), Context) == Wanted &&
          isSame(P->getLHS(), Sum->getLHS()));
}

bool NumbersApart::differ(const Expr *A, const Expr *B) const {
  ASTContext &Context = Stores.Unit.context();
  A = exactNumber(A, Context);
  B = exactNumber(B, Context);
  if (A->HasSideEffects(Context) || B->HasSideEffects(Context))
    return false;
  auto X = constant(A, Context), Y = constant(B, Context);
  if (X && Y)
    return *X != *Y;
  if (auto *Not = dyn_cast<UnaryOperator>(B);
      Not && Not->getOpcode() == UO_LNot)
    return isSame(Not->getSubExpr()->IgnoreImpCasts(), A);
  auto *Q = dyn_cast<BinaryOperator>(B);
  if (!Q)
    return false;
  auto Left = constant(Q->getLHS(), Context),
       Right = constant(Q->getRHS(), Context);
  switch (Q->getOpcode()) {
  case BO_Sub: // odd - a has the other parity; a - c is another number
    return (Left && *Left % 2 != 0 && isSame(Q->getRHS(), A)) ||
           (Right && *Right != 0 && isSame(Q->getLHS(), A));
  case BO_Xor:
  case BO_Add:
    return (Right && *Right != 0 && isSame(Q->getLHS(), A)) ||
           (Left && *Left != 0 && isSame(Q->getRHS(), A));
  case BO_Rem:
  case BO_And:
    return isParityOther(A, Q);
  default:
    return false;
  }
}

// ---- by what their variables get -------------------------------------------

/// The first value of \p E where it is a variable that never gets another, and
/// neither do those that the value is made of.
const Expr *NumbersApart::onlyValue(const Expr *E) const {
  auto *R = dyn_cast<DeclRefExpr>(exactNumber(E, Stores.Unit.context()));
  if (!R || !Stores.keepsNumber(R->getDecl()))
    return nullptr;
  const auto *Puts = Stores.numbers(R->getDecl());
  if (!Puts || Puts->empty())
    return nullptr;
  std::vector<const Stmt *> Open{Puts->front().From};
  while (!Open.empty()) {
    const Stmt *S = Open.back();
    Open.pop_back();
    if (isa<CallExpr, ArraySubscriptExpr, MemberExpr, LambdaExpr>(S))
      return nullptr;
    auto *Used = dyn_cast<DeclRefExpr>(S);
    if (Used && !Stores.keepsNumber(Used->getDecl()))
      return nullptr;
    for (const Stmt *Child : S->children())
      if (Child)
        Open.push_back(Child);
  }
  return Puts->front().From;
}

namespace {

/// What an assignment makes of the variable's own number: `c - v`, `v ^ c` or
/// `!v`. Of two variables of one type that get the same, no two numbers become
/// one; with `!v` and in a `bool` only where they are 0 and 1.
struct NumberStep {
  enum What { None, Minus, Xor, Not } How = None;
  int64_t By = 0;
  bool operator==(const NumberStep &Other) const {
    return How == Other.How && By == Other.By;
  }
  /// True if 0 and 1 become 1 and 0.
  bool flips() const { return How == Not || (How != None && By == 1); }
};

NumberStep stepOf(const Expr *E, const ValueDecl *V, ASTContext &Context) {
  auto IsV = [&](const Expr *Side) {
    auto *R = dyn_cast<DeclRefExpr>(exactNumber(Side, Context));
    return R && R->getDecl()->getCanonicalDecl() == V->getCanonicalDecl();
  };
  // The conversion to the variable's own type keeps them apart.
  E = exactNumber(E->IgnoreImpCasts(), Context);
  if (auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_LNot) {
    const Expr *Sub = U->getSubExpr()->IgnoreImpCasts();
    return IsV(Sub) ? NumberStep{NumberStep::Not, 0} : NumberStep();
  }
  auto *B = dyn_cast<BinaryOperator>(E);
  if (!B)
    return {};
  auto Left = constant(B->getLHS(), Context),
       Right = constant(B->getRHS(), Context);
  if (B->getOpcode() == BO_Sub && Left && IsV(B->getRHS()))
    return {NumberStep::Minus, *Left};
  bool IsXor = B->getOpcode() == BO_Xor || B->getOpcode() == BO_XorAssign;
  if (IsXor && Right && IsV(B->getLHS()))
    return {NumberStep::Xor, *Right};
  return {};
}

/// True if \p S exchanges just these two.
bool exchanges(const HostStore &S, const ValueDecl *X, const ValueDecl *Y) {
  std::set<const ValueDecl *> Names;
  for (const Expr *E : S.Partners)
    if (auto *R = dyn_cast<DeclRefExpr>(bareExpression(E)))
      Names.insert(cast<ValueDecl>(R->getDecl()->getCanonicalDecl()));
  return S.How == HostStore::Exchange && S.Partners.size() == 2 &&
         Names == std::set<const ValueDecl *>{X, Y};
}

/// True if nothing runs between \p P and \p Q: neighbouring statements, or
/// first values of variables of one block, which no one knows before.
bool areBeside(const HostStore &P, const HostStore &Q) {
  return P.Block && P.Block == Q.Block && !P.Declared == !Q.Declared &&
         (P.Declared || std::abs(int(P.Position) - int(Q.Position)) <= 1);
}

} // namespace

/// True if two variables begin with different numbers, and whenever one gets
/// another the other does right beside it, so that they stay different:
/// `src = 1 - src; dst = 1 - dst;`, `std::swap(src, dst)`.
bool NumbersApart::areKeptApart(const Expr *A, const Expr *B) const {
  ASTContext &Context = Stores.Unit.context();
  auto *X = dyn_cast<DeclRefExpr>(exactNumber(A, Context));
  auto *Y = dyn_cast<DeclRefExpr>(exactNumber(B, Context));
  if (!X || !Y)
    return false;
  auto *First = cast<ValueDecl>(X->getDecl()->getCanonicalDecl());
  auto *Second = cast<ValueDecl>(Y->getDecl()->getCanonicalDecl());
  const auto *Mine = Stores.numbers(First), *Its = Stores.numbers(Second);
  if (!Mine || !Its || Mine->size() != Its->size() || Mine->empty() ||
      !Context.hasSameUnqualifiedType(First->getType(), Second->getType()))
    return false;
  bool OnlyBits = true, NeedsBits = First->getType()->isBooleanType();
  for (size_t I = 0; I < Mine->size(); ++I) {
    const HostStore &P = (*Mine)[I], &Q = (*Its)[I];
    if (exchanges(P, First, Second) && exchanges(Q, First, Second))
      continue;
    if (!areBeside(P, Q) || P.How != HostStore::Value ||
        Q.How != HostStore::Value)
      return false;
    auto M = constant(P.From, Context), N = constant(Q.From, Context);
    NumberStep Step = stepOf(P.From, First, Context);
    if (M && N) {
      if (*M == *N)
        return false;
      OnlyBits &= (*M == 0 || *M == 1) && (*N == 0 || *N == 1);
    } else if (Step.How != NumberStep::None &&
               Step == stepOf(Q.From, Second, Context)) {
      OnlyBits &= Step.flips();
      NeedsBits |= Step.How == NumberStep::Not;
    } else {
      return false;
    }
  }
  return OnlyBits || !NeedsBits;
}

bool NumbersApart::areApart(const Expr *A, const Expr *B) const {
  if (differ(A, B) || differ(B, A) || areKeptApart(A, B))
    return true;
  const Expr *First = onlyValue(A), *Second = onlyValue(B);
  return (First && differ(B, First)) || (Second && differ(A, Second)) ||
         (First && Second && (differ(First, Second) || differ(Second, First)));
}
