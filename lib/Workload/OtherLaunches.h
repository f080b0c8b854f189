/// \file
/// The ways that the host code takes to the launches of a kernel, and those
/// beside the one that its workload is made of.

#ifndef MEP_LIB_WORKLOAD_OTHERLAUNCHES_H
#define MEP_LIB_WORKLOAD_OTHERLAUNCHES_H

#include "LaunchTrips.h"
#include "mep/Workload/WorkloadInference.h"

namespace mep {

/// Runs of a launch with the same values, on one way to it.
struct LaunchPoint {
  unsigned Number = 0; ///< In the site's list.
  LaunchCall Call;
  Point At;
  HostWay Way;
  double Runs = 1, Threads = 0;
  std::vector<std::string> NotKnown, Uncertain; ///< As in LaunchTrips.
  std::string Place;
};

/// All of launch \p Number, found as \p Call; what is left out is added to \p
/// Notes. The first is the one to make a workload of: on the shortest way, of
/// the values that have most threads.
std::vector<LaunchPoint> launchPoints(HostProgram &Program,
                                      const KernelSite &Site, unsigned Number,
                                      const LaunchCall &Call,
                                      const DimensionTable &Dimensions,
                                      std::vector<std::string> &Notes);

struct LaunchedKernel {
  const KernelSite &Site;
  const InferenceOptions &Options;
  llvm::StringRef DeviceText; ///< Of the closure.
};

/// Infers one launch in the unit of the program; gives the table of its
/// dimensions and, if the workload is not whole, what is \p Missing.
using InferLaunch = llvm::function_ref<llvm::Expected<Workload>(
    HostProgram &Program, const LaunchPoint &Launch,
    std::optional<DimensionTable> &Dimensions, std::string &Missing)>;

/// Other launches of the instantiation that launch \p Number is of.
bool hasOtherLaunches(const KernelSite &Site, unsigned Number);

/// Makes \p Points but the first, and the launches elsewhere of their
/// instantiation, in their unit (\p Program's) and others, further shapes of \p
/// W, which is the first's.
void addOtherLaunches(const LaunchedKernel &Kernel, HostProgram &Program,
                      std::vector<LaunchPoint> Points,
                      const DimensionTable &Empty, InferLaunch Infer,
                      Workload &W);

} // namespace mep

#endif // MEP_LIB_WORKLOAD_OTHERLAUNCHES_H
