/// \file
/// Symbolic to numbers: shapes of a workload, launches of a plan.

#ifndef MEP_WORKLOAD_RESOLVE_H
#define MEP_WORKLOAD_RESOLVE_H

#include "mep/Model/Candidate.h"
#include "mep/Model/Workload.h"
#include "llvm/ADT/ArrayRef.h"
#include <map>

namespace mep {

/// All shapes of \p W in numbers, in W's order. Error (Workload) naming the
/// member whose expression is wrong, negative, zero where that is not allowed,
/// or too large.
llvm::Expected<std::vector<ResolvedShape>> resolveShapes(const Workload &W);

/// \p Plan with the tunables set to \p Tune for every shape of \p W. Shapes:
/// result[i] belongs to W.Shapes[i]. One Clang evaluation for all of them.
/// Error (Workload) naming the plan's field: unknown name, zero, negative or
/// overflowing geometry, division by zero.
llvm::Expected<std::vector<ResolvedPlan>>
resolvePlan(const Workload &W, const LaunchPlan &Plan,
            const std::map<std::string, int64_t> &Tune);

/// \p W with its free dimensions multiplied so that the buffers hold about
/// \p Factor times as many bytes, keeping their proportions; unchanged when it
/// has no free dimension or \p MaxBytes would be passed.
Workload scaledWorkload(const Workload &W, double Factor, uint64_t MaxBytes);

/// Bytes of device memory that a worker needs for \p Shapes at most: the
/// buffers and the copies of them that verification keeps.
uint64_t workerBytes(llvm::ArrayRef<ResolvedShape> Shapes);

/// \p W with its free dimensions made so much smaller, in proportion, that its
/// shapes need at most \p MaxBytes of a worker, and a note that says so;
/// unchanged when they do or when they cannot. Errors: as resolveShapes.
llvm::Expected<Workload> fittedWorkload(const Workload &W, uint64_t MaxBytes);

} // namespace mep

#endif // MEP_WORKLOAD_RESOLVE_H
