/// \file
/// Takes the samples: baseline and candidate in pairs, in random order, each
/// pair on fresh data, each sample from poisoned outputs, some of them checked.

#ifndef MEP_WORKER_TIMING_H
#define MEP_WORKER_TIMING_H

#include "Verify.h"

namespace mepworker {

struct Samples {
  std::vector<double> Baseline, Candidate; ///< ns per launch of the plan.
};

struct TimedPair {
  ShapeData &Data;
  Binding &Baseline, &Candidate;
  const Expectation &Known;
  unsigned Batch = 1; ///< Launches inside one sample.
};

/// Launches in one sample so that it lasts \p TMinUs; a kernel that changes its
/// own inputs gets at most 64, because each launch goes on from the last one's
/// result.
unsigned batchFor(const ShapeSpec &Shape, double Ns, double TMinUs);

/// Adds up to \p Count pairs to \p Taken. Stops early when long samples agree,
/// and after \p MostSeconds, but then not before three are there. With
/// \p Checked a random pair has the candidate's outputs of the timed run
/// compared with the baseline's. Throws Failure.
void takePairs(Runner &Run, const TimedPair &Sides, unsigned Count,
               double MostSeconds, std::mt19937_64 &Random, Samples &Taken,
               WorstError &Worst, bool Checked = true);

/// A timed run of one launch on fresh data, compared with the baseline's, the
/// inputs too: what is right when checked must also be right when timed. It
/// counts as a pair when samples are of one launch and long.
void checkTimedRun(Runner &Run, const TimedPair &Sides, std::mt19937_64 &Random,
                   Samples &Taken, WorstError &Worst);

} // namespace mepworker

#endif // MEP_WORKER_TIMING_H
