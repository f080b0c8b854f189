/// \file
/// One walk over a unit's own declarations.

#include "KernelFinder.h"
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

/// The kernel that a launch API's first argument names, through casts and `&`.
const FunctionDecl *namedKernel(const clang::Expr *E) {
  E = E->IgnoreParenCasts();
  if (auto *Address = llvm::dyn_cast<clang::UnaryOperator>(E))
    E = Address->getSubExpr()->IgnoreParenCasts();
  auto *Reference = llvm::dyn_cast<clang::DeclRefExpr>(E);
  auto *F =
      Reference ? llvm::dyn_cast<FunctionDecl>(Reference->getDecl()) : nullptr;
  return isKernel(F) ? F : nullptr;
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
    addLaunch(Call, Call->getDirectCallee());
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

FoundCode mep::findCode(const ParsedUnit &Unit) {
  FoundCode Found;
  Finder Walk(Unit, Found);
  for (clang::Decl *D : Unit.context().getTranslationUnitDecl()->decls())
    Walk.TraverseDecl(D);
  Walk.spreadLoops();
  return Found;
}
