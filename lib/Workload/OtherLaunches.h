/// \file
/// The ways that the host code takes to the launches of a kernel, beside the
/// one that its workload is made of.

#ifndef MEP_LIB_WORKLOAD_OTHERLAUNCHES_H
#define MEP_LIB_WORKLOAD_OTHERLAUNCHES_H

#include "HostProgram.h"
#include "LaunchCall.h"
#include "mep/Workload/WorkloadInference.h"

namespace mep {

/// One way to a launch.
struct LaunchPoint {
  unsigned Number = 0; ///< In the site's list.
  LaunchCall Call;
  Point At;
  bool IsOneOfSeveral = false; ///< Ways to this launch.
};

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

/// Makes the other ways to launches of the instantiation of \p First, in its
/// unit (\p Program's) and others, further shapes of \p W, which is First's.
void addOtherLaunches(const LaunchedKernel &Kernel, HostProgram &Program,
                      const LaunchPoint &First,
                      const DimensionTable &Dimensions, InferLaunch Infer,
                      Workload &W);

} // namespace mep

#endif // MEP_LIB_WORKLOAD_OTHERLAUNCHES_H
