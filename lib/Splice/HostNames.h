/// \file
/// A plan's names in the words of one launch: parameters are that launch's
/// arguments, `grid_x` is a side of its grid, tunables are numbers.

#ifndef MEP_LIB_SPLICE_HOSTNAMES_H
#define MEP_LIB_SPLICE_HOSTNAMES_H

#include "mep/Model/Candidate.h"
#include "mep/Model/KernelSite.h"
#include <map>

namespace clang {
class CUDAKernelCallExpr;
}

namespace mep {
class ParsedUnit;

struct HostNames {
  std::map<std::string, std::string> Texts;
  std::vector<std::string> Arguments;      ///< Of the original launch.
  std::string Grid, Block, Shared, Stream; ///< Empty if absent.
  /// Declarations that evaluate once what the new launches say several times
  /// or elsewhere.
  std::vector<std::string> Locals;
};

/// The names at \p Launch. What has side effects or calls a function becomes a
/// local when \p Plan needs it more than once or in another place. Errors:
/// Unsupported with the place.
llvm::Expected<HostNames>
hostNames(const ParsedUnit &Host, const KernelSite &Site,
          const LaunchSite &Launch, clang::CUDAKernelCallExpr *Call,
          const LaunchPlan &Plan, const std::map<std::string, int64_t> &Tune);

/// \p Text, an expression of a plan, in the host's words. Error (Unsupported)
/// when it needs a value that has no name at the launch or another one there
/// than in the kernel.
llvm::Expected<std::string>
hostExpression(const ParsedUnit &Host, const KernelSite &Site,
               const LaunchSite &Launch, const Workload &Data,
               const HostNames &Names, llvm::StringRef Text);

} // namespace mep

#endif // MEP_LIB_SPLICE_HOSTNAMES_H
