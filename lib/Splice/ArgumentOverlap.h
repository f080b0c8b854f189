/// \file
/// Pointer arguments that overlap in one launch and not in another: a new text
/// proven on separate buffers (`__restrict__`, sums kept in registers) is wrong
/// where the application updates a buffer in place.

#ifndef MEP_LIB_SPLICE_ARGUMENTOVERLAP_H
#define MEP_LIB_SPLICE_ARGUMENTOVERLAP_H

#include "mep/Model/KernelSite.h"

namespace mep {
class ParsedUnit;

/// Empty if \p Launch gives the kernel pointers that overlap as those of the
/// measured launch (the first) do, through the callers of its function in
/// \p Host too; else the reason. Judged by the words of the arguments: two that
/// share a variable may overlap.
std::string overlapsOtherwise(const ParsedUnit &Host, const KernelSite &Site,
                              const LaunchSite &Launch);

} // namespace mep

#endif // MEP_LIB_SPLICE_ARGUMENTOVERLAP_H
