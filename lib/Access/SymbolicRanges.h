/// \file
/// First and last element of each buffer as expressions over sizes and scalars.

#ifndef MEP_LIB_ACCESS_SYMBOLICRANGES_H
#define MEP_LIB_ACCESS_SYMBOLICRANGES_H

#include "mep/Model/AccessModel.h"

namespace mep {

/// Sets First, Last and RangeNote of every buffer of \p Model.
void findRanges(AccessModel &Model);

} // namespace mep

#endif // MEP_LIB_ACCESS_SYMBOLICRANGES_H
