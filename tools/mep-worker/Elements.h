/// \file
/// The scalars of a buffer's elements: compared under a tolerance, moved by one
/// ulp, counted. Plain host memory; part of Verify.

#ifndef MEP_WORKER_ELEMENTS_H
#define MEP_WORKER_ELEMENTS_H

#include "Request.h"
#include <string>
#include <vector>

namespace mepworker {

bool isFloating(mep_fill::Kind Kind);

/// What a buffer may differ by: |got - expected| <= Relative[c] * (|expected| +
/// scale) + Absolute, where c is the component and scale the root mean square
/// of the component's expected values. Integers must be equal.
struct BufferTolerance {
  std::vector<double> Relative; ///< One per component.
  double Absolute = 0;
};

struct Difference {
  uint64_t Wrong = 0; ///< Scalars outside the tolerance.
  std::string First;  ///< `C[5]: expected 1.5, got nan`.
  double Worst = 0;   ///< Largest error in units of (|expected| + scale), …
  unsigned WorstComponent = 0; ///< … by component, for the tolerance beside.
  std::vector<double> WorstOf; ///< The same per component.
};

/// Compares two contents of \p Buffer. NaN only equals NaN, an infinity only
/// the same infinity. A scalar that still has all bytes \p Poison in one
/// content must have them in the other: both sides or none wrote it.
Difference compare(const BufferSpec &Buffer,
                   const std::vector<uint8_t> &Expected,
                   const std::vector<uint8_t> &Got,
                   const BufferTolerance &Allowed, uint8_t Poison);

/// The scalar of kind \p K at \p From as a number.
double scalarValue(mep_fill::Kind K, const uint8_t *From);

/// Moves each floating scalar of \p Data up or down by one ulp, by a hash of
/// its number; zeros, infinities and NaNs stay.
void nudge(const BufferSpec &Buffer, std::vector<uint8_t> &Data);

struct Census {
  uint64_t Floats = 0, NotFinite = 0, FirstNotFinite = 0;
  uint64_t WrittenBytes = 0; ///< Of scalars that differ from \c Before.
};

/// Counts scalars of \p After; \p Before is its content before the launch.
/// Scalars that were not written count for nothing else.
Census count(const BufferSpec &Buffer, const std::vector<uint8_t> &Before,
             const std::vector<uint8_t> &After);

/// The tolerance of a floating kind from the baseline's answer to one-ulp
/// changes of its inputs and its own run-to-run spread (both as
/// Difference::Worst) and from the longest sum an output can be
/// (\p LongestInput elements): another order of summation moves a sum of k
/// terms by about sqrt(k) half-ulps. Never below the kind's floor, never above
/// its cap.
double measuredTolerance(mep_fill::Kind Kind, double UlpResponse, double Spread,
                         uint64_t LongestInput);
/// The largest tolerance that is ever granted without the user's word.
double toleranceCap(mep_fill::Kind Kind);

} // namespace mepworker

#endif // MEP_WORKER_ELEMENTS_H
