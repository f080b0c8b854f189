/// \file
/// The access model's part in the walk once a probe has run: the one is held
/// against the other.

#ifndef MEP_LIB_PIPELINE_ACCESSSTEP_H
#define MEP_LIB_PIPELINE_ACCESSSTEP_H

#include "mep/Model/AccessCheck.h"
#include "mep/Model/AccessModel.h"
#include "mep/Model/Probe.h"
#include "mep/Model/Workload.h"

namespace mep {

/// Compares \p Model with \p Seen at the shape of \p W that \p Seen ran with.
AccessCheck checkAccesses(const AccessModel &Model, Workload W,
                          const ProbeReport &Seen);

} // namespace mep

#endif // MEP_LIB_PIPELINE_ACCESSSTEP_H
