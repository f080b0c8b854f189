/// \file
/// Loops: variables that change by the same amount in each iteration become
/// formulas over the loop's counter, the condition becomes a guard.

#include "BodyWalk.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace mep;
using namespace clang;
using llvm::StringRef;

// ---- what a loop changes ---------------------------------------------------

/// The local variable that a change of \p E is a change of, or null.
const VarDecl *BodyWalk::changedRoot(const Expr *E) const {
  while (E) {
    E = unwrapped(E)->IgnoreParenCasts();
    if (auto *R = dyn_cast<DeclRefExpr>(E)) {
      auto *V = dyn_cast<VarDecl>(R->getDecl());
      if (V && V->getType()->isReferenceType()) {
        auto Bound = References.find(V);
        return Bound != References.end() ? Bound->second.Var : nullptr;
      }
      return V && !V->hasGlobalStorage() ? V : nullptr;
    }
    if (auto *M = dyn_cast<MemberExpr>(E)) {
      if (!M->isArrow()) {
        E = M->getBase();
        continue;
      }
      if (isa<CXXThisExpr>(unwrapped(M->getBase())->IgnoreParenCasts())) {
        const auto &This = Frames.back().This;
        return This ? This->Var : nullptr;
      }
      E = M->getBase();
    } else if (auto *U = dyn_cast<UnaryOperator>(E)) {
      E = U->getSubExpr();
      if (U->getOpcode() != UO_Deref)
        continue;
    } else if (auto *S = dyn_cast<ArraySubscriptExpr>(E)) {
      E = S->getBase();
    } else {
      return nullptr;
    }
    // Through a pointer: a change of what it points at.
    auto *R = dyn_cast<DeclRefExpr>(unwrapped(E)->IgnoreParenCasts());
    auto *V = R ? dyn_cast<VarDecl>(R->getDecl()) : nullptr;
    auto Known = V ? Locals.find(V) : Locals.end();
    return Known != Locals.end() && Known->second.Target
               ? Known->second.Target->Var
               : nullptr;
  }
  return nullptr;
}

/// Counts the changes of each local variable below \p S.
void BodyWalk::findChanges(const Stmt *S,
                           std::map<const VarDecl *, unsigned> &Changed) const {
  if (!S)
    return;
  auto Count = [&](const Expr *E) {
    if (const VarDecl *V = changedRoot(E))
      ++Changed[V];
  };
  if (auto *B = dyn_cast<BinaryOperator>(S); B && B->isAssignmentOp())
    Count(B->getLHS());
  if (auto *U = dyn_cast<UnaryOperator>(S))
    if (U->isIncrementDecrementOp() || U->getOpcode() == UO_AddrOf)
      Count(U->getSubExpr());
  if (auto *C = dyn_cast<CallExpr>(S)) {
    const FunctionDecl *F = C->getDirectCallee();
    auto *Method = dyn_cast_or_null<CXXMethodDecl>(F);
    bool Object = Method && Method->isInstance();
    if (Object && !Method->isConst()) {
      if (auto *M = dyn_cast<CXXMemberCallExpr>(C))
        Count(M->getImplicitObjectArgument());
      else if (C->getNumArgs())
        Count(C->getArg(0));
    }
    bool Shift = Object && isa<CXXOperatorCallExpr>(C);
    for (unsigned I = 0; I < C->getNumArgs(); ++I) {
      unsigned P = I - Shift;
      if (F && P < F->getNumParams() &&
          F->getParamDecl(P)->getType()->isReferenceType() &&
          !F->getParamDecl(P)->getType()->getPointeeType().isConstQualified())
        Count(C->getArg(I));
    }
  }
  // A lambda called here changes what its body changes.
  if (auto *R = dyn_cast<DeclRefExpr>(S))
    if (auto *V = dyn_cast<VarDecl>(R->getDecl()); V && V->getInit())
      if (auto *L =
              dyn_cast<LambdaExpr>(unwrapped(V->getInit())->IgnoreImplicit()))
        findChanges(L->getBody(), Changed);
  if (auto *L = dyn_cast<LambdaExpr>(S))
    findChanges(L->getBody(), Changed);
  if (auto *D = dyn_cast<DeclStmt>(S))
    for (const Decl *Inner : D->decls())
      if (auto *V = dyn_cast<VarDecl>(Inner);
          V && V->getType()->isReferenceType() && V->getInit() &&
          !V->getType()->getPointeeType().isConstQualified())
        Count(V->getInit());
  for (const Stmt *Child : S->children())
    findChanges(Child, Changed);
}

/// \p S as a change of one variable by the same operation each time.
std::optional<BodyWalk::Update> BodyWalk::updateOf(const Stmt *S) const {
  auto *E = dyn_cast_or_null<Expr>(S);
  if (!E)
    return std::nullopt;
  E = unwrapped(E);
  auto Variable = [](const Expr *X) -> const VarDecl * {
    auto *R = dyn_cast<DeclRefExpr>(unwrapped(X)->IgnoreParenImpCasts());
    return R ? dyn_cast<VarDecl>(R->getDecl()) : nullptr;
  };
  if (auto *U = dyn_cast<UnaryOperator>(E); U && U->isIncrementDecrementOp())
    if (const VarDecl *V = Variable(U->getSubExpr()))
      return Update{V, U->isIncrementOp() ? BO_Add : BO_Sub, nullptr};
  auto *B = dyn_cast<BinaryOperator>(E);
  const VarDecl *V = B && B->isAssignmentOp() ? Variable(B->getLHS()) : nullptr;
  if (!V)
    return std::nullopt;
  if (B->isCompoundAssignmentOp())
    return Update{V, BinaryOperator::getOpForCompoundAssignment(B->getOpcode()),
                  B->getRHS()};
  auto *R = dyn_cast<BinaryOperator>(
      V->getType()->isPointerType()
          ? unwrapped(B->getRHS())->IgnoreParenCasts()
          : unwrapped(B->getRHS())->IgnoreParenImpCasts());
  if (!R)
    return std::nullopt;
  // `p = (float *)((char *)p + step)` moves by bytes.
  if (V->getType()->isPointerType() && R->getType()->isPointerType()) {
    auto *L = dyn_cast<DeclRefExpr>(unwrapped(R->getLHS())->IgnoreParenCasts());
    if (L && L->getDecl() == V)
      return Update{V, R->getOpcode(), R->getRHS(),
                    R->getType()->getPointeeType()};
  }
  if (Variable(R->getLHS()) == V)
    return Update{V, R->getOpcode(), R->getRHS()};
  if (Variable(R->getRHS()) == V &&
      (R->getOpcode() == BO_Add || R->getOpcode() == BO_Mul))
    return Update{V, R->getOpcode(), R->getLHS()};
  return std::nullopt;
}

namespace {
struct Jumps {
  bool Continue = false, Break = false, Return = false;
};
} // namespace

/// Which jumps below \p S leave an iteration of the loop around it.
static void findJumps(const Stmt *S, Jumps &Found, bool InLoop = false,
                      bool InSwitch = false) {
  if (!S || isa<LambdaExpr>(S))
    return;
  Found.Continue |= isa<ContinueStmt>(S) && !InLoop;
  Found.Break |= isa<BreakStmt>(S) && !InLoop && !InSwitch;
  Found.Return |= isa<ReturnStmt>(S) || isa<GotoStmt>(S);
  bool Inner = isa<ForStmt>(S) || isa<WhileStmt>(S) || isa<DoStmt>(S) ||
               isa<CXXForRangeStmt>(S);
  for (const Stmt *Child : S->children())
    findJumps(Child, Found, InLoop || Inner, InSwitch || isa<SwitchStmt>(S));
}

static Jumps jumpsOf(const Stmt *S) {
  Jumps Found;
  findJumps(S, Found);
  return Found;
}

/// Adds the updates in \p S that happen whenever \p S does.
void BodyWalk::addUpdates(const Stmt *S, std::vector<Update> &Found) const {
  if (!S || isa<LambdaExpr>(S) || isa<AbstractConditionalOperator>(S))
    return;
  if (auto *B = dyn_cast<BinaryOperator>(S); B && B->isLogicalOp())
    return addUpdates(B->getLHS(), Found);
  if (auto U = updateOf(S))
    Found.push_back(*U);
  if (auto *D = dyn_cast<DeclStmt>(S))
    for (const Decl *Inner : D->decls())
      if (auto *V = dyn_cast<VarDecl>(Inner))
        addUpdates(V->getInit(), Found);
  if (isa<Expr>(S))
    for (const Stmt *Child : S->children())
      addUpdates(Child, Found);
}

/// The changes that happen exactly once in each iteration.
std::vector<BodyWalk::Update> BodyWalk::updatesOf(const LoopParts &Loop) const {
  std::vector<Update> Found;
  addUpdates(Loop.Increment, Found);
  if (jumpsOf(Loop.Body).Continue)
    return Found;
  auto *Block = dyn_cast_or_null<CompoundStmt>(Loop.Body);
  if (!Block)
    addUpdates(Loop.Body, Found);
  else
    for (const Stmt *S : Block->body())
      addUpdates(S, Found);
  return Found;
}

/// True if all that \p S does to the pointer \p V is to move it.
bool BodyWalk::onlyMoves(const Stmt *S, const VarDecl *V) const {
  if (!S)
    return true;
  const Expr *Target = nullptr;
  if (auto *B = dyn_cast<BinaryOperator>(S); B && B->getOpcode() == BO_Assign)
    Target = B->getLHS();
  if (auto *U = dyn_cast<UnaryOperator>(S); U && U->getOpcode() == UO_AddrOf)
    Target = U->getSubExpr();
  if (Target && changedRoot(Target) == V && !updateOf(S))
    return false;
  if (auto *C = dyn_cast<CallExpr>(S))
    for (const Expr *A : C->arguments())
      if (A->isGLValue() && changedRoot(A) == V)
        return false;
  if (isa<LambdaExpr>(S))
    return false;
  return llvm::all_of(S->children(),
                      [&](const Stmt *Child) { return onlyMoves(Child, V); });
}

/// The value of \p V while or after a loop changes it in no regular way.
Value BodyWalk::changedBy(const LoopParts &Loop, const VarDecl *V,
                          const Value &Before) const {
  Value After = opaque(V->getType(), "'" + V->getName() + "' changes in a loop",
                       Loop.Whole);
  // What begins as data stays data: the better reason of the two.
  if (Before.Is == Value::Integer && Before.Number &&
      StringRef(Before.Number->Name).starts_with("element of"))
    return Before;
  if (Before.isBuffer() && onlyMoves(Loop.Condition, V) &&
      onlyMoves(Loop.Increment, V) && onlyMoves(Loop.Body, V)) {
    Value Moved = Before;
    Moved.Offset = unknown(After.Reason, After.Where);
    return Moved;
  }
  return After;
}

// ---- formulas over the counter ---------------------------------------------

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

void BodyWalk::pushCondition(const LoopParts &Loop, const Index &Counter) {
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
    return;
  Guards.push_back(C);
  Model.Loops[Loops.back()].Condition = C;
  if (!isConvex(C, Counter->Name)) {
    if (!firstUnknown(C))
      Guards.push_back(unknown("a loop's condition", where(Loop.Whole)));
  } else if (!holdsEarlier(C, Counter->Name)) {
    Guards.push_back(substitute(C, Counter->Name, number(0)));
  }
}

/// `do`: the first iteration needs no condition, a later one that of the end of
/// the iteration before it.
void BodyWalk::pushLastTested(const LoopParts &Loop, const Index &Counter) {
  auto Before = Locals;
  size_t Depth = Guards.size(), FirstExit = Exits.size();
  size_t KnownLoops = Model.Loops.size();
  ++Muted;
  walk(Loop.Body);
  Index C = conditionAt(Loop, Counter);
  --Muted;
  Model.Loops.resize(KnownLoops);
  Exits.resize(FirstExit);
  Guards.resize(Depth);
  Locals = std::move(Before);
  if (C->isNumber(0)) { // `do { … } while (0)`
    Guards.push_back(binary(IndexOp::Equal, Counter, number(0)));
    Model.Loops[Loops.back()].Condition = Guards.back();
    return;
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
}

// ---- the loop --------------------------------------------------------------

/// Puts the formulas of the loop's variables in place.
void BodyWalk::enterIterations(const LoopParts &Loop, AccessLoop &Entry) {
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
  for (auto &[V, Formula] : Formulas)
    Locals[V] = std::move(Formula);
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
  enterIterations(Loop, Entry);
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
  Jumps Out = jumpsOf(Loop.Body);
  if (Out.Break || Out.Return)
    Guards.push_back(unknown("the loop may end early", Entry.Where));
  Loop.TestsLast ? pushLastTested(Loop, Counter) : pushCondition(Loop, Counter);
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
  for (auto &[V, Changed_] : After)
    Locals[V] = std::move(Changed_);
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
