/// \file
/// What host code fills memory with, element by element, as a fill rule.

#ifndef MEP_LIB_WORKLOAD_HOSTFILL_H
#define MEP_LIB_WORKLOAD_HOSTFILL_H

#include "HostValues.h"
#include "mep/Model/Workload.h"

namespace mep {

/// The rule of the assignments to elements of the variable that \p E points
/// with (`h[i] = rand() % n`), also in functions that are given it: a constant,
/// a range of random numbers, or the subscript itself. Rule is empty when there
/// are none, when they differ, or when one is not followed.
FillRule hostFill(HostValues &Values, const clang::Expr *E, const Point &P);

} // namespace mep

#endif // MEP_LIB_WORKLOAD_HOSTFILL_H
