/// \file
/// Whether what index arrays are filled with are valid subscripts on every
/// shape, and whether only a run of the kernel can tell.

#ifndef MEP_LIB_WORKLOAD_INDEXCHECK_H
#define MEP_LIB_WORKLOAD_INDEXCHECK_H

#include "mep/Model/AccessModel.h"
#include "mep/Model/Workload.h"

namespace mep {

/// Index arrays of \p W that hold what the host code puts there, and whose
/// values are no valid subscripts on a launch of the application, get random
/// valid ones instead; where that is so on other shapes, no dimension is
/// varied. A note says so.
void checkIndexFills(Workload &W);

/// Why the base launch of \p W may leave its buffers: \p Accesses does not say
/// where all accesses go, or says that one goes outside. Empty: it stays
/// inside.
std::string needOfRun(const AccessModel &Accesses, const Workload &W);

} // namespace mep

#endif // MEP_LIB_WORKLOAD_INDEXCHECK_H
