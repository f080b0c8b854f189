/// \file
/// How often a launch runs on one way to it, and with which values: the host
/// code around it, gone through trip by trip.

#ifndef MEP_LIB_WORKLOAD_LAUNCHTRIPS_H
#define MEP_LIB_WORKLOAD_LAUNCHTRIPS_H

#include "LaunchCall.h"
#include "LaunchWays.h"

namespace mep {

/// So many sets of values of one launch on one way are launches of their own.
constexpr size_t MostTripSets = 8;

/// Runs of a launch with the same values.
struct TripSet {
  HostWay Way;
  double Runs = 1;    ///< 0: never, as the application is run.
  double Threads = 0; ///< 0: not known.
  std::string Trip;   ///< `trip 2 of the loop at …`; empty: no loop counts.
};

struct LaunchTrips {
  std::vector<TripSet> Sets; ///< In the order in which they run; one at least.
  /// Loops whose trips are not known; each counts once.
  std::vector<std::string> NotKnown;
  /// Why the number of runs may be another.
  std::vector<std::string> Uncertain;
  /// What stands for what; empty: every set of values is there.
  std::string LeftOut;
};

/// Loops, `if`, `switch`, `continue`, `break` and `return` around the launch
/// and around the calls that lead to it, as far as their values are known
/// without what the application reads. Loops of many trips whose values reach
/// the launch are looked at on the first, the middle and the last, weighted
/// 1:4:1 (Simpson's rule: exact where the time is a polynomial of degree 3 or
/// less of the trip). A condition that is not known counts as true, a way out
/// that is not known as not taken.
LaunchTrips launchTrips(HostProgram &Program, const DimensionTable &Dimensions,
                        const LaunchCall &Call, const LaunchWay &Way);

} // namespace mep

#endif // MEP_LIB_WORKLOAD_LAUNCHTRIPS_H
