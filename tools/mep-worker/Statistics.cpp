/// \file
/// From samples to a verdict: estimator, interval, decision.

#include "Statistics.h"
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <random>

using namespace mepworker;

namespace {
constexpr unsigned Resamples = 1000;
constexpr double NarrowWidth = 0.10;

/// How much wider than the normal distribution's Student's is at 97.5 %, for
/// \p Count samples, with the bias of a deviation taken from so few (Student
/// 1908; the table's values, and its asymptotic form beyond): resampling few
/// samples makes intervals that are too narrow by this.
double widening(size_t Count) {
  static constexpr double Quantiles[] = {12.706, 4.303, 3.182, 2.776, 2.571,
                                         2.447,  2.365, 2.306, 2.262};
  constexpr double Normal = 1.960;
  if (Count < 2)
    return 1;
  const double Freedom = double(Count - 1);
  const double Quantile =
      Count - 2 < std::size(Quantiles)
          ? Quantiles[Count - 2]
          : Normal * (1 + 1.21 / Freedom + 1.5 / (Freedom * Freedom));
  return Quantile / Normal * std::sqrt(double(Count) / Freedom);
}

double ratioOf(const std::vector<double> &Baseline,
               const std::vector<double> &Candidate, unsigned TrimPercent) {
  double Below = trimmedMean(Candidate, TrimPercent);
  return Below > 0 ? trimmedMean(Baseline, TrimPercent) / Below : 0;
}
} // namespace

double mepworker::trimmedMean(std::vector<double> Samples,
                              unsigned TrimPercent) {
  if (Samples.empty())
    return 0;
  std::sort(Samples.begin(), Samples.end());
  size_t Cut = Samples.size() * std::min(TrimPercent, 50u) / 100;
  if (2 * Cut >= Samples.size())
    Cut = (Samples.size() - 1) / 2;
  auto Begin = Samples.begin() + Cut, End = Samples.end() - Cut;
  return std::accumulate(Begin, End, 0.0) / double(End - Begin);
}

double mepworker::relativeDeviation(const std::vector<double> &Samples) {
  if (Samples.size() < 2)
    return 0;
  double Mean = std::accumulate(Samples.begin(), Samples.end(), 0.0) /
                double(Samples.size());
  double Squares = 0;
  for (double Sample : Samples)
    Squares += (Sample - Mean) * (Sample - Mean);
  return Mean > 0 ? std::sqrt(Squares / double(Samples.size() - 1)) / Mean : 0;
}

RatioInterval mepworker::ratioInterval(const std::vector<double> &Baseline,
                                       const std::vector<double> &Candidate,
                                       unsigned TrimPercent, uint64_t Seed) {
  RatioInterval Result;
  size_t Pairs = std::min(Baseline.size(), Candidate.size());
  if (Pairs == 0)
    return Result;
  Result.Ratio = ratioOf(Baseline, Candidate, TrimPercent);
  std::mt19937_64 Random(Seed);
  std::vector<double> Ratios, Left(Pairs), Right(Pairs);
  for (unsigned Round = 0; Round < Resamples; ++Round) {
    for (size_t I = 0; I < Pairs; ++I) {
      size_t Drawn = Random() % Pairs;
      Left[I] = Baseline[Drawn];
      Right[I] = Candidate[Drawn];
    }
    Ratios.push_back(ratioOf(Left, Right, TrimPercent));
  }
  std::sort(Ratios.begin(), Ratios.end());
  const double Low = std::min(Ratios[Resamples * 25 / 1000], Result.Ratio);
  const double High =
      std::max(Ratios[Resamples * 975 / 1000 - 1], Result.Ratio);
  Result.Low = Result.Ratio * std::pow(Low / Result.Ratio, widening(Pairs));
  Result.High = Result.Ratio * std::pow(High / Result.Ratio, widening(Pairs));
  return Result;
}

Verdict mepworker::judge(const RatioInterval &Interval, double LeastEffect) {
  if (Interval.Low > 1 + LeastEffect)
    return Verdict::Faster;
  if (Interval.High < 1 - LeastEffect)
    return Verdict::Slower;
  return Interval.High - Interval.Low <= NarrowWidth ? Verdict::Same
                                                     : Verdict::Undecided;
}

const char *mepworker::name(Verdict V) {
  static const char *const Names[] = {"slower", "same", "undecided", "faster"};
  return Names[unsigned(V)];
}
