/// \file
/// One walk over a unit's own declarations.

#include "KernelFinder.h"
#include "mep/Discovery/Discovery.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mep;
using clang::FunctionDecl;

namespace {

bool isKernel(const FunctionDecl *F) {
  return F && F->hasAttr<clang::CUDAGlobalAttr>();
}

/// Sees whether one variable may get another value than its initialiser.
class ChangeFinder : public clang::RecursiveASTVisitor<ChangeFinder> {
public:
  explicit ChangeFinder(const clang::VarDecl *Variable) : Variable(Variable) {}

  bool VisitBinaryOperator(clang::BinaryOperator *B) {
    IsChanged |= B->isAssignmentOp() && isIt(B->getLHS());
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator *U) {
    IsChanged |= U->getOpcode() == clang::UO_AddrOf && isIt(U->getSubExpr());
    return true;
  }
  bool VisitVarDecl(clang::VarDecl *V) {
    IsChanged |= V->getType()->isReferenceType() && isIt(V->getInit());
    return true;
  }

  bool IsChanged = false;

private:
  bool isIt(const clang::Expr *E) const {
    auto *R =
        E ? llvm::dyn_cast<clang::DeclRefExpr>(E->IgnoreParens()) : nullptr;
    return R && R->getDecl() == Variable;
  }
  const clang::VarDecl *Variable;
};

/// What \p V is initialised with and keeps; null if it may change.
const clang::Expr *keptValue(const clang::VarDecl &V) {
  auto *In =
      llvm::dyn_cast_or_null<FunctionDecl>(V.getParentFunctionOrMethod());
  if (!V.getInit() || V.getType()->isReferenceType())
    return nullptr;
  if (V.getType().isConstQualified())
    return V.getInit();
  if (!In || !In->getBody() || V.isStaticLocal())
    return nullptr;
  ChangeFinder Changes(&V);
  Changes.TraverseStmt(In->getBody());
  return Changes.IsChanged ? nullptr : V.getInit();
}

class Finder : public clang::RecursiveASTVisitor<Finder> {
public:
  using Base = clang::RecursiveASTVisitor<Finder>;
  Finder(const ParsedUnit &Unit, FoundCode &Found) : Unit(Unit), Found(Found) {}

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool TraverseDecl(clang::Decl *D) {
    if (!D || (llvm::isa<clang::TranslationUnitDecl>(D->getDeclContext()) &&
               Unit.isSystem(D->getLocation())))
      return true;
    auto *F = llvm::dyn_cast<FunctionDecl>(D);
    llvm::SaveAndRestore SavedFunction(Enclosing, F ? F : Enclosing);
    llvm::SaveAndRestore SavedDepth(LoopDepth, F ? 0u : LoopDepth);
    return Base::TraverseDecl(D);
  }

#define MEP_LOOP(Kind)                                                         \
  bool Traverse##Kind(clang::Kind *S) {                                        \
    llvm::SaveAndRestore Saved(LoopDepth, LoopDepth + 1);                      \
    return Base::Traverse##Kind(S);                                            \
  }
  MEP_LOOP(ForStmt)
  MEP_LOOP(WhileStmt)
  MEP_LOOP(CXXForRangeStmt)
#undef MEP_LOOP

  /// `do { ... } while (0)` is how macros make one statement, not a loop.
  bool TraverseDoStmt(clang::DoStmt *S) {
    bool Once = S->getCond()->isIntegerConstantExpr(Unit.context()) &&
                S->getCond()->EvaluateKnownConstInt(Unit.context()) == 0;
    llvm::SaveAndRestore Saved(LoopDepth, LoopDepth + !Once);
    return Base::TraverseDoStmt(S);
  }

  bool VisitFunctionDecl(FunctionDecl *F) {
    if (isKernel(F) && F->isThisDeclarationADefinition() &&
        !F->isTemplateInstantiation())
      Found.Kernels.push_back({F});
    return true;
  }

  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr *Call) {
    addLaunch(Call, namedKernel(Call->getCallee()));
    return true;
  }

  bool VisitCallExpr(clang::CallExpr *Call) {
    const FunctionDecl *Callee = Call->getDirectCallee();
    if (!Callee)
      return true;
    if (Enclosing)
      Calls.push_back({Enclosing->getCanonicalDecl(),
                       Callee->getCanonicalDecl(), LoopDepth > 0});
    if (!Callee->getIdentifier() || Call->getNumArgs() < 3)
      return true;
    static const llvm::StringRef Apis[] = {
        "cudaLaunchKernel", "cudaLaunchCooperativeKernel", "hipLaunchKernel",
        "hipLaunchCooperativeKernel"};
    if (llvm::is_contained(Apis, Callee->getName()))
      addLaunch(Call, namedKernel(Call->getArg(0)));
    return true;
  }

  /// A function called from a loop repeats its launches, and so do those that
  /// it calls.
  void spreadLoops() {
    llvm::DenseSet<const FunctionDecl *> Repeated;
    for (bool Grew = true; Grew;) {
      Grew = false;
      for (const HostCall &C : Calls)
        if (C.InLoop || Repeated.contains(C.Caller))
          Grew |= Repeated.insert(C.Callee).second;
    }
    for (FoundLaunch &L : Found.Launches)
      L.InLoop |=
          L.Enclosing && Repeated.contains(L.Enclosing->getCanonicalDecl());
  }

private:
  void addLaunch(clang::CallExpr *Call, const FunctionDecl *Kernel) {
    if (isKernel(Kernel))
      Found.Launches.push_back(
          {Call, Kernel, Enclosing, LoopDepth > 0,
           Enclosing && Enclosing->isTemplateInstantiation()});
  }

  struct HostCall {
    const FunctionDecl *Caller, *Callee;
    bool InLoop;
  };

  const ParsedUnit &Unit;
  FoundCode &Found;
  std::vector<HostCall> Calls;
  const FunctionDecl *Enclosing = nullptr;
  unsigned LoopDepth = 0;
};

} // namespace

const FunctionDecl *mep::namedKernel(const clang::Expr *E) {
  E = E->IgnoreParenCasts();
  if (auto *Operator = llvm::dyn_cast<clang::UnaryOperator>(E);
      Operator && (Operator->getOpcode() == clang::UO_AddrOf ||
                   Operator->getOpcode() == clang::UO_Deref))
    E = Operator->getSubExpr()->IgnoreParenCasts();
  auto *Reference = llvm::dyn_cast<clang::DeclRefExpr>(E);
  if (!Reference)
    return nullptr;
  if (auto *V = llvm::dyn_cast<clang::VarDecl>(Reference->getDecl())) {
    const clang::Expr *Value = keptValue(*V);
    return Value ? namedKernel(Value) : nullptr;
  }
  auto *F = llvm::dyn_cast<FunctionDecl>(Reference->getDecl());
  return isKernel(F) ? F : nullptr;
}

FoundCode mep::findCode(const ParsedUnit &Unit) {
  FoundCode Found;
  Finder Walk(Unit, Found);
  for (clang::Decl *D : Unit.context().getTranslationUnitDecl()->decls())
    Walk.TraverseDecl(D);
  Walk.spreadLoops();
  return Found;
}
