/// \file
/// The command line: flags to PipelineOptions, errors to exit codes.

#include "mep/Pipeline/Pipeline.h"
#include "mep/Support/Error.h"
#include "mep/Support/Files.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Support/WithColor.h"
#include <csignal>

using namespace llvm;
using namespace mep;

namespace {

/// Everything after a bare `--` is compiler flags, not ours.
std::vector<const char *> splitFlags(int Argc, const char **Argv,
                                     CommandOptions &Commands) {
  std::vector<const char *> Own;
  for (int I = 0; I < Argc; ++I) {
    if (!Commands.HasFixedFlags && StringRef(Argv[I]) == "--")
      Commands.HasFixedFlags = true;
    else if (Commands.HasFixedFlags)
      Commands.FixedFlags.push_back(Argv[I]);
    else
      Own.push_back(Argv[I]);
  }
  return Own;
}

/// As a shell would split \p Text.
std::vector<std::string> words(StringRef Text) {
  BumpPtrAllocator Memory;
  StringSaver Saver(Memory);
  SmallVector<const char *> Split;
  cl::TokenizeGNUCommandLine(Text, Saver, Split);
  return {Split.begin(), Split.end()};
}

/// A shell would wait for the rest of \p Text.
bool hasOpenQuote(StringRef Text) {
  char Open = 0;
  for (size_t I = 0; I < Text.size(); ++I)
    if (Text[I] == '\\' && Open != '\'')
      ++I;
    else if (Open ? Text[I] == Open : Text[I] == '\'' || Text[I] == '"')
      Open = Open ? 0 : Text[I];
  return Open != 0;
}

Error usage(StringRef Flag, const Twine &Message) {
  return makeError(Failure::Usage, Message.str(), "--" + Flag.str());
}

/// The flags. Made in main rather than as globals: LLVM's code generator
/// registers a `-stop-after` of its own, which must be taken out first.
struct Flags {
  cl::OptionCategory InputCategory{"What to look at"};
  cl::OptionCategory WorkloadCategory{"Workload and measurement"};
  cl::OptionCategory SearchCategory{"Search"};
  cl::OptionCategory OutputCategory{"Output"};

  cl::opt<std::string> BuildPath{"p",
                                 cl::desc("Folder of compile_commands.json"),
                                 cl::value_desc("dir"), cl::cat(InputCategory)};
  cl::list<std::string> Files{cl::Positional,
                              cl::desc("[<file>...] [-- <flags>...]"),
                              cl::cat(InputCategory)};
  cl::opt<bool> List{"list",
                     cl::desc("Print the kernels, hottest first, and stop"),
                     cl::cat(InputCategory)};
  cl::opt<std::string> KernelRegex{
      "kernel", cl::desc("Only kernels whose qualified name matches"),
      cl::value_desc("regex"), cl::cat(InputCategory)};
  cl::opt<std::string> At{"at",
                          cl::desc("Only the kernel defined or launched there"),
                          cl::value_desc("file:line"), cl::cat(InputCategory)};
  cl::opt<std::string> Profile{
      "profile",
      cl::desc("Rank by the times in this CSV of nsys stats, ncu or rocprof"),
      cl::value_desc("file"), cl::cat(InputCategory)};
  cl::opt<unsigned> Top{"top", cl::desc("Only the N hottest kernels"),
                        cl::value_desc("N"), cl::init(0),
                        cl::cat(InputCategory)};
  cl::opt<std::string> CudaPath{"cuda-path",
                                cl::desc("CUDA toolkit (default: found)"),
                                cl::value_desc("dir"), cl::cat(InputCategory)};
  cl::opt<unsigned> Jobs{
      "j", cl::desc("Units parsed at a time (default: cores, at most 4)"),
      cl::init(0), cl::cat(InputCategory)};
  cl::opt<bool> NoProof{
      "no-proof",
      cl::desc("Do not compare the carved kernel's machine code with the "
               "application's (saves two compilations by nvcc)"),
      cl::cat(InputCategory)};

  cl::opt<bool> CheckSplice{
      "check-splice",
      cl::desc("Before anything is measured, splice a marked copy of each "
               "kernel into its unit in memory and parse it: shows which "
               "winners could be put back"),
      cl::cat(InputCategory)};

  cl::opt<std::string> WorkloadFile{
      "workload",
      cl::desc("Members of this workload.json override what analysis finds"),
      cl::value_desc("file"), cl::cat(WorkloadCategory)};
  cl::opt<std::string> Arguments{
      "args",
      cl::desc("Command line the application is run with, for sizes it takes "
               "from there, e.g. --args=\"-n 4096\""),
      cl::value_desc("words"), cl::cat(WorkloadCategory)};
  cl::opt<bool> NoAssume{
      "no-assume",
      cl::desc("Refuse a kernel whose sizes only a run would tell, rather than "
               "take 1024 and say so"),
      cl::cat(WorkloadCategory)};
  cl::opt<bool> Probe{
      "probe",
      cl::desc("Run each kernel once on the CPU and refuse a workload whose "
               "buffers it leaves (is done without asking where extents are "
               "missing)"),
      cl::cat(WorkloadCategory)};
  cl::opt<bool> NoSanitize{
      "no-sanitize",
      cl::desc("Take winners without their run on recorded memory, which shows "
               "accesses outside buffers, data races and uninitialised reads"),
      cl::cat(WorkloadCategory)};
  cl::opt<std::string> Platform{
      "platform",
      cl::desc("auto, cuda or cpu (default auto: cuda if it works)"),
      cl::init("auto"), cl::cat(WorkloadCategory)};
  cl::opt<std::string> WorkerCommand{
      "worker",
      cl::desc("Command that starts a worker, e.g. \"ssh node7 mep-worker\""),
      cl::value_desc("command"), cl::cat(WorkloadCategory)};
  cl::opt<unsigned> Repeat{"repeat", cl::desc("Timed samples R (default 20)"),
                           cl::init(20), cl::cat(WorkloadCategory)};
  cl::opt<unsigned> Trim{
      "trim",
      cl::desc(
          "Percent of samples cut from each end before the mean (default 20)"),
      cl::init(20), cl::cat(WorkloadCategory)};
  cl::opt<double> TMin{
      "t-min",
      cl::desc("Microseconds a timed sample lasts at least (default 20)"),
      cl::init(20), cl::cat(WorkloadCategory)};
  cl::opt<double> TMax{
      "t-max",
      cl::desc("Milliseconds one evaluation is timed at most (default 20000)"),
      cl::init(20000), cl::cat(WorkloadCategory)};
  cl::opt<uint64_t> Seed{
      "seed", cl::desc("Seed of inputs, sampling and search (default 1)"),
      cl::init(1), cl::cat(WorkloadCategory)};

  cl::opt<std::string> Llm{"llm", cl::desc("Who proposes: builtin (default)"),
                           cl::init("builtin"), cl::cat(SearchCategory)};
  cl::list<std::string> Try{
      "try",
      cl::desc("Judge your own version of the kernel instead of searching: a "
               "file with device code, or code and launch plan as README.md "
               "shows; a folder: all files in it"),
      cl::value_desc("file"), cl::cat(SearchCategory)};
  cl::opt<unsigned> Rounds{"rounds", cl::desc("Rounds D (default 4)"),
                           cl::init(4), cl::cat(SearchCategory)};
  cl::opt<unsigned> Candidates{"candidates",
                               cl::desc("Candidates N of a round (default 12)"),
                               cl::init(12), cl::cat(SearchCategory)};
  cl::opt<unsigned> Variants{
      "variants",
      cl::desc("Variants measured of one candidate's tunables (default 64)"),
      cl::init(64), cl::cat(SearchCategory)};
  cl::opt<unsigned> Beam{
      "beam", cl::desc("Best candidates kept for the next round (default 3)"),
      cl::init(3), cl::cat(SearchCategory)};

  cl::opt<std::string> OutputFolder{
      "o",
      cl::desc("Folder for MEPs, sessions and result.json (default "
               "clang-mep-opt.out)"),
      cl::value_desc("dir"), cl::init("clang-mep-opt.out"),
      cl::cat(OutputCategory)};
  cl::opt<std::string> StopAfter{
      "stop-after",
      cl::desc("Last stage: discover, closure, access, workload, mep, "
               "evaluate, optimize or splice (default)"),
      cl::value_desc("stage"), cl::init("splice"), cl::cat(OutputCategory)};
  cl::opt<bool> InPlace{
      "i", cl::desc("Edit the files in place instead of printing a diff"),
      cl::cat(OutputCategory)};
  cl::opt<std::string> ExportFixes{
      "export-fixes",
      cl::desc("Write the edits as YAML for clang-apply-replacements"),
      cl::value_desc("file"), cl::cat(OutputCategory)};
  cl::opt<std::string> TimeTrace{
      "time-trace",
      cl::desc("Write where the time went, as a trace that chrome://tracing "
               "and Perfetto show"),
      cl::value_desc("file"), cl::cat(OutputCategory)};
  cl::opt<std::string> Format{
      "format", cl::desc("text (default) or json, of what a stage prints"),
      cl::init("text"), cl::cat(OutputCategory)};

  Expected<Stage> parseStage() const {
    std::string Known;
    for (int S = 0; S <= int(Stage::Splice); ++S) {
      if (StopAfter == name(Stage(S)))
        return Stage(S);
      Known += std::string(S ? ", " : "") + name(Stage(S));
    }
    return usage("stop-after",
                 "no stage '" + StopAfter + "'; stages are " + Known);
  }

  Error checkValues() const {
    if (!is_contained({"auto", "cuda", "cpu"}, Platform))
      return usage("platform",
                   "no platform '" + Platform + "'; there are auto, cuda, cpu");
    if (Llm != "builtin")
      return usage("llm", "no proposer '" + Llm + "'; there is builtin");
    if (!Try.empty() && Llm.getNumOccurrences())
      return usage("try", "cannot be used together with --llm");
    if (Format != "text" && Format != "json")
      return usage("format",
                   "no format '" + Format + "'; there are text, json");
    if (Repeat < 3)
      return usage("repeat", "at least 3 samples are needed");
    if (Trim > 45)
      return usage("trim", "at most 45 percent can be cut from each end");
    if (!(TMin >= 0))
      return usage("t-min", "must not be negative");
    if (!(TMax > 0))
      return usage("t-max", "must be positive");
    for (auto [Name, Value] : {std::pair("rounds", unsigned(Rounds)),
                               std::pair("candidates", unsigned(Candidates)),
                               std::pair("variants", unsigned(Variants)),
                               std::pair("beam", unsigned(Beam))})
      if (Value == 0)
        return usage(Name, "must be at least 1");
    if ((Top.getNumOccurrences() && Top == 0) ||
        (Jobs.getNumOccurrences() && Jobs == 0))
      return usage(Top.getNumOccurrences() && Top == 0 ? "top" : "j",
                   "must be at least 1");
    if (hasOpenQuote(Arguments))
      return usage("args", "a quote is not closed: " + Arguments);
    if (InPlace && !ExportFixes.empty())
      return usage("export-fixes", "cannot be used together with -i");
    return Error::success();
  }

  Expected<PipelineOptions> makeOptions(CommandOptions Commands,
                                        ArrayRef<const char *> Line) const {
    if (Error E = checkValues())
      return E;
    auto Last = parseStage();
    if (!Last)
      return Last.takeError();
    PipelineOptions O;
    O.Commands = std::move(Commands);
    O.Commands.BuildPath = BuildPath;
    O.Commands.Files.assign(Files.begin(), Files.end());
    O.Commands.ToolkitPath = CudaPath;
    O.Filter = {KernelRegex, At, Top};
    O.ProfileFile = Profile;
    O.List = List;
    O.JsonOutput = Format == "json";
    O.StopAfter = *Last;
    O.OutputFolder = OutputFolder;
    O.WorkloadFile = WorkloadFile;
    if (Arguments.getNumOccurrences())
      O.Arguments = words(Arguments);
    O.Assume = !NoAssume;
    O.Worker.Command = WorkerCommand;
    O.Worker.Platform = Platform;
    O.Worker.ToolkitPath = CudaPath;
    O.Evaluate = {Repeat, Trim, TMin, TMax, Seed};
    O.Optimize.Rounds = Rounds;
    O.Optimize.Candidates = Candidates;
    O.Optimize.MaxVariants = Variants;
    O.Optimize.Beam = Beam;
    O.Proposer = Llm;
    O.Try.assign(Try.begin(), Try.end());
    O.CheckFidelity = !NoProof;
    O.RehearseSplice = CheckSplice;
    O.Probe = Probe;
    O.Sanitize = !NoSanitize;
    O.InPlace = InPlace;
    O.ExportFixes = ExportFixes;
    O.Jobs =
        Jobs ? unsigned(Jobs)
             : std::min(
                   4u,
                   heavyweight_hardware_concurrency().compute_thread_count());
    O.Version = MEP_VERSION;
    for (const char *Word : Line)
      O.CommandLine += (O.CommandLine.empty() ? "" : " ") + std::string(Word);
    return O;
  }
};

cl::extrahelp ExitCodes(R"(
Without files every CUDA or HIP unit of the database is looked at.
stdout gets the result (the diff, or the product of --stop-after), stderr the
progress and the table.

Exit codes: 0 every selected kernel went through, faster or not; 1 other failure;
2 wrong usage; 3 compile database or source missing or broken; 4 no such kernel or
launch; 5 a construct that is refused; 6 a workload value is missing or wrong;
7 no compiler, toolkit, GPU or worker; 8 cannot write; 130 interrupted. When some
kernels fail the others are still done, and the code is that of the first failure.
)");

/// What the scopes of this run took.
Error writeTimeTrace(const std::string &File) {
  SmallString<0> Text;
  raw_svector_ostream Whole(Text);
  timeTraceProfilerWrite(Whole);
  return writeFile(File, Text);
}

/// Prints \p E; gives its exit code. A log that nobody takes changes no result,
/// so the stream's own error is dropped: LLVM would abort at the end.
int report(Error E) {
  int Code = int(failureOf(E));
  WithColor::error(errs(), "clang-mep-opt") << toString(std::move(E)) << '\n';
  errs().clear_error();
  return Code;
}

} // namespace

int main(int Argc, const char **Argv) {
  InitLLVM Init(Argc, Argv);
  CrashRecoveryContext::Enable();
  // A reader that goes away (`| head`) is an error of a write, not a death.
  // So is a file that grows past its limit (`ulimit -f`).
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGINT, [](int) {
    if (Worker::Interrupted.exchange(true))
      _exit(int(Failure::Interrupted));
  });
  cl::SetVersionPrinter([](raw_ostream &OS) {
    OS << "clang-mep-opt " << MEP_VERSION << " (LLVM " << LLVM_VERSION_STRING
       << ")\n";
  });
  if (cl::Option *Foreign = cl::getRegisteredOptions().lookup("stop-after"))
    Foreign->removeArgument();
  Flags F;
  cl::HideUnrelatedOptions({&F.InputCategory, &F.WorkloadCategory,
                            &F.SearchCategory, &F.OutputCategory});
  CommandOptions Commands;
  std::vector<const char *> Own = splitFlags(Argc, Argv, Commands);
  std::string Problems;
  raw_string_ostream ProblemStream(Problems);
  if (!cl::ParseCommandLineOptions(int(Own.size()), Own.data(),
                                   "clang-mep-opt: carve GPU kernels out, make "
                                   "them faster, splice them back\n",
                                   &ProblemStream)) {
    errs() << Problems;
    return int(Failure::Usage);
  }
  auto Options = F.makeOptions(std::move(Commands), ArrayRef(Argv, Argc));
  if (!Options)
    return report(Options.takeError());
  constexpr unsigned Granularity = 500; // Microseconds, as Clang's own.
  if (!F.TimeTrace.empty())
    timeTraceProfilerInitialize(Granularity, "clang-mep-opt");
  int Code = 0;
  if (Error E = runPipeline(*Options, outs(), errs()))
    Code = report(std::move(E));
  if (!F.TimeTrace.empty()) {
    Error E = writeTimeTrace(F.TimeTrace);
    timeTraceProfilerCleanup();
    if (E) {
      int Unwritten = report(std::move(E));
      Code = Code ? Code : Unwritten;
    }
  }
  outs().flush();
  if (outs().has_error()) {
    outs().clear_error();
    int Unwritten =
        report(makeError(Failure::Output, "cannot write to standard output"));
    Code = Code ? Code : Unwritten;
  }
  errs().clear_error();
  return Code;
}
