/// \file
/// Bounds of index arithmetic, for what isl would only find out at a price:
/// that nothing wraps around, and where a loop ends.

#ifndef MEP_LIB_ACCESS_INTERVAL_H
#define MEP_LIB_ACCESS_INTERVAL_H

#include "mep/Model/IndexExpr.h"
#include <map>

namespace mep {

using Wide = __int128;

/// [Low, High]; ends beyond the bounds below are infinite.
struct Interval {
  static constexpr Wide Infinite = Wide(1) << 100;
  Wide Low = -Infinite, High = Infinite;
  bool isPoint() const { return Low == High; }
  bool isBounded() const { return Low > -Infinite && High < Infinite; }
  bool contains(Wide N) const { return Low <= N && N <= High; }
};

/// What varies, by name.
using Ranges = std::map<std::string, Interval>;

/// Values \p E may have; symbols that \p Known lacks may have any.
Interval intervalOf(const Index &E, const Ranges &Known);

/// Values of an integer type of \p Bits.
Interval typeRange(unsigned Bits, bool IsSigned);

/// Tightens \p Known by the comparisons of \p Guard that are linear. Where
/// Converts stand in it the result holds only if nothing wraps around.
void tighten(const Index &Guard, Ranges &Known);

} // namespace mep

#endif // MEP_LIB_ACCESS_INTERVAL_H
