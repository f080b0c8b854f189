#include "HostFill.h"
#include "HostCounts.h"
#include "HostLists.h"
#include "HostTables.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

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
  bool isSteady(const Stmt *S, unsigned Depth = 0) const;

  HostValues &Values;
  Point At;
};

/// Sign of \p T as far as it is a plain number; sizes are positive.
bool isNegative(const TermRef &T) {
  auto Known = evaluate(T, {});
  return Known && Known->asDouble() < 0;
}

/// The same value wherever in its loops it is looked at.
bool RangeFinder::isSteady(const Stmt *S, unsigned Depth) const {
  if (!S)
    return true;
  if (isa<CallExpr>(S) || isa<ArraySubscriptExpr>(S) || isa<LambdaExpr>(S) ||
      Depth > 8)
    return false;
  if (auto *R = dyn_cast<DeclRefExpr>(S))
    if (auto *V = dyn_cast<VarDecl>(R->getDecl())) {
      unsigned Given = 0;
      for (const Definition &D : Values.index().definitions(V)) {
        ++Given;
        if (D.How == Definition::Compound || D.Subscript)
          return false;
        // `int v = 2 * i;` inside the loop.
        if (!D.Under.empty() && !isSteady(D.Value, Depth + 1))
          return false;
      }
      return Given <= 1;
    }
  return llvm::all_of(
      S->children(), [&](const Stmt *Child) { return isSteady(Child, Depth); });
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

FillRule rangeRule(const Definition &D, HostValues &Values, const Point &At) {
  ValueRange R = RangeFinder(Values, At).rangeOf(D.Value);
  if (!R)
    return {"", "", ""};
  std::string Low = said(R.Low), High = said(R.High);
  if (Low != High)
    return {"uniform", Low, High};
  bool IsZero = Low == "0" || Low == "0.0";
  return {IsZero ? "zero" : "constant", Low, Low};
}

FillRule ruleOf(const Definition &D, HostValues &Values, const Point &At) {
  FillRule Counted = countedFill(D, Values, At);
  if (Counted.Rule.empty())
    return rangeRule(D, Values, At);
  return isPartial(D, Values, At) ? FillRule{"", "", ""} : Counted;
}

/// The one rule of all that assigns to elements of some memory.
class RuleFinder {
public:
  explicit RuleFinder(HostValues &Values) : Values(Values) {}

  void assignments(const ValueDecl *Memory, const Point &P, unsigned Depth);
  FillRule rule() const;

private:
  void add(const FillRule &Own);
  void assignment(const ValueDecl *Memory, const Definition &D, const Point &P);
  void calls(const ValueDecl *Memory, const Point &P, unsigned Depth);
  bool standard(const MemoryUse &Use, const Point &P);
  void begin(const Expr *Value, const Point &P);
  bool isMove(const ValueDecl *Memory, const Definition &D) const;
  bool isElement(const ValueDecl *Memory, const Expr *E) const;
  bool neverRuns(const Definition &D, const Point &At);

  const FillRule None{"", "", ""};
  HostValues &Values;
  FillRule Found = None;
  FillRule Before = None; ///< All elements, before others are assigned to.
  bool Differs = false, IsShuffled = false;
};

FillRule RuleFinder::rule() const {
  if (Differs)
    return None;
  const FillRule &R = Found.Rule.empty() ? Before : Found;
  if (!IsShuffled || R.Rule != "iota")
    return R;
  return R.counts() ? None : FillRule{"permutation", R.Low, R.Low};
}

void RuleFinder::add(const FillRule &Own) {
  Differs |= Own.Rule.empty() || (!Found.Rule.empty() && !(Own == Found));
  Found = Own;
}

/// Gives every element \p Value.
void RuleFinder::begin(const Expr *Value, const Point &P) {
  Definition D;
  D.Value = Value;
  Before = rangeRule(D, Values, P);
  Differs |= Before.Rule.empty();
}

bool RuleFinder::isElement(const ValueDecl *Memory, const Expr *E) const {
  E = bare(E);
  auto *S = dyn_cast<ArraySubscriptExpr>(E);
  auto *O = dyn_cast<CXXOperatorCallExpr>(E);
  const Expr *Base = S                                       ? S->getBase()
                     : O && O->getOperator() == OO_Subscript ? O->getArg(0)
                                                             : nullptr;
  const ValueDecl *Root = Base ? rootOf(Base) : nullptr;
  return Root && Root->getCanonicalDecl() == Memory->getCanonicalDecl();
}

/// Elements change places: `swap(h[i], h[j])`, `t = h[i]; h[i] = h[j]; …`.
bool RuleFinder::isMove(const ValueDecl *Memory, const Definition &D) const {
  if (D.How == Definition::Passed)
    return calledName(D.Call) == "swap";
  if (D.How != Definition::Assignment || !D.Value)
    return false;
  if (isElement(Memory, D.Value))
    return true;
  auto *R = dyn_cast<DeclRefExpr>(bare(D.Value));
  auto *V = R ? dyn_cast<VarDecl>(R->getDecl()) : nullptr;
  if (!V)
    return false;
  const auto &Given = Values.index().definitions(V);
  return !Given.empty() && llvm::all_of(Given, [&](const Definition &Held) {
    return Held.Value && isElement(Memory, Held.Value);
  });
}

/// It stands in a branch that is not taken.
bool RuleFinder::neverRuns(const Definition &D, const Point &At) {
  for (const Guard &G : D.Under) {
    if (G.isLoop())
      return false;
    auto *If = dyn_cast<IfStmt>(G.Statement);
    auto Holds = If ? Values.decide(If->getCond(), At) : std::nullopt;
    if (Holds && *Holds != (G.Where == Guard::Then))
      return true;
  }
  return false;
}

void RuleFinder::assignment(const ValueDecl *Memory, const Definition &D,
                            const Point &P) {
  if (!D.Subscript && D.How != Definition::Through)
    return;
  if (isMove(Memory, D)) {
    IsShuffled = true;
    return;
  }
  Point At = Values.flow().pointOf(D, P);
  if (neverRuns(D, At))
    return;
  add(D.How == Definition::Assignment && D.Subscript && D.Value
          ? ruleOf(D, Values, At)
          : None);
}

void RuleFinder::assignments(const ValueDecl *Memory, const Point &P,
                             unsigned Depth) {
  for (const Definition &D : Values.index().definitions(Memory)) {
    assignment(Memory, D, P);
    // `std::vector<T> h(n, value)`
    auto *C = D.How == Definition::Initializer && D.Value
                  ? dyn_cast<CXXConstructExpr>(bare(D.Value))
                  : nullptr;
    if (C && C->getNumArgs() >= 2 && C->getArg(0)->getType()->isIntegerType() &&
        C->getArg(1)->getType()->isArithmeticType())
      begin(C->getArg(1), Values.flow().pointOf(D, P));
  }
  for (const Definition &D : Values.index().elements(Memory))
    assignment(Memory, D, P);
  if (Depth < 3)
    calls(Memory, P, Depth);
}

/// Functions of the C and C++ libraries that fill a range. False: none of them.
bool RuleFinder::standard(const MemoryUse &Use, const Point &P) {
  StringRef Name = calledName(Use.Call);
  const Expr *Value = callArgument(Use.Call, 2);
  if (Use.Argument == Definition::ThisArgument) {
    Value = callArgument(Use.Call, 1);
    if (Name != "assign" || !Value || !Value->getType()->isArithmeticType())
      return false;
    begin(Value, P);
    return true;
  }
  if (Name == "swap" || Name == "iter_swap" || Name == "shuffle" ||
      Name == "random_shuffle") {
    IsShuffled = true;
    return true;
  }
  if (Name != "iota" && Name != "fill" && Name != "fill_n" && Name != "memset")
    return false;
  if (Use.Argument || !Value) // The end of the range.
    return Use.Argument == 1;
  if (Name == "memset") {
    std::optional<double> Byte = Values.number(callArgument(Use.Call, 1), P);
    Differs |= Byte != 0;
    Before = {"zero", "0", "0"};
  } else if (Name != "iota") {
    begin(Value, P);
  } else {
    Definition D;
    D.Value = Value;
    FillRule First = rangeRule(D, Values, P);
    bool IsOne = !First.Rule.empty() && First.Rule != "uniform";
    add(IsOne ? FillRule{"iota", First.Low, First.Low} : None);
  }
  return true;
}

/// `initialise(h, n)`
void RuleFinder::calls(const ValueDecl *Memory, const Point &P,
                       unsigned Depth) {
  for (const MemoryUse &Use : usesOf(Values, Memory)) {
    const FunctionDecl *F = Use.Call->getDirectCallee();
    if (F && Values.host().isSystem(F->getLocation()) && Use.IsBegin &&
        standard(Use, P))
      continue;
    const FunctionDecl *Body = F ? calledFunction(Use.Call) : nullptr;
    if (!Body || !Body->hasBody() || Use.Argument >= F->getNumParams() ||
        !Use.IsBegin || Values.host().isSystem(F->getLocation()))
      return add(None); // `fread(h, …)`
    assignments(Body->getParamDecl(Use.Argument),
                Values.flow().inside(F, Use.Call, P), Depth + 1);
  }
}

/// The same number everywhere is a constant.
FillRule tableRule(std::vector<double> Numbers) {
  FillRule F{"table", "0", "0"};
  const double First = Numbers.front();
  if (llvm::any_of(Numbers, [&](double N) { return N != First; })) {
    F.Table = std::move(Numbers);
    return F;
  }
  bool IsWhole = First == std::floor(First) && std::fabs(First) < 1e15;
  std::string Text =
      print(IsWhole ? integerTerm(int64_t(First)) : floatTerm(First));
  return {First == 0 ? "zero" : "constant", Text, Text};
}

} // namespace

FillRule mep::hostFill(HostValues &Values, const Expr *E, const Point &P) {
  const FillRule None{"", "", ""};
  HostMemory M = hostMemory(Values, E, P);
  if (!M.Variable)
    return None;
  if (auto Numbers = listedNumbers(Values, M, P))
    return tableRule(std::move(*Numbers));
  if (M.Scalar.isNull())
    return None;
  RuleFinder Rules(Values);
  Rules.assignments(M.Variable, M.At, 0);
  FillRule Rule = Rules.rule();
  // What no rule says may still be computed one by one.
  if (Rule.Rule.empty() || Rule.Rule == "uniform")
    if (auto Numbers = computedNumbers(Values, M, P))
      return tableRule(std::move(*Numbers));
  bool CountsElements = Rule.Rule == "iota" || Rule.Rule == "permutation";
  return CountsElements && !M.IsBegin ? None : Rule;
}
