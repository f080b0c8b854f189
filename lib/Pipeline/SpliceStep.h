/// \file
/// The last step over all kernels of a run: winners into one checked patch.

#ifndef MEP_LIB_PIPELINE_SPLICESTEP_H
#define MEP_LIB_PIPELINE_SPLICESTEP_H

#include "KernelWalk.h"

namespace mep {

/// Splices every winner of \p Kernels, one after another, each checked by
/// re-parsing the units it touches; one that cannot be spliced is left out and
/// its Result.Error says why. Then writes the patch as \p Options say: a diff
/// to \p Out and to the output folder, in place, or as YAML. \p Written gets
/// the paths. Error (Output) when something cannot be written.
llvm::Error spliceWinners(const PipelineOptions &Options,
                          std::vector<WalkedKernel> &Kernels, UnitCache &Units,
                          llvm::raw_ostream &Out, llvm::raw_ostream &Log,
                          std::vector<std::string> &Written);

/// Splices a copy of \p Kernel that differs by one comment, in memory, and
/// parses the units it touches; the diff goes to `rehearsal.patch` in
/// \p Folder. Gives `ok`, or why a winner could not be put back.
std::string rehearseSplice(const WalkedKernel &Kernel, UnitCache &Units,
                           llvm::StringRef Folder);

} // namespace mep

#endif // MEP_LIB_PIPELINE_SPLICESTEP_H
