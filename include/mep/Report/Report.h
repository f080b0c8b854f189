/// \file
/// The result for people and for scripts.

#ifndef MEP_REPORT_REPORT_H
#define MEP_REPORT_REPORT_H

#include "mep/Model/Result.h"
#include "llvm/Support/raw_ostream.h"

namespace mep {

/// `--list`: a line per kernel, hottest first: name, place, launches, why hot.
void printKernels(const std::vector<KernelSite> &Kernels,
                  llvm::raw_ostream &OS);

/// The short table at the end of a run: kernel, baseline, best, ratio with its
/// interval, fraction of the floor, what changed; and the reason where nothing
/// was won.
void printResult(const RunResult &Result, llvm::raw_ostream &OS);

/// `12.3 us`, `1.10 s`.
std::string formatTime(double Ns);

} // namespace mep

#endif // MEP_REPORT_REPORT_H
