/// \file
/// The launch expression behind a LaunchSite, whatever API it goes through.

#ifndef MEP_LIB_WORKLOAD_LAUNCHCALL_H
#define MEP_LIB_WORKLOAD_LAUNCHCALL_H

#include "HostIndex.h"
#include "mep/Model/KernelSite.h"
#include "llvm/Support/Error.h"

namespace mep {

struct LaunchCall {
  const CallPlace *Place = nullptr;
  const clang::FunctionDecl *Kernel = nullptr; ///< Host view, instantiated.
  std::vector<const clang::Expr *> Arguments;
  const clang::Expr *Grid = nullptr, *Block = nullptr;
  const clang::Expr *Shared = nullptr; ///< Null: none.
};

/// Finds launch \p Launch of \p Site. Errors: Workload when the launch is not
/// in the unit; Unsupported for launch functions whose arguments cannot be
/// followed.
llvm::Expected<LaunchCall> findLaunch(const ParsedUnit &Host,
                                      const HostIndex &Index,
                                      const KernelSite &Site, unsigned Launch);

} // namespace mep

#endif // MEP_LIB_WORKLOAD_LAUNCHCALL_H
