/// \file
/// A proposed kernel: device text and a launch plan as data. Nobody's candidate
/// ever contains host code that runs.

#ifndef MEP_MODEL_CANDIDATE_H
#define MEP_MODEL_CANDIDATE_H

#include "mep/Model/Workload.h"
#include <map>
#include <string>
#include <vector>

namespace mep {

/// One launch. Expressions may use the workload's dimensions and scalar parts,
/// the plan's tunables, and `grid_x grid_y grid_z block_x block_y block_z
/// shared_bytes`, the original launch's values.
struct PlannedLaunch {
  std::string Kernel;                 ///< Name in the candidate's text.
  std::vector<std::string> Arguments; ///< Names of the original's parameters
                                      ///< and of scratch buffers; empty: the
                                      ///< original's list.
  std::array<std::string, 3> Grid{"grid_x", "grid_y", "grid_z"};
  std::array<std::string, 3> Block{"block_x", "block_y", "block_z"};
  std::string SharedBytes = "shared_bytes";

  bool sameGeometry() const; ///< As the original launch.
};

/// A device buffer that exists only for the launches of one plan. Its content
/// is undefined before the first.
struct ScratchBuffer {
  std::string Name, Type;
  std::string Bytes; ///< Expression.
};

/// A macro of the candidate's text that the worker sweeps.
struct Tunable {
  std::string Name;
  std::vector<int64_t> Values;
};

struct LaunchPlan {
  std::vector<PlannedLaunch> Launches; ///< Empty: the original launch.
  std::vector<ScratchBuffer> Scratch;
  std::vector<Tunable> Tunables;

  bool isOriginal() const; ///< One launch, geometry and arguments unchanged.
  std::vector<std::string> tunableNames() const;
};

Json toJson(const LaunchPlan &Plan);
llvm::Expected<LaunchPlan> launchPlanFromJson(const Json &Value,
                                              llvm::StringRef Where);

struct Candidate {
  std::string Id;       ///< Content hash of DeviceText and plan.
  std::string Parent;   ///< Id it was derived from; empty: the original.
  std::string Proposer; ///< `builtin`, …
  std::string Origin;   ///< Name of the file that it came in; may be empty.
  std::string Problem;  ///< Why the reply could not be understood; then there
                        ///< is no text.
  std::vector<std::string> Moves; ///< From the pattern vocabulary, in order.
  std::string Summary;            ///< One line for people.
  std::string DeviceText;         ///< Replaces the closure's kernel piece.
  LaunchPlan Plan;

  /// The moves, or where it came from.
  std::string changes(llvm::StringRef Separator) const;
};

Json toJson(const Candidate &C);
llvm::Expected<Candidate> candidateFromJson(const Json &Value,
                                            llvm::StringRef Where);

// ---- resolved: numbers only ------------------------------------------------

/// One launch of a plan for one shape, as the worker's `evaluate` takes it.
struct ResolvedLaunch {
  std::string Kernel;
  std::vector<std::string> Arguments; ///< Parameter and scratch names.
  ResolvedGeometry Geometry;
};
struct ResolvedPlan {
  std::vector<ResolvedLaunch> Launches;
  std::vector<std::pair<std::string, uint64_t>> Scratch; ///< Name, bytes.
};

Json toJson(const ResolvedPlan &Plan);

} // namespace mep

#endif // MEP_MODEL_CANDIDATE_H
