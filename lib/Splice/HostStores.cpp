#include "HostStores.h"
#include "SpliceText.h"
#include "StoreWalk.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtCXX.h"
#include "clang/AST/StmtOpenMP.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mep;
using namespace clang;
using llvm::dyn_cast;
using llvm::dyn_cast_or_null;
using llvm::isa;
using llvm::StringRef;

QualType HostStore::type() const {
  QualType T = Target ? Target->getType() : Declared->getType();
  T = T.getNonReferenceType();
  if (Through && T->isPointerType())
    T = T->getPointeeType();
  else if (Through && T->isArrayType())
    T = T->castAsArrayTypeUnsafe()->getElementType();
  return T.getCanonicalType();
}

// ---- calls that change nothing --------------------------------------------

/// True if \p S, code of \p In, changes nothing but variables of \p In itself.
static bool isQuiet(const Stmt *S, const FunctionDecl *In,
                    const HostStores &Stores, unsigned Level) {
  auto IsOwn = [&](const Expr *E) {
    auto *R = dyn_cast<DeclRefExpr>(bareExpression(E));
    auto *V = R ? dyn_cast<VarDecl>(R->getDecl()) : nullptr;
    return V && In && V->getDeclContext() == In && V->hasLocalStorage() &&
           !V->getType()->isReferenceType();
  };
  if (!S)
    return true;
  auto *B = dyn_cast<BinaryOperator>(S);
  auto *U = dyn_cast<UnaryOperator>(S);
  if ((B && B->isAssignmentOp() && !IsOwn(B->getLHS())) ||
      (U && U->isIncrementDecrementOp() && !IsOwn(U->getSubExpr())) ||
      isa<CXXDeleteExpr, AsmStmt, RecoveryExpr, AtomicExpr>(S))
    return false;
  const FunctionDecl *Callee = nullptr;
  auto *Call = dyn_cast<CallExpr>(S);
  if (Call && !isa<CUDAKernelCallExpr>(Call))
    Callee = Call->getDirectCallee();
  else if (auto *Made = dyn_cast<CXXConstructExpr>(S))
    Callee = Made->getConstructor();
  if (Call && !Callee && !isa<CUDAKernelCallExpr>(Call))
    return false;
  if (Callee && Callee->isUserProvided() &&
      !Stores.Unit.isSystem(Callee->getLocation())) {
    const FunctionDecl *Body = Call ? Stores.body(Call) : Stores.seen(Callee);
    if (!Body || Level > 4 ||
        !isQuiet(Body->getBody(), Body, Stores, Level + 1))
      return false;
  } else if (Call && Callee) {
    auto *Method = dyn_cast<CXXMethodDecl>(Callee);
    if (Method && !Method->isConst() && !Method->isStatic() &&
        !passesPointerOn(calledName(Call)) &&
        Callee->getOverloadedOperator() != OO_Subscript)
      return false;
    for (const ParmVarDecl *P : Callee->parameters())
      if (P->getType()->isLValueReferenceType() &&
          !P->getType()->getPointeeType().isConstQualified())
        return false;
  }
  return llvm::all_of(S->children(), [&](const Stmt *Child) {
    return isQuiet(Child, In, Stores, Level);
  });
}

bool HostStores::isQuiet(const Expr *Call) const {
  return llvm::all_of(Call->children(), [&](const Stmt *Child) {
    return ::isQuiet(Child, nullptr, *this, 0);
  });
}

namespace {

/// Every function of the application that has a body and is compiled.
class Functions : public RecursiveASTVisitor<Functions> {
public:
  Functions(const ParsedUnit &Unit, StoreWalk &Walk) : Walk(Walk) {
    for (Decl *D : Unit.context().getTranslationUnitDecl()->decls())
      if (!Unit.isSystem(D->getLocation()))
        TraverseDecl(D);
  }
  bool shouldVisitTemplateInstantiations() const { return true; }
  /// Bodies are the walk's.
  bool TraverseStmt(Stmt *) { return true; }
  bool VisitFunctionDecl(FunctionDecl *F) {
    bool ForDevice =
        F->hasAttr<CUDAGlobalAttr>() ||
        (F->hasAttr<CUDADeviceAttr>() && !F->hasAttr<CUDAHostAttr>());
    if (F->isThisDeclarationADefinition() && F->hasBody() && !ForDevice &&
        !F->isDependentContext())
      Walk.function(F);
    return true;
  }
  bool VisitVarDecl(VarDecl *V) {
    if (V->hasGlobalStorage() && !V->isStaticLocal() &&
        !V->getDeclContext()->isDependentContext()) {
      Walk.variable(V);
      Walk.initializer(V->getInit());
    }
    auto *P = dyn_cast<ParmVarDecl>(V);
    if (P && P->hasDefaultArg() && !P->hasUninstantiatedDefaultArg() &&
        !P->hasUnparsedDefaultArg() &&
        !P->getDeclContext()->isDependentContext())
      Walk.initializer(P->getDefaultArg());
    return true;
  }
  bool VisitFieldDecl(FieldDecl *F) {
    if (F->hasInClassInitializer() && !F->getParent()->isDependentContext())
      Walk.initializer(F->getInClassInitializer());
    return true;
  }

private:
  StoreWalk &Walk;
};

} // namespace

HostStores::HostStores(const ParsedUnit &Unit) : Unit(Unit) {
  StoreWalk Walk(*this);
  Functions(Unit, Walk);
  for (const CXXMethodDecl *M : Virtual)
    addVirtualCallers(M);
}

/// Who calls what \p M overrides may call \p M.
void HostStores::addVirtualCallers(const CXXMethodDecl *M) {
  std::vector<const CXXMethodDecl *> Open{M};
  while (!Open.empty()) {
    const CXXMethodDecl *Each = Open.back();
    Open.pop_back();
    for (const CXXMethodDecl *Base : Each->overridden_methods()) {
      Open.push_back(Base);
      // That of one with a body gets its own here too, so take only calls of
      // just this one.
      for (const HostCallSite &C : callers(Base))
        if (auto *Call = dyn_cast<CallExpr>(C.Call);
            Call && Call->getDirectCallee() &&
            Call->getDirectCallee()->getCanonicalDecl() ==
                Base->getCanonicalDecl())
          Callers[M->getCanonicalDecl()].push_back(C);
      if (Escaping.count(Base->getCanonicalDecl()))
        Escaping.insert(M->getCanonicalDecl());
    }
  }
}

bool HostStores::escapes(const FunctionDecl *F) const {
  return Escaping.count(F->getCanonicalDecl()) != 0;
}

bool HostStores::isRecursive(const FunctionDecl *F) const {
  std::set<const FunctionDecl *> Met;
  std::vector<const FunctionDecl *> Open{F->getCanonicalDecl()};
  while (!Open.empty()) {
    const FunctionDecl *Each = Open.back();
    Open.pop_back();
    for (const HostCallSite &C : callers(Each)) {
      if (!C.In)
        continue;
      if (C.In->getCanonicalDecl() == F->getCanonicalDecl())
        return true;
      if (Met.insert(C.In->getCanonicalDecl()).second)
        Open.push_back(C.In->getCanonicalDecl());
    }
  }
  return false;
}

const FunctionDecl *HostStores::body(const CallExpr *Call) const {
  auto *Member = dyn_cast<MemberExpr>(Call->getCallee()->IgnoreParenImpCasts());
  auto *M = dyn_cast_or_null<CXXMethodDecl>(Call->getDirectCallee());
  // Which one a virtual call runs is known only later.
  if (M && M->isVirtual() && !M->hasAttr<FinalAttr>() &&
      !M->getParent()->hasAttr<FinalAttr>() &&
      !(Member && Member->hasQualifier()))
    return nullptr;
  return Call->getDirectCallee() ? seen(Call->getDirectCallee()) : nullptr;
}

void HostStores::add(HostStore S) {
  All.push_back(std::move(S));
  const HostStore *Kept = &All.back();
  QualType T = Kept->type();
  while (T->isArrayType())
    T = T->castAsArrayTypeUnsafe()->getElementType();
  if (T->isRecordType() && !Kept->ToElement)
    Records.push_back(Kept);
  const ValueDecl *D = Kept->Declared;
  if (!D && !Kept->Through)
    D = namedBy(Kept->Target);
  if (D)
    Direct[cast<ValueDecl>(D->getCanonicalDecl())].push_back(Kept);
  else
    Indirect.push_back(Kept);
}

template <typename Map, typename Key>
static const typename Map::mapped_type &entry(const Map &From, const Key &K) {
  static const typename Map::mapped_type None{};
  auto It = From.find(K);
  return It == From.end() ? None : It->second;
}

const std::vector<const HostStore *> &
HostStores::direct(const ValueDecl *D) const {
  return entry(Direct, cast<ValueDecl>(D->getCanonicalDecl()));
}

const std::vector<HostCallSite> &
HostStores::callers(const FunctionDecl *F) const {
  return entry(Callers, F->getCanonicalDecl());
}

const std::vector<const Expr *> &
HostStores::returns(const FunctionDecl *F) const {
  return entry(Returns, F->getCanonicalDecl());
}

std::vector<HostCallSite> HostStores::launches(const std::string &File,
                                               unsigned Begin) const {
  return entry(Launches, std::make_pair(File, Begin));
}

const std::vector<HostStore> *HostStores::numbers(const ValueDecl *D) const {
  auto *V = dyn_cast<VarDecl>(D);
  auto It = Numbers.find(cast<ValueDecl>(D->getCanonicalDecl()));
  return V && V->hasLocalStorage() && !isa<ParmVarDecl>(V) &&
                 It != Numbers.end() && !isReachable(It->first) &&
                 !isCopied(It->first)
             ? &It->second
             : nullptr;
}

bool HostStores::keepsNumber(const ValueDecl *D) const {
  if (const auto *Puts = numbers(D))
    return Puts->size() == 1 && Puts->front().Declared;
  auto *Own = cast<ValueDecl>(D->getCanonicalDecl());
  return isa<ParmVarDecl>(D) && D->getType()->isIntegerType() &&
         !Numbers.count(Own) && !isReachable(Own) && !isCopied(Own);
}

unsigned HostStores::copies(const VarDecl *V) const {
  return entry(Copies, V->getCanonicalDecl());
}

const FunctionDecl *HostStores::seen(const FunctionDecl *F) const {
  const FunctionDecl *Definition = nullptr;
  return F->isDefined(Definition) && !Unit.isSystem(Definition->getLocation())
             ? Definition
             : nullptr;
}
