/// \file
/// Variables of a loop as formulas over its counter, and what they are behind
/// the loop.

#include "BodyWalk.h"
#include "TripCount.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace mep;
using namespace clang;
using llvm::StringRef;

/// The value of \p V while or after a loop changes it in no regular way.
Value BodyWalk::changedBy(const LoopParts &Loop, const VarDecl *V,
                          const Value &Before) const {
  Value After = opaque(V->getType(), "'" + V->getName() + "' changes in a loop",
                       Loop.Whole);
  // What begins as data stays data: the better reason of the two.
  if (Before.Is == Value::Integer && Before.Number &&
      Before.Number->Op == IndexOp::Unknown && !isUninitialised(Before))
    return Before;
  if (Before.isBuffer() && onlyMoves(Loop.Condition, V) &&
      onlyMoves(Loop.Increment, V) && onlyMoves(Loop.Body, V)) {
    Value Moved = Before;
    Moved.Offset = unknown(After.Reason, After.Where);
    return Moved;
  }
  return After;
}

// ---- changes by an expression ----------------------------------------------

/// The value of \p V in iteration \p Counter, with \p First before the first.
/// False when its changes have no formula.
bool BodyWalk::induct(const VarDecl *V, const std::vector<Update> &Updates,
                      const Value &First, const Index &Counter, bool &Unrolled,
                      Value &Result) {
  QualType T = V->getType();
  if (Updates.empty() ||
      !(T->isIntegralOrEnumerationType() || First.isBuffer()))
    return false;
  Index Step = number(0);
  for (const Update &U : Updates) {
    Index By = U.By ? asInteger(eval(U.By), U.By) : number(1);
    if (firstUnknown(By))
      return false;
    if (First.isBuffer())
      By = multiply(
          number(sizeOf(U.Steps.isNull() ? T->getPointeeType() : U.Steps)), By);
    if (U.How == BO_Add || U.How == BO_Sub) {
      Step = U.How == BO_Add ? add(Step, By) : subtract(Step, By);
      continue;
    }
    if (Updates.size() != 1 || First.Is != Value::Integer || !First.Number)
      return false;
    IndexOp Op;
    if (U.How == BO_Mul || U.How == BO_Shl) {
      Op = IndexOp::Power;
    } else if (U.How == BO_Div || U.How == BO_Shr) {
      Op = IndexOp::Decay;
    } else {
      return false;
    }
    if (U.How == BO_Shl || U.How == BO_Shr) {
      if (By->Op != IndexOp::Number || By->Value < 1 || By->Value > 30)
        return false;
      By = number(int64_t(1) << By->Value);
    }
    if (First.Number->Op == IndexOp::Unknown)
      return false;
    auto E = std::make_shared<IndexExpr>();
    E->Op = Op;
    E->Operands = {First.Number, By, Counter};
    E->Size = First.Number->Size + By->Size + 2;
    Result = Value::of(std::move(E));
    Unrolled = true;
    return true;
  }
  if (First.isBuffer()) {
    Result = advance(First, multiply(Step, Counter), 1);
    return true;
  }
  Index Start = First.Is == Value::Integer && First.Number
                    ? First.Number
                    : unknown("'" + V->getName().str() + "' has no value", "");
  if (Start->Op == IndexOp::Unknown)
    return false;
  Index N = add(Start, multiply(Step, Counter));
  bool Wraps = T->isUnsignedIntegerType() || Unit.context().getTypeSize(T) < 32;
  Result = Value::of(Wraps ? asType(N, T) : N);
  return true;
}

// ---- changes that only a walk shows ----------------------------------------

/// Runs \p Walk as if it did not happen: nothing is noted, every value is as
/// before.
void BodyWalk::rehearse(llvm::function_ref<void()> Walk) {
  auto KeptLocals = Locals;
  auto KeptReferences = References;
  auto KeptGuards = Guards;
  auto KeptExits = Exits;
  auto KeptLoops = Loops;
  auto KeptSwitches = Switches;
  size_t KnownLoops = Model.Loops.size(), KnownUnknown = Model.Unknown.size(),
         KnownResults = Frames.back().Results.size();
  bool Left = JustLeft, IsOutermost = !Rehearsing;
  Rehearsing = true;
  ++Muted;
  if (IsOutermost)
    std::swap(Budget, RehearsalBudget);
  Walk();
  if (IsOutermost)
    std::swap(Budget, RehearsalBudget);
  --Muted;
  Rehearsing = !IsOutermost;
  JustLeft = Left;
  Frames.back().Results.resize(KnownResults);
  Model.Unknown.resize(KnownUnknown);
  Model.Loops.resize(KnownLoops);
  Switches = std::move(KeptSwitches);
  Loops = std::move(KeptLoops);
  Exits = std::move(KeptExits);
  Guards = std::move(KeptGuards);
  References = std::move(KeptReferences);
  Locals = std::move(KeptLocals);
}

/// The number that says where \p V is: an integer's value, a pointer's offset.
static Index &numberOf(Value &V) {
  return V.Is == Value::Pointer ? V.Offset : V.Number;
}

bool mep::isUninitialised(const Value &V) {
  constexpr StringRef Reason = "is not initialised";
  if (V.Is == Value::Pointer)
    return V.Buffer < 0 && StringRef(V.Reason).ends_with(Reason);
  return V.Is == Value::Integer && V.Number &&
         V.Number->Op == IndexOp::Unknown &&
         StringRef(V.Number->Name).ends_with(Reason);
}

/// True if \p E is made of nothing that other loops than those up to number
/// \p Loop count, nor of a begin of an iteration from number \p Begin on, nor
/// of what grows by a factor.
static bool isOfIteration(const Index &E, unsigned Loop, unsigned Begin) {
  return everyPart(E, [&](const IndexExpr &P) {
    if (P.Op != IndexOp::Symbol)
      return P.Op != IndexOp::Unknown && P.Op != IndexOp::Power &&
             P.Op != IndexOp::Decay;
    unsigned Number = 0;
    if (StringRef(P.Name).drop_front().getAsInteger(10, Number))
      return true;
    return P.Name.front() == '#'   ? Number <= Loop
           : P.Name.front() == '@' ? Number < Begin
                                   : true;
  });
}

/// \p First after the steps that \p End shows, the value at the end of an
/// iteration that begins with the symbol \p Begin; null if the steps differ.
Index BodyWalk::steadily(const VarDecl *V, const Index &First, const Index &End,
                         StringRef Begin, const Index &Counter) const {
  QualType T = V->getType();
  bool IsPointer = T->isPointerType();
  unsigned Bits = IsPointer ? 64 : unsigned(Unit.context().getTypeSize(T));
  Index Step = increaseOf(End, Begin, Bits);
  if (!Step || mentions(Step, Counter->Name))
    return nullptr;
  Index N = grown(First, Step, Counter);
  bool Wraps = !IsPointer && (T->isUnsignedIntegerType() || Bits < 32);
  return Wraps ? asType(std::move(N), T) : N;
}

/// True if what an iteration makes of a variable with the value \p Before can
/// be followed by rehearsal.
static bool canRehearse(QualType T, const Value &Before) {
  if (isUninitialised(Before))
    return T->isPointerType() || T->isIntegralOrEnumerationType();
  if (T->isPointerType())
    return Before.isBuffer() && !firstUnknown(Before.Offset);
  return T->isIntegralOrEnumerationType() && Before.Is == Value::Integer &&
         Before.Number && !firstUnknown(Before.Number);
}

/// The values of the variables in \p Begins, which are symbols at its begin, at
/// the end of one iteration. Empty when it is too long.
std::map<const VarDecl *, Value>
BodyWalk::endsOfIteration(const LoopParts &Loop, unsigned Id,
                          const std::map<const VarDecl *, Value> &Begins,
                          const std::map<const VarDecl *, Value> &Formulas) {
  std::map<const VarDecl *, Value> Ends;
  rehearse([&] {
    for (auto &[V, Formula] : Formulas)
      Locals[V] = Formula;
    for (auto &[V, Begin] : Begins)
      Locals[V] = Begin;
    Model.Loops.emplace_back();
    Model.Loops.back().Counter = "#" + std::to_string(Id);
    Loops.push_back(Id);
    if (!Loop.TestsLast && Loop.Condition)
      condition(Loop.Condition);
    walk(Loop.Head);
    walk(Loop.Body);
    if (Loop.Increment)
      walk(Loop.Increment);
    if (Loop.TestsLast && Loop.Condition)
      condition(Loop.Condition);
    for (auto &[V, Begin] : Begins)
      if (Budget > 0)
        Ends[V] = Locals[V];
  });
  return Ends;
}

/// Formulas of the variables in \p First that have none in \p Formulas yet, by
/// what one iteration makes of a symbol: a sum that inner loops or calls add
/// to, what the iteration before left.
void BodyWalk::rehearseIteration(const LoopParts &Loop, unsigned Id,
                                 const std::map<const VarDecl *, Value> &First,
                                 std::map<const VarDecl *, Value> &Formulas) {
  Index Counter = symbol("#" + std::to_string(Id), SymbolKind::Counter);
  unsigned FirstSymbol = Symbols;
  std::map<const VarDecl *, Value> Begins;
  for (auto &[V, Before] : First)
    if (!Formulas.count(V) && canRehearse(V->getType(), Before)) {
      // One without a value yet may have one from an iteration before.
      Value &Begin = Begins[V] = Before;
      if (isUninitialised(Before))
        Begin = opaque(V->getType(), "the begin of an iteration", nullptr);
      if (Begin.Is == Value::Integer || Begin.isBuffer())
        numberOf(Begin) =
            symbol("@" + std::to_string(Symbols++), SymbolKind::Parameter);
    }
  if (Begins.empty() || jumpsOf(Loop.Body).Continue)
    return;
  auto Ends = endsOfIteration(Loop, Id, Begins, Formulas);
  auto Left = Ends; // By the iteration, whatever it began with.
  for (auto &[V, End] : Ends) {
    Value Formula = First.at(V), Begin = Begins[V];
    if (isUninitialised(Formula) || End.Is != Formula.Is ||
        End.Buffer != Formula.Buffer || !numberOf(End))
      continue;
    Index N = steadily(V, numberOf(Formula), numberOf(End),
                       numberOf(Begin)->Name, Counter);
    if (!N || !isOfIteration(N, Id, FirstSymbol))
      continue;
    numberOf(Formula) = N;
    Formulas[V] = std::move(Formula);
    Left.erase(V);
  }
  for (auto &[V, End] : Left) {
    Value Before = First.at(V);
    if ((!End.isBuffer() && End.Is != Value::Integer) || !numberOf(End) ||
        !isOfIteration(numberOf(End), Id, FirstSymbol))
      continue;
    Index N =
        substitute(numberOf(End), Counter->Name, add(Counter, number(-1)));
    if (!isUninitialised(Before)) {
      if (Before.Buffer != End.Buffer)
        continue;
      N = select(binary(IndexOp::Equal, Counter, number(0)), numberOf(Before),
                 N);
    }
    numberOf(End) = N;
    Formulas[V] = std::move(End);
  }
}

// ---- behind the loop -------------------------------------------------------

/// The value of \p V when the loop ends by its condition, which it does after
/// \p Trips iterations; nothing when that has no formula.
std::optional<Value>
BodyWalk::valueBehind(const LoopParts &Loop, const VarDecl *V,
                      const std::map<const VarDecl *, Value> &Formulas,
                      StringRef Counter, const Index &Trips) const {
  auto Known = Formulas.find(V);
  if (!Trips || Known == Formulas.end())
    return std::nullopt;
  // The condition is evaluated once more than the body is.
  std::map<const VarDecl *, unsigned> ByCondition;
  findChanges(Loop.Condition, ByCondition);
  if (!Loop.TestsLast && ByCondition.count(V))
    return std::nullopt;
  Value Last = Known->second;
  bool ByFactor = !everyPart(numberOf(Last), [](const IndexExpr &P) {
    return P.Op != IndexOp::Power && P.Op != IndexOp::Decay;
  });
  if (ByFactor)
    return std::nullopt;
  numberOf(Last) = substitute(numberOf(Last), Counter, Trips);
  return Last;
}
