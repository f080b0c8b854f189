#include "HostFill.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mep;
using namespace clang;
using llvm::dyn_cast;
using llvm::isa;
using llvm::StringRef;

namespace {

/// All values of an expression lie between the two.
struct ValueRange {
  TermRef Low, High;
  explicit operator bool() const { return Low && High; }
  bool isOne() const { return print(Low) == print(High); }
};

/// Follows one assignment.
class RangeFinder {
public:
  RangeFinder(HostValues &Values, Point At)
      : Values(Values), At(std::move(At)) {}

  ValueRange rangeOf(const Expr *E);

private:
  ValueRange bareRange(const Expr *E);
  ValueRange ofBinary(const BinaryOperator *B);
  ValueRange ofCall(const CallExpr *C);
  ValueRange ofDistribution(const CXXOperatorCallExpr *C);
  bool isSteady(const Stmt *S) const;

  HostValues &Values;
  Point At;
};

/// Sign of \p T as far as it is a plain number; sizes are positive.
bool isNegative(const TermRef &T) {
  auto Known = evaluate(T, {});
  return Known && Known->asDouble() < 0;
}

/// The same value wherever in its loops it is looked at.
bool RangeFinder::isSteady(const Stmt *S) const {
  if (!S)
    return true;
  if (isa<CallExpr>(S) || isa<ArraySubscriptExpr>(S) || isa<LambdaExpr>(S))
    return false;
  if (auto *R = dyn_cast<DeclRefExpr>(S))
    if (auto *V = dyn_cast<VarDecl>(R->getDecl())) {
      unsigned Given = 0;
      for (const Definition &D : Values.index().definitions(V)) {
        ++Given;
        if (D.How == Definition::Compound || D.Subscript)
          return false;
      }
      return Given <= 1;
    }
  return llvm::all_of(S->children(),
                      [&](const Stmt *Child) { return isSteady(Child); });
}

ValueRange RangeFinder::ofBinary(const BinaryOperator *B) {
  ValueRange L = rangeOf(B->getLHS()), R = rangeOf(B->getRHS());
  if (!L || !R)
    return {};
  StringRef Operator = BinaryOperator::getOpcodeStr(B->getOpcode());
  auto Do = [&](const TermRef &X, const TermRef &Y) {
    return binaryTerm(Operator, X, Y);
  };
  switch (B->getOpcode()) {
  case BO_Add:
    return {Do(L.Low, R.Low), Do(L.High, R.High)};
  case BO_Sub:
    return {Do(L.Low, R.High), Do(L.High, R.Low)};
  case BO_Mul:
    if (!R.isOne())
      std::swap(L, R);
    [[fallthrough]];
  case BO_Div:
    if (!R.isOne())
      return {};
    return isNegative(R.Low) ? ValueRange{Do(L.High, R.Low), Do(L.Low, R.Low)}
                             : ValueRange{Do(L.Low, R.Low), Do(L.High, R.Low)};
  case BO_Rem:
    if (!R.isOne() || isNegative(L.Low) || isNegative(R.Low))
      return {};
    return {integerTerm(0), binaryTerm("-", R.Low, integerTerm(1))};
  default:
    return {};
  }
}

ValueRange RangeFinder::ofCall(const CallExpr *C) {
  StringRef Name = calledName(C);
  if (Name == "rand" || Name == "random" || Name == "lrand48")
    return {integerTerm(0), integerTerm(0x7fffffff)};
  if (Name == "drand48")
    return {floatTerm(0), floatTerm(1)};
  return {};
}

/// `std::uniform_real_distribution<> d(a, b); d(generator)`
ValueRange RangeFinder::ofDistribution(const CXXOperatorCallExpr *C) {
  auto *R = C->getOperator() == OO_Call
                ? dyn_cast<DeclRefExpr>(bare(C->getArg(0)))
                : nullptr;
  auto *V = R ? dyn_cast<VarDecl>(R->getDecl()) : nullptr;
  auto *Made = V && V->getInit()
                   ? dyn_cast<CXXConstructExpr>(bare(V->getInit()))
                   : nullptr;
  const CXXRecordDecl *Class = V ? V->getType()->getAsCXXRecordDecl() : nullptr;
  if (!Made || !Class || Made->getNumArgs() < 2 || !Class->getIdentifier() ||
      (Class->getName() != "uniform_real_distribution" &&
       Class->getName() != "uniform_int_distribution"))
    return {};
  ValueRange Low = rangeOf(Made->getArg(0)), High = rangeOf(Made->getArg(1));
  if (!Low || !High || !Low.isOne() || !High.isOne())
    return {};
  return {Low.Low, High.Low};
}

ValueRange RangeFinder::bareRange(const Expr *E) {
  // `RAND_MAX` is a number, no size of the problem.
  if (auto *L = dyn_cast<IntegerLiteral>(E);
      L && L->getValue().getActiveBits() <= 63) {
    TermRef T = L->getValue() == 0x7fffffff ? integerTerm(0x7fffffff)
                                            : Values.value(E, At);
    return {T, T};
  }
  auto *B = dyn_cast<BinaryOperator>(E);
  if (B && B->getOpcode() == BO_Assign) // `a[i] = b[i] = value`
    return rangeOf(B->getRHS());
  if (B && !B->isAssignmentOp())
    if (ValueRange R = ofBinary(B))
      return R;
  if (auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_Minus)
    if (ValueRange R = rangeOf(U->getSubExpr()))
      return {unaryTerm("-", R.High), unaryTerm("-", R.Low)};
  if (auto *O = dyn_cast<CXXOperatorCallExpr>(E))
    return ofDistribution(O);
  if (auto *C = dyn_cast<CallExpr>(E))
    return ofCall(C);
  if (!isSteady(E))
    return {};
  Values.forget();
  TermRef T = Values.value(E, At);
  return {T, T};
}

/// With the conversion that stands around it.
ValueRange RangeFinder::rangeOf(const Expr *E) {
  ValueRange R = bareRange(bare(E));
  if (!R)
    return {};
  if (E->getType()->isRealFloatingType())
    return {castTerm("double", R.Low), castTerm("double", R.High)};
  if (E->getType()->isIntegerType())
    return {castTerm("long long", R.Low), castTerm("long long", R.High)};
  return {};
}

/// As short as it can be said.
std::string said(const TermRef &T) {
  auto Number = evaluate(T, {});
  if (!Number)
    return print(T);
  return print(Number->IsFloat ? floatTerm(Number->Float)
                               : integerTerm(Number->Integer));
}

FillRule ruleOf(const Definition &D, HostValues &Values, const Point &At) {
  auto *Subscript = dyn_cast<DeclRefExpr>(bare(D.Subscript));
  auto *Value = dyn_cast<DeclRefExpr>(bare(D.Value));
  if (Subscript && Value && Subscript->getDecl() == Value->getDecl() &&
      D.Value->getType()->isIntegerType())
    return {"iota", "0", "0"};
  ValueRange R = RangeFinder(Values, At).rangeOf(D.Value);
  if (!R)
    return {"", "", ""};
  std::string Low = said(R.Low), High = said(R.High);
  if (Low != High)
    return {"uniform", Low, High};
  bool IsZero = Low == "0" || Low == "0.0";
  return {IsZero ? "zero" : "constant", Low, Low};
}

} // namespace

/// The variable or member that \p E points with, of plain numbers.
static const ValueDecl *filled(const Expr *E) {
  auto *M = dyn_cast<MemberExpr>(bare(E));
  const ValueDecl *D = M ? M->getMemberDecl() : rootOf(E);
  if (!D)
    return nullptr;
  QualType T = D->getType().getNonReferenceType().getCanonicalType();
  const ArrayType *Array = D->getASTContext().getAsArrayType(T);
  QualType Element = Array ? Array->getElementType() : T->getPointeeType();
  return !Element.isNull() && Element->isArithmeticType() ? D : nullptr;
}

namespace {

/// Finds the calls of one function that are given \p Memory.
class FillerFinder : public RecursiveASTVisitor<FillerFinder> {
public:
  explicit FillerFinder(const ValueDecl *Memory) : Memory(Memory) {}
  bool VisitCallExpr(CallExpr *C) {
    for (unsigned I = 0; I < C->getNumArgs(); ++I)
      if (auto *R = dyn_cast<DeclRefExpr>(bare(C->getArg(I)));
          R && R->getDecl() == Memory)
        Calls.emplace_back(C, I);
    return true;
  }
  std::vector<std::pair<const CallExpr *, unsigned>> Calls;

private:
  const ValueDecl *Memory;
};

/// The one rule of all that assigns to elements of some memory.
class RuleFinder {
public:
  explicit RuleFinder(HostValues &Values) : Values(Values) {}

  void assignments(const ValueDecl *Memory, const Point &P, unsigned Depth);
  FillRule rule() const { return Differs ? None : Found; }

private:
  void add(const FillRule &Own);
  void calls(const ValueDecl *Memory, const Point &P, unsigned Depth);

  const FillRule None{"", "", ""};
  HostValues &Values;
  FillRule Found = None;
  bool Differs = false;
};

void RuleFinder::add(const FillRule &Own) {
  bool Same =
      Own.Rule == Found.Rule && Own.Low == Found.Low && Own.High == Found.High;
  Differs |= Own.Rule.empty() || (!Found.Rule.empty() && !Same);
  Found = Own;
}

void RuleFinder::assignments(const ValueDecl *Memory, const Point &P,
                             unsigned Depth) {
  for (const Definition &D : Values.index().definitions(Memory))
    if (D.Subscript || D.How == Definition::Through)
      add(D.How == Definition::Assignment && D.Subscript && D.Value
              ? ruleOf(D, Values, Values.flow().pointOf(D, P))
              : None);
  if (Depth < 3)
    calls(Memory, P, Depth);
}

/// Calls that leave what the memory held when it was copied to the device.
static bool handlesMemory(StringRef Name) {
  return Name == "free" || Name.starts_with("cuda") || Name.starts_with("hip");
}

/// `initialise(h, n)`
void RuleFinder::calls(const ValueDecl *Memory, const Point &P,
                       unsigned Depth) {
  auto *In =
      dyn_cast_or_null<FunctionDecl>(Memory->getParentFunctionOrMethod());
  if (!In || !In->getBody())
    return;
  FillerFinder Fillers(Memory);
  Fillers.TraverseStmt(In->getBody());
  for (auto [Call, Argument] : Fillers.Calls) {
    const FunctionDecl *F = Call->getDirectCallee();
    if (!F || Argument >= F->getNumParams() || handlesMemory(calledName(Call)))
      continue;
    const ParmVarDecl *Inside = F->getParamDecl(Argument);
    if (!Inside->getType()->isPointerType() ||
        Inside->getType()->getPointeeType().isConstQualified())
      continue;
    const FunctionDecl *Body = calledFunction(Call);
    if (!Body || !Body->hasBody() || Values.host().isSystem(F->getLocation()))
      return add(None); // `fread(h, …)`
    assignments(Body->getParamDecl(Argument), Values.flow().inside(F, Call, P),
                Depth + 1);
  }
}

} // namespace

FillRule mep::hostFill(HostValues &Values, const Expr *E, const Point &P) {
  RuleFinder Rules(Values);
  if (const ValueDecl *Memory = E ? filled(E) : nullptr)
    Rules.assignments(Memory, P, 0);
  return Rules.rule();
}
