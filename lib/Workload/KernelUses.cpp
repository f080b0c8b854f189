/// \file
/// One walk over the kernel and the device functions it calls.

#include "KernelUses.h"
#include "HostIndex.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mep;
using namespace clang;
using llvm::dyn_cast;
using llvm::dyn_cast_or_null;
using llvm::isa;
using llvm::StringRef;

namespace {

enum Access { ReadOnly = 1, WriteOnly = 2, Both = 3 };

class UseWalk {
public:
  UseWalk(const ASTContext &Context, KernelUses &Uses)
      : Context(Context), Uses(Uses) {}

  void kernel(const FunctionDecl *F, const std::vector<std::string> &Names);

private:
  // What an expression points into.
  std::string root(const Expr *E) const;
  std::string rootOfName(const ValueDecl *D) const;
  bool isInBuffer(const Expr *E) const;
  bool loadsPointer(const Expr *E) const;
  std::string pointedBy(const Expr *E) const;
  bool isMemory(const Expr *E) const;

  // Statements and expressions.
  void walk(const Stmt *S);
  void walkIf(const IfStmt *If);
  void walkLoop(const Stmt *Loop);
  void walkFor(const ForStmt *For);
  void walkVariable(const VarDecl *V);
  void walkCall(const CallExpr *C);
  void enter(const FunctionDecl *F, const CallExpr *C);
  void enterLambda(const CXXRecordDecl *Lambda, const CallExpr *C);
  void walkLvalue(const Expr *E, Access How);
  void touch(const Expr *E, Access How);
  std::string textOf(const Expr *E) const;
  void subscript(const Expr *Base, const Expr *Index);
  void mark(const Expr *E, bool BufferUse::*Property);

  // Which buffers' elements an expression is made of.
  void collect(const Expr *E, std::set<std::string> &Keys,
               unsigned Depth = 0) const;
  const Expr *expanded(const Expr *E) const;
  bool isElementOf(const Expr *E, const std::string &Key) const;
  bool findScale(const Expr *E, const std::string &Key,
                 std::string &Scale) const;
  void findTargets(const Stmt *S, const ValueDecl *Index,
                   std::set<std::string> &Targets) const;

  const ASTContext &Context;
  KernelUses &Uses;
  std::map<const Decl *, std::string> Aliases; ///< Pointers to their buffer.
  std::map<const Decl *, const Expr *> Bound;  ///< Scalars of callees.
  std::map<const Decl *, std::string> ScalarNames; ///< The kernel's own.
  unsigned Depth = 0, Loops = 0;
  bool Conditional = false;
  /// Elements, as they are written, that the thread has overwritten before:
  /// reading them back is no use of what the buffer held.
  std::set<std::string> Overwritten;
};

// ---- roots -----------------------------------------------------------------

std::string UseWalk::rootOfName(const ValueDecl *D) const {
  auto Known = Aliases.find(D->getCanonicalDecl());
  if (Known != Aliases.end())
    return Known->second;
  auto *V = dyn_cast<VarDecl>(D);
  if (V && V->hasGlobalStorage() && !V->hasAttr<CUDASharedAttr>() &&
      (V->hasAttr<CUDAConstantAttr>() || V->hasAttr<CUDADeviceAttr>()))
    return V->getQualifiedNameAsString();
  return {};
}

/// The lvalue \p E is a part of a buffer's element.
bool UseWalk::isInBuffer(const Expr *E) const {
  E = bare(E);
  if (auto *M = dyn_cast_or_null<MemberExpr>(E))
    return M->isArrow() || isInBuffer(M->getBase());
  if (auto *S = dyn_cast_or_null<ArraySubscriptExpr>(E))
    return !bare(S->getBase())->getType()->isArrayType() ||
           isInBuffer(S->getBase());
  if (auto *U = dyn_cast_or_null<UnaryOperator>(E))
    return U->getOpcode() == UO_Deref;
  auto *R = dyn_cast_or_null<DeclRefExpr>(E);
  auto *V = R ? dyn_cast<VarDecl>(R->getDecl()) : nullptr;
  if (!V)
    return false;
  if (V->hasGlobalStorage())
    return !V->hasAttr<CUDASharedAttr>();
  // A reference to an element, or a copy of one.
  QualType T = V->getType();
  return T.getNonReferenceType()->isRecordType() &&
         (T->isReferenceType() || !isa<ParmVarDecl>(V)) &&
         Aliases.count(V->getCanonicalDecl());
}

/// The value of \p E is a pointer that an element holds.
bool UseWalk::loadsPointer(const Expr *E) const {
  while (auto *Cast = dyn_cast<CastExpr>(E->IgnoreParens())) {
    if (Cast->getCastKind() == CK_LValueToRValue)
      return Cast->getType()->isPointerType() && isInBuffer(Cast->getSubExpr());
    E = Cast->getSubExpr();
  }
  return false;
}

/// Name of the buffer that the pointer \p E, which lies in an element, points
/// into: the workload's name of it.
std::string UseWalk::pointedBy(const Expr *E) const {
  std::string Members, Holder;
  while ((E = bare(E))) {
    if (auto *M = dyn_cast<MemberExpr>(E)) {
      Members = M->getMemberDecl()->getNameAsString() +
                (Members.empty() ? "" : ".") + Members;
      E = M->getBase();
      if (!M->isArrow())
        continue;
      Holder = root(E);
    } else if (auto *S = dyn_cast<ArraySubscriptExpr>(E)) {
      E = S->getBase();
      if (bare(E)->getType()->isArrayType())
        continue;
      Holder = root(E);
    } else if (auto *U = dyn_cast<UnaryOperator>(E)) {
      Holder = root(U->getSubExpr());
    } else if (auto *R = dyn_cast<DeclRefExpr>(E)) {
      Holder = rootOfName(R->getDecl());
    }
    break;
  }
  if (Holder.empty())
    return Holder;
  return Members.empty() ? "*" + Holder : Holder + "->" + Members;
}

/// Name of the buffer that \p E is an element of or points into; empty if it
/// is none.
std::string UseWalk::root(const Expr *E) const {
  std::string Path;
  while (E) {
    if (loadsPointer(E))
      return pointedBy(E);
    E = bare(E);
    if (auto *R = dyn_cast<DeclRefExpr>(E)) {
      std::string Name = rootOfName(R->getDecl());
      return Name.empty() ? Name : Name + Path;
    }
    if (auto *M = dyn_cast<MemberExpr>(E)) {
      // Members of a structure parameter are buffers of their own; members of
      // an element belong to the buffer.
      auto *R = dyn_cast_or_null<DeclRefExpr>(bare(M->getBase()));
      bool OfParameter =
          !M->isArrow() && (isa<MemberExpr>(bare(M->getBase())) ||
                            (R && isa<ParmVarDecl>(R->getDecl())));
      if (OfParameter)
        Path = "." + M->getMemberDecl()->getNameAsString() + Path;
      E = M->getBase();
      if (!OfParameter)
        Path.clear();
    } else if (auto *S = dyn_cast<ArraySubscriptExpr>(E)) {
      Path.clear();
      E = S->getBase();
    } else if (auto *U = dyn_cast<UnaryOperator>(E)) {
      if (U->getOpcode() == UO_Deref)
        Path.clear();
      E = U->getSubExpr();
    } else if (auto *B = dyn_cast<BinaryOperator>(E); B && B->isAdditiveOp()) {
      E = B->getLHS()->getType()->isPointerType() ? B->getLHS() : B->getRHS();
    } else if (auto *C = dyn_cast<ConditionalOperator>(E)) {
      E = C->getTrueExpr();
    } else {
      return {};
    }
  }
  return {};
}

/// An lvalue in a buffer rather than a local variable.
bool UseWalk::isMemory(const Expr *E) const {
  E = bare(E);
  while (auto *M = dyn_cast_or_null<MemberExpr>(E)) {
    if (M->isArrow())
      return true;
    E = bare(M->getBase());
  }
  if (auto *U = dyn_cast_or_null<UnaryOperator>(E))
    return U->getOpcode() == UO_Deref;
  if (auto *R = dyn_cast_or_null<DeclRefExpr>(E)) {
    auto *V = dyn_cast<VarDecl>(R->getDecl());
    return V && (V->hasGlobalStorage() || V->getType()->isReferenceType());
  }
  return isa_and_nonnull<ArraySubscriptExpr>(E);
}

// ---- accesses --------------------------------------------------------------

void UseWalk::touch(const Expr *E, Access How) {
  std::string Key = root(E);
  if (Key.empty())
    return;
  BufferUse &Use = Uses[Key];
  std::string Text = textOf(E);
  bool Own = !Text.empty() && Overwritten.count(Text);
  Use.Read |= (How & ReadOnly) && !Own;
  if (!(How & WriteOnly))
    return;
  Use.Written = true;
  if (Own)
    return;
  Use.Partial |= Conditional;
  Use.InLoop |= Loops > 0;
  if (How == WriteOnly && !Text.empty())
    Overwritten.insert(Text);
}

/// The lvalue as it is written, without blanks; empty inside callees, where the
/// same text means something else each time.
std::string UseWalk::textOf(const Expr *E) const {
  std::string Text;
  if (Depth == 0)
    for (char C : Lexer::getSourceText(
             Context.getSourceManager().getExpansionRange(E->getSourceRange()),
             Context.getSourceManager(), Context.getLangOpts()))
      if (!isspace(static_cast<unsigned char>(C)))
        Text += C;
  return Text;
}

void UseWalk::walkLvalue(const Expr *E, Access How) {
  E = bare(E);
  if (isMemory(E))
    touch(E, How);
  if (auto *S = dyn_cast<ArraySubscriptExpr>(E)) {
    subscript(S->getBase(), S->getIdx());
    walk(S->getIdx());
    walkLvalue(S->getBase(), ReadOnly);
  } else if (auto *M = dyn_cast<MemberExpr>(E)) {
    if (isMemory(M->getBase()) || isa<MemberExpr>(bare(M->getBase())))
      walkLvalue(M->getBase(), How);
  } else if (!isa<DeclRefExpr>(E)) {
    for (const Stmt *Child : E->children())
      walk(Child);
  }
}

/// Sets \p Property of every buffer that \p E is made of.
void UseWalk::mark(const Expr *E, bool BufferUse::*Property) {
  std::set<std::string> Keys;
  collect(E, Keys);
  for (const std::string &K : Keys)
    Uses[K].*Property = true;
}

// ---- subscripts ------------------------------------------------------------

/// A local variable's only value, else the expression itself.
const Expr *UseWalk::expanded(const Expr *E) const {
  for (unsigned I = 0; I < 8; ++I) {
    E = bare(E);
    auto *R = dyn_cast_or_null<DeclRefExpr>(E);
    auto *V = R ? dyn_cast<VarDecl>(R->getDecl()) : nullptr;
    if (!V)
      return E;
    if (auto B = Bound.find(V->getCanonicalDecl()); B != Bound.end())
      E = B->second;
    else if (V->isLocalVarDecl() && V->getInit() &&
             !V->getType()->isPointerType())
      E = V->getInit();
    else
      return E;
  }
  return E;
}

void UseWalk::collect(const Expr *E, std::set<std::string> &Keys,
                      unsigned Deep) const {
  if (!E || Deep > 24)
    return;
  E = expanded(E);
  bool Load = isa<ArraySubscriptExpr>(E) || isMemory(E);
  if (Load) {
    std::string Key = root(E);
    if (!Key.empty())
      Keys.insert(Key);
    return;
  }
  if (auto *C = dyn_cast<CallExpr>(E); C && calledName(C) == "__ldg") {
    std::string Key = root(C->getArg(0));
    if (!Key.empty())
      Keys.insert(Key);
    return;
  }
  for (const Stmt *Child : E->children())
    if (auto *Inner = dyn_cast_or_null<Expr>(Child))
      collect(Inner, Keys, Deep + 1);
}

bool UseWalk::isElementOf(const Expr *E, const std::string &Key) const {
  E = expanded(E);
  if (auto *C = dyn_cast<CallExpr>(E); C && calledName(C) == "__ldg")
    return root(C->getArg(0)) == Key;
  return isMemory(E) && root(E) == Key;
}

/// Finds `element * scale` in \p E and how C++ over the workload's names says
/// the scale. False if there is no such product or no such name.
bool UseWalk::findScale(const Expr *E, const std::string &Key,
                        std::string &Scale) const {
  E = expanded(E);
  auto *B = dyn_cast<BinaryOperator>(E);
  if (!B)
    return false;
  if (B->getOpcode() != BO_Mul)
    return B->isAdditiveOp() && (findScale(B->getLHS(), Key, Scale) ||
                                 findScale(B->getRHS(), Key, Scale));
  const Expr *Other = isElementOf(B->getLHS(), Key)   ? B->getRHS()
                      : isElementOf(B->getRHS(), Key) ? B->getLHS()
                                                      : nullptr;
  if (!Other)
    return false;
  Other = bare(Other);
  if (auto *R = dyn_cast<DeclRefExpr>(Other)) {
    auto Named = ScalarNames.find(R->getDecl()->getCanonicalDecl());
    if (Named != ScalarNames.end()) {
      Scale = Named->second;
      return true;
    }
  }
  if (isa<IntegerLiteral>(Other) && Other->getExprLoc().isMacroID()) {
    Scale = Lexer::getImmediateMacroName(Other->getExprLoc(),
                                         Context.getSourceManager(),
                                         Context.getLangOpts())
                .str();
    return true;
  }
  Expr::EvalResult Result;
  if (Other->isValueDependent() || !Other->EvaluateAsInt(Result, Context))
    return false;
  Scale = std::to_string(Result.Val.getInt().getExtValue());
  return true;
}

void UseWalk::subscript(const Expr *Base, const Expr *Index) {
  std::set<std::string> Keys;
  collect(Index, Keys);
  for (const std::string &Key : Keys) {
    IndexUse Use;
    Use.Target = root(Base);
    QualType T = bare(Base)->getType();
    if (Use.Target.empty()) {
      if (const auto *A = Context.getAsConstantArrayType(T))
        Use.Extent = A->getSize().getZExtValue();
    }
    Use.Exact = isElementOf(Index, Key);
    if (!Use.Exact && findScale(Index, Key, Use.Scale))
      Use.Exact = true;
    Uses[Key].Indexes.push_back(Use);
  }
}

void UseWalk::findTargets(const Stmt *S, const ValueDecl *Index,
                          std::set<std::string> &Targets) const {
  if (!S)
    return;
  if (auto *A = dyn_cast<ArraySubscriptExpr>(S)) {
    auto *R = dyn_cast<DeclRefExpr>(bare(A->getIdx()));
    if (R && R->getDecl() == Index) {
      std::string Key = root(A->getBase());
      if (!Key.empty())
        Targets.insert(Key);
    }
  }
  for (const Stmt *Child : S->children())
    findTargets(Child, Index, Targets);
}

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
    findTargets(For->getBody(), Index, Uses[Key].OffsetTargets);
  }
  walkLoop(For);
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
  walk(F->getBody());
}

} // namespace

KernelUses mep::findUses(const FunctionDecl *Kernel,
                         const std::vector<std::string> &Names,
                         const ASTContext &Context) {
  KernelUses Uses;
  if (Kernel && Kernel->hasBody())
    UseWalk(Context, Uses).kernel(Kernel, Names);
  return Uses;
}
