#include "mep/Pipeline/Pipeline.h"
#include "KernelWalk.h"
#include "SpliceStep.h"
#include "mep/Discovery/Profile.h"
#include "mep/Frontend/ParsedUnit.h"
#include "mep/Optimize/Proposer.h"
#include "mep/Report/Report.h"
#include "mep/Support/Error.h"
#include "mep/Support/Files.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/TimeProfiler.h"
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>

using namespace mep;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

const char *mep::name(Stage S) {
  static const char *const Names[] = {"discover", "closure", "access",
                                      "workload", "mep",     "evaluate",
                                      "optimize", "splice"};
  return Names[int(S)];
}

namespace {

/// Host views held over for the later stages; more are parsed again when a
/// kernel of theirs is selected, so that a large database stays in memory.
constexpr size_t MaxKeptUnits = 16;

struct DiscoveredUnit {
  std::unique_ptr<ParsedUnit> Unit;
  std::vector<KernelSite> Kernels;
  std::string Problem; ///< Why it could not be parsed at all.
};

DiscoveredUnit parseAndDiscover(const UnitCommand &Command, bool Keep) {
  DiscoveredUnit Found;
  auto Unit = parseUnit(Command, View::Host);
  if (!Unit) {
    Found.Problem = llvm::toString(Unit.takeError());
    return Found;
  }
  Found.Kernels = discoverKernels(**Unit);
  if (Keep || !(*Unit)->errors().empty())
    Found.Unit = std::move(*Unit);
  return Found;
}

/// A unit that brings the parse down must not take the others with it.
DiscoveredUnit discoverUnit(const UnitCommand &Command, bool Keep) {
  DiscoveredUnit Found;
  llvm::CrashRecoveryContext Guarded;
  if (!Guarded.RunSafely([&] { Found = parseAndDiscover(Command, Keep); }))
    Found.Problem = Command.File + ": internal error while it was parsed; "
                                   "please report it";
  return Found;
}

std::vector<DiscoveredUnit>
discoverAll(const std::vector<UnitCommand> &Commands, unsigned Jobs,
            bool Keep) {
  std::vector<DiscoveredUnit> Found(Commands.size());
  if (Jobs <= 1 || Commands.size() == 1) {
    for (size_t I = 0; I < Commands.size() && !Worker::Interrupted; ++I)
      Found[I] = discoverUnit(Commands[I], Keep);
    return Found;
  }
  llvm::DefaultThreadPool Pool(llvm::hardware_concurrency(Jobs));
  for (size_t I = 0; I < Commands.size(); ++I)
    Pool.async([&, I] {
      if (!Worker::Interrupted)
        Found[I] = discoverUnit(Commands[I], Keep);
    });
  Pool.wait();
  return Found;
}

/// Errors of a parse do not stop the walk by themselves; they are shown so that
/// a kernel missing from the list is no riddle.
void warnOfErrors(const ParsedUnit &Unit, llvm::raw_ostream &Log) {
  const auto &Errors = Unit.errors();
  if (Errors.empty())
    return;
  Log << "warning: " << Errors.front().Place.str() << ": "
      << Errors.front().Message;
  if (Errors.size() > 1)
    Log << " (and " << Errors.size() - 1 << " more in this unit)";
  Log << '\n';
}

/// Names each kernel's folder after it, with a number where two share a name.
std::vector<std::string> kernelFolders(const std::vector<KernelSite> &Kernels,
                                       StringRef Root) {
  std::set<std::string> Taken;
  std::vector<std::string> Folders;
  for (const KernelSite &K : Kernels) {
    std::string Stem = K.QualifiedName;
    for (char &C : Stem)
      if (!llvm::isAlnum(C) && C != '_')
        C = '-';
    std::string Name = Stem;
    for (unsigned N = 2; !Taken.insert(Name).second; ++N)
      Name = Stem + "-" + std::to_string(N);
    llvm::SmallString<256> Folder(Root);
    path::append(Folder, Name);
    Folders.push_back(Folder.str().str());
  }
  return Folders;
}

std::string timeStamp() {
  return llvm::formatv("{0:%Y-%m-%dT%H:%M:%SZ}",
                       llvm::sys::toUtcTime(llvm::sys::toTimeT(
                           std::chrono::system_clock::now())))
      .str();
}

/// The worker beside this tool, whatever else measures: probes run here.
WorkerOptions probeOptions() {
  WorkerOptions Local;
  Local.Platform = "cpu";
  Local.OnlyProbes = true;
  return Local;
}

class Run {
public:
  Run(const PipelineOptions &Options, llvm::raw_ostream &Out,
      llvm::raw_ostream &Log)
      : Options(Options), Out(Out), Log(Log), Slot(Options.Worker),
        Prober(probeOptions()),
        Proofs(findCudaToolkit(Options.Commands.ToolkitPath)) {}

  Error go();

private:
  Expected<std::vector<KernelSite>> select();
  Error rankMeasured(std::vector<KernelSite> &Kernels);
  void leaveUnlaunched(std::vector<KernelSite> &Kernels);
  void dropOldPatch();
  void walkAll(const std::vector<KernelSite> &Kernels);
  Error keepResult(bool Finished);
  Error conclude();
  void keepFirst(Failure Kind);

  const PipelineOptions &Options;
  llvm::raw_ostream &Out, &Log;
  WorkerSlot Slot, Prober;
  FidelityProver Proofs;
  std::optional<UnitCache> Units;
  std::vector<WalkedKernel> Walked;
  RunResult Result;
  std::chrono::steady_clock::time_point Kept; ///< Last keepResult().
  Failure FirstKind = Failure::General;
  unsigned Failed = 0; ///< Kernels that did not reach the last stage.
};

void Run::keepFirst(Failure Kind) {
  if (!Failed++)
    FirstKind = Kind;
}

Expected<std::vector<KernelSite>> Run::select() {
  auto Commands = loadCommands(Options.Commands);
  if (!Commands)
    return Commands.takeError();
  for (const UnitCommand &C : *Commands)
    for (const std::string &W : C.Warnings)
      Log << "warning: " << W << '\n';
  Units.emplace(std::move(*Commands), Options.Commands);
  bool Keep = !Options.List && Options.StopAfter != Stage::Discover &&
              Units->commands().size() <= MaxKeptUnits;
  auto Found = discoverAll(Units->commands(), Options.Jobs, Keep);
  std::vector<KernelSite> All;
  size_t Parsed = 0;
  for (DiscoveredUnit &D : Found) {
    Parsed += D.Problem.empty();
    if (!D.Problem.empty())
      Log << "warning: " << D.Problem << '\n';
    llvm::append_range(All, D.Kernels);
    if (!D.Unit)
      continue;
    warnOfErrors(*D.Unit, Log);
    if (Keep)
      Units->keepHost(std::move(D.Unit));
  }
  if (Worker::Interrupted)
    return makeError(Failure::Interrupted, "interrupted");
  if (!Parsed)
    return makeError(Failure::Input, Found.front().Problem);
  if (!Options.ProfileFile.empty())
    if (Error E = rankMeasured(All))
      return E;
  return selectKernels(std::move(All), Options.Filter);
}

/// Ranks by `--profile`, and says what of its time lies elsewhere.
Error Run::rankMeasured(std::vector<KernelSite> &Kernels) {
  auto Measured = readProfile(Options.ProfileFile);
  if (!Measured)
    return Measured.takeError();
  std::vector<ProfileEntry> Foreign = rankByProfile(*Measured, Kernels);
  double Outside = 0;
  for (const ProfileEntry &E : Foreign)
    Outside += E.TotalNs;
  if (Outside > 0)
    Log << llvm::formatv("note: {0:F1} % of the kernels' time in {1} is in "
                         "kernels that are not in the units looked at, most "
                         "of it in '{2}'\n",
                         100 * Outside / Measured->totalNs(),
                         Options.ProfileFile, Foreign.front().Name);
  return Error::success();
}

/// A header's kernels that nobody here launches are no failure of a unit whose
/// own kernels are.
void Run::leaveUnlaunched(std::vector<KernelSite> &Kernels) {
  auto IsLaunched = [](const KernelSite &K) { return !K.Launches.empty(); };
  if (!Options.Filter.NameRegex.empty() || !Options.Filter.At.empty() ||
      llvm::none_of(Kernels, IsLaunched))
    return;
  for (const KernelSite &K : Kernels)
    if (!IsLaunched(K))
      Log << "note: " << K.QualifiedName
          << ": left out, not launched in the units looked at\n";
  llvm::erase_if(Kernels, [&](const KernelSite &K) { return !IsLaunched(K); });
}

/// Writes result.json; until \p Finished not at every kernel, so that the cost
/// stays small. A run that is killed leaves what it had, marked interrupted.
Error Run::keepResult(bool Finished) {
  constexpr std::chrono::seconds Between(2);
  auto Now = std::chrono::steady_clock::now();
  if (Options.StopAfter < Stage::Mep || (!Finished && Now - Kept < Between))
    return Error::success();
  Kept = Now;
  if (Slot.device())
    Result.On = *Slot.device();
  Result.Kernels.clear();
  for (const WalkedKernel &W : Walked)
    Result.Kernels.push_back(W.Result);
  Result.Interrupted = !Finished || Worker::Interrupted;
  llvm::SmallString<256> File(Options.OutputFolder);
  path::append(File, "result.json");
  return writeFile(File, printJson(toJson(Result), true));
}

/// The patch of an earlier run does not belong to the result that is written
/// now; this run's own comes at its end.
void Run::dropOldPatch() {
  if (Options.StopAfter < Stage::Mep)
    return;
  llvm::SmallString<256> File(Options.OutputFolder);
  path::append(File, "clang-mep-opt.patch");
  llvm::sys::fs::remove(File);
}

void Run::walkAll(const std::vector<KernelSite> &Kernels) {
  std::vector<std::string> Folders =
      kernelFolders(Kernels, Options.OutputFolder);
  SharedState Shared{*Units, Proofs, Slot, Prober};
  Progress Line(Log);
  for (size_t I = 0; I < Kernels.size(); ++I) {
    if (Worker::Interrupted)
      break;
    auto Start = std::chrono::steady_clock::now();
    Units->trim(MaxKeptUnits);
    Walked.emplace_back();
    KernelResult &R = Walked.back().Result;
    Error E = Error::success();
    // A kernel that brings the walk down must not take the others with it.
    llvm::CrashRecoveryContext Guarded;
    bool Whole = Guarded.RunSafely([&] {
      E = walkKernel(Options, Kernels[I], Folders[I], Shared, Line, Out,
                     Walked.back());
    });
    if (!Whole) {
      Line.finish();
      E = makeError(Failure::General,
                    "internal error in stage '" + R.Stage +
                        "'; please report it with the unit that shows it",
                    Kernels[I].Definition.str());
    }
    if (E) {
      Failure Kind = failureOf(E);
      R.Error = llvm::toString(std::move(E));
      if (Kind != Failure::Interrupted) {
        Log << "error: " << R.Site.QualifiedName << ": " << R.Error << '\n';
        keepFirst(Kind);
      }
    }
    R.Seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - Start)
            .count();
    // The last one says whether it can be written at all.
    llvm::consumeError(keepResult(/*Finished=*/false));
  }
}

Error Run::conclude() {
  if (Options.StopAfter >= Stage::Splice)
    if (Error E =
            spliceWinners(Options, Walked, *Units, Out, Log, Result.Patches))
      return E;
  for (const WalkedKernel &W : Walked)
    if (W.NotSpliced)
      keepFirst(*W.NotSpliced);
  if (Error E = keepResult(/*Finished=*/true))
    return E;
  if (Options.StopAfter >= Stage::Evaluate)
    printResult(Result, Log);
  return Error::success();
}

Error Run::go() {
  Result.Version = Options.Version;
  Result.CommandLine = Options.CommandLine;
  Result.Started = timeStamp();
  // Before anything is measured for them.
  if (!Options.Try.empty())
    if (auto Given = makeFileProposer(Options.Try); !Given)
      return Given.takeError();
  auto Kernels = [&] {
    llvm::TimeTraceScope Trace("mep: discovery");
    return select();
  }();
  if (!Kernels)
    return Kernels.takeError();
  if (Options.List || Options.StopAfter == Stage::Discover) {
    if (!Options.JsonOutput) {
      printKernels(*Kernels, Out);
      return Error::success();
    }
    Json List = Json::array();
    for (const KernelSite &K : *Kernels)
      List.push_back(toJson(K));
    Out << printJson(List, true);
    return Error::success();
  }
  leaveUnlaunched(*Kernels);
  if (!Options.Try.empty() && Kernels->size() != 1)
    return makeError(Failure::Usage,
                     "the files are versions of one kernel, and " +
                         std::to_string(Kernels->size()) + " are selected",
                     "--try", "choose it with --kernel or --at");
  dropOldPatch();
  walkAll(*Kernels);
  if (Error E = conclude())
    return E;
  if (Worker::Interrupted)
    return makeError(Failure::Interrupted,
                     "interrupted; what was finished is kept, run the same "
                     "command to go on");
  if (Failed)
    return makeError(FirstKind,
                     (llvm::Twine(Failed) + " of " +
                      llvm::Twine(Walked.size()) + " kernels failed, see above")
                         .str());
  return Error::success();
}

} // namespace

Error mep::runPipeline(const PipelineOptions &Options, llvm::raw_ostream &Out,
                       llvm::raw_ostream &Log) {
  return Run(Options, Out, Log).go();
}
