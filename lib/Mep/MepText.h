/// \file
/// The texts of a Minimal Executable Program, before they are written.

#ifndef MEP_LIB_MEP_MEPTEXT_H
#define MEP_LIB_MEP_MEPTEXT_H

#include "mep/Mep/MepWriter.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

namespace mep {

/// kernel.cu: \p Text with, under `#ifdef MEP_CPU`, the lines that a host
/// compiler needs otherwise. \p CpuHeaders: names of the toolkit headers that
/// the folder `cpu` stands in for.
std::string kernelFile(const std::string &Text,
                       const llvm::StringSet<> &CpuHeaders);

/// What the templates of main.cu, CMakeLists.txt and README.md are filled with.
llvm::json::Value templateData(const Closure &C, const Workload &W,
                               const std::vector<ResolvedShape> &Shapes,
                               const MepOptions &Options);

} // namespace mep

#endif // MEP_LIB_MEP_MEPTEXT_H
