/// \file
/// Fifth step of the walk: the Minimal Executable Program as a folder.

#ifndef MEP_MEP_MEPWRITER_H
#define MEP_MEP_MEPWRITER_H

#include "mep/Model/Closure.h"
#include "mep/Model/Workload.h"
#include "llvm/Support/Error.h"

namespace mep {

struct MepOptions {
  unsigned Repeat = 20;      ///< Timed samples.
  unsigned TrimPercent = 20; ///< Cut from each end before the mean.
  uint64_t Seed = 1;
};

/// Writes `kernel.cu main.cu workload.json CMakeLists.txt README.md` and the
/// runtime headers into \p Folder (made if missing). The program depends on
/// nothing of ours: `nvcc main.cu -o mep`, or as plain C++ through the headers,
/// `c++ -std=c++17 -O2 -x c++ main.cu -o mep`. Error (Output) names the file.
llvm::Error writeMep(const Closure &C, const Workload &W,
                     const std::vector<ResolvedShape> &Shapes,
                     const MepOptions &Options, llvm::StringRef Folder);

} // namespace mep

#endif // MEP_MEP_MEPWRITER_H
