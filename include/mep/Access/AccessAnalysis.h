/// \file
/// Between closure and workload: what the kernel touches, from its body.

#ifndef MEP_ACCESS_ACCESSANALYSIS_H
#define MEP_ACCESS_ACCESSANALYSIS_H

#include "mep/Model/AccessModel.h"
#include "mep/Model/Closure.h"
#include "mep/Model/KernelSite.h"

namespace mep {
class ParsedUnit;

/// The access model of one instantiation of \p Site, seen from \p Device (the
/// device view of its unit); \p C names the dimension macros. Never fails:
/// what cannot be followed is marked in the model, with its place.
AccessModel analyzeAccesses(const ParsedUnit &Device, const KernelSite &Site,
                            unsigned Instantiation, const Closure &C);

} // namespace mep

#endif // MEP_ACCESS_ACCESSANALYSIS_H
