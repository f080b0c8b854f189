/// \file
/// The shapes a workload is verified on besides the application's.

#ifndef MEP_LIB_WORKLOAD_SHAPES_H
#define MEP_LIB_WORKLOAD_SHAPES_H

#include "mep/Model/Workload.h"
#include "llvm/ADT/StringRef.h"

namespace mep {

/// Fixes the dimensions that shapes must not vary: those that bound no buffer,
/// are small, size a block or, in \p DeviceText, a shared array.
void fixDimensions(Workload &W, llvm::StringRef DeviceText);

/// Makes `base`, `odd` (each free dimension an odd number of about a quarter,
/// all distinct), `square` (primes, equal where the application's are; only if
/// some are) and `small` (a quarter, in proportion). Shapes that do not resolve
/// are left out; a note says when only `base` is left.
void addShapes(Workload &W);

/// Largest prime that is at most \p Limit and not in \p Taken; 2 at least.
int64_t primeBelow(int64_t Limit, const std::vector<int64_t> &Taken);

} // namespace mep

#endif // MEP_LIB_WORKLOAD_SHAPES_H
