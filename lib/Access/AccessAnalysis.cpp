/// \file
/// From a kernel of a parsed unit to its access model.

#include "mep/Access/AccessAnalysis.h"
#include "BodyWalk.h"
#include "Classify.h"
#include "SymbolicRanges.h"
#include "mep/Discovery/Discovery.h"
#include "mep/Frontend/ParsedUnit.h"

using namespace mep;

AccessModel mep::analyzeAccesses(const ParsedUnit &Device,
                                 const KernelSite &Site, unsigned Instantiation,
                                 const Closure &C) {
  AccessModel Model;
  Model.Kernel = Site.QualifiedName;
  for (const DimensionMacro &D : C.Dimensions)
    Model.Macros.emplace_back(D.Name, D.Value);
  const clang::FunctionDecl *Kernel = findKernel(Device, Site, Instantiation);
  if (!Kernel || !Kernel->hasBody(Kernel)) {
    Model.Unknown.push_back(
        {"the device view has no definition of '" + Site.Name + "'",
         Site.Definition.str()});
    return Model;
  }
  std::vector<std::string> Names;
  for (unsigned I = 0; I < Kernel->getNumParams(); ++I)
    Names.push_back(I < Site.Parameters.size() ? Site.Parameters[I].Name
                                               : "arg" + std::to_string(I));
  BodyWalk(Device, C, Model).kernel(Kernel, Names);
  classify(Model);
  findRanges(Model);
  return Model;
}
