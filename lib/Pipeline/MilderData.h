/// \file
/// Other values for a kernel that does not run on random ones: what analysis
/// does not see, a field that is an index or a length, shows only there.

#ifndef MEP_LIB_PIPELINE_MILDERDATA_H
#define MEP_LIB_PIPELINE_MILDERDATA_H

#include "mep/Model/Workload.h"

namespace mep {

/// Changes the fill rules of \p W that may be the reason why the baseline
/// failed with \p Problem: after wild accesses and endless loops integers
/// become 0 or 1, after results that are no numbers floats lie in [0.1, 1).
/// Adds a note. False if nothing is left to change.
bool takeMilderData(Workload &W, llvm::StringRef Problem);

} // namespace mep

#endif // MEP_LIB_PIPELINE_MILDERDATA_H
