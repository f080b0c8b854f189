/// \file
/// The calls that lead from main to a launch, through all units.

#ifndef MEP_LIB_WORKLOAD_LAUNCHWAYS_H
#define MEP_LIB_WORKLOAD_LAUNCHWAYS_H

#include "HostProgram.h"

namespace mep {

/// A place on a way: a call, and last the launch.
struct WayPlace {
  const ParsedUnit *Unit = nullptr;
  const HostIndex *Index = nullptr;
  Point At;
  bool IsRecursive = false; ///< Its function leads back to itself.
};

struct LaunchWay {
  std::vector<WayPlace> Places; ///< Outermost first.
  HostWay Way;                  ///< The calls between units.
  const Point &launch() const { return Places.back().At; }
};

struct LaunchWays {
  std::vector<LaunchWay> All; ///< The shortest first; one at least.
  bool IsCut = false;         ///< There are more.
  /// Functions on the way that units name which are not looked at, and how
  /// many.
  std::map<std::string, size_t> NotRead;
};

/// The ways from main to \p P of \p Program's unit, or from what nobody calls
/// where main does not lead there; \p Most of them. Of functions that call
/// themselves one round.
LaunchWays waysTo(HostProgram &Program, const CallPlace &P, unsigned Most);

} // namespace mep

#endif // MEP_LIB_WORKLOAD_LAUNCHWAYS_H
