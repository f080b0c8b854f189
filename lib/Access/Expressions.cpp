/// \file
/// Values of expressions; what they read and write on the way is noted.

#include "BodyWalk.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/Lex/Lexer.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mep;
using namespace clang;
using llvm::StringRef;

Index BodyWalk::asInteger(const Value &V, const Expr *E) const {
  if (V.Is == Value::Integer && V.Number)
    return V.Number;
  return unknown("'" + text(E) + "' is no integer", where(E));
}

/// Whether a pointer is not null: of a parameter that is known at a launch.
Index BodyWalk::isNotNull(const Value &V, const Expr *E) const {
  if (V.Target || V.IsPrivate)
    return number(1);
  if (!V.isBuffer())
    return unknown("'" + text(E) + "' may be null", where(E));
  const AccessedBuffer &B = Model.Buffers[V.Buffer];
  if (B.Space != BufferSpace::Global || !V.Offset->isNumber(0))
    return number(1);
  return negation(
      binary(IndexOp::Equal, symbol(B.Name, SymbolKind::Parameter), number(0)));
}

/// \p E as a condition: a comparison or a number, of value 0 or 1.
Index BodyWalk::condition(const Expr *E) {
  Value V = eval(E);
  if (V.Is == Value::Pointer)
    return isNotNull(V, E);
  Index N = asInteger(V, E);
  switch (N->Op) {
  case IndexOp::Less:
  case IndexOp::LessEqual:
  case IndexOp::Equal:
  case IndexOp::And:
  case IndexOp::Or:
  case IndexOp::Not:
  case IndexOp::Unknown:
    return N;
  default:
    return negation(binary(IndexOp::Equal, N, number(0)));
  }
}

// ---- literals and casts ----------------------------------------------------

/// Name of the macro whose body spells the literal at \p Loc; empty if none.
static StringRef spellingMacro(SourceLocation Loc, const SourceManager &SM,
                               const LangOptions &LO) {
  while (Loc.isMacroID() && SM.isMacroArgExpansion(Loc))
    Loc = SM.getImmediateSpellingLoc(Loc);
  return Loc.isMacroID() ? Lexer::getImmediateMacroName(Loc, SM, LO)
                         : StringRef();
}

Value BodyWalk::evalLiteral(const Expr *E) {
  if (isa<IntegerLiteral>(E)) {
    StringRef Macro =
        spellingMacro(E->getExprLoc(), Unit.sources(), Unit.language());
    for (const DimensionMacro &D : Source.Dimensions)
      if (D.Name == Macro)
        return Value::of(symbol(D.Name, SymbolKind::Macro));
  }
  if (auto *Trait = dyn_cast<UnaryExprOrTypeTraitExpr>(E))
    noteNumbersOf(Trait->getTypeOfArgument());
  else if (isa<DeclRefExpr>(E) || isa<OffsetOfExpr>(E) ||
           isa<SizeOfPackExpr>(E))
    Model.HoldsForMacros = true;
  Expr::EvalResult R;
  if (!E->isValueDependent() && E->EvaluateAsInt(R, Unit.context())) {
    const llvm::APSInt &N = R.Val.getInt();
    if (N.isRepresentableByInt64())
      return Value::of(number(N.getExtValue()));
    if (N.getActiveBits() <= 64) // A mask of all ones.
      return Value::of(convert(number(int64_t(N.getZExtValue())), 64, false));
  }
  return opaque(E->getType(), "'" + text(E) + "' is no integer", E);
}

bool mep::isFixed(const VarDecl *V) {
  auto *Constant = V->getAttr<CUDAConstantAttr>();
  return V->isConstexpr() ||
         (V->getType().isConstQualified() && V->hasGlobalStorage() &&
          !V->hasAttr<CUDASharedAttr>() &&
          (!Constant || Constant->isImplicit()));
}

Value BodyWalk::evalCast(const CastExpr *C) {
  const Expr *Sub = C->getSubExpr();
  QualType T = C->getType();
  switch (C->getCastKind()) {
  case CK_LValueToRValue: {
    if (isa<ConditionalOperator>(unwrapped(Sub)))
      return valueAt(Sub);
    Place P = place(Sub);
    // Constants of the program have no memory to read.
    if (P.Is == Place::Private || P.Is == Place::Memory)
      if (auto *R = dyn_cast<DeclRefExpr>(unwrapped(Sub)))
        if (auto *V = dyn_cast<VarDecl>(R->getDecl());
            V && V->getType().isConstQualified() && V->getInit() &&
            T->isIntegralOrEnumerationType() && isFixed(V))
          return eval(V->getInit());
    if (auto *R = dyn_cast<DeclRefExpr>(unwrapped(Sub));
        R && R->getDecl()->getDeclName().isIdentifier() &&
        R->getDecl()->getName() == "warpSize")
      return Value::of(number(32));
    return load(P, Sub->getType(), Sub);
  }
  case CK_ArrayToPointerDecay:
    if (!Sub->isGLValue()) {
      eval(Sub);
      Value V;
      V.Is = Value::Pointer;
      V.IsPrivate = true;
      return V;
    } else {
      Place P = place(Sub);
      if (P.Is == Place::Variable || P.Is == Place::Temporary)
        P.Is = Place::Private; // An array inside a structure.
      return addressOf(P, Sub);
    }
  case CK_IntegralCast:
    return Value::of(asType(integer(Sub), T));
  case CK_IntegralToBoolean:
    return Value::of(condition(Sub));
  case CK_PointerToBoolean:
    return Value::of(condition(Sub));
  case CK_NullToPointer: {
    Value V = opaque(T, "null pointer", nullptr);
    return V;
  }
  case CK_FloatingToIntegral:
    eval(Sub);
    return opaque(T, "'" + text(Sub) + "' is a floating-point number", Sub);
  case CK_NoOp:
  case CK_BitCast:
  case CK_AddressSpaceConversion:
  case CK_UserDefinedConversion:
  case CK_ConstructorConversion:
  case CK_ToVoid:
  case CK_UncheckedDerivedToBase:
  case CK_DerivedToBase:
    if (Sub->isGLValue() && T->isRecordType())
      return load(place(Sub), T, Sub);
    if (Sub->isGLValue()) { // `(void)x` reads nothing.
      place(Sub);
      return opaque(T, "no value", C);
    }
    return eval(Sub);
  default:
    if (Sub->isGLValue())
      place(Sub);
    else
      eval(Sub);
    return opaque(T, "'" + text(C) + "' is no integer", C);
  }
}

// ---- operators -------------------------------------------------------------

Value BodyWalk::evalStep(const UnaryOperator *U, Place *To) {
  Place P = place(U->getSubExpr());
  QualType T = U->getSubExpr()->getType();
  Value Old = load(P, T, U->getSubExpr());
  BinaryOperatorKind Op = U->isIncrementOp() ? BO_Add : BO_Sub;
  Value New = compute(Op, Old, Value::of(number(1)), T, T, U);
  store(P, New, T, U->getSubExpr());
  if (To)
    *To = P;
  return U->isPrefix() ? New : Old;
}

Value BodyWalk::evalUnary(const UnaryOperator *U) {
  QualType T = U->getType();
  switch (U->getOpcode()) {
  case UO_AddrOf:
    if (U->getSubExpr()->getType()->isFunctionType())
      return opaque(T, "address of a function", U);
    return addressOf(place(U->getSubExpr()), U);
  case UO_PostInc:
  case UO_PostDec:
  case UO_PreInc:
  case UO_PreDec:
    return evalStep(U);
  case UO_Plus:
    return eval(U->getSubExpr());
  case UO_Minus:
  case UO_Not: {
    Value V = eval(U->getSubExpr());
    if (!T->isIntegralOrEnumerationType() || V.Is != Value::Integer)
      return opaque(T, "'" + text(U) + "' is no integer", U);
    Index N = arithmetic(BO_Sub, number(U->getOpcode() == UO_Not ? -1 : 0),
                         V.Number, T, U);
    return Value::of(N);
  }
  case UO_LNot:
    return Value::of(negation(condition(U->getSubExpr())));
  default:
    return evalChildren(U);
  }
}

Value BodyWalk::evalAssignment(const BinaryOperator *B, Place *To) {
  QualType T = B->getLHS()->getType();
  Value Right = eval(B->getRHS());
  Place P = place(B->getLHS());
  if (auto *C = dyn_cast<CompoundAssignOperator>(B)) {
    Value Left = load(P, T, B->getLHS());
    QualType In = C->getComputationResultType();
    BinaryOperatorKind Op =
        BinaryOperator::getOpForCompoundAssignment(B->getOpcode());
    if (In->isIntegralOrEnumerationType() && Left.Is == Value::Integer)
      Left.Number = asType(asInteger(Left, B), C->getComputationLHSType());
    Right = compute(Op, Left, Right, T, In, B);
    if (T->isIntegralOrEnumerationType() && Right.Is == Value::Integer)
      Right.Number = asType(Right.Number, T);
  }
  store(P, Right, T, B->getLHS());
  if (To)
    *To = P;
  return Right;
}

Value BodyWalk::evalLogical(const BinaryOperator *B) {
  bool IsAnd = B->getOpcode() == BO_LAnd;
  Index Left = condition(B->getLHS());
  if (Left->Op == IndexOp::Number && (Left->Value != 0) != IsAnd)
    return Value::of(Left);
  Guards.push_back(IsAnd ? Left : negation(Left));
  Index Right = condition(B->getRHS());
  Guards.pop_back();
  return Value::of(IsAnd ? conjunction(Left, Right) : disjunction(Left, Right));
}

Value BodyWalk::evalConditional(const AbstractConditionalOperator *C) {
  Index If = condition(C->getCond());
  if (If->Op == IndexOp::Number)
    return eval(If->Value ? C->getTrueExpr() : C->getFalseExpr());
  Guards.push_back(If);
  Value A = eval(C->getTrueExpr());
  Guards.back() = negation(If);
  Value B = eval(C->getFalseExpr());
  Guards.pop_back();
  return merged(If, A, B, C);
}

/// What is at the lvalue \p E. Of two only the one that is chosen is read.
Value BodyWalk::valueAt(const Expr *E) {
  auto *C = dyn_cast<ConditionalOperator>(unwrapped(E));
  if (!C || !C->isGLValue())
    return load(place(E), E->getType(), E);
  Index If = condition(C->getCond());
  if (If->Op == IndexOp::Number)
    return valueAt(If->Value ? C->getTrueExpr() : C->getFalseExpr());
  Guards.push_back(If);
  Value A = valueAt(C->getTrueExpr());
  Guards.back() = negation(If);
  Value B = valueAt(C->getFalseExpr());
  Guards.pop_back();
  return merged(If, A, B, C);
}

Value BodyWalk::evalBinary(const BinaryOperator *B) {
  if (B->isAssignmentOp())
    return evalAssignment(B);
  if (B->isLogicalOp())
    return evalLogical(B);
  if (B->getOpcode() == BO_Comma) {
    B->getLHS()->isGLValue() ? void(place(B->getLHS()))
                             : void(eval(B->getLHS()));
    return eval(B->getRHS());
  }
  Value L = eval(B->getLHS());
  Value R = eval(B->getRHS());
  return compute(B->getOpcode(), L, R, B->getLHS()->getType(), B->getType(), B);
}

// ---- any expression --------------------------------------------------------

Value BodyWalk::evalChildren(const Expr *E) {
  for (const Stmt *Child : E->children())
    if (auto *Inner = dyn_cast_or_null<Expr>(Child))
      Inner->isGLValue() ? void(place(Inner)) : void(eval(Inner));
    else if (Child)
      walk(Child);
  return opaque(E->getType(), "'" + text(E) + "' is not followed", E);
}

/// `({ …; value; })`
Value BodyWalk::evalStatement(const StmtExpr *S) {
  size_t Depth = Guards.size();
  const CompoundStmt *Block = S->getSubStmt();
  Value Last = opaque(S->getType(), "a statement's value", S);
  for (const Stmt *Child : Block->body()) {
    auto *E = dyn_cast<Expr>(Child);
    if (E && Child == Block->body_back())
      Last = E->isGLValue() ? load(place(E), E->getType(), E) : eval(E);
    else
      walk(Child);
  }
  Guards.resize(Depth);
  return Last;
}

Value BodyWalk::eval(const Expr *E) {
  E = unwrapped(E);
  if (Budget == 0)
    return opaque(E->getType(), "the kernel is too long", E);
  --Budget;
  if (E->isGLValue() && !isa<PseudoObjectExpr>(E))
    return valueAt(E);
  if (auto *C = dyn_cast<CastExpr>(E))
    return evalCast(C);
  if (auto *P = dyn_cast<PseudoObjectExpr>(E)) {
    auto *Property =
        dyn_cast<MSPropertyRefExpr>(unwrapped(P->getSyntacticForm()));
    if (!Property)
      return P->getResultExpr() ? eval(P->getResultExpr()) : evalChildren(E);
    auto *Base = dyn_cast<DeclRefExpr>(unwrapped(Property->getBaseExpr()));
    Value V = launchVariable(Base ? Base->getDecl()->getName() : "");
    auto F = V.Fields.find(Property->getPropertyDecl()->getNameAsString());
    return F != V.Fields.end() ? F->second
                               : opaque(E->getType(), "a property", E);
  }
  if (auto *U = dyn_cast<UnaryOperator>(E))
    return evalUnary(U);
  if (auto *B = dyn_cast<BinaryOperator>(E))
    return evalBinary(B);
  if (auto *C = dyn_cast<AbstractConditionalOperator>(E))
    return evalConditional(C);
  if (auto *C = dyn_cast<CallExpr>(E))
    return call(C).Result;
  if (auto *C = dyn_cast<CXXConstructExpr>(E))
    return evalConstruct(C);
  if (auto *L = dyn_cast<InitListExpr>(E))
    return evalList(L);
  if (auto *L = dyn_cast<LambdaExpr>(E))
    return evalLambda(L);
  if (auto *I = dyn_cast<CXXInheritedCtorInitExpr>(E))
    return opaque(I->getType(), "an inherited constructor", I);
  if (isa<CXXThisExpr>(E)) {
    const auto &This = Frames.back().This;
    return This ? addressOf(*This, E)
                : opaque(E->getType(), "an object that is not followed", E);
  }
  if (auto *M = dyn_cast<MemberExpr>(E)) // Of a value without a place.
    return load(place(M), M->getType(), M);
  if (isa<ImplicitValueInitExpr>(E) || isa<CXXScalarValueInitExpr>(E))
    return E->getType()->isIntegralOrEnumerationType()
               ? Value::of(number(0))
               : opaque(E->getType(), "a value of all zeros", E);
  if (isa<IntegerLiteral>(E) || isa<CharacterLiteral>(E) ||
      isa<CXXBoolLiteralExpr>(E) || isa<UnaryExprOrTypeTraitExpr>(E) ||
      isa<DeclRefExpr>(E) || isa<OffsetOfExpr>(E) || isa<TypeTraitExpr>(E) ||
      isa<SizeOfPackExpr>(E) || isa<ConceptSpecializationExpr>(E))
    return evalLiteral(E);
  if (isa<FloatingLiteral>(E))
    return opaque(E->getType(), "a floating-point number", E);
  if (auto *S = dyn_cast<StmtExpr>(E)) {
    return evalStatement(S);
  }
  return evalChildren(E);
}
