/// \file
/// Values for what is known only when the application runs.

#ifndef MEP_LIB_WORKLOAD_ASSUMPTIONS_H
#define MEP_LIB_WORKLOAD_ASSUMPTIONS_H

#include "WorkloadDraft.h"
#include "mep/Model/AccessModel.h"

namespace mep {

using AssumedValues = std::map<std::string, int64_t>;

/// Adds a value for each dimension of \p D that is used and missing: block
/// sizes 256 threads, other sizes 1024, which scaling grows until the kernel
/// runs long enough. False if nothing was missing.
bool assumeMissing(const WorkloadDraft &D, const DimensionTable &Dimensions,
                   AssumedValues &Assumed);

/// Notes in \p D the dimensions of what cannot be: an extent, grid or block of
/// 0 or less, a division by zero. \p Accesses: the kernel's, whose elements are
/// the extents that the host code does not tell.
void findSuspects(const AccessModel &Accesses, const TermValues &Values,
                  WorkloadDraft &D);

/// Adds to \p Nothing the variables of \p Dimensions without which \p D would
/// be possible: a size that is 0 until the application has read its input is
/// not known. True if there may be any, and another draft is needed to tell.
bool doubtNothing(const WorkloadDraft &D, const DimensionTable &Dimensions,
                  NothingValues &Nothing);

/// Takes out of \p D what was found but cannot be: an extent or a grid of 0, a
/// block of more than 1024 threads, a division by zero. It counts as missing
/// then.
void dropImpossible(WorkloadDraft &D, const TermValues &Values);

/// Halves the sizes in \p Assumed if the buffers of \p D, whose dimensions have
/// \p Values, take more than 256 MiB. False if they do not, or nothing can be
/// halved.
bool shrinkAssumed(const WorkloadDraft &D, const TermValues &Values,
                   AssumedValues &Assumed);

/// Fills what \p W still misses and is no size, scalar arguments and a launch,
/// where a plain value stands for many: 1, a block of 256 threads, as many
/// blocks as cover the largest buffer. Each becomes a note. \p D: the draft W
/// was made of.
void assumeRest(const WorkloadDraft &D, const TermValues &Values, Workload &W);

/// A note for every assumed dimension of \p Dimensions that \p W uses.
void noteAssumptions(const DimensionTable &Dimensions, Workload &W);

} // namespace mep

#endif // MEP_LIB_WORKLOAD_ASSUMPTIONS_H
