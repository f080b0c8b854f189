/// \file
/// What a kernel was seen to read and write when it ran once on recorded
/// memory: the probe's part of the workload, and a check of what analysis says.

#ifndef MEP_MODEL_PROBE_H
#define MEP_MODEL_PROBE_H

#include "mep/Support/Json.h"
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mep {

/// Distinct elements of one kind of touch. First and Last are inclusive, mean
/// something only when Elements is not zero, and may lie outside the buffer.
struct ProbedElements {
  uint64_t Elements = 0, Bytes = 0;
  int64_t First = 0, Last = -1;
};

/// One access, with the block and thread (x, y, z) that made it.
struct TouchPlace {
  bool Write = false;
  int64_t Element = 0; ///< Of an access to a buffer; may be negative.
  std::array<int64_t, 3> Block{0, 0, 0}, Thread{0, 0, 0};
  unsigned Launch = 0; ///< Of a plan of several.
  /// `writes element 1024 of 'x' in block (4, 0, 0), thread (0, 0, 0)`
  std::string str(llvm::StringRef Buffer) const;
};

struct ProbedBuffer {
  std::string Name;
  uint64_t Count = 0; ///< Elements as given; 0: not known, all is inside.
  uint64_t ElementBytes = 1;
  ProbedElements Reads, Writes;
  /// Read while nothing had been written there: what comes from before the
  /// launch.
  ProbedElements ReadFirst;
  uint64_t OutsideBytes = 0; ///< Distinct bytes touched outside the buffer.
  std::optional<TouchPlace> Outside; ///< The first such access.
  /// Largest power of two, up to 4096, that divides the distance in bytes of
  /// every access from the buffer's start; 0 when there was none.
  unsigned Alignment = 0;
  unsigned Widest = 0; ///< Bytes of the widest access.

  bool isTouched() const { return Reads.Elements || Writes.Elements; }
  /// One past the last element touched; 0 when none was.
  uint64_t end() const;
};

/// Accesses whose order nothing fixes, or of what nobody wrote and the results
/// depend on.
struct ProbedHazard {
  enum Kind { Race, Uninitialised } How = Race;
  std::string Buffer;  ///< Empty: shared memory.
  int64_t Element = 0; ///< Of the buffer.
  std::optional<TouchPlace> First, Second;
  /// In one line: what is done where, by whom.
  std::string str() const;
};

struct ProbeReport {
  /// How the run ended. All but Finished leave the rest incomplete: what was
  /// seen happened, what was not seen may happen later.
  enum Ending { Finished, Time, Memory, Wild, Crashed } Outcome = Finished;
  std::string Message;                       ///< Why it is not finished.
  std::map<std::string, int64_t> Dimensions; ///< Of the shape that ran.
  std::optional<TouchPlace> Place; ///< Where a wild or crashed run ended.
  uint64_t Blocks = 0, BlocksBegun = 0;
  uint64_t Accesses = 0;
  uint64_t Unseen = 0; ///< Pieces of memory touched by code that tells nothing.
  std::string Compiler;
  double CompileMs = 0, RunMs = 0;
  std::vector<ProbedBuffer> Buffers;
  std::vector<ProbedHazard> Hazards; ///< If they were asked for.

  bool isFinished() const { return Outcome == Finished; }
  const ProbedBuffer *find(llvm::StringRef Name) const;
  /// The first buffer touched outside its extent; null: none was.
  const ProbedBuffer *outside() const;
  /// What a reader should know of an ending other than Finished, in one line.
  std::string endingText() const;
};

const char *name(ProbeReport::Ending E);

Json toJson(const ProbeReport &R);
/// Errors name \p Where and the member.
llvm::Expected<ProbeReport> probeFromJson(const Json &Value,
                                          llvm::StringRef Where);

} // namespace mep

#endif // MEP_MODEL_PROBE_H
