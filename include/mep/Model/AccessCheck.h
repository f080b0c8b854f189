/// \file
/// The access model held against the probe: what analysis says of a launch and
/// what the same launch was seen to touch.

#ifndef MEP_MODEL_ACCESSCHECK_H
#define MEP_MODEL_ACCESSCHECK_H

#include "mep/Support/Json.h"
#include <string>
#include <vector>

namespace mep {

/// Reads and writes of a buffer are compared each by themselves.
struct AccessCheck {
  unsigned Exact = 0;  ///< Compared, and had to be the same elements.
  unsigned AtMost = 0; ///< Compared, and had to hold what was seen.
  unsigned Open = 0;   ///< The model does not know them all: no claim.
  std::vector<std::string> Differences; ///< One sentence each.
  std::string NotCompared;              ///< Why nothing was; empty otherwise.
  bool agrees() const { return NotCompared.empty() && Differences.empty(); }
};

Json toJson(const AccessCheck &Check);

} // namespace mep

#endif // MEP_MODEL_ACCESSCHECK_H
