/// \file
/// The walk of one kernel through the stages, from its site to a winner.

#ifndef MEP_LIB_PIPELINE_KERNELWALK_H
#define MEP_LIB_PIPELINE_KERNELWALK_H

#include "Progress.h"
#include "mep/Model/Closure.h"
#include "mep/Model/Result.h"
#include "mep/Pipeline/Pipeline.h"
#include "mep/Support/Error.h"
#include <map>
#include <memory>

namespace mep {
class ParsedUnit;

/// Parsed units, made when asked for and kept until dropped.
class UnitCache {
public:
  UnitCache(std::vector<UnitCommand> Commands, CommandOptions Options);
  const std::vector<UnitCommand> &commands() const { return Commands; }
  const UnitCommand *command(llvm::StringRef File) const;
  /// Puts in a host view that is already parsed.
  void keepHost(std::unique_ptr<ParsedUnit> Unit);
  llvm::Expected<const ParsedUnit *> host(llvm::StringRef File);
  /// At most one device view is held at a time.
  llvm::Expected<const ParsedUnit *> device(llvm::StringRef File);

  /// Host views of the application's units whose main file mentions \p Name,
  /// without \p Except; at most eight.
  std::vector<const ParsedUnit *> naming(llvm::StringRef Name,
                                         llvm::StringRef Except);

private:
  const UnitCommand *surrounding(llvm::StringRef File);
  std::vector<UnitCommand> Commands;
  CommandOptions Options;
  /// Every unit of the database; read when first asked for.
  std::optional<std::vector<UnitCommand>> Surroundings;
  std::map<std::string, std::unique_ptr<ParsedUnit>> Hosts;
  std::unique_ptr<ParsedUnit> Device;
};

/// The one worker of a run, started when the first kernel needs it.
class WorkerSlot {
public:
  explicit WorkerSlot(const WorkerOptions &Options) : Options(Options) {}
  llvm::Expected<Worker *> get();
  const Device *device() const { return Held ? &Held->device() : nullptr; }

private:
  WorkerOptions Options;
  std::unique_ptr<Worker> Held;
};

/// What a kernel's walk leaves for Splice.
struct WalkedKernel {
  KernelResult Result;
  std::optional<Closure> Source;
  std::optional<Failure> NotSpliced; ///< Why a winner is in no patch.
};

/// Walks \p Site as far as \p Options say. The stage's product goes to \p Out
/// when it is the last one. \p Prober is a worker of the CPU platform. Errors
/// name the stage; Walked holds what was reached.
llvm::Error walkKernel(const PipelineOptions &Options, const KernelSite &Site,
                       llvm::StringRef Folder, UnitCache &Units,
                       WorkerSlot &Slot, WorkerSlot &Prober, Progress &Log,
                       llvm::raw_ostream &Out, WalkedKernel &Walked);

} // namespace mep

#endif // MEP_LIB_PIPELINE_KERNELWALK_H
