/// \file
/// What the tool asks of the worker, read and checked: the first step of every
/// request. All sizes are numbers; expressions ended in the tool.

#ifndef MEP_WORKER_REQUEST_H
#define MEP_WORKER_REQUEST_H

#include "Platform.h"
#include "mep_fill.h"
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace mepworker {

enum class Role { In, Out, InOut };

/// Pointers in the elements of a buffer: Count of them from byte Offset of each
/// element. Number k of the whole buffer points at ByteOffset + k * ByteStride
/// of Buffer.
struct ElementPointerSpec {
  uint64_t Offset = 0, Count = 1;
  std::string Buffer;
  uint64_t ByteOffset = 0, ByteStride = 0;
};

/// What every element of a buffer holds from byte Offset on.
struct ElementValueSpec {
  uint64_t Offset = 0;
  std::vector<uint8_t> Bytes;
};

struct BufferSpec {
  std::string Name;
  std::string Symbol; ///< Of a device global, else empty.
  uint64_t ElementBytes = 0, Count = 0;
  std::vector<mep_fill::Component> Components;
  Role Use = Role::InOut;
  bool KeepsInitializer = false; ///< A global that keeps its source's value.
  mep_fill::Rule Rule = mep_fill::Rule::Uniform;
  double Low = -1, High = 1;
  mep_fill::Counting Counts; ///< Of the rule `iota`.
  std::vector<double> Table; ///< Of the rule `table`.
  std::vector<ElementPointerSpec> Pointers;
  std::vector<ElementValueSpec> Values;

  uint64_t bytes() const { return ElementBytes * Count; }
  /// Valid as long as this is.
  mep_fill::Details details() const {
    return {Counts, Table.data(), Table.size()};
  }
  bool isInput() const { return Use != Role::Out; }
  bool isOutput() const { return Use != Role::In; }
};

/// A buffer's address inside an argument.
struct PointerSpec {
  uint64_t Offset = 0;
  std::string Buffer;
  uint64_t ByteOffset = 0;
};

struct ArgumentSpec {
  std::string Name;
  std::vector<uint8_t> Bytes;
  std::vector<PointerSpec> Pointers;
};

struct ShapeSpec {
  std::string Name;
  double Weight = 0; ///< Of its time in a sample; 0: only verified.
  std::vector<std::string> Defines;
  std::vector<BufferSpec> Buffers;
  std::vector<ArgumentSpec> Arguments;
  Geometry Launch;
};

struct Options {
  unsigned Repeat = 20;
  unsigned TrimPercent = 20;
  double TMinUs = 20, TMaxMs = 20000;
  uint64_t Seed = 1;
  double RelativeTolerance = 0, AbsoluteTolerance = 0; ///< 0: measured.
};

struct PrepareRequest {
  std::string Source;
  std::vector<std::string> Flags;
  std::string Kernel;
  bool NeedsFibers = true;
  std::vector<ShapeSpec> Shapes;
  Options Settings;
};

/// \c Arguments name parameters of the original and scratch buffers; empty
/// means the original's list.
struct PlannedLaunch {
  std::string Kernel;
  std::vector<std::string> Arguments;
  Geometry Shape;
};

struct Plan {
  std::vector<PlannedLaunch> Launches;
  std::vector<std::pair<std::string, uint64_t>> Scratch; ///< Name, bytes.
};

struct EvaluateRequest {
  std::string Candidate, Source;
  std::map<std::string, int64_t> Tune;
  bool NeedsFibers = true;
  std::vector<Plan> Plans; ///< One per prepared shape.
  /// A ratio already reached: a candidate that is clearly behind it is not
  /// judged to the end. 0: none.
  double Beat = 0;
  /// The original's own code and launch are measured too, not known to be the
  /// same: what shows that a measurement can be believed.
  bool IsControl = false;
};

/// One run that records every access. A buffer's count of 0: not known.
struct ProbeRequest {
  static constexpr size_t MostSeeds = 4;
  std::string Source;
  std::vector<std::string> Flags;
  std::string Kernel;
  bool NeedsFibers = true;
  ShapeSpec Shape;
  std::map<std::string, int64_t> Tune;
  Plan Launches; ///< Empty: the shape's launch.
  /// Races and reads of uninitialised memory are looked for too, on the first
  /// seed's data alone.
  bool Hazards = false;
  std::vector<uint64_t> Seeds{1}; ///< One run each; what they touch adds up.
  double Seconds = 2;             ///< Of processor time, each run.
  uint64_t MemoryBytes = uint64_t(1) << 30; ///< Touched at most, each run.
};

/// Variants that will probably be asked for next.
struct AnnouncedSource {
  std::string Source;
  bool NeedsFibers = true;
  std::vector<std::string> Kernels;
  std::vector<std::map<std::string, int64_t>> Tunes;
};
struct AnnounceRequest {
  std::vector<AnnouncedSource> Sources;
};

/// Whether and how a device source compiles; nothing is run.
struct CompileCheck {
  std::string Source;
  std::vector<std::string> Flags;
  std::string Kernel;
};

} // namespace mepworker

#endif // MEP_WORKER_REQUEST_H
