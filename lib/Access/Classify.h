/// \file
/// Whether an access is affine once the launch's numbers are given.

#ifndef MEP_LIB_ACCESS_CLASSIFY_H
#define MEP_LIB_ACCESS_CLASSIFY_H

#include "mep/Model/AccessModel.h"

namespace mep {

/// Sets State, Reason and ThreadStride of every access of \p Model.
void classify(AccessModel &Model);

} // namespace mep

#endif // MEP_LIB_ACCESS_CLASSIFY_H
