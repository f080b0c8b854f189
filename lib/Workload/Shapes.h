/// \file
/// The shapes a workload is verified on besides the application's.

#ifndef MEP_LIB_WORKLOAD_SHAPES_H
#define MEP_LIB_WORKLOAD_SHAPES_H

#include "mep/Model/Workload.h"
#include "llvm/ADT/StringRef.h"
#include <set>

namespace mep {

/// Fixes the dimensions that shapes must not vary: those that bound no buffer,
/// are small, size a block or, in \p DeviceText, a shared array. Returns those
/// that addShapes may make smaller all the same: they bound no buffer and are
/// fixed for that alone, but the grid's size and what the kernel is given
/// follow from them, so that less of the same buffers is worked on.
std::set<std::string> fixDimensions(Workload &W, llvm::StringRef DeviceText);

/// Makes `base`, `odd` (each free dimension an odd number of about a quarter,
/// all distinct), `square` (primes, equal where the application's are; only if
/// some are) and `small` (a quarter, in proportion); they vary those of \p
/// Shrinking, too. Shapes that do not resolve are left out; a note says when
/// only `base` is left, or when the others give the kernel the same work.
void addShapes(Workload &W, const std::set<std::string> &Shrinking = {});

/// Dimensions below this are radii, tile and channel counts rather than sizes.
constexpr int64_t SmallestSize = 16;

/// What the odd shape has of a dimension of \p Value at most.
int64_t oddLimit(int64_t Value);

/// Largest prime that is at most \p Limit and not in \p Taken; 2 at least.
int64_t primeBelow(int64_t Limit, const std::vector<int64_t> &Taken);

} // namespace mep

#endif // MEP_LIB_WORKLOAD_SHAPES_H
