/// \file
/// What a worker found out about one variant of one candidate. Failure is data.

#ifndef MEP_MODEL_EVALUATION_H
#define MEP_MODEL_EVALUATION_H

#include "mep/Support/Json.h"
#include <map>
#include <optional>
#include <string>

namespace mep {

/// In the order in which an evaluation can end. A baseline that is refused has
/// one of them too.
enum class Status {
  Rejected, ///< Admission: not allowed in a candidate.
  CompileError,
  CompileLimit,  ///< Compiling took too long or made too much.
  ResourceLimit, ///< More threads, registers or shared memory than there is.
  LaunchFailed,
  Crashed,
  TimedOut,
  Mismatch,
  InputChanged,
  OutOfBounds,
  Nondeterministic,
  NotFinite,     ///< Of a baseline: too many results are no numbers.
  WritesNothing, ///< Of a baseline: no output changes.
  SelfTest, ///< Of a baseline: it does not tell right from wrong, or slow from
            ///< fast.
  BelowFloor, ///< Faster than the bytes it must move allow.
  Pruned,     ///< Right on the base shape, behind the best: not judged further.
  Slower,     ///< Interval of the ratio below 1.
  Same,       ///< Interval includes 1 and is narrow.
  Undecided,  ///< Interval includes 1 and is wide.
  Faster      ///< Interval of the ratio above 1.
};

/// `rejected`, `compile-error`, … as in JSON and reports.
const char *name(Status S);
/// Nothing for an unknown name.
std::optional<Status> statusFromName(llvm::StringRef Name);
/// True for a variant that computed the right answer on every shape.
bool isCorrect(Status S);

/// One of several shapes that are timed, each a launch of the application. In
/// ns of one launch; sums and ratios of the whole count it \c Weight times.
struct LaunchTimes {
  std::string Shape;
  double Weight = 0, TimeNs = 0;
  double BaselineNs = 0;               ///< Of a candidate, measured beside it.
  double Ratio = 0, Low = 0, High = 0; ///< Of a candidate.
  double FloorNs = 0;                  ///< Of a baseline.
  unsigned Batch = 1;                  ///< Of a baseline.
};
Json toJson(const LaunchTimes &L);
/// Reads the member `launches` of \p R; none if it has none.
std::vector<LaunchTimes> readLaunches(JsonReader &R);

struct Evaluation {
  std::string Candidate; ///< Id.
  std::map<std::string, int64_t> Tune;
  Status Outcome = Status::Rejected;
  std::string Message;      ///< Evidence: diagnostic, first wrong element, ….
  double TimeNs = 0;        ///< Trimmed mean of the candidate; of several
                            ///< shapes, of the sums of weight times time.
  double BaselineNs = 0;    ///< Trimmed mean of the interleaved baseline.
  double Ratio = 0;         ///< Baseline over candidate.
  double Low = 0, High = 0; ///< 95 % bootstrap interval of Ratio.
  double Noise = 0;         ///< Relative standard deviation of the samples.
  unsigned Samples = 0;
  double WorstError = 0,
         Tolerance = 0; ///< Largest error over its tolerance's base.
  unsigned Registers = 0;
  uint64_t SharedBytes = 0, LocalBytes = 0;
  double CompileMs = 0, OverheadMs = 0; ///< Overhead: all but compile and
                                        ///< kernel time.
  std::vector<LaunchTimes> Launches;    ///< Empty when one shape is timed.
};

Json toJson(const Evaluation &E);
llvm::Expected<Evaluation> evaluationFromJson(const Json &Value,
                                              llvm::StringRef Where);

} // namespace mep

#endif // MEP_MODEL_EVALUATION_H
