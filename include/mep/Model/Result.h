/// \file
/// The end of one kernel's walk, and of a run: what result.json holds.

#ifndef MEP_MODEL_RESULT_H
#define MEP_MODEL_RESULT_H

#include "mep/Model/AccessCheck.h"
#include "mep/Model/Candidate.h"
#include "mep/Model/Closure.h"
#include "mep/Model/Device.h"
#include "mep/Model/Evaluation.h"
#include "mep/Model/KernelSite.h"
#include "mep/Model/Probe.h"
#include <optional>
#include <string>
#include <vector>

namespace mep {

/// The baseline as the worker measured it, with what its self-test found.
struct Baseline {
  double TimeNs = 0, Noise = 0;
  unsigned Samples = 0, Batch = 1; ///< Launches inside one timed sample.
  double FloorNs = 0; ///< Compulsory bytes over measured bandwidth.
  uint64_t CompulsoryBytes = 0;
  unsigned Registers = 0;
  uint64_t SharedBytes = 0, LocalBytes = 0;
  std::string Checksum;                   ///< Of the outputs of the base shape.
  std::vector<std::string> Shapes;        ///< Verified on these.
  std::vector<std::string> DroppedShapes; ///< `odd: writes past buffer C`.
  std::string Compiler; ///< `nvrtc`, `nvcc -cubin`, `clang++`.
  /// The shapes that are timed, if they are several: all numbers above are sums
  /// by their weights then, but for the registers and what follows them.
  std::vector<LaunchTimes> Launches;
  /// Of a launch, weights being how often each runs.
  double meanNs() const;
  /// Of one launch of each, whatever its weight.
  double roundNs() const;
};

/// A candidate with all that was measured of its variants.
struct Trial {
  Candidate Proposal;
  unsigned Round = 0;
  std::vector<Evaluation> Evaluations;
  const Evaluation *best() const; ///< Highest lower bound among the correct.
};

/// What a winner's run on recorded memory showed.
struct SanitizerReport {
  std::string Shape; ///< Empty: it was not run.
  std::string Text;  ///< What was looked at, or why it was not.
};

struct KernelResult {
  KernelSite Site;
  bool WholeUnit = false; ///< Its closure is the fallback, not the slice.
  Fidelity Proof;         ///< Of the closure that was used.
  std::optional<Workload> Data;
  /// Sizes that are larger than the application's, for the kernel to run for
  /// T_min: `'n' is 1048576 in place of 65536`; empty: none.
  std::string Grown;
  std::optional<ProbeReport> Probe;    ///< The workload's last one, if any.
  std::optional<AccessCheck> Accesses; ///< Present if the probe ran.
  std::optional<Baseline> Base;
  std::vector<Trial> Trials;
  int BestTrial = -1;      ///< Index of the winner; -1: none is faster.
  int BestEvaluation = -1; ///< In the winner's evaluations.
  std::optional<SanitizerReport> Sanitizer; ///< Of the winner.
  std::string Outcome; ///< One sentence: what was won, or why not.
  std::string Error;   ///< What ended its walk; empty if nothing did.
  std::string Stage;   ///< The last stage it went through, or failed in.
  /// Whether a winner could be put back: empty if not rehearsed, `ok`, or why
  /// not.
  std::string Rehearsal;
  std::string Folder; ///< The MEP.
  double Seconds = 0;
  const Trial *winner() const;
  const Evaluation *winning() const;
};

struct RunResult {
  static constexpr const char *Schema = "mep-result/1";
  std::string Version, CommandLine, Started;
  std::optional<Device> On;
  std::vector<KernelResult> Kernels;
  std::vector<std::string> Patches; ///< Files written.
  bool Interrupted = false;
};

Json toJson(const Baseline &B);
llvm::Expected<Baseline> baselineFromJson(const Json &Value,
                                          llvm::StringRef Where);
Json toJson(const KernelResult &R);
Json toJson(const RunResult &R);

} // namespace mep

#endif // MEP_MODEL_RESULT_H
