/// \file
/// The stages in order: what `clang-mep-opt` does.

#ifndef MEP_PIPELINE_PIPELINE_H
#define MEP_PIPELINE_PIPELINE_H

#include "mep/Discovery/Discovery.h"
#include "mep/Evaluate/Worker.h"
#include "mep/Frontend/UnitCommand.h"
#include "mep/Optimize/Optimizer.h"
#include "llvm/Support/raw_ostream.h"

namespace mep {

/// In the order of the walk; each can be the last one.
enum class Stage {
  Discover,
  Closure,
  Access,
  Workload,
  Mep,
  Evaluate,
  Optimize,
  Splice
};

/// As `--stop-after` spells it.
const char *name(Stage S);

struct PipelineOptions {
  CommandOptions Commands;
  KernelFilter Filter;
  std::string ProfileFile; ///< `--profile`; empty: the static guess ranks.
  bool List = false;       ///< Print the kernels and stop.
  bool JsonOutput = false; ///< `--format=json` for what stdout gets.
  Stage StopAfter = Stage::Splice;
  std::string OutputFolder = "clang-mep-opt.out";
  std::string WorkloadFile;
  /// The application's command line after its name; nothing: not known.
  std::optional<std::vector<std::string>> Arguments;
  bool Assume = true; ///< Sizes that only a run would tell get a value of ours.
  WorkerOptions Worker;
  EvaluateOptions Evaluate;
  OptimizeOptions Optimize;
  std::string Proposer = "builtin";
  std::vector<std::string> Try; ///< `--try`: candidates in files instead.
  bool InPlace = false;         ///< `-i`
  std::string ExportFixes;
  bool CheckFidelity = true;
  bool RehearseSplice = false; ///< `--check-splice`
  bool Sanitize = true;        ///< Winners must pass the sanitizer.
  bool Probe = false;          ///< Run each kernel once to check its workload.
  unsigned Jobs = 1;           ///< Units parsed at a time.
  std::string Version, CommandLine; ///< For result.json.
};

/// Runs the walk over every selected kernel. \p Out gets the product of the
/// last stage (a list, texts, a diff), \p Log progress, warnings and the table.
/// A kernel that fails is reported and the next one is tried; the first such
/// failure is the returned error, after everything else is done and written.
llvm::Error runPipeline(const PipelineOptions &Options, llvm::raw_ostream &Out,
                        llvm::raw_ostream &Log);

} // namespace mep

#endif // MEP_PIPELINE_PIPELINE_H
