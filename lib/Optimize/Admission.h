/// \file
/// The cheapest test of a candidate: what it may contain at all.

#ifndef MEP_LIB_OPTIMIZE_ADMISSION_H
#define MEP_LIB_OPTIMIZE_ADMISSION_H

#include "mep/Model/Candidate.h"
#include "mep/Model/Closure.h"
#include "mep/Model/Evaluation.h"
#include <optional>

namespace mep {

/// Parses \p C inside \p Source, whose kernel has \p Signature
/// (KernelView::signature). An Evaluation (CompileError, Rejected) with
/// the first reason when it must not be compiled any further: errors, a changed
/// signature of the main kernel, a new global that can be written, host code,
/// assembly, or what foreignText() finds. Nothing: it may go to the worker.
std::optional<Evaluation> admit(const Closure &Source,
                                llvm::StringRef Signature, const Candidate &C);

} // namespace mep

#endif // MEP_LIB_OPTIMIZE_ADMISSION_H
