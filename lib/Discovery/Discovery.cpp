/// \file
/// From found code to kernel and launch sites.

#include "mep/Discovery/Discovery.h"
#include "KernelFinder.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace mep;
using clang::FunctionDecl;

namespace {

KernelSite makeSite(const ParsedUnit &Unit, const FunctionDecl &Kernel) {
  KernelSite Site;
  Site.Name = Kernel.getNameAsString();
  Site.QualifiedName = Kernel.getQualifiedNameAsString();
  Site.Unit = Unit.command().File;
  Site.Definition = definitionSpan(Unit, Kernel);
  Site.Body = Unit.span(Kernel.getBody()->getSourceRange());
  Site.IsTemplate =
      Kernel.getDescribedFunctionTemplate() != nullptr || Kernel.isTemplated();
  clang::PrintingPolicy Policy(Unit.language());
  unsigned Index = 0;
  for (const clang::ParmVarDecl *P : Kernel.parameters()) {
    KernelParameter Parameter;
    Parameter.Name = P->getNameAsString();
    if (Parameter.Name.empty())
      Parameter.Name = "arg" + std::to_string(Index);
    Parameter.Type = P->getType().getAsString(Policy);
    Parameter.CanonicalType =
        P->getType().getCanonicalType().getAsString(Policy);
    Site.Parameters.push_back(std::move(Parameter));
    ++Index;
  }
  if (!Site.IsTemplate) {
    Site.MangledName = deviceSymbol(Unit, Kernel);
    Site.Instantiations.push_back({"", Site.MangledName});
  }
  return Site;
}

LaunchKind kindOf(const ParsedUnit &Unit, const FoundLaunch &Launch) {
  if (!llvm::isa<clang::CUDAKernelCallExpr>(Launch.Call))
    return LaunchKind::Api;
  if (Launch.InInstantiation)
    return LaunchKind::Templated;
  // Arguments of a macro stand as written; a launch whose `<<<` does not comes
  // from a macro's body.
  return Unit.text(Launch.Call->getSourceRange()).contains("<<<")
             ? LaunchKind::Triple
             : LaunchKind::Macro;
}

void setConfiguration(const ParsedUnit &Unit, const clang::CallExpr &From,
                      unsigned First, LaunchSite &Site) {
  SourceSpan *Spans[] = {&Site.Grid, &Site.Block, &Site.Shared, &Site.Stream};
  std::string *Texts[] = {&Site.GridText, &Site.BlockText, &Site.SharedText,
                          &Site.StreamText};
  for (unsigned I = 0; I < 4 && First + I < From.getNumArgs(); ++I) {
    const clang::Expr *E = From.getArg(First + I);
    if (llvm::isa<clang::CXXDefaultArgExpr>(E))
      continue;
    *Spans[I] = Unit.span(E->getSourceRange());
    *Texts[I] = Unit.text(*Spans[I]).str();
  }
}

LaunchSite makeLaunch(const ParsedUnit &Unit, const FoundLaunch &Launch) {
  LaunchSite Site;
  Site.Kind = kindOf(Unit, Launch);
  Site.Unit = Unit.command().File;
  Site.Call = Unit.span(Launch.Call->getSourceRange());
  Site.InLoop = Launch.InLoop;
  if (Launch.Enclosing)
    Site.Function = Launch.Enclosing->getQualifiedNameAsString();
  if (auto *Triple = llvm::dyn_cast<clang::CUDAKernelCallExpr>(Launch.Call)) {
    setConfiguration(Unit, *Triple->getConfig(), 0, Site);
    for (const clang::Expr *Argument : Triple->arguments())
      if (!llvm::isa<clang::CXXDefaultArgExpr>(Argument))
        Site.Arguments.push_back(Unit.text(Argument->getSourceRange()).str());
  } else {
    // cudaLaunchKernel(kernel, grid, block, arguments, shared, stream).
    setConfiguration(Unit, *Launch.Call, 1, Site);
    Site.Shared = Site.Stream = {};
    Site.SharedText.clear();
    Site.StreamText.clear();
  }
  return Site;
}

/// Adds the launch's instantiation to the kernel's list if it is a new one.
unsigned instantiationIndex(const ParsedUnit &Unit, KernelSite &Site,
                            const FunctionDecl &Kernel) {
  if (!Site.IsTemplate)
    return 0;
  std::string Symbol = deviceSymbol(Unit, Kernel);
  for (unsigned I = 0; I < Site.Instantiations.size(); ++I)
    if (Site.Instantiations[I].MangledName == Symbol)
      return I;
  Site.Instantiations.push_back({templateArguments(Unit, Kernel), Symbol});
  if (Site.MangledName.empty())
    Site.MangledName = Symbol;
  return Site.Instantiations.size() - 1;
}

} // namespace

std::vector<KernelSite> mep::discoverKernels(const ParsedUnit &Host) {
  FoundCode Found = findCode(Host);
  std::vector<KernelSite> Sites;
  std::map<const FunctionDecl *, size_t> Index;
  for (const FoundKernel &Kernel : Found.Kernels) {
    Index[Kernel.Definition] = Sites.size();
    Sites.push_back(makeSite(Host, *Kernel.Definition));
  }
  for (const FoundLaunch &Launch : Found.Launches) {
    auto It = Index.find(patternOf(Launch.Kernel));
    if (It == Index.end())
      continue;
    KernelSite &Site = Sites[It->second];
    LaunchSite L = makeLaunch(Host, Launch);
    L.Instantiation = instantiationIndex(Host, Site, *Launch.Kernel);
    Site.Launches.push_back(std::move(L));
  }
  for (const FoundKernel &Kernel : Found.Kernels) {
    KernelSite &Site = Sites[Index[Kernel.Definition]];
    bool InLoop = llvm::any_of(Site.Launches,
                               [](const LaunchSite &L) { return L.InLoop; });
    Heat H = guessHeat(*Kernel.Definition, InLoop);
    Site.Rank = H.Value;
    Site.RankReason = H.Reason;
  }
  return Sites;
}

const FunctionDecl *mep::findKernel(const ParsedUnit &Unit,
                                    const KernelSite &Site,
                                    unsigned Instantiation) {
  for (const FoundKernel &Kernel : findCode(Unit).Kernels) {
    const FunctionDecl *F = Kernel.Definition;
    if (F->getQualifiedNameAsString() != Site.QualifiedName)
      continue;
    SourceSpan Place = definitionSpan(Unit, *F);
    if (Place.File != Site.Definition.File ||
        Place.Begin != Site.Definition.Begin)
      continue;
    const auto *Template = F->getDescribedFunctionTemplate();
    if (!Template || Instantiation >= Site.Instantiations.size())
      return F;
    for (const FunctionDecl *Specialisation : Template->specializations())
      if (deviceSymbol(Unit, *Specialisation) ==
          Site.Instantiations[Instantiation].MangledName)
        return Specialisation->getDefinition() ? Specialisation->getDefinition()
                                               : Specialisation;
    return F;
  }
  return nullptr;
}
