/// \file
/// Arithmetic of loops: how an expression grows with a counter, and how often a
/// condition holds.

#ifndef MEP_LIB_ACCESS_TRIPCOUNT_H
#define MEP_LIB_ACCESS_TRIPCOUNT_H

#include "mep/Model/IndexExpr.h"

namespace mep {

/// What \p E grows by when \p Name grows by one; null if that is not always the
/// same.
Index slope(const Index &E, llvm::StringRef Name);

/// In how many iterations, from the first on, \p Condition holds before it does
/// not; null when that has no formula. A loop that never ends has no count: the
/// formula only holds where the loop ends.
Index tripCount(const Index &Condition, llvm::StringRef Counter);

/// The difference of \p E and the symbol \p Name, in arithmetic modulo
/// 2^\p Bits; null when it depends on \p Name.
Index increaseOf(const Index &E, llvm::StringRef Name, unsigned Bits);

/// \p First after \p Count increases by \p Step. A step that is one of two is
/// chosen outside, where no product of two variables comes of it.
Index grown(const Index &First, const Index &Step, const Index &Count);

} // namespace mep

#endif // MEP_LIB_ACCESS_TRIPCOUNT_H
