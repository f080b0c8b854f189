/// \file
/// How often the host code runs a place: the weight of a launch beside others.

#ifndef MEP_LIB_WORKLOAD_LAUNCHCOUNT_H
#define MEP_LIB_WORKLOAD_LAUNCHCOUNT_H

#include "HostProgram.h"

namespace mep {

struct LaunchCount {
  double Runs = 1; ///< 0: never, as the application is run.
  /// What is not known of it, `the loop at file:line:column`; each such thing
  /// counts once.
  std::vector<std::string> NotKnown;
};

/// Trips of the loops around \p At and around the calls that lead there,
/// multiplied. 0 where a condition outside of all loops does not hold; one
/// inside a loop may hold for some of the trips, so that loop counts once.
/// Names in conditions and bounds have the values of \p Dimensions.
LaunchCount countRuns(HostProgram &Program, const DimensionTable &Dimensions,
                      const Point &At);

} // namespace mep

#endif // MEP_LIB_WORKLOAD_LAUNCHCOUNT_H
