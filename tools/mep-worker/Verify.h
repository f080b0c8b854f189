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
  /// Of the outputs on the first data, PoisonNaN. They themselves are kept
  /// nowhere: where they are wanted, the baseline makes them again.
  Fingerprint ReferencePrint;
  /// Scales of a Comparison with the reference, per buffer, where known.
  std::vector<std::vector<double>> Scales;
  /// Of outputs whose elements hold addresses, which are others after a move.
  std::map<unsigned, ScalarHashes> ReferenceHashes;
  std::string Checksum; ///< Of the same, as the generated program computes it.
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

/// What is set aside, the outputs in place, and how they are to be compared.
struct TwoOutputs {
  const std::vector<void *> &Globals; ///< Of what made those in place.
  std::vector<bool> Same;             ///< Buffers that are known to be equal.
  uint8_t Poison = PoisonNaN;
  /// Tells the run: `shape odd, seed 3`.
  std::string Which;
  bool AsideIsExpected = false; ///< Else what is in place is.
  bool IsReference = false;     ///< What is expected.
  /// If given, gets hashes of what is judged, for buffers that are not Same.
  std::map<unsigned, ScalarHashes> *Hashes = nullptr;
};

/// Compares them buffer by buffer and piece by piece. Throws Failure (mismatch)
/// naming buffer, element, expected and got.
void checkOutputs(const ShapeData &Data, const Expectation &Known,
                  const TwoOutputs &Both, WorstError &Worst);

/// Runs the baseline on the first data: the reference is in place. Returns the
/// buffers that it was thought to reproduce and that are not what they were.
std::vector<unsigned> runReference(Runner &Run, ShapeData &Data,
                                   Binding &Baseline, const Expectation &Known);

/// Runs \p Candidate and then the baseline on the data as it is turned, and
/// compares. In this order, so that the right answer is nowhere on the device
/// while the candidate runs. The outputs travel to the host, in pieces, only if
/// they are not the same bytes.
void compareRuns(Runner &Run, ShapeData &Data, Binding &Baseline,
                 Binding &Candidate, const Expectation &Known, uint8_t Poison,
                 const std::string &Which, WorstError &Worst);

/// Judges the candidate's outputs set aside against the baseline's in place,
/// and forgets them.
void compareAside(ShapeData &Data, const Binding &Baseline,
                  const Fingerprint &Candidate, const Expectation &Known,
                  uint8_t Poison, const std::string &Which, WorstError &Worst);

/// Two runs of \p Candidate on the first data, the second on scratch memory as
/// the first left it, against the reference and against each other. Neither the
/// reference nor an earlier answer is on the device while it runs. Throws
/// Failure (mismatch; nondeterministic when the runs differ in a buffer that
/// the baseline reproduces bit for bit).
void verifyOnReference(Runner &Run, ShapeData &Data, Binding &Baseline,
                       Binding &Candidate, const Expectation &Known,
                       const std::string &Which, WorstError &Worst);

} // namespace mepworker

#endif // MEP_WORKER_VERIFY_H
