/// \file
/// The walk of one kernel through the stages, from its site to a winner.

#ifndef MEP_LIB_PIPELINE_KERNELWALK_H
#define MEP_LIB_PIPELINE_KERNELWALK_H

#include "Progress.h"
#include "UnitCache.h"
#include "mep/Model/Closure.h"
#include "mep/Model/Result.h"
#include "mep/Pipeline/Pipeline.h"
#include "mep/Support/Error.h"
#include <optional>

namespace mep {
/// What a kernel's walk leaves for Splice.
struct WalkedKernel {
  KernelResult Result;
  std::optional<Closure> Source;
  std::optional<Failure> NotSpliced; ///< Why a winner is in no patch.
};

/// Walks \p Site as far as \p Options say. The stage's product goes to \p Out
/// when it is the last one. Errors name the stage; Walked holds what was
/// reached.
llvm::Error walkKernel(const PipelineOptions &Options, const KernelSite &Site,
                       llvm::StringRef Folder, SharedState &Shared,
                       Progress &Log, llvm::raw_ostream &Out,
                       WalkedKernel &Walked);

} // namespace mep

#endif // MEP_LIB_PIPELINE_KERNELWALK_H
