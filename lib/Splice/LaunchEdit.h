/// \file
/// The launches in the application, when a plan differs from the original.

#ifndef MEP_LIB_SPLICE_LAUNCHEDIT_H
#define MEP_LIB_SPLICE_LAUNCHEDIT_H

#include "KernelEdit.h"
#include "LaunchIndex.h"
#include "mep/Model/Candidate.h"
#include "mep/Model/KernelSite.h"
#include "mep/Model/Patch.h"
#include <map>

namespace mep {
class ParsedUnit;

/// Empty if \p Launch can be rewritten and is what was measured (its launch is
/// like the first one's: same unit, instantiation, block and shared memory),
/// else the reason.
std::string whyNotEdited(const ParsedUnit &Host, const KernelSite &Site,
                         const LaunchSite &Launch, const LaunchIndex &Index);

/// One edit for each of \p Launches, to call \p Kernel by its name and where
/// its marker is defined. Errors (Unsupported, with the place): a name that the
/// host code lacks, side effects in an expression that is no statement.
llvm::Expected<std::vector<Edit>> editLaunches(
    const ParsedUnit &Host, const KernelSite &Site, const Workload &Data,
    const LaunchPlan &Plan, const std::map<std::string, int64_t> &Tune,
    const KernelEdit &Kernel, const std::vector<const LaunchSite *> &Launches,
    const LaunchIndex &Index);

} // namespace mep

#endif // MEP_LIB_SPLICE_LAUNCHEDIT_H
