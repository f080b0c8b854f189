/// \file
/// What the worker found: the last step of every request. Members, names and
/// units as in mep/Model/Result.h and mep/Model/Evaluation.h. Failures travel
/// inside the worker as the exceptions of this file.

#ifndef MEP_WORKER_ANSWER_H
#define MEP_WORKER_ANSWER_H

#include "TouchMap.h"
#include <array>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace mepworker {

/// The names of mep::Status that a worker gives.
namespace status {
constexpr const char *Rejected = "rejected";
constexpr const char *CompileError = "compile-error";
constexpr const char *CompileLimit = "compile-limit";
constexpr const char *ResourceLimit = "resource-limit";
constexpr const char *LaunchFailed = "launch-failed";
constexpr const char *Crashed = "crashed";
constexpr const char *TimedOut = "timed-out";
constexpr const char *Mismatch = "mismatch";
constexpr const char *InputChanged = "input-changed";
constexpr const char *OutOfBounds = "out-of-bounds";
constexpr const char *Nondeterministic = "nondeterministic";
constexpr const char *NotFinite = "not-finite";
constexpr const char *WritesNothing = "writes-nothing";
constexpr const char *SelfTest = "self-test";
constexpr const char *BelowFloor = "below-floor";
constexpr const char *Pruned = "pruned";
} // namespace status

/// One of several shapes that are timed. ns per launch, without the weight.
struct ShapeTimes {
  std::string Shape;
  double Weight = 0, TimeNs = 0, BaselineNs = 0;
  double Ratio = 0, Low = 0, High = 0; ///< Of a candidate.
  double FloorNs = 0;                  ///< Of a baseline.
  unsigned Batch = 1;
};

struct BaselineAnswer {
  double TimeNs = 0, Noise = 0;
  unsigned Samples = 0, Batch = 1;
  double FloorNs = 0;
  uint64_t CompulsoryBytes = 0;
  unsigned Registers = 0;
  uint64_t SharedBytes = 0, LocalBytes = 0;
  std::string Checksum, Compiler;
  std::vector<std::string> Shapes, DroppedShapes;
  std::vector<ShapeTimes> Launches; ///< Empty when one shape is timed.
};

struct EvaluationAnswer {
  std::string Candidate;
  std::map<std::string, int64_t> Tune;
  std::string Status = "rejected", Message;
  double TimeNs = 0, BaselineNs = 0, Ratio = 0, Low = 0, High = 0, Noise = 0;
  unsigned Samples = 0;
  double WorstError = 0, Tolerance = 0;
  unsigned Registers = 0;
  uint64_t SharedBytes = 0, LocalBytes = 0;
  double CompileMs = 0, OverheadMs = 0;
  std::vector<ShapeTimes> Launches; ///< Empty when one shape is timed.
  bool Fatal = false; ///< The device is lost; the worker must be replaced.
};

/// Members as in mep/Model/Probe.h.
struct ProbeAnswer {
  std::string Outcome, Message, Compiler;
  /// Where a run that was not finished ended.
  TouchPlace Place;
  std::vector<std::array<uint64_t, 3>> Grids; ///< Of the launches.
  uint64_t Blocks = 0, BlocksBegun = 0, Accesses = 0, Unseen = 0;
  double CompileMs = 0, RunMs = 0;
  struct Buffer {
    std::string Name;
    uint64_t Count = 0, ElementBytes = 1;
    RegionTouches Touched;
  };
  std::vector<Buffer> Buffers;
  struct Conflict {
    const char *Kind = ""; ///< `race`, `uninitialised`.
    std::string Memory;    ///< Name of a buffer; empty: shared memory.
    int64_t Element = 0;
    TouchPlace First, Second; ///< The first is Known of a race alone.
  };
  std::vector<Conflict> Conflicts;
};

/// The kernel under test did not get through: status and evidence.
struct Failure : std::runtime_error {
  Failure(const char *Status, const std::string &Message, bool Fatal = false)
      : std::runtime_error(Message), Status(Status), Fatal(Fatal) {}
  const char *Status;
  bool Fatal;
};

/// The request itself is wrong; names the member.
struct RequestError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The baseline cannot serve as one: status and evidence.
struct BaselineError : std::runtime_error {
  BaselineError(const char *Status, const std::string &Message,
                bool Fatal = false)
      : std::runtime_error(Message), Status(Status), Fatal(Fatal) {}
  const char *Status;
  bool Fatal;
};

/// The device or the toolkit fails by itself.
struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

} // namespace mepworker

#endif // MEP_WORKER_ANSWER_H
