/// \file
/// Statements in program order: guards from branches and early exits, values
/// joined where branches meet.

#include "BodyWalk.h"
#include "CertainUse.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/StmtCXX.h"

using namespace mep;
using namespace clang;

/// What left through an exit since number \p From does not come here: the
/// guards of the place before that hold here too are the common begin.
void BodyWalk::pushExits(size_t From) {
  size_t Common = Guards.size();
  Index Stays = number(1);
  for (size_t I = From; I < Exits.size(); ++I) {
    Index Leaves = number(1);
    for (size_t G = Common; G < Exits[I].Guards.size(); ++G)
      Leaves = conjunction(Leaves, Exits[I].Guards[G]);
    Stays = conjunction(Stays, negation(Leaves));
  }
  if (!Stays->isNumber(1))
    Guards.push_back(Stays);
}

void BodyWalk::walkCompound(const Stmt *Block) {
  size_t Before = Guards.size();
  for (const Stmt *Child : Block->children()) {
    size_t First = Exits.size();
    walk(Child);
    pushExits(First);
    if (!Guards.empty() && Guards.back()->isNumber(0))
      break; // Nothing comes here.
  }
  Guards.resize(Before);
}

void BodyWalk::walkIf(const IfStmt *If) {
  if (If->getInit())
    walk(If->getInit());
  if (const VarDecl *V = If->getConditionVariable())
    walkVariable(V);
  Index C = condition(If->getCond());
  if (C->Op == IndexOp::Number) {
    if (const Stmt *Taken = C->Value ? If->getThen() : If->getElse())
      walk(Taken);
    return;
  }
  auto Before = Locals;
  size_t Depth = Guards.size();
  size_t FirstExit = Exits.size();
  Guards.push_back(C);
  walk(If->getThen());
  Guards.resize(Depth);
  bool ThenLeaves = false, ElseLeaves = false;
  auto AlwaysLeaves = [&](size_t From) {
    for (size_t I = From; I < Exits.size(); ++I)
      if (Exits[I].Guards.size() == Depth + 1)
        return true;
    return false;
  };
  ThenLeaves = AlwaysLeaves(FirstExit);
  auto AfterThen = std::move(Locals);
  Locals = std::move(Before);
  size_t FirstElse = Exits.size();
  if (const Stmt *Else = If->getElse()) {
    Guards.push_back(negation(C));
    walk(Else);
    Guards.resize(Depth);
    ElseLeaves = AlwaysLeaves(FirstElse);
  }
  // Behind a branch that leaves only the other one's values matter.
  if (ThenLeaves)
    return;
  if (ElseLeaves) {
    Locals = std::move(AfterThen);
    return;
  }
  for (auto &[Var, Value] : Locals)
    if (auto Other = AfterThen.find(Var); Other != AfterThen.end())
      Value = merged(C, Other->second, Value, If->getCond());
}

/// Which case is taken is not followed: each may be.
void BodyWalk::walkSwitch(const SwitchStmt *Switch) {
  if (Switch->getInit())
    walk(Switch->getInit());
  if (const VarDecl *V = Switch->getConditionVariable())
    walkVariable(V);
  eval(Switch->getCond());
  std::map<const VarDecl *, unsigned> Changed;
  findChanges(Switch->getBody(), Changed);
  std::map<const VarDecl *, Value> Entry;
  for (auto &[V, Count] : Changed)
    if (auto Known = Locals.find(V); Known != Locals.end())
      Entry[V] = Known->second;
  size_t Depth = Guards.size(), FirstExit = Exits.size();
  Guards.push_back(unknown("a case of a switch", where(Switch)));
  Switches.push_back(std::move(Entry));
  walk(Switch->getBody());
  Guards.resize(Depth);
  leaveLoop(FirstExit, Depth, Switch);
  for (auto &[V, Old] : Switches.back())
    Locals[V] = opaque(V->getType(),
                       "'" + V->getName() + "' is set in a switch", Switch);
  Switches.pop_back();
}

/// A case is reached from the switch, and from the case before unless that one
/// left.
void BodyWalk::enterCase() {
  if (Switches.empty())
    return;
  for (auto &[V, Old] : Switches.back())
    Locals[V] = JustLeft ? Old
                         : merged(unknown("a case of a switch", ""), Locals[V],
                                  Old, nullptr);
}

void BodyWalk::walkVariable(const VarDecl *V) {
  const Expr *Init = V->getInit();
  if (V->hasGlobalStorage() && !V->getType()->isReferenceType())
    return;
  if (V->getType()->isReferenceType()) {
    if (Init) {
      Place &P = References[V] = place(Init);
      if (P.IsSnapshot) // The variables may change while it lives.
        P.Is = Place::Private;
    }
    return;
  }
  if (V->getType()->isArrayType()) {
    if (Init)
      eval(Init);
    return;
  }
  if (!Init) {
    Locals[V] = opaque(V->getType(),
                       "'" + V->getName() + "' is not initialised", nullptr);
    return;
  }
  Value X =
      Init->isGLValue() ? load(place(Init), Init->getType(), Init) : eval(Init);
  if (V->getType()->isIntegralOrEnumerationType() && X.Is == Value::Record)
    X = opaque(V->getType(), "a converted object", Init);
  Locals[V] = std::move(X);
}

/// What was read, from access \p First on, for the value of \p V alone need not
/// be where that is not used.
void BodyWalk::noteUse(size_t First, const VarDecl *V, const Stmt *Set) {
  auto Read =
      llvm::make_range(Model.Accesses.begin() + First, Model.Accesses.end());
  if (Read.empty() || Frames.empty() || V->getType()->isReferenceType() ||
      llvm::any_of(Read,
                   [](const MemoryAccess &A) {
                     return A.Kind != AccessKind::Read || A.IsAtomic;
                   }) ||
      isCertainlyUsed(V, Set, Frames.back().Function->getBody()))
    return;
  for (MemoryAccess &A : Read)
    A.MayBeUnused = true;
}

/// The local variable that \p E, as a statement, gives a value.
static const VarDecl *assignedLocal(const Expr *E) {
  auto *B = dyn_cast<BinaryOperator>(E);
  auto *R = B && B->getOpcode() == BO_Assign
                ? dyn_cast<DeclRefExpr>(B->getLHS()->IgnoreParens())
                : nullptr;
  auto *V = R ? dyn_cast<VarDecl>(R->getDecl()) : nullptr;
  return V && V->hasLocalStorage() ? V : nullptr;
}

void BodyWalk::walkReturn(const ReturnStmt *R) {
  Frame &F = Frames.back();
  Returned Result;
  if (const Expr *E = R->getRetValue()) {
    if (F.ReturnsReference)
      Result.Where = place(E);
    else
      Result.Result =
          E->isGLValue() ? load(place(E), E->getType(), E) : eval(E);
  }
  Frame &Again = Frames.back(); // Calls may have moved it.
  Again.Results.emplace_back(allGuards(Again.GuardsBefore), std::move(Result));
  Exits.push_back({false, Guards});
}

void BodyWalk::walk(const Stmt *S) {
  if (!S || Budget == 0)
    return;
  if (auto *E = dyn_cast<Expr>(S)) {
    const Expr *Bare = unwrapped(E);
    // A discarded lvalue is not read.
    const size_t First = Model.Accesses.size();
    Bare->isGLValue() ? void(place(Bare)) : void(eval(Bare));
    if (const VarDecl *V = assignedLocal(Bare))
      noteUse(First, V, Bare);
    return;
  }
  if (auto *D = dyn_cast<DeclStmt>(S)) {
    for (const Decl *Inner : D->decls())
      if (auto *V = dyn_cast<VarDecl>(Inner)) {
        const size_t First = Model.Accesses.size();
        walkVariable(V);
        noteUse(First, V, D);
      }
    return;
  }
  if (auto *If = dyn_cast<IfStmt>(S))
    return walkIf(If);
  if (auto *F = dyn_cast<ForStmt>(S)) {
    if (F->getInit())
      walk(F->getInit());
    return walkLoop({F, F->getCond(), F->getInc(), F->getBody(), false});
  }
  if (auto *W = dyn_cast<WhileStmt>(S))
    return walkLoop({W, W->getCond(), nullptr, W->getBody(), false});
  if (auto *D = dyn_cast<DoStmt>(S))
    return walkLoop({D, D->getCond(), nullptr, D->getBody(), true});
  if (auto *R = dyn_cast<CXXForRangeStmt>(S))
    return walkRange(R);
  if (auto *Switch = dyn_cast<SwitchStmt>(S))
    return walkSwitch(Switch);
  if (auto *R = dyn_cast<ReturnStmt>(S)) {
    walkReturn(R);
    JustLeft = true;
    return;
  }
  if (isa<ContinueStmt>(S)) {
    Exits.push_back({true, Guards});
    JustLeft = true;
    return;
  }
  if (isa<BreakStmt>(S)) { // A loop's accesses were marked when it was entered.
    JustLeft = true;
    return;
  }
  if (isa<SwitchCase>(S))
    enterCase();
  JustLeft = false;
  if (auto *A = dyn_cast<AsmStmt>(S)) {
    for (const Stmt *Operand : A->children()) {
      auto *E = dyn_cast_or_null<Expr>(Operand);
      if (!E)
        continue;
      if (E->isGLValue()) { // An output, or memory.
        Place P = place(E);
        note(P, AccessKind::Update, E->getType(), E);
        forget(P, "set by inline assembly", E);
        continue;
      }
      Value V = eval(E);
      noteLost(V, AccessKind::Update, "used by inline assembly", E);
    }
    return;
  }
  if (isa<GotoStmt>(S) || isa<IndirectGotoStmt>(S)) {
    Model.Unknown.push_back({"a jump that is not followed", where(S)});
    return;
  }
  if (isa<CompoundStmt>(S))
    return walkCompound(S);
  for (const Stmt *Child : S->children())
    walk(Child);
}
