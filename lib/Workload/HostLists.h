/// \file
/// Numbers that host code lists one by one: initialisers, and assignments to
/// single elements.

#ifndef MEP_LIB_WORKLOAD_HOSTLISTS_H
#define MEP_LIB_WORKLOAD_HOSTLISTS_H

#include "HostMemory.h"

namespace mep {

/// The scalars of \p M when it is copied at \p Copied, in the order they lie in
/// memory; nothing where one is not known, or something else may change them.
std::optional<std::vector<double>>
listedNumbers(HostValues &Values, const HostMemory &M, const Point &Copied);

} // namespace mep

#endif // MEP_LIB_WORKLOAD_HOSTLISTS_H
