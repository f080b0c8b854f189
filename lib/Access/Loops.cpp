/// \file
/// Loops: the condition becomes a guard, variables that change in a regular way
/// formulas over the loop's counter.

#include "BodyWalk.h"
#include "TripCount.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace mep;
using namespace clang;

// ---- conditions ------------------------------------------------------------

/// The condition at the begin of an iteration, what it reads not noted.
Index BodyWalk::conditionAt(const LoopParts &Loop, const Index &Counter) {
  if (!Loop.Condition)
    return number(1);
  Index C = condition(Loop.Condition);
  // `i != n` ends where `i < n` does when i meets n by steps of one.
  if (C->Op == IndexOp::Not && C->Operands[0]->Op == IndexOp::Equal) {
    Index A = C->Operands[0]->Operands[0], B = C->Operands[0]->Operands[1];
    if (!mentions(A, Counter->Name))
      std::swap(A, B);
    bool Alone = mentions(A, Counter->Name) && !mentions(B, Counter->Name);
    if (A->Op == IndexOp::Convert)
      A = A->Operands[0];
    if (Alone && A->Op == IndexOp::Add) {
      const Index &Last = A->Operands[1];
      if (Last->Op == IndexOp::Symbol && Last->Name == Counter->Name)
        return binary(IndexOp::Less, A, B);
      if (Last->Op == IndexOp::Multiply &&
          Last->Operands[0]->Op == IndexOp::Number)
        return Last->Operands[0]->Value > 0 ? binary(IndexOp::Less, A, B)
                                            : binary(IndexOp::Less, B, A);
    }
    if (Alone && A->Op == IndexOp::Symbol)
      return binary(IndexOp::Less, A, B);
  }
  return C;
}

/// True if the iterations in which \p C holds have no gap between them.
static bool isConvex(const Index &C, llvm::StringRef Counter) {
  if (!mentions(C, Counter))
    return C->Op != IndexOp::Unknown;
  if (C->Op == IndexOp::And)
    return isConvex(C->Operands[0], Counter) &&
           isConvex(C->Operands[1], Counter);
  if (C->Op != IndexOp::Less && C->Op != IndexOp::LessEqual &&
      !(C->Op == IndexOp::Not && C->Operands[0]->Op == IndexOp::Equal))
    return false;
  if (C->Op == IndexOp::Not) // Of a Decay: from above down to zero.
    return C->Operands[0]->Operands[0]->Op == IndexOp::Decay &&
           C->Operands[0]->Operands[1]->isNumber(0);
  return everyPart(C, [&](const IndexExpr &E) {
    return E.Op == IndexOp::Number || E.Op == IndexOp::Symbol ||
           E.Op == IndexOp::Add || E.Op == IndexOp::Multiply ||
           E.Op == IndexOp::Convert || E.Op == IndexOp::Less ||
           E.Op == IndexOp::LessEqual || E.Op == IndexOp::Power ||
           E.Op == IndexOp::Decay ||
           !llvm::any_of(E.Operands,
                         [&](const Index &O) { return mentions(O, Counter); });
  });
}

/// True if \p C holds in the first iteration when it holds in a later one.
static bool holdsEarlier(const Index &C, llvm::StringRef Counter) {
  if (C->Op != IndexOp::Less && C->Op != IndexOp::LessEqual)
    return false;
  const Index &Small = C->Operands[0];
  if (mentions(C->Operands[1], Counter))
    return C->Operands[1]->Op == IndexOp::Decay && !mentions(Small, Counter);
  return everyPart(Small, [&](const IndexExpr &E) {
    if (E.Op != IndexOp::Multiply)
      return E.Op == IndexOp::Number || E.Op == IndexOp::Symbol ||
             E.Op == IndexOp::Add || E.Op == IndexOp::Convert;
    return E.Operands[0]->Op != IndexOp::Number || E.Operands[0]->Value >= 0;
  });
}

/// The answer is the condition: an iteration runs where it holds.
Index BodyWalk::pushCondition(const LoopParts &Loop, const Index &Counter) {
  // What the condition reads is read at least once; elsewhere only if the
  // address does not move.
  size_t Before = Model.Accesses.size();
  Index C = conditionAt(Loop, Counter);
  for (size_t I = Before; I < Model.Accesses.size(); ++I) {
    MemoryAccess &A = Model.Accesses[I];
    auto Moves = [&](const Index &E) { return mentions(E, Counter->Name); };
    if (!Moves(A.Offset) && llvm::none_of(A.Guards, Moves))
      A.Loops.pop_back();
    else
      A.Guards.push_back(unknown("a condition that reads memory", A.Where));
  }
  if (C->isNumber(1))
    return C;
  Guards.push_back(C);
  Model.Loops[Loops.back()].Condition = C;
  if (!isConvex(C, Counter->Name)) {
    if (!firstUnknown(C))
      Guards.push_back(unknown("a loop's condition", where(Loop.Whole)));
  } else if (!holdsEarlier(C, Counter->Name)) {
    Guards.push_back(substitute(C, Counter->Name, number(0)));
  }
  return C;
}

/// `do`: the first iteration needs no condition, a later one that of the end of
/// the iteration before it. The answer is that condition.
Index BodyWalk::pushLastTested(const LoopParts &Loop, const Index &Counter) {
  Index C;
  rehearse([&] {
    walk(Loop.Body);
    C = conditionAt(Loop, Counter);
  });
  if (C->isNumber(0)) { // `do { … } while (0)`
    Guards.push_back(binary(IndexOp::Equal, Counter, number(0)));
    Model.Loops[Loops.back()].Condition = Guards.back();
    return C;
  }
  Index Previous = substitute(C, Counter->Name, add(Counter, number(-1)));
  Model.Loops[Loops.back()].Condition = Previous;
  Guards.push_back(
      disjunction(binary(IndexOp::Equal, Counter, number(0)), Previous));
  if (!isConvex(C, Counter->Name) && !firstUnknown(C))
    Guards.push_back(unknown("a loop's condition", where(Loop.Whole)));
  else if (!holdsEarlier(C, Counter->Name) && !firstUnknown(C))
    Guards.push_back(disjunction(binary(IndexOp::Equal, Counter, number(0)),
                                 substitute(C, Counter->Name, number(0))));
  return C;
}

// ---- the loop --------------------------------------------------------------

/// Puts the formulas of the loop's variables in place; they are the answer.
std::map<const VarDecl *, Value>
BodyWalk::enterIterations(const LoopParts &Loop, unsigned Id,
                          AccessLoop &Entry) {
  std::map<const VarDecl *, unsigned> Changed;
  findChanges(Loop.Condition, Changed);
  findChanges(Loop.Increment, Changed);
  findChanges(Loop.Body, Changed);
  Index Counter = symbol(Entry.Counter, SymbolKind::Counter);
  std::map<const VarDecl *, std::vector<Update>> ByVariable;
  for (const Update &U : updatesOf(Loop))
    ByVariable[U.Var].push_back(U);
  std::map<const VarDecl *, Value> First;
  for (auto &[V, Count] : Changed) {
    auto Known = Locals.find(V);
    if (Known == Locals.end())
      continue;
    First[V] = Known->second;
    Known->second = changedBy(Loop, V, Known->second);
  }
  // Steps are evaluated while everything that changes is unknown, so that one
  // that is no constant of the loop shows.
  std::map<const VarDecl *, Value> Formulas;
  ++Muted;
  for (auto &[V, Value_] : First)
    if (ByVariable[V].size() == Changed[V]) {
      Value Formula;
      if (induct(V, ByVariable[V], Value_, Counter, Entry.Unrolled, Formula)) {
        Formulas[V] = std::move(Formula);
        if (Entry.Variable.empty())
          Entry.Variable = V->getNameAsString();
      }
    }
  --Muted;
  rehearseIteration(Loop, Id, First, Formulas);
  for (auto &[V, Formula] : Formulas) {
    Locals[V] = Formula;
    if (Entry.Variable.empty())
      Entry.Variable = V->getNameAsString();
  }
  return Formulas;
}

/// Behind a loop: an exit of the function inside it may have been taken in any
/// iteration.
void BodyWalk::leaveLoop(size_t FirstExit, size_t GuardsBefore, const Stmt *S) {
  bool Left = false;
  bool IsSwitch = isa<SwitchStmt>(S);
  for (size_t I = Exits.size(); I > FirstExit; --I)
    if (!Exits[I - 1].IsContinue || IsSwitch)
      Left = true;
  bool AllContinue = Left && IsSwitch &&
                     llvm::all_of(llvm::drop_begin(Exits, FirstExit),
                                  [](const Exit &E) { return E.IsContinue; });
  Exits.resize(FirstExit);
  if (!Left)
    return;
  std::vector<Index> At(Guards.begin(), Guards.begin() + GuardsBefore);
  At.push_back(unknown("a way out of a loop or switch", where(S)));
  Exits.push_back({AllContinue, std::move(At)});
}

void BodyWalk::walkLoop(const LoopParts &Loop) {
  unsigned Id = unsigned(Model.Loops.size());
  AccessLoop Entry;
  Entry.Where = where(Loop.Whole);
  Entry.Counter = "#" + std::to_string(Id);
  auto Formulas = enterIterations(Loop, Id, Entry);
  if (Entry.Variable.empty())
    Entry.Variable = "loop";
  Index Counter = symbol(Entry.Counter, SymbolKind::Counter);
  Model.Loops.push_back(Entry);
  size_t Depth = Guards.size(), FirstExit = Exits.size();
  std::map<const VarDecl *, unsigned> Changed;
  findChanges(Loop.Condition, Changed);
  findChanges(Loop.Increment, Changed);
  findChanges(Loop.Body, Changed);
  std::map<const VarDecl *, Value> After;
  for (auto &[V, Count] : Changed)
    if (auto Known = Locals.find(V); Known != Locals.end())
      After[V] = changedBy(Loop, V, Known->second);
  Loops.push_back(Id);
  LoopJumps Out = jumpsOf(Loop.Body);
  if (Out.Break || Out.Return)
    Guards.push_back(unknown("the loop may end early", Entry.Where));
  Index Trips = tripCount(Loop.TestsLast ? pushLastTested(Loop, Counter)
                                         : pushCondition(Loop, Counter),
                          Entry.Counter);
  if (Trips && Loop.TestsLast)
    Trips = add(Trips, number(1));
  if (Out.Break || Out.Return)
    Trips = nullptr;
  bool Runs = Guards.empty() || !Guards.back()->isNumber(0);
  if (Runs) {
    walk(Loop.Head);
    walk(Loop.Body);
    // A `continue` comes here as well.
    for (size_t I = FirstExit; I < Exits.size(); ++I)
      if (Exits[I].IsContinue)
        Exits.erase(Exits.begin() + long(I--));
    if (Loop.Increment)
      walk(Loop.Increment);
    if (Loop.TestsLast && Loop.Condition)
      eval(Loop.Condition);
  }
  Loops.pop_back();
  Guards.resize(Depth);
  leaveLoop(FirstExit, Depth, Loop.Whole);
  for (auto &[V, Irregular] : After) {
    auto Last = valueBehind(Loop, V, Formulas, Entry.Counter, Trips);
    Locals[V] = Last ? std::move(*Last) : std::move(Irregular);
  }
}

/// `for (x : range)` is a loop over a pointer or iterator.
void BodyWalk::walkRange(const CXXForRangeStmt *Range) {
  for (const Stmt *S :
       {Range->getInit(), static_cast<const Stmt *>(Range->getRangeStmt()),
        static_cast<const Stmt *>(Range->getBeginStmt()),
        static_cast<const Stmt *>(Range->getEndStmt())})
    if (S)
      walk(S);
  walkLoop({Range, Range->getCond(), Range->getInc(), Range->getBody(), false,
            Range->getLoopVarStmt()});
}
