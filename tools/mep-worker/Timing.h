/// \file
/// Takes the samples: baseline and candidate in pairs, in random order, each
/// pair on fresh data, each sample from poisoned outputs, some of them checked.
/// Where several shapes are timed, a round takes a pair of each, and its sample
/// is the sum of their times by weight.

#ifndef MEP_WORKER_TIMING_H
#define MEP_WORKER_TIMING_H

#include "Verify.h"

namespace mepworker {

struct Samples {
  /// ns per launch of the plan; of several shapes, the sum of weight times
  /// that.
  std::vector<double> Baseline, Candidate;
  /// The same rounds shape by shape; empty when only one is timed.
  std::vector<Samples> OfShapes;
};

/// What one round measured on one shape.
struct PairTimes {
  double BaselineNs = 0, CandidateNs = 0;
  bool Counts = true; ///< Checks between the two did not disturb them.
};

struct TimedPair {
  ShapeData &Data;
  Binding &Baseline, &Candidate;
  const Expectation &Known;
  unsigned Batch = 1; ///< Launches inside one sample.
  double Weight = 1;
};
/// Of all shapes that are timed.
using TimedPairs = std::vector<TimedPair>;

/// Adds one round, \p Times for each of \p Weights, to \p Taken.
void addRound(const std::vector<double> &Weights,
              const std::vector<PairTimes> &Times, Samples &Taken);

/// Launches in one sample so that it lasts \p TMinUs; a kernel that changes its
/// own inputs gets at most 64, because each launch goes on from the last one's
/// result.
unsigned batchFor(const ShapeSpec &Shape, double Ns, double TMinUs);

/// Adds up to \p Count rounds to \p Taken. Stops early when long samples agree,
/// and after \p MostSeconds, but then not before three are there. With
/// \p Checked a random round has the candidate's outputs of the timed runs
/// compared with the baseline's. Throws Failure.
void takePairs(Runner &Run, const TimedPairs &Sides, unsigned Count,
               double MostSeconds, std::mt19937_64 &Random, Samples &Taken,
               WorstError &Worst, bool Checked = true);

/// A timed run of one launch on fresh data, compared with the baseline's, the
/// inputs too: what is right when checked must also be right when timed. It
/// counts as a round when samples are of one launch and long.
void checkTimedRun(Runner &Run, const TimedPairs &Sides,
                   std::mt19937_64 &Random, Samples &Taken, WorstError &Worst);

} // namespace mepworker

#endif // MEP_WORKER_TIMING_H
