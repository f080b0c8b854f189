/// \file
/// Assignments in host loops whose value follows from the element's number.

#ifndef MEP_LIB_WORKLOAD_HOSTCOUNTS_H
#define MEP_LIB_WORKLOAD_HOSTCOUNTS_H

#include "HostValues.h"
#include "mep/Model/Workload.h"

namespace mep {

/// \p D, which ran at \p At, as the rule `iota`: `h[i] = a * i + b`, also with
/// `% m`, of `i / k` and `i % k`, and under nested loops that go through all
/// elements (`h[i * m + j] = j`). No rule for anything else.
FillRule countedFill(const Definition &D, HostValues &Values, const Point &At);

/// \p D runs in a loop that gives its subscript, under a condition inside it
/// that is not known to hold: elements are left out.
bool isPartial(const Definition &D, HostValues &Values, const Point &At);

} // namespace mep

#endif // MEP_LIB_WORKLOAD_HOSTCOUNTS_H
