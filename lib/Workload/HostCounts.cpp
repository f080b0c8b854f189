#include "HostCounts.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace mep;
using namespace clang;
using llvm::dyn_cast;
using llvm::isa;

namespace {

/// An integer expression over variables of host loops: First and the sum of
/// each variable times its factor. With one variable, that may be divided by
/// Each and then counted modulo Period first. All of it modulo Modulus.
struct CountForm {
  TermRef First = integerTerm(0);
  std::vector<std::pair<const VarDecl *, TermRef>> Factors;
  TermRef Each, Period, Modulus; ///< Null: none.

  bool isConstant() const { return Factors.empty(); }
  bool isSum() const { return !Each && !Period && !Modulus; }
  /// Nothing but a variable, perhaps divided.
  bool isPlain() const;
  const TermRef *factorOf(const VarDecl *V) const {
    for (const auto &[Known, Factor] : Factors)
      if (Known == V)
        return &Factor;
    return nullptr;
  }
};
using MaybeForm = std::optional<CountForm>;

bool isNumber(const TermRef &T, int64_t Value) {
  return T && T->What == Term::Integer && T->Int == Value;
}

bool CountForm::isPlain() const {
  return Factors.size() == 1 && isNumber(First, 0) &&
         isNumber(Factors.front().second, 1) && !Period && !Modulus;
}

const VarDecl *variableOf(const Expr *E) {
  auto *R = E ? dyn_cast<DeclRefExpr>(bare(E)) : nullptr;
  auto *V = R ? dyn_cast<VarDecl>(R->getDecl()) : nullptr;
  return V ? V->getCanonicalDecl() : nullptr;
}

/// The variable that \p For gives its first value, and that value.
const VarDecl *loopVariable(const ForStmt *For, const Expr *&First) {
  const Stmt *Init = For ? For->getInit() : nullptr;
  if (auto *D = Init ? dyn_cast<DeclStmt>(Init) : nullptr;
      D && D->isSingleDecl()) {
    auto *V = dyn_cast<VarDecl>(D->getSingleDecl());
    First = V ? V->getInit() : nullptr;
    return V ? V->getCanonicalDecl() : nullptr;
  }
  auto *B = Init ? dyn_cast<BinaryOperator>(Init) : nullptr;
  if (!B || B->getOpcode() != BO_Assign)
    return nullptr;
  First = B->getRHS();
  return variableOf(B->getLHS());
}

class CountFinder {
public:
  CountFinder(const Definition &D, HostValues &Values, const Point &At)
      : D(D), Values(Values), At(At) {}

  FillRule run();

private:
  MaybeForm form(const Expr *E, unsigned Depth = 0);
  MaybeForm binary(const BinaryOperator *B, unsigned Depth);
  MaybeForm sum(const CountForm &L, const CountForm &R, bool Minus) const;
  MaybeForm product(const CountForm &L, const CountForm &R) const;
  MaybeForm divided(CountForm L, const CountForm &R) const;
  MaybeForm remainder(CountForm L, const CountForm &R) const;
  MaybeForm variable(const VarDecl *V, unsigned Depth);
  MaybeForm steady(const Expr *E);
  bool changesInside(const ValueDecl *V) const;
  bool isSteady(const Stmt *S) const;
  MaybeForm place();

  const ForStmt *loopOf(const VarDecl *V) const;
  bool countsByOne(const VarDecl *V) const;
  TermRef tripsOf(const VarDecl *V, TermRef &First);
  std::optional<int64_t> valueOf(const TermRef &T) const;
  FillRule ofOne(const CountForm &Place, const CountForm &Value) const;
  FillRule ofNest(const CountForm &Place, const CountForm &Value);
  bool fillsWhole(const CountForm &Place, const VarDecl *&Outermost,
                  std::map<const VarDecl *, TermRef> &Trips);
  FillRule rule(const TermRef &First, const TermRef &Step,
                const CountForm &Value, const TermRef &Each,
                const TermRef &Period) const;

  const FillRule None{"", "", ""};
  const Definition &D;
  HostValues &Values;
  const Point &At;
};

// ---- values ----------------------------------------------------------------

const ForStmt *CountFinder::loopOf(const VarDecl *V) const {
  for (const Guard &G : D.Under) {
    const Expr *First = nullptr;
    auto *For = G.isLoop() ? dyn_cast<ForStmt>(G.Statement) : nullptr;
    if (For && loopVariable(For, First) == V)
      return For;
  }
  return nullptr;
}

/// The loop counts \p V up or down by one, and nothing else in it changes it.
bool CountFinder::countsByOne(const VarDecl *V) const {
  const ForStmt *For = loopOf(V);
  auto *Step = For && For->getInc()
                   ? dyn_cast<UnaryOperator>(bare(For->getInc()))
                   : nullptr;
  auto IsInside = [&](const Definition &O) {
    return llvm::is_contained(O.Under, Guard{For, Guard::Body});
  };
  return Step && Step->isIncrementDecrementOp() &&
         llvm::count_if(Values.index().definitions(V), IsInside) == 1;
}

/// Something inside the loops around the assignment gives \p V a value.
bool CountFinder::changesInside(const ValueDecl *V) const {
  return llvm::any_of(Values.index().definitions(V), [&](const Definition &O) {
    return O.In == D.In && llvm::any_of(D.Under, [&](const Guard &G) {
             return G.isLoop() && llvm::is_contained(O.Under, G);
           });
  });
}

/// The same value in all trips of the loops.
bool CountFinder::isSteady(const Stmt *S) const {
  if (!S)
    return true;
  if (isa<CallExpr>(S) || isa<ArraySubscriptExpr>(S) || isa<LambdaExpr>(S))
    return false;
  if (auto *R = dyn_cast<DeclRefExpr>(S))
    if (auto *V = dyn_cast<VarDecl>(R->getDecl());
        V && (loopOf(V->getCanonicalDecl()) || changesInside(V)))
      return false;
  if (auto *M = dyn_cast<MemberExpr>(S); M && changesInside(M->getMemberDecl()))
    return false;
  return llvm::all_of(S->children(),
                      [&](const Stmt *Child) { return isSteady(Child); });
}

MaybeForm CountFinder::steady(const Expr *E) {
  if (!E->getType()->isIntegralOrEnumerationType() || !isSteady(E))
    return std::nullopt;
  Values.forget();
  TermRef T = Values.value(E, At);
  if (!T || T->IsFloat)
    return std::nullopt;
  CountForm F;
  F.First = T;
  return F;
}

/// A loop's own variable, or one that holds what the trip has computed.
MaybeForm CountFinder::variable(const VarDecl *V, unsigned Depth) {
  if (loopOf(V)) {
    CountForm F;
    F.Factors.emplace_back(V, integerTerm(1));
    return F;
  }
  const auto &Given = Values.index().definitions(V);
  bool IsOwn = Given.size() == 1 && changesInside(V) && Given.front().Value &&
               !Given.front().Subscript &&
               Given.front().How <= Definition::Assignment;
  return IsOwn ? form(Given.front().Value, Depth + 1) : std::nullopt;
}

MaybeForm CountFinder::sum(const CountForm &L, const CountForm &R,
                           bool Minus) const {
  const char *Operator = Minus ? "-" : "+";
  // `c - i % k` counts down.
  if (!R.isSum() && (R.Modulus || !L.isConstant()))
    return std::nullopt;
  if (!L.isSum() && (L.Modulus || !R.isConstant()))
    return std::nullopt;
  CountForm F = L;
  F.First = binaryTerm(Operator, L.First, R.First);
  if (!R.isSum()) {
    F.Each = R.Each;
    F.Period = R.Period;
  }
  for (const auto &[V, Factor] : R.Factors) {
    TermRef Own = Minus ? unaryTerm("-", Factor) : Factor;
    auto Known = llvm::find_if(F.Factors,
                               [V = V](const auto &E) { return E.first == V; });
    if (Known == F.Factors.end())
      F.Factors.emplace_back(V, Own);
    else
      Known->second = binaryTerm("+", Known->second, Own);
  }
  llvm::erase_if(F.Factors,
                 [](const auto &E) { return isNumber(E.second, 0); });
  return F;
}

MaybeForm CountFinder::product(const CountForm &L, const CountForm &R) const {
  const CountForm &By = R.isConstant() ? R : L, &Of = R.isConstant() ? L : R;
  if (!By.isConstant() || Of.Modulus || By.Modulus)
    return std::nullopt;
  CountForm F = Of;
  F.First = binaryTerm("*", Of.First, By.First);
  for (auto &[V, Factor] : F.Factors)
    Factor = binaryTerm("*", Factor, By.First);
  return F;
}

MaybeForm CountFinder::divided(CountForm L, const CountForm &R) const {
  if (!L.isPlain() || L.Each)
    return std::nullopt;
  L.Each = R.First;
  return L;
}

MaybeForm CountFinder::remainder(CountForm L, const CountForm &R) const {
  if (L.Modulus)
    return std::nullopt;
  (L.isPlain() ? L.Period : L.Modulus) = R.First;
  return L;
}

MaybeForm CountFinder::binary(const BinaryOperator *B, unsigned Depth) {
  MaybeForm L = form(B->getLHS(), Depth + 1), R = form(B->getRHS(), Depth + 1);
  if (!L || !R)
    return std::nullopt;
  switch (B->getOpcode()) {
  case BO_Add:
  case BO_Sub:
    return sum(*L, *R, B->getOpcode() == BO_Sub);
  case BO_Mul:
    return product(*L, *R);
  case BO_Div:
    return R->isConstant() ? divided(*L, *R) : std::nullopt;
  case BO_Rem:
    return R->isConstant() ? remainder(*L, *R) : std::nullopt;
  default:
    return std::nullopt;
  }
}

MaybeForm CountFinder::form(const Expr *E, unsigned Depth) {
  if (!E || Depth > 16)
    return std::nullopt;
  E = bare(E);
  if (MaybeForm Same = steady(E))
    return Same;
  if (const VarDecl *V = variableOf(E))
    return variable(V, Depth);
  if (auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_Minus)
    if (MaybeForm Inner = form(U->getSubExpr(), Depth + 1))
      return sum(CountForm(), *Inner, /*Minus=*/true);
  auto *B = dyn_cast<BinaryOperator>(E);
  if (B && B->getOpcode() == BO_Assign) // `a[i] = b[i] = value`
    return form(B->getRHS(), Depth + 1);
  if (B && B->getType()->isIntegralOrEnumerationType())
    return binary(B, Depth);
  return std::nullopt;
}

// ---- places ----------------------------------------------------------------

/// The number of the element that is assigned to: rows of an array of arrays
/// lie one after another, rows behind pointers may lie anywhere.
MaybeForm CountFinder::place() {
  const ASTContext &Context = Values.host().context();
  CountForm All;
  const Expr *E = D.Target;
  bool Any = false;
  while (E) {
    const Expr *Subscript = nullptr, *Base = nullptr;
    auto *O = dyn_cast<CXXOperatorCallExpr>(E);
    if (auto *S = dyn_cast<ArraySubscriptExpr>(E)) {
      Subscript = S->getIdx();
      Base = bare(S->getBase());
    } else if (O && O->getOperator() == OO_Subscript && !Any) {
      Subscript = O->getArg(1);
      Base = bare(O->getArg(0));
    } else {
      break;
    }
    MaybeForm Own = form(Subscript);
    if (!Own || !Own->isSum())
      return std::nullopt;
    uint64_t Scalars = 1;
    QualType T = E->getType().getNonReferenceType();
    while (const auto *Row = Context.getAsConstantArrayType(T)) {
      Scalars *= Row->getSize().getZExtValue();
      T = Row->getElementType();
    }
    if (!T->isArithmeticType() && !T->isEnumeralType())
      return std::nullopt;
    CountForm Length;
    Length.First = integerTerm(int64_t(Scalars));
    All = *sum(All, *product(*Own, Length), false);
    Any = true;
    bool IsRow =
        isa<ArraySubscriptExpr>(Base) || (isa<CXXOperatorCallExpr>(Base));
    if (IsRow && !Base->getType()->isArrayType())
      return std::nullopt;
    E = Base;
  }
  auto Root = E ? isa<DeclRefExpr>(E) || isa<MemberExpr>(E) : false;
  return Any && Root ? MaybeForm(All) : std::nullopt;
}

std::optional<int64_t> CountFinder::valueOf(const TermRef &T) const {
  auto V = evaluate(T, Values.dimensionValues());
  return V && !V->IsFloat ? std::optional(V->Integer) : std::nullopt;
}

/// How often the loop of \p V runs, one step at a time; null if it does not.
TermRef CountFinder::tripsOf(const VarDecl *V, TermRef &First) {
  const ForStmt *For = loopOf(V);
  const Expr *Begin = nullptr;
  loopVariable(For, Begin);
  auto *Step =
      For->getInc() ? dyn_cast<UnaryOperator>(bare(For->getInc())) : nullptr;
  auto *Ends =
      For->getCond() ? dyn_cast<BinaryOperator>(bare(For->getCond())) : nullptr;
  if (!Begin || !Step || !Step->isIncrementOp() || !Ends ||
      variableOf(Ends->getLHS()) != V ||
      (Ends->getOpcode() != BO_LT && Ends->getOpcode() != BO_LE))
    return nullptr;
  MaybeForm From = steady(bare(Begin)), To = steady(bare(Ends->getRHS()));
  if (!From || !To)
    return nullptr;
  First = From->First;
  TermRef Trips = binaryTerm("-", To->First, From->First);
  return Ends->getOpcode() == BO_LE ? binaryTerm("+", Trips, integerTerm(1))
                                    : Trips;
}

// ---- rules -----------------------------------------------------------------

FillRule CountFinder::rule(const TermRef &First, const TermRef &Step,
                           const CountForm &Value, const TermRef &Each,
                           const TermRef &Period) const {
  FillRule F{"iota", print(First), print(First)};
  F.Step = print(Step);
  F.Each = Each ? print(Each) : "1";
  F.Period = Period ? print(Period) : "0";
  F.Modulus = Value.Modulus ? print(Value.Modulus) : "0";
  for (const TermRef &Positive : {Each, Period, Value.Modulus})
    if (Positive)
      if (auto Known = valueOf(Positive); !Known || *Known < 1)
        return None;
  for (const std::string *Text : F.expressions())
    if (Text->empty())
      return None;
  return F;
}

/// `h[i + c] = …` and `h[c - i] = …`: i is the element's number less c, or c
/// less it.
FillRule CountFinder::ofOne(const CountForm &Place,
                            const CountForm &Value) const {
  const auto &[V, Direction] = Place.Factors.front();
  const TermRef *Factor = Value.factorOf(V);
  bool Up = isNumber(Direction, 1), Down = isNumber(Direction, -1);
  if (!Factor || Value.Factors.size() != 1 || (!Up && !Down))
    return None;
  if ((Value.Each || Value.Period) && (!Up || !isNumber(Place.First, 0)))
    return None;
  TermRef Shift = binaryTerm("*", *Factor, Place.First);
  return rule(binaryTerm(Up ? "-" : "+", Value.First, Shift),
              Up ? *Factor : unaryTerm("-", *Factor), Value, Value.Each,
              Value.Period);
}

/// The loops go through the elements one by one from the first, as digits of
/// a number: each variable counts as far as the next one's factor.
bool CountFinder::fillsWhole(const CountForm &Place, const VarDecl *&Outermost,
                             std::map<const VarDecl *, TermRef> &Trips) {
  std::map<const VarDecl *, int64_t> Numbers;
  for (const auto &[V, Factor] : Place.Factors) {
    TermRef First;
    TermRef Own = tripsOf(V, First);
    auto Number = Own ? valueOf(Own) : std::nullopt;
    if (!Number || *Number < 1 || !isNumber(First, 0))
      return false;
    Trips[V] = Own;
    Numbers[V] = *Number;
  }
  int64_t Next = 1;
  std::set<const VarDecl *> Left;
  for (const auto &[V, Factor] : Place.Factors)
    Left.insert(V);
  while (!Left.empty()) {
    auto Found = llvm::find_if(Left, [&](const VarDecl *V) {
      return valueOf(*Place.factorOf(V)) == Next;
    });
    if (Found == Left.end())
      return false;
    Outermost = *Found;
    Next *= Numbers[*Found];
    Left.erase(Found);
  }
  return isNumber(Place.First, 0);
}

FillRule CountFinder::ofNest(const CountForm &Place, const CountForm &Value) {
  const VarDecl *Outermost = nullptr;
  std::map<const VarDecl *, TermRef> Trips;
  if (!fillsWhole(Place, Outermost, Trips))
    return None;
  // `h[i * m + j] = i * m + j + 1`: by the element's number after all.
  auto Same = [&](const auto &E) {
    const TermRef *Of = Value.factorOf(E.first);
    return Of && valueOf(*Of) && valueOf(*Of) == valueOf(E.second);
  };
  if (Value.Factors.size() == Place.Factors.size() &&
      llvm::all_of(Place.Factors, Same) && !Value.Each && !Value.Period)
    return rule(Value.First, integerTerm(1), Value, nullptr, nullptr);
  if (Value.Factors.size() != 1 || Value.Each || Value.Period)
    return None;
  const auto &[V, Step] = Value.Factors.front();
  const TermRef *Each = Place.factorOf(V);
  if (!Each)
    return None;
  return rule(Value.First, Step, Value, *Each,
              V == Outermost ? TermRef() : Trips[V]);
}

FillRule CountFinder::run() {
  MaybeForm Place = place();
  if (!Place || Place->isConstant())
    return None;
  MaybeForm Value = form(D.Value);
  if (!Value || Value->isConstant() ||
      !llvm::all_of(Place->Factors,
                    [&](const auto &E) { return countsByOne(E.first); }))
    return None;
  return Place->Factors.size() == 1 ? ofOne(*Place, *Value)
                                    : ofNest(*Place, *Value);
}

} // namespace

FillRule mep::countedFill(const Definition &D, HostValues &Values,
                          const Point &At) {
  if (D.How != Definition::Assignment || !D.Value || !D.Target)
    return {"", "", ""};
  FillRule F = CountFinder(D, Values, At).run();
  Values.forget();
  return F;
}

bool mep::isPartial(const Definition &D, HostValues &Values, const Point &At) {
  bool InLoop = false;
  for (const Guard &G : D.Under) {
    InLoop |= G.isLoop();
    if (G.isLoop() || !InLoop)
      continue;
    auto *If = dyn_cast<IfStmt>(G.Statement);
    std::optional<bool> Holds =
        If ? Values.decide(If->getCond(), At) : std::nullopt;
    if (!Holds || *Holds != (G.Where == Guard::Then))
      return true;
  }
  return false;
}
