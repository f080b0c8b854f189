/// \file
/// The scalars of a buffer's elements: compared under a tolerance, moved by one
/// ulp, counted. Contents come piece after piece, elements Begin to End in
/// plain host memory, because a whole one may be larger than that. Part of
/// Verify.

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

/// Compares two contents of a buffer. NaN only equals NaN, an infinity only the
/// same infinity. A scalar that still has all bytes \p Poison in one content
/// must have them in the other: both sides or none wrote it.
class Comparison {
public:
  Comparison(const BufferSpec &Buffer, BufferTolerance Allowed, uint8_t Poison);
  /// Whether all of the expected content must be given to addToScale first, or
  /// its scales, by component, are known from another comparison with it.
  bool needsScale() const;
  const std::vector<double> &scales();
  void setScales(std::vector<double> Known) { Scales = std::move(Known); }
  void addToScale(const uint8_t *Expected, uint64_t Begin, uint64_t End);
  void look(const uint8_t *Expected, const uint8_t *Got, uint64_t Begin,
            uint64_t End);
  Difference result() const;

  struct Sum {
    double Squares = 0, Counted = 0;
  };
  struct Found {
    uint64_t Wrong = 0;
    double Worst = 0;
    std::string First;
  };

private:
  const BufferSpec &Buffer;
  BufferTolerance Allowed;
  uint8_t Poison;
  uint64_t Block; ///< Elements that one thread looks at in one go.
  /// By component and block; where pieces are cut makes no difference to them.
  std::vector<std::vector<Sum>> Sums;
  std::vector<std::vector<Found>> Differences;
  std::vector<double> Scales; ///< By component, once all is known.
};

/// Compares two whole contents.
Difference compare(const BufferSpec &Buffer,
                   const std::vector<uint8_t> &Expected,
                   const std::vector<uint8_t> &Got,
                   const BufferTolerance &Allowed, uint8_t Poison);

/// Says of a content that is gone whether another is the same to a Comparison
/// that allows nothing: keyed hashes of its scalars, the same for all NaNs and
/// both zeros.
class ScalarHashes {
public:
  ScalarHashes(const BufferSpec &Buffer, uint8_t Poison, uint64_t Key);
  void add(const uint8_t *Content, uint64_t Begin, uint64_t End);
  /// Empty, or `among C[0] to C[262143]`.
  std::string difference(const ScalarHashes &Other) const;

private:
  const BufferSpec &Buffer;
  uint8_t Poison;
  uint64_t Key, Block;
  std::vector<uint64_t> Sums; ///< By block.
};

/// Moves each floating scalar of a piece up or down by one ulp, by a hash of
/// its number; zeros, infinities and NaNs stay.
void nudge(const BufferSpec &Buffer, uint8_t *Piece, uint64_t Begin,
           uint64_t End);

struct Census {
  uint64_t Floats = 0, NotFinite = 0;
  uint64_t FirstNotFinite = 0; ///< Element.
  uint64_t WrittenBytes = 0;   ///< Of scalars that differ from \c Before.
};

/// Adds the scalars of a piece of \p After to \p Seen; \p Before is its content
/// before the launch. Scalars that were not written count for nothing else.
void count(const BufferSpec &Buffer, const uint8_t *Before,
           const uint8_t *After, uint64_t Begin, uint64_t End, Census &Seen);

/// The written scalar of a buffer's first component that is largest in
/// magnitude.
struct LargestWritten {
  bool IsAny = false;
  uint64_t Element = 0;
  double Magnitude = -1;
};
void findLargest(const BufferSpec &Buffer, const uint8_t *Before,
                 const uint8_t *After, uint64_t Begin, uint64_t End,
                 LargestWritten &Seen);

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
