/// \file
/// From found code to kernel and launch sites.

#include "mep/Discovery/Discovery.h"
#include "KernelFinder.h"
#include "KernelNames.h"
#include "LaunchSites.h"
#include "Ranking.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclTemplate.h"
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
  if (Kernel.hasBody()) {
    Site.Definition = definitionSpan(Unit, Kernel);
    Site.Body = Unit.span(Kernel.getBody()->getSourceRange());
  }
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
    Index[Kernel.Definition->getCanonicalDecl()] = Sites.size();
    Sites.push_back(makeSite(Host, *Kernel.Definition));
  }
  for (const FoundLaunch &Launch : Found.Launches) {
    const FunctionDecl *Pattern = patternOf(Launch.Kernel)->getCanonicalDecl();
    auto [It, New] = Index.try_emplace(Pattern, Sites.size());
    if (New) // Defined in another unit; selectKernels brings the two together.
      Sites.push_back(makeSite(Host, *Launch.Kernel));
    KernelSite &Site = Sites[It->second];
    LaunchSite L = makeLaunch(Host, Launch);
    L.Instantiation = instantiationIndex(Host, Site, *Launch.Kernel);
    Site.Launches.push_back(std::move(L));
  }
  for (const FoundKernel &Kernel : Found.Kernels) {
    KernelSite &Site = Sites[Index[Kernel.Definition->getCanonicalDecl()]];
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
    return nullptr;
  }
  return nullptr;
}
