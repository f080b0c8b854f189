/// \file
/// Decides whether a run computed what the baseline computes, and finds out how
/// exactly that can be asked.

#ifndef MEP_WORKER_VERIFY_H
#define MEP_WORKER_VERIFY_H

#include "Elements.h"
#include "Runner.h"

namespace mepworker {

/// Outputs are filled with one of these before a run. All ones is a NaN in
/// every floating format and -1 in every integer; the other differs in each
/// byte, so no written value can look unwritten under both.
constexpr uint8_t PoisonNaN = 0xFF, PoisonOther = 0x7B;

/// What is known of a shape's outputs: enough to judge another kernel's.
struct Expectation {
  std::vector<BufferTolerance> Allowed; ///< Per buffer.
  std::vector<bool> Reproducible;       ///< Bit for bit, per buffer.
  Contents Reference;                   ///< Of the first data, PoisonNaN.
  Fingerprint ReferencePrint;           ///< Of the same.
  uint64_t WrittenBytes = 0;
};

/// Runs the baseline on \p Data under different poisons and inputs moved by one
/// ulp. Outputs that are found to be read become inputs too. Throws
/// BaselineError when the baseline cannot be verified against.
Expectation studyBaseline(Runner &Run, ShapeData &Data, Binding &Baseline,
                          const Options &Settings);

/// The largest error seen so far, relative to what was allowed.
struct WorstError {
  double Error = 0, Tolerance = 0;
};

/// Throws Failure (mismatch) naming buffer, element, expected and got.
/// \p Which tells the run: `shape odd, seed 3`.
void checkOutputs(const ShapeSpec &Shape, const Expectation &Known,
                  const Contents &Expected, const Contents &Got, uint8_t Poison,
                  const std::string &Which, WorstError &Worst);

/// Runs \p Candidate and then the baseline on the data as it is turned, and
/// compares. In this order, so that the right answer is nowhere on the device
/// while the candidate runs. The outputs travel to the host only if they are
/// not the same bytes.
void compareRuns(Runner &Run, ShapeData &Data, Binding &Baseline,
                 Binding &Candidate, const Expectation &Known, uint8_t Poison,
                 const std::string &Which, WorstError &Worst);

/// Judges the candidate's outputs set aside against the baseline's in place.
void compareAside(const ShapeData &Data, const Binding &Baseline,
                  const Fingerprint &Candidate, const Expectation &Known,
                  uint8_t Poison, const std::string &Which, WorstError &Worst);

/// Two runs of \p Candidate on the first data against the kept reference and
/// against each other. Throws Failure.
void verifyOnReference(Runner &Run, ShapeData &Data, Binding &Candidate,
                       const Expectation &Known, const std::string &Which,
                       WorstError &Worst);

/// Throws Failure (nondeterministic) when two runs on the same data differ in a
/// buffer that the baseline reproduces bit for bit.
void checkReproducible(const ShapeSpec &Shape, const Expectation &Known,
                       const Contents &First, const Contents &Second,
                       const std::string &Which);

/// Of the outputs, as the generated program computes it.
std::string checksum(const ShapeSpec &Shape, const Contents &Outputs);

} // namespace mepworker

#endif // MEP_WORKER_VERIFY_H
