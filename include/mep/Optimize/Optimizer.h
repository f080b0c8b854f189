/// \file
/// Rounds of propose, evaluate, keep the best.

#ifndef MEP_OPTIMIZE_OPTIMIZER_H
#define MEP_OPTIMIZE_OPTIMIZER_H

#include "mep/Evaluate/Worker.h"
#include "mep/Optimize/Proposer.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <functional>

namespace mep {

/// Gives a worker of the CPU platform that answers probes.
using ProberSource = std::function<llvm::Expected<Worker *>()>;

struct OptimizeOptions {
  unsigned Rounds = 4;      ///< D
  unsigned Candidates = 12; ///< N, of each round
  unsigned Beam = 3;
  unsigned MaxVariants = 64; ///< Of one candidate's tunables.
  double StopAtFloor =
      0.9; ///< Stop when this fraction of the floor is reached.
  /// As the worker was prepared: trials that were measured otherwise are those
  /// of another session.
  EvaluateOptions Measure;
  /// For the sanitizer, which winners must pass; null: there is none.
  ProberSource Prober;
  /// Every right candidate must pass it, not only a winner.
  bool SanitizeAll = false;
};

/// Called after each evaluation; for the progress line.
using OptimizeProgress = llvm::function_ref<void(
    unsigned Round, const Candidate &, const Evaluation &)>;

/// Runs the search on a prepared worker. \p JournalPath: append-only journal of
/// this kernel's session; trials already in it are not measured again. Fills
/// Result.Trials, BestTrial, BestEvaluation and Outcome. On Ctrl-C what is
/// finished is kept and Error (Interrupted) comes back.
llvm::Error optimizeKernel(Worker &W, const Closure &C, const Workload &Data,
                           const Baseline &Base, Proposer &P,
                           const OptimizeOptions &Options,
                           llvm::StringRef JournalPath, KernelResult &Result,
                           OptimizeProgress Progress);

} // namespace mep

#endif // MEP_OPTIMIZE_OPTIMIZER_H
