/// \file
/// What host code fills memory with, element by element, as a fill rule.

#ifndef MEP_LIB_WORKLOAD_HOSTFILL_H
#define MEP_LIB_WORKLOAD_HOSTFILL_H

#include "HostValues.h"
#include "mep/Model/Workload.h"

namespace mep {

/// What the memory that \p E points at holds when it is copied at \p P: the
/// numbers of an initialiser (`table`), else the rule of the assignments to its
/// elements (`h[i] = rand() % n`), also in functions that are given it and by
/// std::iota and its like: a constant, a range of random numbers, or a count by
/// the subscript. Rule is empty when there are none, when they differ, or when
/// one is not followed.
FillRule hostFill(HostValues &Values, const clang::Expr *E, const Point &P);

} // namespace mep

#endif // MEP_LIB_WORKLOAD_HOSTFILL_H
