/// \file
/// Pointers that host code puts into the elements of device memory: through a
/// host array or structure that is copied there, or straight into managed
/// memory.

#include "HostProgram.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mep;
using namespace clang;
using llvm::dyn_cast;
using llvm::dyn_cast_or_null;

/// The variable that the innermost `for` of \p Under counts; null if there is
/// none.
static const ValueDecl *countedBy(const Guards &Under) {
  for (const Guard &G : llvm::reverse(Under)) {
    auto *For = dyn_cast_or_null<ForStmt>(G.isLoop() ? G.Statement : nullptr);
    if (!For)
      continue;
    if (auto *D = dyn_cast_or_null<DeclStmt>(For->getInit());
        D && D->isSingleDecl())
      return dyn_cast<ValueDecl>(D->getSingleDecl());
    if (auto *B = dyn_cast_or_null<BinaryOperator>(For->getInit()))
      if (auto *R = dyn_cast<DeclRefExpr>(bare(B->getLHS())))
        return R->getDecl();
    return nullptr;
  }
  return nullptr;
}

/// The variable at the bottom of `&v`, `v[i].a`, `v.data()`.
static const ValueDecl *bottomOf(const Expr *E) {
  const ValueDecl *D = rootOf(E, /*ThroughCalls=*/true);
  return D ? cast<ValueDecl>(D->getCanonicalDecl()) : nullptr;
}

static bool isUnderLoop(const Definition &D) {
  return D.Subscript ||
         llvm::any_of(D.Under, [](const Guard &G) { return G.isLoop(); });
}

/// What \p E grows by when \p Of grows by one; null: it does not depend on it
/// in a way that is followed.
TermRef HostValues::coefficient(const Expr *E, const ValueDecl *Of,
                                const Point &P) {
  E = bare(E);
  if (auto *R = dyn_cast<DeclRefExpr>(E))
    return R->getDecl() == Of ? integerTerm(1) : nullptr;
  auto *B = dyn_cast<BinaryOperator>(E);
  if (!B)
    return nullptr;
  TermRef Left = coefficient(B->getLHS(), Of, P);
  TermRef Right = coefficient(B->getRHS(), Of, P);
  if (B->getOpcode() == BO_Mul && bool(Left) != bool(Right))
    return Left ? binaryTerm("*", Left, value(B->getRHS(), P))
                : binaryTerm("*", value(B->getLHS(), P), Right);
  if (B->getOpcode() == BO_Add && bool(Left) != bool(Right))
    return Left ? Left : Right;
  return nullptr;
}

/// `h[i] = d + i * n` and `h[i] = &d[i * n]`: the first is at d, each other n
/// elements after the one before.
void HostValues::lookForStride(const Definition &D, const Point &P,
                               PointerValue &V) {
  const ValueDecl *Counter = countedBy(D.Under);
  if (!Counter || !D.Value)
    return;
  const Expr *Base = nullptr, *By = nullptr, *E = bare(D.Value);
  if (auto *B = dyn_cast<BinaryOperator>(E); B && B->getOpcode() == BO_Add) {
    bool First = B->getLHS()->getType()->isPointerType();
    Base = First ? B->getLHS() : B->getRHS();
    By = First ? B->getRHS() : B->getLHS();
  } else if (auto *U = dyn_cast<UnaryOperator>(E);
             U && U->getOpcode() == UO_AddrOf) {
    if (auto *S = dyn_cast<ArraySubscriptExpr>(bare(U->getSubExpr()))) {
      Base = S->getBase();
      By = S->getIdx();
    }
  }
  TermRef Step = By ? coefficient(By, Counter, P) : nullptr;
  QualType T = Base ? Base->getType()->getPointeeType() : QualType();
  if (!Step || T.isNull() || T->isVoidType() || T->isIncompleteType())
    return;
  V.OffsetBytes = integerTerm(0);
  V.StrideBytes = binaryTerm(
      "*", Step,
      integerTerm(Host.context().getTypeSizeInChars(T).getQuantity()));
}

/// The pointers that \p Key (a member of \p Base, when that is not null), an
/// array or structure, is given.
PointerValue HostValues::elementVariable(const ValueDecl *Key,
                                         const ValueDecl *Base,
                                         const Point &P) {
  PointerValue Null;
  bool IsMember = isa<FieldDecl>(Key);
  for (const Definition &D : llvm::reverse(Index.definitions(Key))) {
    if ((Base && D.Base != Base) || (!IsMember && !D.Subscript) ||
        D.How == Definition::Compound)
      continue;
    Point At = Flow.pointOf(D, P);
    PointerValue V = definedPointer(D, At);
    if (V.What == PointerValue::Null)
      Null = V;
    if (V.What != PointerValue::Memory && V.What != PointerValue::Symbol)
      continue;
    V.IsRepeated = D.How == Definition::Passed && isUnderLoop(D);
    if (auto *From = D.Value ? bottomOf(D.Value) : nullptr)
      for (const Definition &Own : Index.definitions(From))
        V.IsRepeated |= Own.How == Definition::Passed && Own.In == D.In &&
                        isUnderLoop(Own) && encloses(Own.Under, D.Under);
    lookForStride(D, At, V);
    return V;
  }
  return Null;
}

PointerValue HostValues::elementPointer(const Expr *E, const FieldPath &Path,
                                        const Point &P) {
  llvm::SaveAndRestore Deeper(Depth, Depth + 1);
  if (Depth > 48)
    return {};
  const ValueDecl *Root = E ? bottomOf(E) : nullptr;
  if (Path.empty()) {
    PointerValue V = Root ? elementVariable(Root, nullptr, P) : PointerValue();
    // `&p`: one pointer, not an array of them.
    auto *U = dyn_cast_or_null<UnaryOperator>(E ? bare(E) : nullptr);
    if (V.What == PointerValue::Unknown && U && U->getOpcode() == UO_AddrOf)
      V = pointer(U->getSubExpr(), P);
    return V;
  }
  PointerValue V;
  if (Root)
    V = elementVariable(cast<ValueDecl>(Path.back()->getCanonicalDecl()), Root,
                        P);
  if (V.What == PointerValue::Unknown && E)
    V = pointerMember(E, Path, P);
  if (V.What == PointerValue::Unknown)
    V = elementVariable(cast<ValueDecl>(Path.back()->getCanonicalDecl()),
                        nullptr, P);
  return V;
}

std::vector<HostSource> HostValues::copiedTo(const Expr *E, const Point &P) {
  std::vector<HostSource> Sources;
  PointerValue Whole = E ? pointer(E, P) : PointerValue();
  for (const CallPlace &Copy : llvm::reverse(Index.memoryCopies())) {
    const Expr *To = bare(callArgument(Copy.Call, 0));
    const Expr *From = callArgument(Copy.Call, 1);
    if (!To || !From)
      continue;
    Point At = Flow.pointOf(Copy);
    // `cudaMemcpy(&d->a, &pointer, sizeof(pointer), …)`
    auto *Address = dyn_cast<UnaryOperator>(To);
    auto *Member = dyn_cast_or_null<MemberExpr>(
        Address && Address->getOpcode() == UO_AddrOf
            ? bare(Address->getSubExpr())
            : nullptr);
    auto *Pointer = dyn_cast<UnaryOperator>(bare(From));
    if (Member && Pointer && Pointer->getOpcode() == UO_AddrOf)
      Sources.push_back({Pointer->getSubExpr(), At, Member->getMemberDecl()});
    if (Member || Whole.Id.empty())
      continue;
    forget(); // Each copy is a question of its own.
    PointerValue V = pointer(To, At);
    if (mayBeSame(V, Whole))
      Sources.push_back({From, At, nullptr});
  }
  return Sources;
}
