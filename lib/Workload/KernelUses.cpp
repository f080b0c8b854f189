/// \file
/// One walk over the kernel and the device functions it calls.

#include "HostIndex.h"
#include "UseWalk.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mep;
using namespace clang;
using llvm::dyn_cast;
using llvm::dyn_cast_or_null;
using llvm::isa;
using llvm::StringRef;

// ---- statements ------------------------------------------------------------

/// `i < n && j < m`: only bounds from above.
static bool boundsAbove(const Expr *E, bool Negated) {
  auto *B = dyn_cast_or_null<BinaryOperator>(bare(E));
  if (!B)
    return false;
  if (B->getOpcode() == (Negated ? BO_LOr : BO_LAnd))
    return boundsAbove(B->getLHS(), Negated) &&
           boundsAbove(B->getRHS(), Negated);
  if (isa<IntegerLiteral>(bare(B->getLHS())))
    return false;
  return Negated ? B->getOpcode() == BO_GE || B->getOpcode() == BO_GT
                 : B->getOpcode() == BO_LT || B->getOpcode() == BO_LE;
}

static bool leaves(const Stmt *S) {
  if (isa_and_nonnull<ReturnStmt>(S) || isa_and_nonnull<ContinueStmt>(S) ||
      isa_and_nonnull<BreakStmt>(S))
    return true;
  auto *C = dyn_cast_or_null<CompoundStmt>(S);
  return C && !C->body_empty() && leaves(C->body_back());
}

void UseWalk::walkIf(const IfStmt *If) {
  walk(If->getInit());
  walk(If->getCond());
  auto Before = Overwritten;
  {
    llvm::SaveAndRestore Inside(
        Conditional, Conditional || !boundsAbove(If->getCond(), false));
    walk(If->getThen());
  }
  Overwritten = Before;
  llvm::SaveAndRestore Inside(Conditional, true);
  walk(If->getElse());
  Overwritten = std::move(Before);
}

void UseWalk::walkLoop(const Stmt *Loop) {
  llvm::SaveAndRestore Inside(Loops, Loops + 1);
  auto Before = Overwritten;
  for (const Stmt *Child : Loop->children())
    walk(Child);
  Overwritten = std::move(Before);
}

void UseWalk::walkFor(const ForStmt *For) {
  const VarDecl *Index = nullptr;
  const Expr *First = nullptr;
  if (auto *D = dyn_cast_or_null<DeclStmt>(For->getInit());
      D && D->isSingleDecl()) {
    Index = dyn_cast<VarDecl>(D->getSingleDecl());
    First = Index ? Index->getInit() : nullptr;
  } else if (auto *B = dyn_cast_or_null<BinaryOperator>(For->getInit())) {
    if (auto *R = dyn_cast<DeclRefExpr>(bare(B->getLHS())))
      Index = dyn_cast<VarDecl>(R->getDecl());
    First = B->getRHS();
  }
  std::set<std::string> Begin, End;
  collect(First, Begin);
  if (auto *B = dyn_cast_or_null<BinaryOperator>(For->getCond()))
    collect(B->getRHS(), End);
  for (const std::string &Key : End) {
    Uses[Key].LoopBound = true;
    if (!Index || !Begin.count(Key))
      continue;
    Uses[Key].IsOffsets = true;
    Uses[Key].OffsetSteps.clear();
    findSteps(First, Key, Uses[Key].OffsetSteps);
    findTargets(For->getBody(), Index, Uses[Key].OffsetTargets);
  }
  remember(For, Index, First);
  walkLoop(For);
  if (Index)
    Counters.erase(Index->getCanonicalDecl());
}

/// The object that \p Init copies, or \p Init itself.
static const Expr *copied(const Expr *Init) {
  auto *C = dyn_cast<CXXConstructExpr>(bare(Init));
  return C && C->getNumArgs() == 1 &&
                 C->getConstructor()->isCopyOrMoveConstructor()
             ? C->getArg(0)
             : Init;
}

void UseWalk::walkVariable(const VarDecl *V) {
  const Expr *Init = V->getInit();
  if (!Init)
    return;
  QualType T = V->getType();
  if (T->isPointerType() || T->isReferenceType()) {
    std::string Key = root(Init);
    if (!Key.empty()) {
      Aliases[V->getCanonicalDecl()] = Key;
      walkLvalue(Init, Access(0));
      return;
    }
  }
  if (const Expr *From = copied(Init); T->isRecordType() && isInBuffer(From))
    if (std::string Key = root(bare(From)); !Key.empty())
      Aliases[V->getCanonicalDecl()] = Key;
  walk(Init);
}

void UseWalk::walk(const Stmt *S) {
  if (!S)
    return;
  if (auto *If = dyn_cast<IfStmt>(S))
    return walkIf(If);
  if (auto *For = dyn_cast<ForStmt>(S))
    return walkFor(For);
  if (isa<WhileStmt>(S) || isa<DoStmt>(S))
    return walkLoop(S);
  if (auto *D = dyn_cast<DeclStmt>(S)) {
    for (const Decl *Inner : D->decls())
      if (auto *V = dyn_cast<VarDecl>(Inner))
        walkVariable(V);
    return;
  }
  if (auto *Block = dyn_cast<CompoundStmt>(S)) {
    // After `if (…) return;` the rest is conditional.
    llvm::SaveAndRestore Inside(Conditional, Conditional);
    for (const Stmt *Child : Block->body()) {
      walk(Child);
      if (auto *If = dyn_cast<IfStmt>(Child))
        if (leaves(If->getThen()) && !If->getElse())
          Conditional |= !boundsAbove(If->getCond(), true);
    }
    return;
  }
  if (auto *B = dyn_cast<BinaryOperator>(S)) {
    if (B->isAssignmentOp()) {
      walk(B->getRHS());
      if (B->getOpcode() == BO_DivAssign)
        mark(B->getRHS(), &BufferUse::Divides);
      if (B->getLHS()->getType()->isPointerType()) {
        // A pointer set to somewhere in a buffer.
        auto *R = dyn_cast<DeclRefExpr>(bare(B->getLHS()));
        std::string Key = root(B->getRHS());
        if (R && !Key.empty())
          Aliases.insert({R->getDecl()->getCanonicalDecl(), Key});
      }
      return walkLvalue(B->getLHS(),
                        B->isCompoundAssignmentOp() ? Both : WriteOnly);
    }
    if (B->getOpcode() == BO_Div || B->getOpcode() == BO_Rem)
      mark(B->getRHS(), &BufferUse::Divides);
  }
  if (auto *U = dyn_cast<UnaryOperator>(S)) {
    if (U->isIncrementDecrementOp())
      return walkLvalue(U->getSubExpr(), Both);
    if (U->getOpcode() == UO_AddrOf)
      return walkLvalue(U->getSubExpr(), Access(0));
  }
  if (auto *Cast = dyn_cast<ImplicitCastExpr>(S);
      Cast && Cast->getCastKind() == CK_LValueToRValue)
    return walkLvalue(Cast->getSubExpr(), ReadOnly);
  if (auto *C = dyn_cast<CallExpr>(S))
    return walkCall(C);
  if (auto *C = dyn_cast<CXXConstructExpr>(S)) {
    for (const Expr *A : C->arguments())
      A->isGLValue() ? walkLvalue(A, ReadOnly) : walk(A);
    return;
  }
  if (auto *L = dyn_cast<LambdaExpr>(S))
    return walk(L->getBody());
  if (auto *E = dyn_cast<ArraySubscriptExpr>(S))
    return walkLvalue(E, Access(0));
  for (const Stmt *Child : S->children())
    walk(Child);
}

// ---- calls -----------------------------------------------------------------

static bool needsPositive(StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases({"sqrt", "sqrtf", "rsqrt", "rsqrtf", "log", "logf", "log2"}, true)
      .Cases({"log2f", "log10", "log10f", "__logf", "__log2f", "__frcp_rn"},
             true)
      .Cases({"__fdividef", "__fdiv_rn", "pow", "powf", "__powf", "__fsqrt_rn"},
             true)
      .Default(false);
}

/// The body of a lambda parameter names the captured variables, which are its
/// members.
void UseWalk::enterLambda(const CXXRecordDecl *Lambda, const CallExpr *C) {
  std::string Object = C->getNumArgs() ? root(C->getArg(0)) : std::string();
  if (Object.empty())
    return;
  for (const LambdaCapture &Each : Lambda->captures()) {
    if (!Each.capturesVariable())
      continue;
    const ValueDecl *V = Each.getCapturedVar();
    std::string Name = Object + "." + V->getNameAsString();
    if (V->getType()->isPointerType() || V->getType()->isRecordType())
      Aliases[V->getCanonicalDecl()] = Name;
    else
      ScalarNames[V->getCanonicalDecl()] = Name;
  }
}

void UseWalk::enter(const FunctionDecl *F, const CallExpr *C) {
  llvm::SaveAndRestore Deeper(Depth, Depth + 1);
  auto OldAliases = Aliases;
  auto OldBound = Bound;
  findChanged(F->getBody());
  for (unsigned I = 0, N = std::min(F->getNumParams(), callArgumentCount(C));
       I < N; ++I) {
    const ParmVarDecl *P = F->getParamDecl(I);
    const Expr *A = callArgument(C, I);
    QualType T = P->getType();
    bool Reference = T->isReferenceType() && A->isGLValue() &&
                     (isMemory(A) || T->getPointeeType()->isPointerType());
    if (T->isPointerType() || Reference) {
      if (std::string Key = root(A); !Key.empty())
        Aliases[P->getCanonicalDecl()] = Key;
    } else {
      Bound[P->getCanonicalDecl()] = A;
    }
  }
  if (auto *M = dyn_cast<CXXMethodDecl>(F); M && M->getParent()->isLambda())
    enterLambda(M->getParent(), C);
  walk(F->getBody());
  Aliases = std::move(OldAliases);
  Bound = std::move(OldBound);
}

void UseWalk::walkCall(const CallExpr *C) {
  StringRef Name = calledName(C);
  const FunctionDecl *F = calledFunction(C);
  bool Atomic = Name.starts_with("atomic");
  if (needsPositive(Name))
    for (const Expr *A : C->arguments())
      mark(A, &BufferUse::Positive);
  if (auto *O = dyn_cast<CXXOperatorCallExpr>(C);
      O && O->isAssignmentOp() && !(F && F->hasBody() && !F->isDefaulted())) {
    walkLvalue(O->getArg(0), O->getOperator() == OO_Equal ? WriteOnly : Both);
    const Expr *Right = O->getArg(1);
    return Right->isGLValue() ? walkLvalue(Right, ReadOnly) : walk(Right);
  }
  if (auto *M = dyn_cast<CXXMemberCallExpr>(C))
    walkLvalue(M->getImplicitObjectArgument(), ReadOnly);
  bool Seen = F && F->hasBody() && Depth < 8 && !Atomic &&
              !Context.getSourceManager().isInSystemHeader(F->getLocation());
  for (unsigned I = 0, N = callArgumentCount(C); I < N; ++I) {
    const Expr *A = callArgument(C, I);
    QualType T = F && I < F->getNumParams() ? F->getParamDecl(I)->getType()
                                            : A->getType();
    if (!T->isPointerType() && !T->isReferenceType()) {
      walk(A);
      continue;
    }
    bool Const = T->getPointeeType().isConstQualified();
    walkLvalue(A, Access(0));
    if (auto *U = dyn_cast<UnaryOperator>(bare(A)))
      walkLvalue(U->getSubExpr(), Access(0));
    if (Seen || (T->isReferenceType() && !isMemory(A)))
      continue;
    touch(A, Const ? ReadOnly : Both);
    if (std::string Key = root(A); !Key.empty() && !Const)
      Uses[Key].Escapes = !Atomic;
  }
  if (Seen)
    enter(F, C);
}

void UseWalk::kernel(const FunctionDecl *F,
                     const std::vector<std::string> &Names) {
  for (unsigned I = 0; I < F->getNumParams(); ++I) {
    const ParmVarDecl *P = F->getParamDecl(I);
    QualType T = P->getType();
    if (T->isPointerType() || T->isRecordType())
      Aliases[P->getCanonicalDecl()] = Names[I];
    else
      ScalarNames[P->getCanonicalDecl()] = Names[I];
  }
  findChanged(F->getBody());
  walk(F->getBody());
}

KernelUses mep::findUses(const FunctionDecl *Kernel,
                         const std::vector<std::string> &Names,
                         const ASTContext &Context) {
  KernelUses Uses;
  if (Kernel && Kernel->hasBody())
    UseWalk(Context, Uses).kernel(Kernel, Names);
  return Uses;
}
