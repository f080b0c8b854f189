/// \file
/// Which of several ways the host code takes: on which trip each loop is, and
/// which call of another unit leads to a function.

#ifndef MEP_LIB_WORKLOAD_HOSTWAY_H
#define MEP_LIB_WORKLOAD_HOSTWAY_H

#include "HostFlow.h"
#include <map>

namespace mep {

/// The trip of a loop that is looked at.
struct LoopTrip {
  int64_t Number = 0; ///< From 0.
  int64_t Of = 0;     ///< Trips, if known.
  /// A trip in the middle or at the end is put by the loop's bounds, so that it
  /// stays there when these change.
  bool Follows = false;
  mutable bool IsAsked = false; ///< Some value depended on it.
};

/// A call in another unit.
struct RemoteCall {
  const ParsedUnit *Unit = nullptr;
  const HostIndex *Index = nullptr;
  const CallPlace *Call = nullptr;
  Point At;
};

/// Where it says nothing, values are those of the likeliest way.
struct HostWay {
  std::map<const clang::Stmt *, LoopTrip> Trips;
  std::map<const clang::Decl *, RemoteCall> Calls; ///< By the called function.

  /// Null: any.
  const LoopTrip *trip(const clang::Stmt *Loop) const {
    auto Found = Trips.find(Loop);
    if (Found == Trips.end())
      return nullptr;
    Found->second.IsAsked = true;
    return &Found->second;
  }
};

} // namespace mep

#endif // MEP_LIB_WORKLOAD_HOSTWAY_H
