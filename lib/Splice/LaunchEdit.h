/// \file
/// The launches in the application, when a plan differs from the original.

#ifndef MEP_LIB_SPLICE_LAUNCHEDIT_H
#define MEP_LIB_SPLICE_LAUNCHEDIT_H

#include "mep/Model/Candidate.h"
#include "mep/Model/KernelSite.h"
#include "mep/Model/Patch.h"
#include <map>

namespace mep {
class ParsedUnit;

/// One edit for each launch of \p Site. \p LaunchName: what the kernel is
/// called now. Errors (Unsupported, with the place): a launch in another unit,
/// from a macro or an API call, in a template, with side effects in what would
/// be repeated; a plan with scratch buffers; a name that the host code lacks;
/// the kernel used other than by a launch.
llvm::Expected<std::vector<Edit>>
editLaunches(const ParsedUnit &Host, const KernelSite &Site,
             const Workload &Data, const LaunchPlan &Plan,
             const std::map<std::string, int64_t> &Tune,
             llvm::StringRef LaunchName);

} // namespace mep

#endif // MEP_LIB_SPLICE_LAUNCHEDIT_H
