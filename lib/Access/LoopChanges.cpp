/// \file
/// What a loop changes: which local variables, and how from one iteration to
/// the next.

#include "BodyWalk.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace mep;
using namespace clang;

// ---- changes ---------------------------------------------------------------

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
      // A pointer to a variable, made before.
      auto *R =
          dyn_cast<DeclRefExpr>(unwrapped(C->getArg(I))->IgnoreParenImpCasts());
      auto *V = R ? dyn_cast<VarDecl>(R->getDecl()) : nullptr;
      auto Known = V ? Locals.find(V) : Locals.end();
      if (Known != Locals.end() && Known->second.Target &&
          Known->second.Target->Var)
        ++Changed[Known->second.Target->Var];
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

// ---- updates ---------------------------------------------------------------

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

/// Which jumps below \p S leave an iteration of the loop around it.
static void findJumps(const Stmt *S, LoopJumps &Found, bool InLoop = false,
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

LoopJumps mep::jumpsOf(const Stmt *S) {
  LoopJumps Found;
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
