#include "KernelFinder.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Mangle.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
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
    if (!Callee || !Callee->getIdentifier() || Call->getNumArgs() < 3)
      return true;
    static const llvm::StringRef Apis[] = {
        "cudaLaunchKernel", "cudaLaunchCooperativeKernel", "hipLaunchKernel",
        "hipLaunchCooperativeKernel"};
    if (llvm::is_contained(Apis, Callee->getName()))
      addLaunch(Call, namedKernel(Call->getArg(0)));
    return true;
  }

private:
  void addLaunch(clang::CallExpr *Call, const FunctionDecl *Kernel) {
    if (isKernel(Kernel))
      Found.Launches.push_back(
          {Call, Kernel, Enclosing, LoopDepth > 0,
           Enclosing && Enclosing->isTemplateInstantiation()});
  }

  const ParsedUnit &Unit;
  FoundCode &Found;
  const FunctionDecl *Enclosing = nullptr;
  unsigned LoopDepth = 0;
};

/// Counts what makes a kernel slow: memory accesses, weighted by loop depth.
class HeatMeter : public clang::RecursiveASTVisitor<HeatMeter> {
public:
  using Base = clang::RecursiveASTVisitor<HeatMeter>;
#define MEP_LOOP(Kind)                                                         \
  bool Traverse##Kind(clang::Kind *S) {                                        \
    llvm::SaveAndRestore Saved(Depth, Depth + 1);                              \
    Deepest = std::max(Deepest, Depth);                                        \
    return Base::Traverse##Kind(S);                                            \
  }
  MEP_LOOP(ForStmt)
  MEP_LOOP(WhileStmt)
  MEP_LOOP(DoStmt)
#undef MEP_LOOP

  bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr *) { return access(); }
  bool VisitUnaryOperator(clang::UnaryOperator *U) {
    return U->getOpcode() != clang::UO_Deref || access();
  }
  bool access() {
    ++Accesses;
    double Weight = 1;
    for (unsigned I = 0; I < std::min(Depth, 4u); ++I)
      Weight *= 100;
    Value += Weight;
    return true;
  }

  double Value = 1;
  unsigned Depth = 0, Deepest = 0, Accesses = 0;
};

} // namespace

FoundCode mep::findCode(const ParsedUnit &Unit) {
  FoundCode Found;
  Finder Walk(Unit, Found);
  for (clang::Decl *D : Unit.context().getTranslationUnitDecl()->decls())
    Walk.TraverseDecl(D);
  return Found;
}

const FunctionDecl *mep::patternOf(const FunctionDecl *Kernel) {
  const FunctionDecl *Pattern = Kernel->getTemplateInstantiationPattern();
  if (!Pattern)
    Pattern = Kernel;
  if (const FunctionDecl *Definition = Pattern->getDefinition())
    return Definition;
  return Pattern;
}

SourceSpan mep::definitionSpan(const ParsedUnit &Unit,
                               const FunctionDecl &Kernel) {
  clang::SourceManager &Sources = Unit.sources();
  clang::SourceLocation Begin = Kernel.getBeginLoc();
  if (const auto *Template = Kernel.getDescribedFunctionTemplate())
    Begin = Template->getBeginLoc();
  else if (const auto *Linkage = llvm::dyn_cast<clang::LinkageSpecDecl>(
               Kernel.getLexicalDeclContext()))
    if (!Linkage->hasBraces())
      Begin = Linkage->getBeginLoc();
  // An attribute before the type (`__global__`) is not part of the
  // declaration's range.
  auto [File, Offset] = Sources.getDecomposedExpansionLoc(Begin);
  for (const clang::Attr *A : Kernel.attrs()) {
    if (A->isImplicit() || A->getLocation().isInvalid())
      continue;
    auto [AttrFile, AttrOffset] =
        Sources.getDecomposedExpansionLoc(A->getLocation());
    if (AttrFile == File && AttrOffset < Offset) {
      Offset = AttrOffset;
      Begin = A->getLocation();
    }
  }
  SourceSpan First = Unit.span(Begin);
  SourceSpan Whole = Unit.span(Kernel.getSourceRange());
  if (!First.valid() || !Whole.valid() || First.File != Whole.File)
    return Whole;
  First.End = Whole.End;
  // `__attribute__((global))` spelled out: the attribute's own location is
  // inside the parentheses.
  llvm::StringRef Before = Unit.fileText(First.File).take_front(First.Begin);
  if (Before.ends_with("__attribute__((")) {
    First.Begin -= 15;
    First.Column -= 15;
  }
  return First;
}

std::string mep::deviceSymbol(const ParsedUnit &Unit,
                              const FunctionDecl &Kernel) {
  clang::ASTContext &Context = Unit.context();
  std::unique_ptr<clang::MangleContext> Mangler(
      clang::ItaniumMangleContext::create(Context, Context.getDiagnostics()));
  if (!Mangler->shouldMangleDeclName(&Kernel))
    return Kernel.getNameAsString();
  std::string Symbol;
  llvm::raw_string_ostream OS(Symbol);
  Mangler->mangleName(
      clang::GlobalDecl(&Kernel, clang::KernelReferenceKind::Kernel), OS);
  return Symbol;
}

std::string mep::templateArguments(const ParsedUnit &Unit,
                                   const FunctionDecl &Kernel) {
  const auto *Arguments = Kernel.getTemplateSpecializationArgs();
  if (!Arguments)
    return {};
  clang::PrintingPolicy Policy(Unit.language());
  Policy.SuppressTagKeyword = true;
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  auto Print = [&](const clang::TemplateArgument &A) {
    if (!Text.empty())
      OS << ", ";
    A.print(Policy, OS, /*IncludeType=*/true);
  };
  for (const clang::TemplateArgument &A : Arguments->asArray()) {
    if (A.getKind() == clang::TemplateArgument::Pack)
      for (const clang::TemplateArgument &Element : A.pack_elements())
        Print(Element);
    else
      Print(A);
  }
  return Text;
}

Heat mep::guessHeat(const FunctionDecl &Kernel, bool LaunchedInLoop) {
  HeatMeter Meter;
  Meter.TraverseStmt(Kernel.getBody());
  Heat H;
  H.Value = Meter.Value * (LaunchedInLoop ? 10 : 1);
  H.Reason = "loop depth " + std::to_string(Meter.Deepest) + ", " +
             std::to_string(Meter.Accesses) + " memory accesses";
  if (LaunchedInLoop)
    H.Reason += ", launched in a loop";
  return H;
}
