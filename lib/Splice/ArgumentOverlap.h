/// \file
/// Pointer arguments that overlap in one launch and not in another: a new text
/// proven on separate buffers (`__restrict__`, sums kept in registers) is wrong
/// where the application updates a buffer in place.

#ifndef MEP_LIB_SPLICE_ARGUMENTOVERLAP_H
#define MEP_LIB_SPLICE_ARGUMENTOVERLAP_H

#include "mep/Model/KernelSite.h"

namespace mep {
class ParsedUnit;
struct LaunchIndex;

/// Empty if \p Launch gives the kernel pointers that overlap as those of the
/// measured launch (the first) do, through the callers of its function in
/// \p Host too; else the reason. Judged by what the arguments point into: two
/// that share a pointer variable, or a member of one, may overlap.
std::string overlapsOtherwise(const ParsedUnit &Host, const KernelSite &Site,
                              const LaunchSite &Launch,
                              const LaunchIndex &Index);

} // namespace mep

#endif // MEP_LIB_SPLICE_ARGUMENTOVERLAP_H
