/// \file
/// Lvalues: which variable or which bytes of which buffer an expression names,
/// and the loads and stores through them.

#include "BodyWalk.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/RecordLayout.h"

using namespace mep;
using namespace clang;
using llvm::StringRef;
using llvm::Twine;

/// A value of type \p T that nothing is known of.
Value BodyWalk::opaque(QualType T, const Twine &Reason, const Stmt *At) const {
  if (T->isReferenceType())
    T = T->getPointeeType();
  Value V;
  if (T->isPointerType()) {
    V.Is = Value::Pointer;
    V.Reason = Reason.str();
    V.Where = At ? where(At) : "";
  } else {
    V.Number = unknown(Reason.str(), At ? where(At) : "");
  }
  return V;
}

// ---- buffers ---------------------------------------------------------------

/// The buffer of a device variable or shared array; made when first met.
int BodyWalk::bufferOf(const VarDecl *V) {
  V = V->getCanonicalDecl();
  auto Known = BufferIds.find(V);
  if (Known != BufferIds.end())
    return Known->second;
  AccessedBuffer B;
  B.Space = V->hasAttr<CUDASharedAttr>()     ? BufferSpace::Shared
            : V->hasAttr<CUDAConstantAttr>() ? BufferSpace::Constant
                                             : BufferSpace::Global;
  B.Name = B.Space == BufferSpace::Shared ? V->getNameAsString()
                                          : V->getQualifiedNameAsString();
  ASTContext &Context = Unit.context();
  QualType T = V->getType().getCanonicalType();
  QualType Element = Context.getBaseElementType(T);
  B.ElementName =
      Element.getUnqualifiedType().getAsString(Context.getPrintingPolicy());
  B.ElementBytes = uint64_t(std::max<int64_t>(sizeOf(Element), 1));
  if (!T->isIncompleteType())
    B.Extent =
        uint64_t(Context.getTypeSizeInChars(T).getQuantity()) / B.ElementBytes;
  Model.Buffers.push_back(std::move(B));
  return BufferIds[V] = int(Model.Buffers.size()) - 1;
}

// ---- parts -----------------------------------------------------------------

Place BodyWalk::shifted(Place P, int64_t Bytes) {
  if (P.Is == Place::Memory)
    P.Offset = add(P.Offset, number(Bytes));
  return P;
}

Place BodyWalk::member(Place P, const FieldDecl *F) {
  if (F->isBitField() && P.Is != Place::Lost) {
    if (P.Is == Place::Memory)
      P.Offset = unknown("'" + F->getNameAsString() + "' is a bit-field", "");
    else
      P.Is = Place::Private;
    return P;
  }
  if (P.Is == Place::Memory) {
    const ASTContext &Context = Unit.context();
    const RecordDecl *R = F->getParent();
    if (R->isInvalidDecl() || R->isDependentContext())
      return Place::lost("a structure that is not complete", "");
    return shifted(P, Context
                          .toCharUnitsFromBits(
                              Context.getASTRecordLayout(R).getFieldOffset(
                                  F->getFieldIndex()))
                          .getQuantity());
  }
  if (F->getParent()->isUnion() && P.Is != Place::Lost) {
    Place U;
    U.Is = Place::Private;
    return U;
  }
  if (P.Is == Place::Variable || P.Is == Place::Temporary)
    P.Path.push_back(F->getNameAsString());
  return P;
}

Place BodyWalk::pointee(const Value &V, const Expr *E) {
  if (V.Is != Value::Pointer)
    return Place::lost("not a pointer that is followed", where(E));
  if (V.Target)
    return *V.Target;
  Place P;
  if (V.Buffer >= 0) {
    P.Is = Place::Memory;
    P.Buffer = V.Buffer;
    P.Offset = V.Offset;
  } else if (V.IsPrivate) {
    P.Is = Place::Private;
  } else {
    P.Reason = V.Reason;
    P.Where = V.Where;
  }
  return P;
}

Value BodyWalk::addressOf(const Place &P, const Expr *E) {
  Value V;
  V.Is = Value::Pointer;
  switch (P.Is) {
  case Place::Memory:
    V.Buffer = P.Buffer;
    V.Offset = P.Offset;
    break;
  case Place::Private:
    V.IsPrivate = true;
    break;
  case Place::Variable:
  case Place::Temporary:
    V.Target = std::make_shared<Place>(P);
    break;
  case Place::Lost:
    V.Reason = P.Reason;
    V.Where = P.Where.empty() ? where(E) : P.Where;
    break;
  }
  return V;
}

// ---- lvalue expressions ----------------------------------------------------

Place BodyWalk::placeOfVariable(const VarDecl *V, const Expr *E) {
  if (V->getType()->isReferenceType()) {
    auto Bound = References.find(V);
    return Bound != References.end()
               ? Bound->second
               : Place::lost("reference '" + V->getNameAsString() +
                                 "' is not followed",
                             where(E));
  }
  Place P;
  Value Launch = launchVariable(V->getName());
  if (!Launch.Fields.empty() && V->hasGlobalStorage()) {
    P.Is = Place::Temporary;
    P.Held = std::make_shared<Value>(std::move(Launch));
    return P;
  }
  if (V->hasGlobalStorage()) {
    bool OfDevice = V->hasAttr<CUDASharedAttr>() ||
                    V->hasAttr<CUDADeviceAttr>() ||
                    V->hasAttr<CUDAConstantAttr>();
    bool IsValue = isFixed(V) && V->getType()->isArithmeticType();
    if (!OfDevice || V->isConstexpr() || IsValue) {
      // A constant of the host that device code may use, or a number that no
      // one can change: no memory is read.
      P.Is = Place::Private;
      return P;
    }
    P.Is = Place::Memory;
    P.Buffer = bufferOf(V);
    P.Offset = number(0);
    return P;
  }
  P.Is = V->getType()->isArrayType() ? Place::Private : Place::Variable;
  P.Var = V;
  return P;
}

Place BodyWalk::place(const Expr *E) {
  E = unwrapped(E);
  if (auto *R = dyn_cast<DeclRefExpr>(E)) {
    if (auto *V = dyn_cast<VarDecl>(R->getDecl()))
      return placeOfVariable(V, E);
    if (auto *B = dyn_cast<BindingDecl>(R->getDecl()); B && B->getBinding())
      return place(B->getBinding());
    return Place::lost(
        "'" + R->getDecl()->getNameAsString() + "' is no variable", where(E));
  }
  if (auto *S = dyn_cast<ArraySubscriptExpr>(E)) {
    Value Base = eval(S->getBase());
    Index I = integer(S->getIdx());
    return pointee(advance(Base, I, sizeOf(S->getType())), E);
  }
  if (auto *M = dyn_cast<MemberExpr>(E)) {
    auto *F = dyn_cast<FieldDecl>(M->getMemberDecl());
    if (!F) {
      auto *V = dyn_cast<VarDecl>(M->getMemberDecl());
      return V ? placeOfVariable(V, E)
               : Place::lost("no data member", where(E));
    }
    return member(
        M->isArrow() ? pointee(eval(M->getBase()), E) : place(M->getBase()), F);
  }
  if (auto *U = dyn_cast<UnaryOperator>(E)) {
    if (U->getOpcode() == UO_Deref)
      return pointee(eval(U->getSubExpr()), E);
    if (U->isIncrementDecrementOp()) {
      Place P;
      evalStep(U, &P);
      return P;
    }
    return place(U->getSubExpr()); // `__real`, `__extension__`.
  }
  if (auto *B = dyn_cast<BinaryOperator>(E)) {
    if (B->isAssignmentOp()) {
      Place P;
      evalAssignment(B, &P);
      return P;
    }
    if (B->getOpcode() == BO_Comma) {
      eval(B->getLHS());
      return place(B->getRHS());
    }
  }
  if (auto *C = dyn_cast<CastExpr>(E); C && C->getSubExpr()->isGLValue()) {
    Place P = place(C->getSubExpr());
    bool Follows = C->getCastKind() == CK_NoOp ||
                   C->getCastKind() == CK_LValueBitCast ||
                   C->getCastKind() == CK_DerivedToBase ||
                   C->getCastKind() == CK_UncheckedDerivedToBase;
    if (!Follows)
      return Place::lost("a cast that is not followed", where(E));
    // Another view of a variable's bytes is no member of it.
    if (C->getCastKind() == CK_LValueBitCast && P.Is == Place::Variable) {
      forget(P, "its bytes are used as another type", E);
      P.Is = Place::Private;
    }
    return P;
  }
  if (auto *C = dyn_cast<ConditionalOperator>(E)) {
    Index Condition = condition(C->getCond());
    if (Condition->Op == IndexOp::Number)
      return place(Condition->Value ? C->getTrueExpr() : C->getFalseExpr());
    Guards.push_back(Condition);
    Value A = addressOf(place(C->getTrueExpr()), E);
    Guards.back() = negation(Condition);
    Value B = addressOf(place(C->getFalseExpr()), E);
    Guards.pop_back();
    return pointee(merged(Condition, A, B, E), E);
  }
  if (auto *C = dyn_cast<CallExpr>(E); C && C->isGLValue())
    return call(C).Where;
  if (isa<StringLiteral>(E) || isa<PredefinedExpr>(E)) {
    Place P;
    P.Is = Place::Private;
    return P;
  }
  if (E->isPRValue() || isa<MaterializeTemporaryExpr>(E)) {
    auto *T = dyn_cast<MaterializeTemporaryExpr>(E);
    Place P;
    P.Is = Place::Temporary;
    P.Held = std::make_shared<Value>(eval(T ? T->getSubExpr() : E));
    return P;
  }
  evalChildren(E);
  return Place::lost("an lvalue that is not followed", where(E));
}

// ---- loads and stores ------------------------------------------------------

/// Where the value of a variable or temporary is kept; null if it is not, or,
/// with \p Make, room for it.
Value *BodyWalk::findValue(const Place &P, bool Make) {
  Value *V = nullptr;
  if (P.Is == Place::Temporary) {
    V = P.Held.get();
  } else if (P.Is == Place::Variable) {
    auto Known = Locals.find(P.Var);
    if (Known == Locals.end() && !Make)
      return nullptr;
    V = &Locals[P.Var];
  }
  for (const std::string &Name : P.Path) {
    if (!V)
      return nullptr;
    if (V->Is != Value::Record) {
      // The members of an unknown structure are unknown; one that gets a value
      // is known from then on.
      if (!Make)
        return V->Is == Value::Integer && V->Number ? V : nullptr;
      *V = Value();
      V->Is = Value::Record;
    }
    auto Field = V->Fields.find(Name);
    if (Field == V->Fields.end() && !Make)
      return nullptr;
    V = &V->Fields[Name];
  }
  return V;
}

Value BodyWalk::load(const Place &P, QualType T, const Expr *E) {
  switch (P.Is) {
  case Place::Variable:
  case Place::Temporary: {
    Value *V = findValue(P, false);
    if (!V)
      return opaque(T, "'" + text(E) + "' has no value that is followed", E);
    if (V->Is == Value::Integer && T->isPointerType())
      return opaque(T, V->Number ? V->Number->Name : "", E);
    return *V;
  }
  case Place::Memory:
    note(P, AccessKind::Read, T, E);
    return opaque(T, "element of '" + Model.Buffers[P.Buffer].Name + "'", E);
  case Place::Private:
    return opaque(T, "element of a local array", E);
  case Place::Lost:
    note(P, AccessKind::Read, T, E);
    break;
  }
  return opaque(T, P.Reason, E);
}

void BodyWalk::store(const Place &P, Value V, QualType T, const Expr *E) {
  if (P.Is == Place::Variable || P.Is == Place::Temporary) {
    if (Value *To = findValue(P, true))
      *To = std::move(V);
    return;
  }
  if (P.Is != Place::Private)
    note(P, AccessKind::Write, T, E);
}

/// Notes an access of the bytes that \p P names.
void BodyWalk::note(const Place &P, AccessKind Kind, QualType T, const Expr *E,
                    bool IsAtomic) {
  if (Muted || P.Is == Place::Private || P.Is == Place::Variable ||
      P.Is == Place::Temporary)
    return;
  if (P.Is == Place::Lost) {
    Model.Unknown.push_back({text(E) + ": " + P.Reason, where(E)});
    return;
  }
  MemoryAccess A;
  A.Buffer = unsigned(P.Buffer);
  A.Kind = Kind;
  A.IsAtomic = IsAtomic;
  A.Offset = P.Offset;
  A.Bytes = uint64_t(sizeOf(T));
  A.Loops = Loops;
  for (const Index &G : Guards)
    appendParts(G, A.Guards);
  A.Order = ++Order;
  A.Text = text(E);
  A.Where = where(E);
  AccessedBuffer &B = Model.Buffers[A.Buffer];
  B.IsRead |= Kind != AccessKind::Write;
  B.IsWritten |= Kind != AccessKind::Read;
  Model.Accesses.push_back(std::move(A));
}

/// Notes that anything \p Pointer reaches may be touched.
void BodyWalk::noteLost(const Value &Pointer, AccessKind Kind,
                        const Twine &Reason, const Expr *E) {
  if (Pointer.Is != Value::Pointer || Pointer.IsPrivate || Pointer.Target)
    return;
  Place P = pointee(Pointer, E);
  if (P.Is == Place::Memory)
    P.Offset = unknown(Reason.str(), where(E));
  else if (P.Reason == "null pointer")
    return;
  else
    P.Reason = Reason.str();
  note(P, Kind, Unit.context().CharTy, E);
}
