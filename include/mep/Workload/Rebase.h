/// \file
/// Another of the application's launches as the base shape.

#ifndef MEP_WORKLOAD_REBASE_H
#define MEP_WORKLOAD_REBASE_H

#include "mep/Model/Workload.h"

namespace mep {

/// \p W with its shape \p Number, which is timed, as `base`, and what was the
/// base under the name that this had; so do their odd shapes, and the notes
/// about them, change names. Every shape keeps its numbers and its weight.
Workload rebasedWorkload(const Workload &W, size_t Number);

} // namespace mep

#endif // MEP_WORKLOAD_REBASE_H
