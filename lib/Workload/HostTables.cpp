#include "HostTables.h"
#include "mep/Frontend/LoopTrips.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace mep;
using namespace clang;
using llvm::dyn_cast;
using llvm::isa;

namespace {

/// More elements, and more trips, are not gone through.
constexpr size_t MostComputed = 8192;

/// A loop around an assignment, over the counters of those around it.
struct TableLoop {
  std::string Name; ///< Of its counter in terms.
  TermRef First, Limit, Step;
  BinaryOperatorKind Test = BO_LT;
  bool Down = false;
};

class TableMaker {
public:
  TableMaker(HostValues &Values, const HostMemory &M, Point Copied)
      : Values(Values), M(M), Copied(std::move(Copied)),
        Context(Values.host().context()) {}

  std::optional<std::vector<double>> run();

private:
  bool assign(const Definition &D);
  bool enter(const Definition &D, const Point &At,
             std::vector<TableLoop> &Loops, TermRef &If);
  bool follows(const Stmt *S, const Definition &D, unsigned Depth = 0);
  bool trips(llvm::ArrayRef<TableLoop> Loops, TermValues &Now,
             llvm::function_ref<bool()> Each);
  std::optional<int64_t> whole(const TermRef &T, const TermValues &Now) const;
  bool fits(int64_t Value) const;
  bool begin(const Definition &D);
  bool isBefore(const Definition &D) const {
    return !Copied.In || D.In != Copied.In->Function || D.Order < Copied.Order;
  }

  HostValues &Values;
  const HostMemory &M;
  const Point Copied;
  ASTContext &Context;
  bool IsUnsigned = false; ///< Some part of what is computed wraps around.
  std::vector<double> Numbers;
  /// Which assignment gave each: 0 none.
  std::vector<unsigned> Given;
  unsigned Assignments = 0;
  std::optional<double> Before; ///< What all elements begin with.
  size_t Computed = 0;
};

// ---- what can be computed --------------------------------------------------

/// Nothing but the counters, and variables that keep their value or get one
/// from these in the same trip.
bool TableMaker::follows(const Stmt *S, const Definition &D, unsigned Depth) {
  if (!S)
    return true;
  if (Depth > 8 || isa<CallExpr>(S) || isa<ArraySubscriptExpr>(S) ||
      isa<LambdaExpr>(S) || isa<MemberExpr>(S) || isa<CXXConstructExpr>(S))
    return false;
  if (auto *E = dyn_cast<Expr>(S)) {
    QualType T = E->getType().getNonReferenceType();
    if (!T->isIntegralOrEnumerationType())
      return false;
    IsUnsigned |= T->isUnsignedIntegerType() && !T->isBooleanType();
    // What is cut off is not computed.
    if (auto *C = dyn_cast<CastExpr>(E);
        C && C->getCastKind() == CK_IntegralCast && Context.getTypeSize(T) < 32)
      return false;
    if (auto *B = dyn_cast<BinaryOperator>(E); B && B->isAssignmentOp())
      return false;
    if (auto *U = dyn_cast<UnaryOperator>(E); U && U->isIncrementDecrementOp())
      return false;
  }
  if (auto *R = dyn_cast<DeclRefExpr>(S))
    if (auto *V = dyn_cast<VarDecl>(R->getDecl())) {
      if (Values.isBound(V))
        return true;
      const Definition *Inside = nullptr;
      for (const Definition &Own : Values.index().definitions(V)) {
        bool InLoop =
            Own.In == D.In && llvm::any_of(Own.Under, [&](const Guard &G) {
              return G.isLoop() && llvm::is_contained(D.Under, G);
            });
        if (!InLoop)
          continue;
        if (Inside || !encloses(Own.Under, D.Under) ||
            Own.How > Definition::Assignment || Own.Order > D.Order)
          return false;
        Inside = &Own;
      }
      return !Inside || follows(Inside->Value, D, Depth + 1);
    }
  return llvm::all_of(S->children(), [&](const Stmt *Child) {
    return follows(Child, D, Depth);
  });
}

/// Computed as C++ does, with all that it is made of; nothing where a type of
/// 32 bits may not hold it.
std::optional<int64_t> TableMaker::whole(const TermRef &T,
                                         const TermValues &Now) const {
  if (!T || T->IsFloat)
    return std::nullopt;
  if (T->What == Term::Conditional) {
    auto If = whole(T->Parts[0], Now);
    return If ? whole(T->Parts[*If ? 1 : 2], Now) : std::nullopt;
  }
  // `a && b` does not look at b.
  if (T->What == Term::Binary && (T->Text == "&&" || T->Text == "||")) {
    auto Left = whole(T->Parts[0], Now);
    if (!Left || (*Left != 0) == (T->Text == "||"))
      return Left ? std::optional<int64_t>(*Left != 0) : std::nullopt;
  } else {
    for (const TermRef &Part : T->Parts)
      if (!whole(Part, Now))
        return std::nullopt;
  }
  auto V = evaluate(T, Now);
  if (!V || V->IsFloat || V->Integer > INT32_MAX || V->Integer < INT32_MIN ||
      (IsUnsigned && V->Integer < 0))
    return std::nullopt;
  return V->Integer;
}

bool TableMaker::fits(int64_t Value) const {
  if (M.Scalar->isBooleanType())
    return Value == 0 || Value == 1;
  uint64_t Bits = Context.getTypeSize(M.Scalar);
  if (M.Scalar->isUnsignedIntegerOrEnumerationType())
    return Value >= 0 && (Bits >= 32 || Value < (int64_t(1) << Bits));
  int64_t Most = Bits >= 32 ? INT32_MAX : (int64_t(1) << (Bits - 1)) - 1;
  return Value <= Most && Value >= -Most - 1;
}

// ---- loops -----------------------------------------------------------------

/// The loops and conditions around \p D. Its counters become names in terms.
bool TableMaker::enter(const Definition &D, const Point &At,
                       std::vector<TableLoop> &Loops, TermRef &If) {
  for (const Guard &G : D.Under) {
    if (auto *Branch = dyn_cast<IfStmt>(G.Statement)) {
      TermRef Own = follows(Branch->getCond(), D)
                        ? Values.value(Branch->getCond(), At)
                        : nullptr;
      if (!Own)
        return false;
      Own =
          binaryTerm(G.Where == Guard::Then ? "!=" : "==", Own, integerTerm(0));
      If = If ? binaryTerm("&&", If, Own) : Own;
      continue;
    }
    auto Head = G.isLoop() ? loopHead(G.Statement) : std::nullopt;
    if (!Head || (Head->Change != BO_Add && Head->Change != BO_Sub) ||
        Head->Test == BO_NE || Head->Test == BO_EQ ||
        !Head->Counter->getType()->isIntegerType() ||
        !follows(Head->First, D) || !follows(Head->Limit, D) ||
        (Head->Step && !follows(Head->Step, D)))
      return false;
    // Nothing but the loop's head changes its counter.
    if (llvm::count_if(Values.index().definitions(Head->Counter),
                       [&](const Definition &O) {
                         return llvm::is_contained(O.Under, G);
                       }) != 1)
      return false;
    TableLoop L;
    L.First = Values.value(Head->First, At);
    L.Limit = Values.value(Head->Limit, At);
    L.Step = Head->Step ? Values.value(Head->Step, At) : integerTerm(1);
    L.Test = Head->Test;
    L.Down = Head->Change == BO_Sub;
    L.Name = "$" + std::to_string(Loops.size());
    if (!L.First || !L.Limit || !L.Step)
      return false;
    Values.bind(Head->Counter, nameTerm(L.Name));
    Loops.push_back(std::move(L));
  }
  return !Loops.empty();
}

/// Calls \p Each on every trip; false if it does or a number is not known.
bool TableMaker::trips(llvm::ArrayRef<TableLoop> Loops, TermValues &Now,
                       llvm::function_ref<bool()> Each) {
  if (Loops.empty())
    return ++Computed <= 4 * MostComputed && Each();
  const TableLoop &L = Loops.front();
  auto First = whole(L.First, Now), Limit = whole(L.Limit, Now),
       Step = whole(L.Step, Now);
  if (!First || !Limit || !Step || *Step <= 0)
    return false;
  auto Runs = [&](int64_t I) {
    return L.Test == BO_LT   ? I < *Limit
           : L.Test == BO_LE ? I <= *Limit
           : L.Test == BO_GT ? I > *Limit
                             : I >= *Limit;
  };
  size_t Trips = 0;
  for (int64_t I = *First; Runs(I); I += L.Down ? -*Step : *Step) {
    Now[L.Name] = I;
    if (++Trips > MostComputed || !trips(Loops.drop_front(), Now, Each))
      return false;
  }
  return true;
}

bool TableMaker::assign(const Definition &D) {
  const Expr *E = D.Target;
  auto *S = dyn_cast<ArraySubscriptExpr>(E);
  auto *O = dyn_cast<CXXOperatorCallExpr>(E);
  const Expr *Base = S ? bare(S->getBase())
                     : O && O->getOperator() == OO_Subscript
                         ? bare(O->getArg(0))
                         : nullptr;
  if (!Base || !(isa<DeclRefExpr>(Base) || isa<MemberExpr>(Base)) ||
      D.How != Definition::Assignment || !D.Value ||
      llvm::any_of(Values.index().exits(D.In), [&](const HostExit &X) {
        return llvm::any_of(X.Under, [&](const Guard &G) {
          return G.isLoop() && llvm::is_contained(D.Under, G);
        });
      }))
    return false;
  Point At = Values.flow().pointOf(D, M.At);
  std::vector<TableLoop> Loops;
  TermRef If;
  Values.forget();
  if (!enter(D, At, Loops, If) || !follows(D.Subscript, D) ||
      !follows(D.Value, D))
    return false;
  TermRef Place = Values.value(D.Subscript, At),
          Value = Values.value(D.Value, At);
  if (!Place || !Value)
    return false;
  TermValues Now = Values.dimensionValues();
  unsigned Number = ++Assignments;
  return trips(Loops, Now, [&] {
    auto Holds = If ? whole(If, Now) : std::optional<int64_t>(1);
    if (!Holds || !*Holds)
      return Holds.has_value();
    auto I = whole(Place, Now), V = whole(Value, Now);
    if (!I || !V || *I < 0 || *I >= int64_t(MostComputed) || !fits(*V))
      return false;
    if (size_t(*I) >= Numbers.size()) {
      Numbers.resize(size_t(*I) + 1);
      Given.resize(size_t(*I) + 1);
    }
    // Assignments of one loop take turns: which is the last is not looked at.
    if (Given[*I] && Given[*I] != Number)
      return false;
    Given[*I] = Number;
    Numbers[*I] = double(*V);
    return true;
  });
}

/// `std::vector<int> h(n)`: zeros.
bool TableMaker::begin(const Definition &D) {
  auto *C = D.Value ? dyn_cast<CXXConstructExpr>(bare(D.Value)) : nullptr;
  QualType T = M.Variable->getType();
  if (D.How != Definition::Initializer)
    return false;
  if (T->isPointerType())
    return true; // Its memory, whose first contents nobody knows.
  if (!C || C->getNumArgs() == 0 || !C->getArg(0)->getType()->isIntegerType() ||
      isa<InitListExpr>(bare(C->getArg(0))))
    return false;
  Before = 0;
  if (C->getNumArgs() > 1 && !isa<CXXDefaultArgExpr>(C->getArg(1)) &&
      C->getArg(1)->getType()->isArithmeticType())
    Before = Values.number(C->getArg(1), Values.flow().pointOf(D, M.At));
  return Before.has_value();
}

std::optional<std::vector<double>> TableMaker::run() {
  if (M.Scalar.isNull() || !M.Scalar->isIntegralOrEnumerationType() ||
      !M.IsBegin || !usesOf(Values, M.Variable).empty())
    return std::nullopt;
  for (const auto *All : {&Values.index().definitions(M.Variable),
                          &Values.index().elements(M.Variable)})
    for (const Definition &D : *All) {
      if (!isBefore(D))
        continue;
      if (!D.In || (D.Subscript ? !assign(D) : !begin(D)))
        return std::nullopt;
    }
  for (size_t I = 0; I < Numbers.size(); ++I)
    if (!Given[I]) {
      if (!Before)
        return std::nullopt;
      Numbers[I] = *Before;
    }
  // Zeros follow by themselves, nothing else does.
  if (Numbers.empty() || (Before && *Before != 0))
    return std::nullopt;
  return Numbers;
}

} // namespace

std::optional<std::vector<double>> mep::computedNumbers(HostValues &Values,
                                                        const HostMemory &M,
                                                        const Point &Copied) {
  if (!M.Variable)
    return std::nullopt;
  std::vector<std::string> Notes = Values.notes();
  auto Numbers = TableMaker(Values, M, Copied).run();
  Values.unbind();
  Values.forget();
  if (!Numbers)
    Values.notes() = std::move(Notes);
  return Numbers;
}
