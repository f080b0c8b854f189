/// \file
/// Extents that the host code does not tell, and roles, from what the kernel
/// touches.

#ifndef MEP_LIB_WORKLOAD_ACCESSEXTENTS_H
#define MEP_LIB_WORKLOAD_ACCESSEXTENTS_H

#include "mep/Model/AccessModel.h"
#include "mep/Model/Workload.h"

namespace mep {

/// Gives each buffer of \p W whose extent \p IsUnknown the last element that \p
/// Model says may be touched, plus one, where the model has a bound in sizes
/// and scalars that \p W knows.
void takeExtents(const AccessModel &Model,
                 llvm::function_ref<bool(const Buffer &)> IsUnknown,
                 Workload &W);

/// The scalars of \p W that make the extent that takeExtents would give \p B 0
/// or less. \p ValueOf: the number a symbol of the model stands for, or null.
std::vector<std::string>
emptiedBy(const AccessModel &Model, const Buffer &B, const Workload &W,
          llvm::function_ref<Index(const IndexExpr &)> ValueOf);

/// Makes inputs of \p W that \p Model says are written updates: it sees writes
/// that the look at the kernel for fill rules does not.
void takeWrittenRoles(const AccessModel &Model, Workload &W);

} // namespace mep

#endif // MEP_LIB_WORKLOAD_ACCESSEXTENTS_H
