/// \file
/// Numbers that host loops compute one by one from their counters.

#ifndef MEP_LIB_WORKLOAD_HOSTTABLES_H
#define MEP_LIB_WORKLOAD_HOSTTABLES_H

#include "HostMemory.h"

namespace mep {

/// The integers that loops assign to the elements of \p M before it is copied
/// at \p Copied, `h[i] = i % 2 ? n / 2 + i / 2 : i / 2`: each assignment is
/// computed for every trip. Nothing where a number does not follow from the
/// counters and known values alone, or something else may change the memory.
std::optional<std::vector<double>>
computedNumbers(HostValues &Values, const HostMemory &M, const Point &Copied);

} // namespace mep

#endif // MEP_LIB_WORKLOAD_HOSTTABLES_H
