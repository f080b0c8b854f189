/// \file
/// The order in which the combinations of a plan's tunables are measured. A
/// small space is measured whole; in a large one a few points that lie far
/// apart, then the neighbours of the best, until none is better.

#ifndef MEP_LIB_OPTIMIZE_SWEEP_H
#define MEP_LIB_OPTIMIZE_SWEEP_H

#include "mep/Model/Candidate.h"
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace mep {

using Tune = std::map<std::string, int64_t>;

class Sweep {
public:
  /// At most \p Limit combinations are given out. \p IsValid: whether a
  /// combination has a launch at all; those without are passed over.
  Sweep(const LaunchPlan &Plan, unsigned Limit,
        std::function<bool(const Tune &)> IsValid);

  /// The combinations to measure next; empty when it is over. All of the last
  /// batch's must have been told, or they count as failed.
  std::vector<Tune> next();
  /// \p Score: the higher the better; 0 for a failure.
  void tell(const Tune &Values, double Score);

private:
  using Point = std::vector<size_t>; ///< Per tunable, index of its value.

  size_t size() const;
  Tune tune(const Point &At) const;
  Point point(size_t Number) const;
  void add(const Point &At, std::vector<Tune> &Batch);
  std::vector<Tune> start();
  std::vector<Tune> neighbours(bool Pairs);

  std::vector<Tunable> Tunables;
  unsigned Left;
  std::function<bool(const Tune &)> IsValid;
  std::map<Point, double> Scores; ///< Of all given out or passed over.
  Point Best;
  double BestScore = 0;
  bool Started = false;
};

} // namespace mep

#endif // MEP_LIB_OPTIMIZE_SWEEP_H
