/// \file
/// What a thread reads before it has written it.

#ifndef MEP_LIB_ACCESS_READORDER_H
#define MEP_LIB_ACCESS_READORDER_H

#include "Instances.h"
#include "Isl.h"
#include "mep/Model/AccessModel.h"
#include <optional>

namespace mep {

/// Whether some thread reads by one of \p Reads what it has not written before
/// by one of \p Writes; nothing when isl does not tell.
std::optional<bool> readsInput(isl::Context &Context, const AccessModel &Model,
                               const std::vector<AccessInstance> &Reads,
                               const std::vector<AccessInstance> &Writes);

} // namespace mep

#endif // MEP_LIB_ACCESS_READORDER_H
