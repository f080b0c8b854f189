/// \file
/// Instances of accesses as isl sets.

#ifndef MEP_LIB_ACCESS_INSTANCESETS_H
#define MEP_LIB_ACCESS_INSTANCESETS_H

#include "Instances.h"
#include "SetBuilder.h"

namespace mep {

/// Names that vary in \p I, sorted.
std::vector<std::string> varying(const AccessInstance &I);

/// Where \p I happens, over \p B's dimensions; larger, and not \p IsExact, when
/// a guard is not affine.
isl::Set domainOf(const SetBuilder &B, const AccessInstance &I, bool &IsExact);

} // namespace mep

#endif // MEP_LIB_ACCESS_INSTANCESETS_H
