/// \file
/// Expressions of the code that reads the command line.

#include "OptionRunner.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/ASTContext.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mep;
using namespace clang;
using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;
using llvm::StringRef;

OptionValue OptionValue::number(TermRef T) {
  OptionValue V;
  V.What = T ? Number : Unknown;
  V.Num = std::move(T);
  return V;
}

OptionValue OptionValue::text(std::string Str, int Word) {
  OptionValue V;
  V.What = Text;
  V.Str = std::move(Str);
  V.Word = Word;
  return V;
}

OptionValue OptionValue::list(int64_t Offset) {
  OptionValue V;
  V.What = List;
  V.Offset = Offset;
  return V;
}

std::optional<int64_t> OptionValue::asInteger() const {
  auto N = What == Number ? evaluate(Num, {}) : std::nullopt;
  return N && !N->IsFloat ? std::optional(N->Integer) : std::nullopt;
}

std::optional<bool> OptionValue::asBool() const {
  if (What == Text || What == List)
    return true;
  auto N = What == Number ? evaluate(Num, {}) : std::nullopt;
  return N ? std::optional(N->asDouble() != 0) : std::nullopt;
}

void OptionRunner::see(const OptionValue &V) {
  if (V.What == OptionValue::Text && V.Word >= 0)
    Read.insert(size_t(V.Word));
}

// ---- variables -------------------------------------------------------------

std::optional<OptionRunner::Key> OptionRunner::keyOf(const Expr *Target) {
  Target = bare(Target);
  if (auto *R = dyn_cast<DeclRefExpr>(Target))
    return Key{R->getDecl()->getCanonicalDecl(), nullptr};
  if (auto *M = dyn_cast<MemberExpr>(Target)) {
    const ValueDecl *Root = rootOf(M->getBase());
    return Key{M->getMemberDecl()->getCanonicalDecl(),
               Root ? Root->getCanonicalDecl() : nullptr};
  }
  auto *U = dyn_cast<UnaryOperator>(Target);
  if (!U || U->getOpcode() != UO_Deref)
    return std::nullopt;
  auto *R = dyn_cast<DeclRefExpr>(bare(U->getSubExpr()));
  // What the pointer points at goes by the pointer, as in HostIndex.
  return R ? std::optional(Key{R->getDecl()->getCanonicalDecl(), nullptr})
           : std::nullopt;
}

void OptionRunner::assign(const Expr *Target, OptionValue V) {
  auto Of = keyOf(Target);
  if (!Of)
    return;
  State[*Of] = std::move(V);
  Last[*Of] = bare(Target);
  Open.erase(*Of);
}

void OptionRunner::forgetTarget(const Expr *Target) {
  auto Of = keyOf(Target);
  if (!Of)
    return;
  State[*Of] = {};
  // A structure's members with it.
  for (auto &[Each, V] : State)
    if (Each == *Of || (Each.second && Each.second == Of->first)) {
      V = {};
      Last.erase(Each);
      Open.insert(Each);
    }
}

/// \p C may have set what it was given to set.
void OptionRunner::forgetPassed(const CallExpr *C) {
  const FunctionDecl *F = calledFunction(C);
  for (unsigned I = 0; I < callArgumentCount(C); ++I) {
    const Expr *Given = callArgument(C, I);
    QualType T = F && I < F->getNumParams() ? F->getParamDecl(I)->getType()
                                            : Given->getType();
    auto *U = dyn_cast<UnaryOperator>(bare(Given));
    if (T->isPointerType() && T->getPointeeType().isConstQualified())
      continue;
    if (U && U->getOpcode() == UO_AddrOf)
      forgetTarget(U->getSubExpr());
    else if (T->isLValueReferenceType() &&
             !T.getNonReferenceType().isConstQualified())
      forgetTarget(Given);
  }
}

void OptionRunner::forget(const Stmt *S) {
  if (!S)
    return;
  if (auto *B = dyn_cast<BinaryOperator>(S); B && B->isAssignmentOp())
    forgetTarget(B->getLHS());
  if (auto *U = dyn_cast<UnaryOperator>(S); U && U->isIncrementDecrementOp())
    forgetTarget(U->getSubExpr());
  if (auto *C = dyn_cast<CallExpr>(S))
    forgetPassed(C);
  for (const Stmt *Child : S->children())
    forget(Child);
}

/// What \p D has where the code that is run begins.
OptionValue OptionRunner::entry(const ValueDecl *D) {
  OptionValue V;
  bool IsOfMain = false;
  if (auto *P = dyn_cast<ParmVarDecl>(D)) {
    if (Runs.isOfMain(P, 0))
      V = OptionValue::integer(int64_t(Words.size()));
    else if (Runs.isOfMain(P, 1))
      V = OptionValue::list(0);
    IsOfMain = V.What != OptionValue::Unknown;
  }
  for (const Definition &Each : Runs.Index.definitions(D)) {
    if (Each.In && Each.In != In)
      return {};
    if (Each.Order >= Order)
      continue;
    if (!Each.Under.empty() || Each.Subscript)
      return {};
    switch (Each.How) {
    case Definition::Initializer:
    case Definition::Assignment:
      V = value(Each.Value);
      break;
    case Definition::Compound:
      V = combined(Each.Operator, V,
                   Each.Value ? value(Each.Value) : OptionValue::integer(1));
      break;
    case Definition::Passed:
      // `MPI_Init(&argc, &argv)` leaves the application's own words.
      V = IsOfMain ? V : OptionValue();
      break;
    case Definition::Through:
      return {};
    }
  }
  return V;
}

OptionValue OptionRunner::name(const DeclRefExpr *R) {
  const ValueDecl *D = R->getDecl();
  Key Of{D->getCanonicalDecl(), nullptr};
  if (auto Found = State.find(Of); Found != State.end())
    return Found->second;
  bool IsSystem = Runs.Unit.isSystem(D->getLocation());
  if (IsSystem && D->getDeclName().isIdentifier()) {
    if (D->getName() == "optarg")
      return Argument;
    if (D->getName() == "optind")
      return OptionValue::integer(int64_t(OptionIndex));
  }
  Expr::EvalResult Known;
  if (!R->isValueDependent() && R->getType()->isIntegralOrEnumerationType() &&
      R->EvaluateAsInt(Known, Runs.Unit.context()))
    return OptionValue::integer(Known.Val.getInt().getExtValue());
  State[Of] = {}; // Ends definitions that go in a circle.
  OptionValue V = isa<VarDecl>(D) ? entry(D) : OptionValue();
  State[Of] = V;
  return V;
}

// ---- operators -------------------------------------------------------------

OptionValue OptionRunner::shifted(OptionValue V, int64_t By) {
  if (V.What == OptionValue::List) {
    V.Offset += By;
    return V;
  }
  if (V.What != OptionValue::Text || By < 0 || size_t(By) > V.Str.size())
    return {};
  V.Str.erase(0, size_t(By));
  return V;
}

OptionValue OptionRunner::combined(StringRef Operator, const OptionValue &Left,
                                   const OptionValue &Right) {
  if (Left.What == OptionValue::Number && Right.What == OptionValue::Number) {
    TermRef T = binaryTerm(Operator, Left.Num, Right.Num);
    auto N = evaluate(T, {});
    if (!N)
      return {};
    return OptionValue::number(N->IsFloat ? floatTerm(N->Float)
                                          : integerTerm(N->Integer));
  }
  auto Place = Right.asInteger();
  if (Place && Operator == "+")
    return shifted(Left, *Place);
  if (Place && Operator == "-" && Left.What == OptionValue::List)
    return shifted(Left, -*Place);
  // A pointer compared with none.
  bool IsPointer =
      Left.What == OptionValue::Text || Left.What == OptionValue::List;
  if (IsPointer && Place == 0 && (Operator == "==" || Operator == "!="))
    return OptionValue::integer(Operator == "!=");
  return {};
}

OptionValue OptionRunner::subscript(const OptionValue &Base,
                                    const OptionValue &Place) {
  auto I = Place.asInteger();
  if (!I)
    return {};
  if (Base.What == OptionValue::List) {
    int64_t Number = Base.Offset + *I;
    if (Number == int64_t(Words.size()))
      return OptionValue::integer(0); // argv ends in a null pointer.
    if (Number < 0 || Number > int64_t(Words.size()))
      return {};
    const OptionWord &W = Words[size_t(Number)];
    return OptionValue::text(W.Text, W.Number);
  }
  if (Base.What != OptionValue::Text || *I < 0 || size_t(*I) > Base.Str.size())
    return {};
  see(Base);
  return OptionValue::integer(Base.Str.c_str()[*I]);
}

OptionValue OptionRunner::step(const UnaryOperator *U) {
  OptionValue Old = value(U->getSubExpr());
  OptionValue New =
      combined(U->isIncrementOp() ? "+" : "-", Old, OptionValue::integer(1));
  assign(U->getSubExpr(), New);
  return U->isPrefix() ? New : Old;
}

OptionValue OptionRunner::unary(const UnaryOperator *U) {
  if (U->isIncrementDecrementOp())
    return step(U);
  if (U->getOpcode() == UO_AddrOf) {
    auto *S = dyn_cast<ArraySubscriptExpr>(bare(U->getSubExpr()));
    return S ? combined("+", value(S->getBase()), value(S->getIdx()))
             : OptionValue();
  }
  OptionValue V = value(U->getSubExpr());
  switch (U->getOpcode()) {
  case UO_Plus:
    return V;
  case UO_Deref:
    if (V.What == OptionValue::Number)
      if (auto Of = keyOf(U))
        return State[*Of];
    return subscript(V, OptionValue::integer(0));
  case UO_LNot: {
    auto Holds = V.asBool();
    return Holds ? OptionValue::integer(!*Holds) : OptionValue();
  }
  case UO_Minus:
  case UO_Not:
    return V.What == OptionValue::Number
               ? OptionValue::number(unaryTerm(
                     UnaryOperator::getOpcodeStr(U->getOpcode()), V.Num))
               : OptionValue();
  default:
    return {};
  }
}

OptionValue OptionRunner::logical(const BinaryOperator *B) {
  const bool Ends = B->getOpcode() == BO_LOr;
  auto Left = value(B->getLHS()).asBool();
  if (Left == Ends)
    return OptionValue::integer(Ends);
  if (!Left)
    forget(B->getRHS());
  auto Right = value(B->getRHS()).asBool();
  if (Right == Ends)
    return OptionValue::integer(Ends);
  return Left && Right ? OptionValue::integer(!Ends) : OptionValue();
}

OptionValue OptionRunner::binary(const BinaryOperator *B) {
  if (B->isLogicalOp())
    return logical(B);
  if (B->getOpcode() == BO_Comma) {
    value(B->getLHS());
    return value(B->getRHS());
  }
  if (B->getOpcode() == BO_Assign) {
    OptionValue V = value(B->getRHS());
    if (B->getLHS()->getType()->isIntegralOrEnumerationType() &&
        V.What == OptionValue::Number)
      V = OptionValue::number(castTerm("long long", V.Num));
    assign(B->getLHS(), V);
    return V;
  }
  StringRef Operator = BinaryOperator::getOpcodeStr(
      B->isCompoundAssignmentOp()
          ? BinaryOperator::getOpForCompoundAssignment(B->getOpcode())
          : B->getOpcode());
  OptionValue Left = value(B->getLHS());
  OptionValue V = combined(Operator, Left, value(B->getRHS()));
  if (B->isCompoundAssignmentOp())
    assign(B->getLHS(), V);
  return V;
}

OptionValue OptionRunner::cast(const CastExpr *C) {
  OptionValue V = value(C->getSubExpr());
  switch (C->getCastKind()) {
  case CK_IntegralToBoolean:
  case CK_FloatingToBoolean:
  case CK_PointerToBoolean: {
    auto Holds = V.asBool();
    return Holds ? OptionValue::integer(*Holds) : OptionValue();
  }
  case CK_FloatingToIntegral:
  case CK_IntegralToFloating: {
    auto N = V.What == OptionValue::Number ? evaluate(V.Num, {}) : std::nullopt;
    if (!N)
      return {};
    return C->getCastKind() == CK_FloatingToIntegral
               ? OptionValue::integer(int64_t(N->asDouble()))
               : OptionValue::number(floatTerm(N->asDouble()));
  }
  case CK_NullToPointer:
    return OptionValue::integer(0);
  default:
    return V;
  }
}

// ---- expressions -----------------------------------------------------------

OptionValue OptionRunner::value(const Expr *E) {
  if (!E || isSpent())
    return {};
  E = E->IgnoreParens();
  if (auto *C = dyn_cast<CastExpr>(E))
    return cast(C);
  if (auto *S = dyn_cast<StringLiteral>(E))
    return S->getCharByteWidth() == 1 ? OptionValue::text(S->getString().str())
                                      : OptionValue();
  if (auto *R = dyn_cast<DeclRefExpr>(E))
    return name(R);
  if (auto *U = dyn_cast<UnaryOperator>(E))
    return unary(U);
  if (auto *B = dyn_cast<BinaryOperator>(E))
    return binary(B);
  if (auto *W = dyn_cast<CXXRewrittenBinaryOperator>(E))
    return value(W->getSemanticForm());
  if (auto *S = dyn_cast<ArraySubscriptExpr>(E)) {
    OptionValue Base = value(S->getBase());
    return subscript(Base, value(S->getIdx()));
  }
  if (auto *C = dyn_cast<ConditionalOperator>(E)) {
    if (auto Holds = value(C->getCond()).asBool())
      return value(*Holds ? C->getTrueExpr() : C->getFalseExpr());
    forget(C);
    return {};
  }
  if (auto *C = dyn_cast<CallExpr>(E))
    return call(C);
  if (auto *C = dyn_cast<CXXConstructExpr>(E)) {
    OptionValue V = C->getNumArgs() ? value(C->getArg(0)) : OptionValue();
    // The rest are allocators, or say to take a part.
    bool Whole = C->getNumArgs() == 1 ||
                 (C->getNumArgs() > 1 && isa<CXXDefaultArgExpr>(C->getArg(1)));
    return Whole ? V : OptionValue();
  }
  if (auto *M = dyn_cast<MemberExpr>(E)) {
    auto Of = keyOf(M);
    auto Found = Of ? State.find(*Of) : State.end();
    return Found == State.end() ? OptionValue() : Found->second;
  }
  if (isa<CXXThrowExpr>(E)) {
    Failed = true;
    return {};
  }
  if (const Expr *Inner = E->IgnoreImplicit(); Inner != E)
    return value(Inner);
  Expr::EvalResult Known;
  if (E->isValueDependent())
    return {};
  if (E->getType()->isIntegralOrEnumerationType() &&
      E->EvaluateAsInt(Known, Runs.Unit.context()))
    return OptionValue::integer(Known.Val.getInt().getExtValue());
  if (auto *F = dyn_cast<FloatingLiteral>(E))
    return OptionValue::number(floatTerm(F->getValueAsApproximateDouble()));
  if (isa<CXXNullPtrLiteralExpr>(E) || isa<GNUNullExpr>(E))
    return OptionValue::integer(0);
  if (const Expr *Inner = bare(E); Inner != E)
    return value(Inner);
  forget(E);
  return {};
}
