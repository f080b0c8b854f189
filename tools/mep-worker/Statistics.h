/// \file
/// From samples to a verdict, on plain numbers. Used by Timing and by nobody
/// who holds a device.

#ifndef MEP_WORKER_STATISTICS_H
#define MEP_WORKER_STATISTICS_H

#include <cstdint>
#include <vector>

namespace mepworker {

/// Mean of the samples left after \p TrimPercent of them is cut from each end;
/// at least one stays. 0 for no samples.
double trimmedMean(std::vector<double> Samples, unsigned TrimPercent);

/// Standard deviation over mean, of all samples. 0 for less than two.
double relativeDeviation(const std::vector<double> &Samples);

/// Baseline over candidate, with a 95 % interval.
struct RatioInterval {
  double Ratio = 0, Low = 0, High = 0;
};

/// The ratio of trimmed means and its percentile bootstrap interval (Efron and
/// Tibshirani, An Introduction to the Bootstrap, ch. 13). Sample i of both
/// sides was taken together, so pairs are redrawn: what slows both sides down
/// at a time cancels out. The same \p Seed gives the same interval.
RatioInterval ratioInterval(const std::vector<double> &Baseline,
                            const std::vector<double> &Candidate,
                            unsigned TrimPercent, uint64_t Seed);

enum class Verdict { Slower, Same, Undecided, Faster };

/// A gain or loss below \p LeastEffect is never claimed, whatever the interval:
/// clocks drift by as much. `Same` needs an interval narrower than a tenth.
Verdict judge(const RatioInterval &Interval, double LeastEffect = 0.01);
const char *name(Verdict V);

} // namespace mepworker

#endif // MEP_WORKER_STATISTICS_H
