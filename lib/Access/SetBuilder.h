/// \file
/// From index arithmetic to isl: expressions over a list of dimensions as
/// piecewise affine functions, guards as sets.

#ifndef MEP_LIB_ACCESS_SETBUILDER_H
#define MEP_LIB_ACCESS_SETBUILDER_H

#include "Interval.h"
#include "Isl.h"

namespace mep {

class SetBuilder {
public:
  /// Dimensions are \p Names in order; \p Known bounds what intervals are made
  /// of and need not name all.
  SetBuilder(isl::Context &Context, std::vector<std::string> Names,
             const Ranges &Known);

  /// Null when \p E is not affine over the dimensions, or isl gives up.
  isl::PwAff affine(const Index &E) const;
  /// Where \p E holds (or, \p Negated, does not); \p IsExact becomes false, and
  /// the set larger than that, when a part of it is not affine.
  isl::Set holds(const Index &E, bool Negated, bool &IsExact) const;
  isl::Set universe() const;
  /// \p S with Low <= dimension <= High.
  isl::Set bounded(isl::Set S, unsigned Dimension, const Interval &I) const;
  const std::vector<std::string> &names() const { return Names; }

private:
  isl::PwAff constant(Wide N) const;
  isl::PwAff combined(const IndexExpr &E) const;
  isl::PwAff divided(const isl::PwAff &A, Wide By, bool Down,
                     const Interval &Range) const;
  isl::PwAff remainder(const isl::PwAff &A, Wide By, bool OfFloor,
                       const Interval &Range) const;
  isl::PwAff masked(const isl::PwAff &A, uint64_t Mask) const;
  isl::PwAff bitOperation(const IndexExpr &E) const;
  isl::PwAff wrapped(const IndexExpr &E) const;
  isl::PwAff selected(const IndexExpr &E) const;
  isl::Set compared(const IndexExpr &E, bool Negated, bool &IsExact) const;
  isl_local_space *localSpace() const;

  isl::Context &Context;
  std::vector<std::string> Names;
  const Ranges &Known;
};

} // namespace mep

#endif // MEP_LIB_ACCESS_SETBUILDER_H
