/// \file
/// The tool's side of a worker: start it, ask it, replace it when it dies.
/// The protocol is tools/mep-worker/README.md.

#ifndef MEP_EVALUATE_WORKER_H
#define MEP_EVALUATE_WORKER_H

#include "mep/Model/Candidate.h"
#include "mep/Model/Closure.h"
#include "mep/Model/Device.h"
#include "mep/Model/Evaluation.h"
#include "mep/Model/Probe.h"
#include "mep/Model/Result.h"
#include "mep/Model/Workload.h"
#include "mep/Support/Error.h"
#include <atomic>
#include <memory>

namespace mep {

struct WorkerOptions {
  std::string Command; ///< `--worker`; empty: the worker beside the tool.
  std::string Platform =
      "auto"; ///< `auto` (cuda if it works, else cpu), `cuda`, `cpu`.
  std::string ToolkitPath; ///< For `nvcc -cubin` and NVRTC.
  unsigned DeviceIndex = 0;
  double TimeoutS = 120; ///< Of one answer, three times as much for a prepare;
                         ///< then the worker is killed.
  bool OnlyProbes = false; ///< Starts faster, and answers probes alone.
};

struct EvaluateOptions {
  unsigned Repeat = 20;      ///< R: timed samples of each side.
  unsigned TrimPercent = 20; ///< k: cut from each end before the mean.
  double TMinUs = 20;        ///< Shorter kernels are batched in one sample.
  double TMaxMs = 20000;     ///< Limit of one evaluation's timed part.
  uint64_t Seed = 1;
  double RelativeTolerance = 0; ///< As in Workload; 0: measured.
  double AbsoluteTolerance = 0;
};

/// A baseline that cannot serve as one.
class BaselineRefused : public llvm::ErrorInfo<BaselineRefused, MepError> {
public:
  static char ID;
  BaselineRefused(Status Why, std::string Message)
      : ErrorInfo(Failure::Workload, std::move(Message)), Why(Why) {}
  Status Why;
};

/// Why \p E refuses a baseline; nothing if it is about something else. Does not
/// consume it.
std::optional<Status> refusalOf(const llvm::Error &E);

/// How far a probe may go.
struct ProbeLimits {
  double Seconds = 2;                       ///< Of processor time, each run.
  uint64_t MemoryBytes = uint64_t(1) << 30; ///< Touched, each run.
  std::vector<uint64_t> Seeds{1};           ///< One run each, at most four.
};

/// What a probe runs in place of the closure and the shape's own launch.
struct ProbedVariant {
  std::string Source; ///< The whole device source.
  ResolvedPlan Plan;
  std::map<std::string, int64_t> Tune;
};

/// Variants of one device source.
struct Announced {
  std::string Source;
  std::vector<std::string> Kernels; ///< As in ResolvedLaunch::Kernel.
  std::vector<std::map<std::string, int64_t>> Tunes;
};

/// One worker process, restarted on demand: after a crash or a hang the next
/// call starts a new one and prepares it again.
class Worker {
public:
  /// Starts the worker and shakes hands. Error (Toolchain): not found, no GPU,
  /// no toolkit, no compiler, too old; with what would help.
  static llvm::Expected<std::unique_ptr<Worker>> start(WorkerOptions Options);
  ~Worker();

  const Device &device() const;

  /// Loads closure and shapes, makes inputs and reference outputs, measures
  /// the baseline, runs the self-test. Error: the baseline does not compile,
  /// crashes, is not finite or not reproducible, …: a BaselineRefused says
  /// which.
  llvm::Expected<Baseline> prepare(const Closure &C,
                                   const std::vector<ResolvedShape> &Shapes,
                                   const EvaluateOptions &Options);

  /// Variants that will probably be evaluated next, in order; the worker may
  /// compile them beside its measurements. Replaces earlier ones. A dead worker
  /// forgets them: nothing else depends on them.
  void announce(const std::vector<Announced> &Variants);

  /// Evaluates one variant. \p Source is the whole device source, \p Plans one
  /// per prepared shape, \p Tune becomes `-D`. \p Beat: a ratio already
  /// reached; a variant clearly behind it ends as Pruned. 0: none. A dead or
  /// silent worker gives an Evaluation (Crashed, TimedOut), never an error;
  /// Error only when no worker can be started any more.
  llvm::Expected<Evaluation>
  evaluate(const Candidate &C, const std::string &Source,
           const std::vector<ResolvedPlan> &Plans,
           const std::map<std::string, int64_t> &Tune, double Beat = 0);

  /// Runs \p C once on \p Shape with every access recorded; buffers may have a
  /// Count of 0, not known. Only a worker of the CPU platform can. Error: the
  /// kernel does not compile there (Workload), the worker cannot be asked. How
  /// the run itself ends is in the report.
  llvm::Expected<ProbeReport> probe(const Closure &C,
                                    const ResolvedShape &Shape,
                                    const ProbeLimits &Limits);
  /// The same, for races and reads of uninitialised memory too. \p Variant: a
  /// candidate for \p C; null: \p C itself.
  llvm::Expected<ProbeReport> probeHazards(const Closure &C,
                                           const ResolvedShape &Shape,
                                           const ProbedVariant *Variant,
                                           const ProbeLimits &Limits);

  /// Set by Ctrl-C: a waiting call returns Error (Interrupted) at once.
  static std::atomic<bool> Interrupted;

private:
  struct State;
  llvm::Expected<ProbeReport> askProbe(Json Request,
                                       const ResolvedShape &Shape);
  explicit Worker(std::unique_ptr<State> S);
  std::unique_ptr<State> S;
};

} // namespace mep

#endif // MEP_EVALUATE_WORKER_H
