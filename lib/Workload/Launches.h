/// \file
/// Several launches of one kernel in one workload: each with numbers of its own
/// is a shape with a weight.
///
/// All launches share the structure of the first: which parameter points into
/// which buffer, and the expressions. A further launch is an assignment of
/// dimensions under which those expressions have its numbers. Where they
/// already do for some values of the dimensions (`n` is 4096 there), these are
/// the shape. Else what differs becomes a dimension:
/// - a whole number that the first launch has in its text (a flag, a block
///   size, an extent) is lifted into a dimension named after what it is;
/// - of an expression (`(n + 255) / 256` blocks, but one block there) and of a
///   floating number the shape gets its own value by a dimension that tells
///   the launches apart: `(which_launch == 1 ? 1 : (n + 255) / 256)`. So the
///   first launch, and the shapes made from it, keep following their sizes.
///
/// The alternative, a list of workloads, would say the same buffers, fills and
/// tolerances again for each launch, and every stage would have to agree on
/// which of them an edit is meant for.

#ifndef MEP_LIB_WORKLOAD_LAUNCHES_H
#define MEP_LIB_WORKLOAD_LAUNCHES_H

#include "mep/Model/Workload.h"
#include "llvm/ADT/StringRef.h"

namespace mep {

/// A launch that was inferred by itself.
struct LaunchData {
  Workload Data;
  double Runs = 1;                   ///< 0: never, as the application is run.
  std::vector<std::string> NotKnown; ///< Of Runs, as in LaunchTrips.
  std::string Place;
  std::vector<std::string> Uncertain; ///< Of Runs, as in LaunchTrips.
};

/// So many launches are timed, the first and those with most threads in all
/// their runs; so many more are verified.
constexpr unsigned MostTimedLaunches = 4, MostVerifiedLaunches = 4;

/// Makes the launches of \p Others shapes of \p First's workload, which is \p
/// W. Those that give the same numbers as one before (places in buffers may be
/// others that are aligned like them) add to its weight; what cannot be put
/// like the first is left out. Notes say all of it. \p DeviceText: of the
/// closure, whose names new dimensions avoid.
void addLaunches(Workload &W, const LaunchData &First,
                 std::vector<LaunchData> Others, llvm::StringRef DeviceText);

} // namespace mep

#endif // MEP_LIB_WORKLOAD_LAUNCHES_H
