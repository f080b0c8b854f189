#include "mep/Evaluate/Worker.h"
#include "Protocol.h"
#include "WorkerProcess.h"
#include "mep/Support/Error.h"
#include "mep/Support/Resources.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Support/raw_ostream.h"
#include <nlohmann/json.hpp>
#include <utility>

using namespace mep;
using llvm::StringRef;
using Outcome = WorkerProcess::Outcome;

std::atomic<bool> Worker::Interrupted{false};
char BaselineRefused::ID = 0;

std::optional<Status> mep::refusalOf(const llvm::Error &E) {
  std::optional<Status> Why;
  llvm::visitErrors(E, [&](const llvm::ErrorInfoBase &Info) {
    if (Info.isA<BaselineRefused>())
      Why = static_cast<const BaselineRefused &>(Info).Why;
  });
  return Why;
}

namespace {

/// Device and context: a second, on a busy or remote machine a few.
constexpr double HelloSeconds = 60;
constexpr double PrepareFactor = 3;
/// So often may a fresh worker die over one and the same prepare.
constexpr unsigned MaxDeaths = 3;

/// What came back from one request.
struct Reply {
  Outcome How = Outcome::Ended;
  std::string Evidence; ///< Of a death; of an answer that is none.
  Answer Said;          ///< When How is Line.
};

llvm::Error interrupted() {
  return makeError(Failure::Interrupted, "interrupted");
}

Failure failureOfKind(StringRef Kind) {
  if (Kind == "baseline")
    return Failure::Workload;
  if (Kind == "request")
    return Failure::General;
  return Failure::Toolchain;
}

} // namespace

struct Worker::State {
  WorkerOptions Options;
  std::vector<std::string> Words; ///< Of the command, without our flags.
  std::string Platform;           ///< Decided: never `auto`.
  std::unique_ptr<WorkerProcess> Process; ///< Null: start one when needed.
  Device Held;
  int64_t LastId = 0;
  bool HasNotedIsolation = false;

  Json Prepare;                        ///< Null before the first prepare.
  std::vector<std::string> ShapeNames; ///< As given.
  std::map<std::string, std::string> Dropped; ///< Shape to reason: not sent.
  bool IsPrepared = false;                    ///< The running process is.

  llvm::Error findCommand();
  llvm::Error choosePlatform();
  llvm::Error launch(const std::string &OnPlatform);
  void noteIsolation();
  Reply ask(const Json &Request, double Seconds);
  void discard() {
    Process.reset();
    IsPrepared = false;
  }

  llvm::Expected<Baseline> prepareNow();
  bool dropShape(const Answer &Said);
  llvm::Error refusal(const Answer &Said);
  Evaluation judge(Reply &&R, double Seconds);
};

// ---- starting --------------------------------------------------------------

llvm::Error Worker::State::findCommand() {
  if (Options.Command.empty()) {
    std::string Beside = installPrefix() + "/bin/mep-worker";
    if (!llvm::sys::fs::can_execute(Beside))
      return makeError(Failure::Toolchain, "the worker is missing", Beside,
                       "install it there or name one with --worker=COMMAND");
    Words = {Beside};
    return llvm::Error::success();
  }
  llvm::BumpPtrAllocator Memory;
  llvm::StringSaver Saver(Memory);
  llvm::SmallVector<const char *> Split;
  llvm::cl::TokenizeGNUCommandLine(Options.Command, Saver, Split);
  Words.assign(Split.begin(), Split.end());
  if (Words.empty())
    return makeError(Failure::Usage, "an empty command", "--worker");
  return llvm::Error::success();
}

/// Starts a process on \p OnPlatform and shakes hands; on an error none runs.
llvm::Error Worker::State::launch(const std::string &OnPlatform) {
  std::vector<std::string> Line = Words;
  Line.push_back("--platform=" + OnPlatform);
  if (Options.DeviceIndex)
    Line.push_back("--device=" + std::to_string(Options.DeviceIndex));
  if (!Options.ToolkitPath.empty())
    Line.push_back("--cuda-path=" + Options.ToolkitPath);
  if (Options.OnlyProbes)
    Line.push_back("--only-probes");
  auto Started = WorkerProcess::spawn(Line, Worker::Interrupted);
  if (!Started)
    return Started.takeError();
  Process = std::move(*Started);
  Reply R = ask(helloRequest(), std::max(Options.TimeoutS, HelloSeconds));
  switch (R.How) {
  case Outcome::Interrupted:
    return interrupted();
  case Outcome::TimedOut:
    return makeError(Failure::Toolchain, "the worker does not answer",
                     Words[0]);
  case Outcome::Ended:
    return makeError(Failure::Toolchain,
                     "the worker ended at its start: " + R.Evidence, Words[0]);
  case Outcome::Line:
    break;
  }
  if (!R.Said.Ok) {
    discard();
    return makeError(Failure::Toolchain, R.Said.Error);
  }
  auto D = readHello(R.Said);
  if (!D) {
    discard();
    return D.takeError();
  }
  Held = std::move(*D);
  noteIsolation();
  return llvm::Error::success();
}

/// Says once what does not stand between a candidate and this machine.
void Worker::State::noteIsolation() {
  if (std::exchange(HasNotedIsolation, true) || Options.OnlyProbes)
    return;
  std::string Missing;
  for (const char *Each : {"landlock", "seccomp", "rlimits"})
    if (!llvm::is_contained(Held.Sandbox, Each))
      Missing += (Missing.empty() ? "" : ", ") + std::string(Each);
  if (!Missing.empty())
    llvm::errs() << "clang-mep-opt: warning: candidates are not isolated by "
                 << Missing << " (mep-worker's README, Isolation)\n";
}

/// `auto` is cuda if a CUDA worker starts, else cpu; said on stderr.
llvm::Error Worker::State::choosePlatform() {
  if (Options.Platform != "auto") {
    Platform = Options.Platform;
    return launch(Platform);
  }
  Platform = "cuda";
  llvm::Error NoCuda = launch(Platform);
  if (!NoCuda)
    return NoCuda;
  if (failureOf(NoCuda) == Failure::Interrupted)
    return NoCuda;
  std::string Why = textOf(std::move(NoCuda));
  Platform = "cpu";
  if (llvm::Error NoCpu = launch(Platform)) {
    Failure Kind = failureOf(NoCpu);
    return makeError(Kind, "no platform works: cuda: " + Why +
                               "; cpu: " + textOf(std::move(NoCpu)));
  }
  llvm::errs() << "clang-mep-opt: note: evaluating on the CPU (" << Held.Name
               << "): " << Why << '\n';
  return llvm::Error::success();
}

Worker::Worker(std::unique_ptr<State> S) : S(std::move(S)) {}
Worker::~Worker() = default;
const Device &Worker::device() const { return S->Held; }

llvm::Expected<std::unique_ptr<Worker>> Worker::start(WorkerOptions Options) {
  auto S = std::make_unique<State>();
  S->Options = std::move(Options);
  if (llvm::Error E = S->findCommand())
    return E;
  if (llvm::Error E = S->choosePlatform())
    return E;
  return std::unique_ptr<Worker>(new Worker(std::move(S)));
}

// ---- one exchange ----------------------------------------------------------

/// Whenever something other than an answer comes back, the process is gone
/// afterwards; the same after an answer that announces the end.
Reply Worker::State::ask(const Json &Request, double Seconds) {
  llvm::TimeTraceScope Trace("mep: worker, " +
                             Request.value("op", std::string("request")));
  Reply R;
  std::string Line;
  int64_t Id = ++LastId;
  R.How = Process->ask(withId(Request, Id), Seconds, Line);
  if (R.How == Outcome::Ended)
    R.Evidence = Process->evidence();
  if (R.How == Outcome::Line) {
    auto Said = parseAnswer(Line, Id);
    if (Said) {
      R.Said = std::move(*Said);
    } else {
      R.How = Outcome::Ended;
      R.Evidence = textOf(Said.takeError());
    }
  }
  if (R.How != Outcome::Line || R.Said.Fatal)
    discard();
  return R;
}

// ---- prepare ---------------------------------------------------------------

/// The baseline took the worker down with it on a shape other than the first:
/// go on without that shape.
bool Worker::State::dropShape(const Answer &Said) {
  bool IsOther = !ShapeNames.empty() && Said.Shape != ShapeNames.front() &&
                 llvm::is_contained(ShapeNames, Said.Shape);
  if (!Said.Fatal || Said.Kind != "baseline" || !IsOther)
    return false;
  if (!Dropped.try_emplace(Said.Shape, Said.Error).second)
    return false;
  removeShape(Prepare, Said.Shape);
  return true;
}

llvm::Error Worker::State::refusal(const Answer &Said) {
  if (Said.Why)
    return llvm::make_error<BaselineRefused>(*Said.Why, Said.Error);
  return makeError(failureOfKind(Said.Kind), Said.Error);
}

llvm::Expected<Baseline> Worker::State::prepareNow() {
  double Seconds = Options.TimeoutS * PrepareFactor;
  for (unsigned Deaths = 0;;) {
    if (!Process)
      if (llvm::Error E = launch(Platform))
        return E;
    Reply R = ask(Prepare, Seconds);
    if (R.How == Outcome::Interrupted)
      return interrupted();
    if (R.How == Outcome::TimedOut)
      return llvm::make_error<BaselineRefused>(
          Status::TimedOut, "the baseline was not ready after " +
                                std::to_string(unsigned(Seconds)) +
                                " s; the worker was ended");
    if (R.How == Outcome::Ended) {
      if (++Deaths < MaxDeaths)
        continue;
      return makeError(
          Failure::Toolchain,
          "the worker ended " + std::to_string(Deaths) +
              " times in a row while it measured the baseline: " + R.Evidence);
    }
    if (!R.Said.Ok) {
      if (dropShape(R.Said))
        continue;
      return refusal(R.Said);
    }
    auto Measured = readBaseline(R.Said);
    if (!Measured)
      return Measured.takeError();
    for (const auto &[Shape, Why] : Dropped)
      Measured->DroppedShapes.push_back(Shape + ": " + Why);
    IsPrepared = true;
    return Measured;
  }
}

llvm::Expected<Baseline>
Worker::prepare(const Closure &C, const std::vector<ResolvedShape> &Shapes,
                const EvaluateOptions &Options) {
  if (Shapes.empty())
    return makeError(Failure::General, "no shape to prepare");
  Json Before = std::exchange(S->Prepare, prepareRequest(C, Shapes, Options));
  // Candidates that ran there must not get at the folders of other flags.
  if (S->Platform == "cpu" && !Before.is_null() &&
      Before["flags"] != S->Prepare["flags"])
    S->discard();
  S->ShapeNames.clear();
  S->Dropped.clear();
  for (const ResolvedShape &Shape : Shapes)
    S->ShapeNames.push_back(Shape.Name);
  S->IsPrepared = false;
  return S->prepareNow();
}

// ---- evaluate --------------------------------------------------------------

void Worker::announce(const std::vector<Announced> &Variants) {
  if (S->IsPrepared && S->Process)
    S->ask(announceRequest(Variants), S->Options.TimeoutS);
}

/// The evaluation that \p R amounts to, whatever became of the worker.
Evaluation Worker::State::judge(Reply &&R, double Seconds) {
  Evaluation E;
  if (R.How == Outcome::TimedOut) {
    E.Outcome = Status::TimedOut;
    E.Message = "no answer after " + std::to_string(unsigned(Seconds)) + " s";
    return E;
  }
  E.Outcome = Status::Crashed;
  if (R.How == Outcome::Ended) {
    E.Message = "the worker ended: " + R.Evidence;
    return E;
  }
  if (R.Said.Ok) {
    auto Read = readEvaluation(R.Said);
    if (Read)
      return std::move(*Read);
    E.Message = textOf(Read.takeError());
    discard();
    return E;
  }
  E.Message = R.Said.Error;
  if (R.Said.Kind == "request")
    E.Outcome = Status::Rejected;
  else
    discard();
  return E;
}

llvm::Expected<Evaluation>
Worker::evaluate(const Candidate &C, const std::string &Source,
                 const std::vector<ResolvedPlan> &Plans,
                 const std::map<std::string, int64_t> &Tune, double Beat) {
  if (S->Prepare.is_null())
    return makeError(Failure::General, "evaluate before prepare");
  if (!S->IsPrepared)
    if (auto Again = S->prepareNow(); !Again)
      return Again.takeError();
  std::vector<ResolvedPlan> Kept;
  for (size_t I = 0; I < Plans.size(); ++I)
    if (I >= S->ShapeNames.size() || !S->Dropped.count(S->ShapeNames[I]))
      Kept.push_back(Plans[I]);
  double Seconds = S->Options.TimeoutS;
  Reply R = S->ask(evaluateRequest(C, Source, Kept, Tune, Beat), Seconds);
  if (R.How == Outcome::Interrupted)
    return interrupted();
  Evaluation E = S->judge(std::move(R), Seconds);
  E.Candidate = C.Id;
  E.Tune = Tune;
  return E;
}

// ---- probe -----------------------------------------------------------------

llvm::Expected<ProbeReport> Worker::probe(const Closure &C,
                                          const ResolvedShape &Shape,
                                          const ProbeLimits &Limits) {
  return askProbe(probeRequest(C, Shape, Limits), Shape);
}

llvm::Expected<ProbeReport> Worker::probeHazards(const Closure &C,
                                                 const ResolvedShape &Shape,
                                                 const ProbedVariant *Variant,
                                                 const ProbeLimits &Limits) {
  Json Request = probeRequest(C, Shape, Limits);
  askForHazards(Request, Variant);
  return askProbe(std::move(Request), Shape);
}

llvm::Expected<ProbeReport> Worker::askProbe(Json Request,
                                             const ResolvedShape &Shape) {
  if (!S->Process)
    if (llvm::Error E = S->launch(S->Platform))
      return E;
  Reply R = S->ask(Request, S->Options.TimeoutS);
  switch (R.How) {
  case Outcome::Interrupted:
    return interrupted();
  case Outcome::TimedOut:
    return makeError(Failure::Workload, "the probe gave no answer");
  case Outcome::Ended:
    return makeError(Failure::Toolchain,
                     "the worker ended during the probe: " + R.Evidence);
  case Outcome::Line:
    break;
  }
  if (!R.Said.Ok)
    return S->refusal(R.Said);
  auto Seen = readProbe(R.Said);
  if (Seen)
    Seen->Dimensions = Shape.Dimensions;
  return Seen;
}
