/// \file
/// The launches of one kernel as the host view's AST has them.

#ifndef MEP_LIB_SPLICE_LAUNCHINDEX_H
#define MEP_LIB_SPLICE_LAUNCHINDEX_H

#include "mep/Model/KernelSite.h"
#include <map>
#include <string>

namespace clang {
class CUDAKernelCallExpr;
}

namespace mep {
class ParsedUnit;

struct LaunchIndex {
  /// By file and offset of the call.
  std::map<std::pair<std::string, unsigned>, clang::CUDAKernelCallExpr *> Calls;
  unsigned Uses = 0;              ///< Of the kernel's name, launches included.
  bool DeclaredElsewhere = false; ///< In a file other than its definition's.

  clang::CUDAKernelCallExpr *find(const LaunchSite &Launch) const;
};

LaunchIndex indexLaunches(const ParsedUnit &Host, const KernelSite &Site);

/// Where a launch stands, which decides what may take its place.
enum class LaunchContext {
  Block,     ///< A statement of a `{ ... }`.
  Statement, ///< The one statement of an `if`, a loop or a label.
  Expression ///< Part of a larger expression.
};

LaunchContext contextOf(const ParsedUnit &Host,
                        const clang::CUDAKernelCallExpr *Call);

} // namespace mep

#endif // MEP_LIB_SPLICE_LAUNCHINDEX_H
