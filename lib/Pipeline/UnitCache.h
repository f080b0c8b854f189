/// \file
/// What the kernels of a run share: the parsed units, their machine code and
/// the workers.

#ifndef MEP_LIB_PIPELINE_UNITCACHE_H
#define MEP_LIB_PIPELINE_UNITCACHE_H

#include "mep/Closure/ClosureBuilder.h"
#include "mep/Evaluate/Worker.h"
#include "mep/Frontend/UnitCommand.h"
#include "llvm/ADT/StringMap.h"
#include <map>
#include <memory>
#include <optional>

namespace mep {
class ParsedUnit;

/// Parsed units, made when asked for and kept until trimmed.
class UnitCache {
public:
  UnitCache(std::vector<UnitCommand> Commands, CommandOptions Options);
  const std::vector<UnitCommand> &commands() const { return Commands; }
  const UnitCommand *command(llvm::StringRef File) const;
  /// Puts in a host view that is already parsed.
  void keepHost(std::unique_ptr<ParsedUnit> Unit);
  llvm::Expected<const ParsedUnit *> host(llvm::StringRef File);
  /// Drops the host views that were used longest ago down to \p Most, so that a
  /// large database stays in memory. Ends the life of what host() and naming()
  /// gave.
  void trim(size_t Most);
  /// At most one device view is held at a time. Includes what join() added.
  llvm::Expected<const ParsedUnit *> device(llvm::StringRef File);
  /// From now on the device view of \p File ends with an include of each of
  /// the main files \p Others: what it declares and they define is there.
  void join(llvm::StringRef File, std::vector<std::string> Others);
  const std::vector<std::string> &joined(llvm::StringRef File) {
    return Joined[File.str()];
  }
  /// Main files of CUDA or HIP units that mention \p Name, without \p Except;
  /// at most eight.
  std::vector<std::string> filesNaming(llvm::StringRef Name,
                                       llvm::StringRef Except);

  /// Host views of the application's units whose main file mentions \p Name,
  /// without \p Except; at most eight.
  std::vector<const ParsedUnit *> naming(llvm::StringRef Name,
                                         llvm::StringRef Except);
  /// Main files of all the application's units that mention \p Name, without
  /// \p Except.
  std::vector<std::string> allNaming(llvm::StringRef Name,
                                     llvm::StringRef Except);
  /// How many further ones mention it: there are more, or they do not parse.
  size_t notRead(llvm::StringRef Name, llvm::StringRef Except);

private:
  llvm::Expected<std::unique_ptr<ParsedUnit>>
  parseDevice(const UnitCommand &Command) const;
  const UnitCommand *surrounding(llvm::StringRef File);
  void indexWords();
  std::vector<UnitCommand> Commands;
  CommandOptions Options;
  /// Every unit of the database; read when first asked for.
  std::optional<std::vector<UnitCommand>> Surroundings;
  /// The units of Surroundings whose main file holds a word.
  llvm::StringMap<std::vector<unsigned>> Words;
  std::map<std::string, std::unique_ptr<ParsedUnit>> Hosts;
  std::map<std::string, uint64_t> LastUse; ///< In calls of host().
  uint64_t Uses = 0;
  std::unique_ptr<ParsedUnit> Device;
  std::map<std::string, std::vector<std::string>> Joined;
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

/// All of it.
struct SharedState {
  UnitCache &Units;
  FidelityProver &Proofs;
  WorkerSlot &Slot, &Prober; ///< The second is of the CPU platform.
};

} // namespace mep

#endif // MEP_LIB_PIPELINE_UNITCACHE_H
