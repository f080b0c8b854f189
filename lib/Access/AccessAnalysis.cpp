/// \file
/// From a kernel of a parsed unit to its access model.

#include "mep/Access/AccessAnalysis.h"
#include "BodyWalk.h"
#include "Classify.h"
#include "SymbolicRanges.h"
#include "mep/Discovery/Discovery.h"
#include "mep/Frontend/ParsedUnit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace mep;
using llvm::StringRef;

/// True if a condition of the preprocessor in \p C asks for a dimension:
/// another value would choose other text. (A closure's own `#ifndef N` only
/// lets the command line give N.)
static bool decidesText(const Closure &C) {
  llvm::SmallVector<StringRef> Lines;
  StringRef(C.Text).split(Lines, '\n');
  return llvm::any_of(Lines, [&](StringRef Line) {
    Line = Line.trim();
    if (!Line.consume_front("#"))
      return false;
    Line = Line.ltrim();
    bool Asks = Line.consume_front("if ") || Line.consume_front("if(") ||
                Line.consume_front("elif ") || Line.consume_front("elif(");
    return Asks && llvm::any_of(C.Dimensions, [&](const DimensionMacro &D) {
             return Line.contains(D.Name);
           });
  });
}

AccessModel mep::analyzeAccesses(const ParsedUnit &Device,
                                 const KernelSite &Site, unsigned Instantiation,
                                 const Closure &C) {
  AccessModel Model;
  Model.Kernel = Site.QualifiedName;
  for (const DimensionMacro &D : C.Dimensions)
    Model.Macros.emplace_back(D.Name, D.Value);
  Model.HoldsForMacros = decidesText(C);
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
