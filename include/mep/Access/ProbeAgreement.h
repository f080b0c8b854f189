/// \file
/// Whether what the probe saw is what the access model says of the same launch.

#ifndef MEP_ACCESS_PROBEAGREEMENT_H
#define MEP_ACCESS_PROBEAGREEMENT_H

#include "mep/Access/AccessNumbers.h"
#include "mep/Model/AccessCheck.h"
#include "mep/Model/Probe.h"

namespace mep {

/// \p Said: what the model says of the launch that \p Seen reports; \p
/// KnowsAll: it has no unknown access, which may be one of any buffer. Elements
/// that are claimed exactly have to be those that were seen, unless the run was
/// cut short; elements that may be touched have to hold them, and so have those
/// that are read of a buffer that the kernel also writes, or that was not seen
/// to be read at all: a compiler may leave such reads out.
AccessCheck compareWithProbe(const std::vector<AccessedElements> &Said,
                             const ProbeReport &Seen, bool KnowsAll = true);

} // namespace mep

#endif // MEP_ACCESS_PROBEAGREEMENT_H
