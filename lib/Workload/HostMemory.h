/// \file
/// The host memory behind an expression that points at it.

#ifndef MEP_LIB_WORKLOAD_HOSTMEMORY_H
#define MEP_LIB_WORKLOAD_HOSTMEMORY_H

#include "HostValues.h"

namespace mep {

/// The variable or member that holds host memory or points at it first, as
/// seen from At. Null: not followed.
struct HostMemory {
  const clang::ValueDecl *Variable = nullptr;
  Point At;
  bool IsBegin = true; ///< What was asked for is its first byte.
  /// The scalar type of its elements; null when these are structures.
  clang::QualType Scalar;
};

/// What \p E points at: through `&h[0]`, `h.data()`, pointers that are set once
/// and parameters that the caller gives.
HostMemory hostMemory(HostValues &Values, const clang::Expr *E, const Point &P);

/// A call that is given memory where it may change it, and as which argument
/// (Definition::ThisArgument: it is a member function of the container).
struct MemoryUse {
  const clang::CallExpr *Call = nullptr;
  unsigned Argument = 0;
  bool IsBegin = true; ///< Its first byte is passed.
};

/// All of them in the function that \p Memory belongs to, in order; of a
/// variable of the whole unit, in all of its functions.
std::vector<MemoryUse> usesOf(const HostValues &Values,
                              const clang::ValueDecl *Memory);

} // namespace mep

#endif // MEP_LIB_WORKLOAD_HOSTMEMORY_H
