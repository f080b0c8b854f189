#include "KernelWalk.h"
#include "AccessStep.h"
#include "DataStep.h"
#include "SpliceStep.h"
#include "mep/Access/AccessAnalysis.h"
#include "mep/Access/AccessNumbers.h"
#include "mep/Closure/ClosureBuilder.h"
#include "mep/Frontend/ParsedUnit.h"
#include "mep/Mep/MepWriter.h"
#include "mep/Report/Report.h"
#include "mep/Support/Error.h"
#include "mep/Support/Files.h"
#include "mep/Workload/Resolve.h"
#include "mep/Workload/WorkloadInference.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/TimeProfiler.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

using namespace mep;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

/// Larger data takes longer to fill than it helps: launches are batched
/// instead.
constexpr uint64_t MaxScaledBytes = uint64_t(1) << 30;

class Walk {
public:
  Walk(const PipelineOptions &Options, const KernelSite &Site, StringRef Folder,
       SharedState &Shared, Progress &Log, llvm::raw_ostream &Out,
       WalkedKernel &Walked)
      : Options(Options), Site(Site), Folder(Folder), Units(Shared.Units),
        Slot(Shared.Slot), Prober(Shared.Prober), Proofs(Shared.Proofs),
        Log(Log), Out(Out), Walked(Walked), Result(Walked.Result) {}

  Error run();

private:
  Error cut();
  Error joinUnits(unsigned Instantiation);
  Fidelity prove(const ParsedUnit &Device, const Closure &C);
  void tryWholeUnit(const ParsedUnit &Device, unsigned Instantiation,
                    Closure &Slice);
  Expected<std::string> userText() const;
  Error withFile(Error E) const;
  Expected<AccessModel> accesses();
  Error findAccesses();
  Error compareAccesses();
  Error inferData();
  Error infer();
  DataStep dataStep() {
    return DataStep(Site, *Walked.Source, Open, Prober, Log);
  }
  Error writeProbe();
  Error writeProgram();
  Error prepareOnSomeData(Worker &W);
  Error measure();
  Error search();
  Expected<std::unique_ptr<Proposer>> proposer() const;
  void reportTried();
  Error fitToDevice(uint64_t MemoryBytes);
  Error fitLaunches(uint64_t MemoryBytes);
  Error scaleToMinimum(Worker &W);
  Expected<Baseline> prepare(Worker &W);
  bool isLast(Stage S) const { return Options.StopAfter == S; }

  const PipelineOptions &Options;
  const KernelSite &Site;
  std::string Folder;
  UnitCache &Units;
  WorkerSlot &Slot, &Prober;
  FidelityProver &Proofs;
  Progress &Log;
  llvm::raw_ostream &Out;
  WalkedKernel &Walked;
  KernelResult &Result;
  std::vector<ResolvedShape> Shapes;
  OpenExtents Open; ///< As they were before they were probed.
};

static bool isRefuted(const Fidelity &Proof) {
  return Proof.Status == Fidelity::Different ||
         Proof.Status == Fidelity::Failed;
}

Fidelity Walk::prove(const ParsedUnit &Device, const Closure &C) {
  return Proofs.prove(Device.command(), C);
}

/// Puts the whole unit in place of \p Slice, whose proof failed, if the unit
/// has the application's machine code: then the slicing lost something.
void Walk::tryWholeUnit(const ParsedUnit &Device, unsigned Instantiation,
                        Closure &Slice) {
  Log.update("proving the whole unit", false);
  auto Whole = buildWholeUnitClosure(Device, Site, Instantiation);
  if (!Whole) {
    Slice.Proof.Detail +=
        "; nor is there a whole unit: " + llvm::toString(Whole.takeError());
    return;
  }
  Whole->Proof = prove(Device, *Whole);
  if (Whole->Proof.Status != Fidelity::Same) {
    Slice.Proof.Detail += "; nor does the whole unit: " + Whole->Proof.Detail;
    return;
  }
  Log.note("note: " + Site.QualifiedName +
           ": the closure is the whole unit without its host code, since the "
           "slice was not proven equal: " +
           Slice.Proof.Detail);
  Slice = std::move(*Whole);
}

/// Adds the units that define what the kernel calls and its own only declares,
/// as a device linker would, until nothing is missing or none helps.
Error Walk::joinUnits(unsigned Instantiation) {
  std::vector<std::string> Others = Units.joined(Site.Unit);
  for (bool Helps = true; Helps;) {
    auto Device = Units.device(Site.Unit);
    if (!Device)
      return Device.takeError();
    auto Missing = definedElsewhere(**Device, Site, Instantiation);
    Helps = false;
    if (Missing.empty())
      break;
    for (const std::string &File :
         Units.filesNaming(Missing.front(), Site.Unit)) {
      if (llvm::is_contained(Others, File))
        continue;
      Log.update("looking for '" + Missing.front() + "'", false);
      Others.push_back(File);
      Units.join(Site.Unit, Others);
      auto Joined = Units.device(Site.Unit);
      if (!Joined)
        return Joined.takeError();
      auto Left = definedElsewhere(**Joined, Site, Instantiation);
      Helps = !llvm::is_contained(Left, Missing.front());
      if (Helps)
        break;
      Others.pop_back();
    }
    if (!Helps)
      Units.join(Site.Unit, Others);
  }
  if (Others.empty())
    return Error::success();
  auto Device = Units.device(Site.Unit);
  if (!Device)
    return Device.takeError();
  StringRef Calls = callsAcrossUnits((*Device)->command())
                        ? "; calls of it from other units are not inlined, as "
                          "in the application"
                        : "";
  for (const std::string &File : Others)
    Log.note("note: " + Site.QualifiedName + ": device code of " + File +
             " is part of the closure" + Calls.str());
  return Error::success();
}

Error Walk::cut() {
  Log.update("cutting out", false);
  unsigned Instantiation =
      Site.Launches.empty() ? 0 : Site.Launches.front().Instantiation;
  if (Error E = joinUnits(Instantiation))
    return E;
  auto Device = Units.device(Site.Unit);
  if (!Device)
    return Device.takeError();
  auto Cut = buildClosure(**Device, Site, Instantiation);
  if (!Cut)
    return Cut.takeError();
  if (Options.CheckFidelity && Options.StopAfter >= Stage::Closure) {
    Log.update("proving the closure", false);
    Cut->Proof = prove(**Device, *Cut);
    if (isRefuted(Cut->Proof))
      tryWholeUnit(**Device, Instantiation, *Cut);
  }
  Result.WholeUnit = Cut->WholeUnit;
  Result.Proof = Cut->Proof;
  Walked.Source = std::move(*Cut);
  const Closure &C = *Walked.Source;
  if (Options.RehearseSplice) {
    Log.update("rehearsing the splice", false);
    Result.Rehearsal = rehearseSplice(Walked, Units, Folder);
    if (Result.Rehearsal != "ok")
      Log.note("warning: " + Site.QualifiedName +
               ": a winner could not be put back: " + Result.Rehearsal);
  }
  if (isRefuted(C.Proof))
    Log.note(
        "warning: " + Site.QualifiedName +
        ": machine code of the closure not proven equal: " + C.Proof.Detail);
  if (Options.StopAfter >= Stage::Mep) {
    Result.Folder = Folder;
    llvm::SmallString<256> File(Folder);
    llvm::sys::path::append(File, "closure.json");
    if (Error E = writeFile(File, printJson(toJson(C), true)))
      return E;
  }
  if (isLast(Stage::Closure))
    Out << (Options.JsonOutput ? printJson(toJson(C), true) : C.Text);
  return Error::success();
}

Expected<AccessModel> Walk::accesses() {
  Log.update("following the accesses", false);
  auto Device = Units.device(Site.Unit);
  if (!Device)
    return Device.takeError();
  unsigned Instantiation =
      Site.Launches.empty() ? 0 : Site.Launches.front().Instantiation;
  return analyzeAccesses(**Device, Site, Instantiation, *Walked.Source);
}

/// Only shown: the workload's own step takes from the model what it needs.
Error Walk::findAccesses() {
  if (!isLast(Stage::Access))
    return Error::success();
  auto Found = accesses();
  if (!Found)
    return Found.takeError();
  AccessModel &Model = *Found;
  // Numbers where the workload is known; a kernel without one is shown too.
  std::vector<AccessedElements> Numbers;
  std::string Why;
  if (Error E = inferData())
    Why = llvm::toString(std::move(E));
  else
    Numbers = touchedElements(Model, *Result.Data, Shapes.front());
  if (Options.JsonOutput) {
    Json J = toJson(Model);
    Json At = Json::array();
    for (const AccessedElements &T : Numbers)
      At.push_back(toJson(T));
    J["base_shape"] = At;
    if (Result.Accesses)
      J["access_check"] = toJson(*Result.Accesses);
    if (!Why.empty())
      J["no_numbers"] = Why;
    Out << printJson(J, true);
    return Error::success();
  }
  print(Model, Out);
  Out << (Why.empty() ? "at the base shape:\n" : "no numbers: " + Why + "\n");
  for (const AccessedElements &T : Numbers)
    print(T, Out);
  return Error::success();
}

/// Text of `--workload`'s file, empty without one.
Expected<std::string> Walk::userText() const {
  if (Options.WorkloadFile.empty())
    return std::string();
  auto Text = readFile(Options.WorkloadFile);
  if (Text && StringRef(*Text).trim().empty())
    return makeError(Failure::Workload, "is empty, expected an object",
                     Options.WorkloadFile);
  return Text;
}

/// An error in an expression names the member, which may be the user's: adds
/// the file.
Error Walk::withFile(Error E) const {
  if (Options.WorkloadFile.empty() || failureOf(E) != Failure::Workload)
    return E;
  std::string Message = llvm::toString(std::move(E));
  if (StringRef(Message).contains(Options.WorkloadFile))
    return makeError(Failure::Workload, Message);
  return makeError(Failure::Workload, Message, "",
                   "members of " + Options.WorkloadFile +
                       " stand in place of what was found");
}

/// A probe that ran is a check of the access model as well.
Error Walk::compareAccesses() {
  if (!Result.Probe)
    return Error::success();
  auto Model = accesses();
  if (!Model)
    return Model.takeError();
  Result.Accesses = checkAccesses(*Model, *Result.Data, *Result.Probe);
  for (const std::string &Difference : Result.Accesses->Differences)
    Log.note("note: " + Site.QualifiedName +
             ": access model and probe differ: " + Difference);
  return Error::success();
}

/// The findings lie beside what they are about.
Error Walk::writeProbe() {
  if (!Result.Probe)
    return Error::success();
  llvm::SmallString<256> File(Folder);
  llvm::sys::path::append(File, "probe.json");
  return writeFile(File, printJson(toJson(*Result.Probe), true));
}

Error Walk::infer() {
  if (Site.Launches.empty() && Options.WorkloadFile.empty())
    return makeError(Failure::NotFound,
                     "kernel '" + Site.QualifiedName +
                         "' is not launched in the units looked at",
                     Site.Definition.str(),
                     "name the unit that launches it, or give its data with "
                     "--workload=FILE");
  auto Host = Units.host(Site.Launches.empty() ? Site.Unit
                                               : Site.Launches.front().Unit);
  if (!Host)
    return Host.takeError();
  auto Device = Units.device(Site.Unit);
  if (!Device)
    return Device.takeError();
  auto UserText = userText();
  if (!UserText)
    return UserText.takeError();
  InferenceOptions How;
  How.UserFile = *UserText;
  How.UserPath = Options.WorkloadFile;
  How.Arguments = Options.Arguments;
  How.Assume = Options.Assume;
  How.Open = &Open;
  How.UnitsNaming = [&](StringRef Name) {
    return Units.naming(Name, (*Host)->command().File);
  };
  How.UnitsNotRead = [&](StringRef Name) {
    return Units.notRead(Name, (*Host)->command().File);
  };
  How.HostOf = [&](StringRef File) -> const ParsedUnit * {
    auto Other = Units.host(File);
    if (Other)
      return *Other;
    llvm::consumeError(Other.takeError());
    return nullptr;
  };
  auto Data = inferWorkload(**Host, **Device, Site, 0, *Walked.Source, How);
  if (!Data)
    return withFile(Data.takeError());
  Result.Data = std::move(*Data);
  return Error::success();
}

Error Walk::inferData() {
  Log.update("inferring the workload", false);
  Open = OpenExtents();
  if (Error E = infer())
    return E;
  for (const Assumption &A : Result.Data->Assumptions)
    Log.note("note: " + Site.QualifiedName + ": assumed: " + A.Text);
  Error Wrong = dataStep().probe(*Result.Data, Options.Probe, Result.Probe);
  Error Unwritten = writeProbe();
  Error Uncompared = compareAccesses();
  if (Wrong) {
    llvm::consumeError(std::move(Unwritten));
    llvm::consumeError(std::move(Uncompared));
    return withFile(std::move(Wrong));
  }
  if (Error E = llvm::joinErrors(std::move(Unwritten), std::move(Uncompared)))
    return E;
  auto Resolved = resolveShapes(*Result.Data);
  if (!Resolved)
    return withFile(Resolved.takeError());
  Shapes = std::move(*Resolved);
  if (isLast(Stage::Workload))
    Out << printJson(toJson(*Result.Data), true);
  return Error::success();
}

Error Walk::writeProgram() {
  MepOptions M;
  M.Repeat = Options.Evaluate.Repeat;
  M.TrimPercent = Options.Evaluate.TrimPercent;
  M.Seed = Options.Evaluate.Seed;
  if (Error E = writeMep(*Walked.Source, *Result.Data, Shapes, M, Folder))
    return E;
  Result.Folder = Folder;
  if (isLast(Stage::Mep))
    Out << Folder << '\n';
  return Error::success();
}

Expected<Baseline> Walk::prepare(Worker &W) {
  Log.update("measuring the baseline", false);
  EvaluateOptions How = Options.Evaluate;
  How.RelativeTolerance = Result.Data->RelativeTolerance;
  How.AbsoluteTolerance = Result.Data->AbsoluteTolerance;
  return W.prepare(*Walked.Source, Shapes, How);
}

/// Without the context, the worker's own buffers and a candidate's scratch.
static uint64_t usableBytes(uint64_t MemoryBytes) {
  return MemoryBytes / 10 * 9;
}

/// Makes the sizes smaller when the device cannot hold them, and refuses what
/// cannot be smaller. Shapes other than the first may not fit: the worker drops
/// them and says so.
Error Walk::fitToDevice(uint64_t MemoryBytes) {
  if (MemoryBytes == 0) // A worker that does not say.
    return Error::success();
  const uint64_t MaxBytes = usableBytes(MemoryBytes);
  auto Fitted = fittedWorkload(*Result.Data, MaxBytes);
  if (!Fitted)
    return Fitted.takeError();
  if (Fitted->Notes.size() != Result.Data->Notes.size()) {
    Log.note("note: " + Site.QualifiedName + ": " + Fitted->Notes.back());
    Result.Data = std::move(*Fitted);
    auto Resolved = resolveShapes(*Result.Data);
    if (!Resolved)
      return Resolved.takeError();
    Shapes = std::move(*Resolved);
  }
  // Whether more than one copy of each buffer is needed shows in the worker.
  const uint64_t Own = Shapes.front().totalBytes(), Least = 2 * Own;
  if (Least <= MemoryBytes)
    return Error::success();
  return makeError(Failure::Workload,
                   "the data of kernel '" + Site.QualifiedName + "' has " +
                       std::to_string(Own >> 20) + " MiB and needs at least " +
                       std::to_string(Least >> 20) +
                       " MiB with a copy of each buffer, which verification "
                       "keeps; the device has " +
                       std::to_string(MemoryBytes >> 20) +
                       " MiB, and none of its sizes is free to be smaller",
                   Site.Definition.str(),
                   "give smaller sizes with --workload=FILE, or use a device "
                   "with more memory");
}

/// Leaves out launches that the device cannot hold beside the other shapes.
Error Walk::fitLaunches(uint64_t MemoryBytes) {
  auto IsLaunch = [](const ResolvedShape &S) {
    return S.Weight > 0 || StringRef(S.Name).starts_with("launch");
  };
  std::vector<ResolvedShape> Held;
  for (size_t I = 0; I < Shapes.size(); ++I)
    if (I == 0 || !IsLaunch(Shapes[I]))
      Held.push_back(Shapes[I]);
  bool Left = false;
  for (size_t I = 1; I < Shapes.size() && MemoryBytes; ++I) {
    if (!IsLaunch(Shapes[I]))
      continue;
    Held.push_back(Shapes[I]);
    if (workerBytes(Held) <= usableBytes(MemoryBytes))
      continue;
    Held.pop_back();
    std::string Note = "shape " + Shapes[I].Name + " is left out: its " +
                       std::to_string(Shapes[I].totalBytes() >> 20) +
                       " MiB do not lie in the device's memory beside the "
                       "other shapes'";
    Log.note("note: " + Site.QualifiedName + ": " + Note);
    Result.Data->Notes.push_back(Note);
    Result.Data->Shapes.erase(Result.Data->Shapes.begin() + I);
    Shapes.erase(Shapes.begin() + I--);
    Left = true;
  }
  return Left ? writeProgram() : Error::success();
}

static std::string changedSizes(const std::map<std::string, int64_t> &From,
                                const std::map<std::string, int64_t> &To) {
  std::string Text;
  for (const auto &[Name, Value] : To)
    if (auto It = From.find(Name); It != From.end() && It->second != Value)
      Text += (Text.empty() ? "'" : ", '") + Name + "' is " +
              std::to_string(Value) + " in place of " +
              std::to_string(It->second);
  return Text;
}

/// Grows the shape until the kernel runs for T_min; what cannot be grown is
/// batched by the worker instead.
Error Walk::scaleToMinimum(Worker &W) {
  // The launches' proportions are the application's.
  if (!Result.Base->Launches.empty())
    return Error::success();
  double MinimumNs = Options.Evaluate.TMinUs * 1e3;
  const std::map<std::string, int64_t> Own = Shapes.front().Dimensions;
  uint64_t MaxBytes = std::min(W.device().MemoryBytes / 5, MaxScaledBytes);
  for (unsigned Step = 0; Step < 4 && Result.Base->TimeNs < MinimumNs; ++Step) {
    // Powers of two: another run, timed a little otherwise, takes the same.
    double Factor = std::exp2(std::ceil(std::log2(
        std::clamp(1.2 * MinimumNs / Result.Base->TimeNs, 2.0, 64.0))));
    Workload Larger = scaledWorkload(*Result.Data, Factor, MaxBytes);
    auto Resolved = resolveShapes(Larger);
    if (!Resolved)
      return Resolved.takeError();
    if (Resolved->front().totalBytes() <= Shapes.front().totalBytes())
      return Error::success();
    Workload Smaller = std::move(*Result.Data);
    std::vector<ResolvedShape> SmallerShapes = std::move(Shapes);
    Result.Data = std::move(Larger);
    Shapes = std::move(*Resolved);
    auto Base = prepare(W);
    if (!Base) {
      // The larger shape does not run: stay with the one that did.
      Log.note("note: " + Site.QualifiedName +
               ": not scaled further: " + llvm::toString(Base.takeError()));
      Result.Data = std::move(Smaller);
      Shapes = std::move(SmallerShapes);
      auto Again = prepare(W);
      if (!Again)
        return Again.takeError();
      Result.Base = std::move(*Again);
      return Error::success();
    }
    Result.Base = std::move(*Base);
    Result.Grown = changedSizes(Own, Shapes.front().Dimensions);
  }
  return Error::success();
}

/// Prepares with the inferred data, else with the first other data on which the
/// kernel runs.
Error Walk::prepareOnSomeData(Worker &W) {
  const Workload Inferred = *Result.Data;
  const std::vector<ResolvedShape> InferredShapes = Shapes;
  auto Prepare = [&](Workload &Data) -> Expected<Baseline> {
    auto Resolved = resolveShapes(Data);
    if (!Resolved)
      return Resolved.takeError();
    Result.Data = Data;
    Shapes = std::move(*Resolved);
    return prepare(W);
  };
  Workload Data = Inferred;
  auto Base = dataStep().prepare(Data, Result.Probe.has_value(), Prepare);
  if (!Base) {
    Result.Data = Inferred;
    Shapes = InferredShapes;
    return Base.takeError();
  }
  Result.Base = std::move(*Base);
  return Data.Notes == Inferred.Notes ? Error::success() : writeProgram();
}

Error Walk::measure() {
  auto W = Slot.get();
  if (!W)
    return W.takeError();
  if (Error E = fitLaunches((*W)->device().MemoryBytes))
    return E;
  size_t Bytes = Shapes.front().totalBytes();
  if (Error E = fitToDevice((*W)->device().MemoryBytes))
    return E;
  if (Error E = prepareOnSomeData(**W))
    return E;
  if (Error E = scaleToMinimum(**W))
    return E;
  if (Shapes.front().totalBytes() != Bytes)
    if (Error E = writeProgram())
      return E;
  for (const std::string &Dropped : Result.Base->DroppedShapes)
    Log.note("note: " + Site.QualifiedName + ": not verified on shape " +
             Dropped);
  Log.update("baseline " + formatTime(Result.Base->TimeNs));
  if (isLast(Stage::Evaluate))
    Out << printJson(toJson(*Result.Base), true);
  return Error::success();
}

Expected<std::unique_ptr<Proposer>> Walk::proposer() const {
  if (Options.Try.empty())
    return makeBuiltinProposer();
  return makeFileProposer(Options.Try);
}

/// What became of the candidates that came in files.
void Walk::reportTried() {
  for (const Trial &T : Result.Trials) {
    if (T.Proposal.Origin.empty())
      continue;
    const Evaluation &E = T.best() ? *T.best() : T.Evaluations.back();
    std::string Line = T.Proposal.Origin + ": " + name(E.Outcome);
    if (E.Ratio > 0)
      Line += llvm::formatv(" {0:f2}x [{1:f2}, {2:f2}]", E.Ratio, E.Low, E.High)
                  .str();
    for (const auto &[Name, Value] : E.Tune)
      Line += " " + Name + "=" + std::to_string(Value);
    Log.note(Line + (E.Message.empty() ? "" : ": " + E.Message));
  }
}

Error Walk::search() {
  auto W = Slot.get();
  if (!W)
    return W.takeError();
  auto P = proposer();
  if (!P)
    return P.takeError();
  OptimizeOptions How = Options.Optimize;
  if (!Options.Try.empty()) {
    // All are wanted to the end.
    How.Rounds = 1;
    How.Beam = UINT_MAX;
    How.SanitizeAll = true;
  }
  if (Options.Sanitize)
    How.Prober = [this] { return Prober.get(); };
  double Best = 1;
  unsigned Count = 0;
  auto Show = [&](unsigned Round, const Candidate &C, const Evaluation &E) {
    ++Count;
    if (E.Outcome == Status::Faster)
      Best = std::max(Best, E.Ratio);
    char Text[64];
    snprintf(Text, sizeof Text, "%.2fx", Best);
    Log.update("round " + llvm::Twine(Round + 1) + ", " + llvm::Twine(Count) +
                   " evaluations, best " + Text + ", " +
                   (C.Moves.empty() ? "" : C.Moves.back()) + ": " +
                   name(E.Outcome),
               false);
  };
  llvm::SmallString<256> Journal(Folder);
  llvm::sys::path::append(Journal, "session.ndjson");
  How.Measure = Options.Evaluate;
  Error E = optimizeKernel(**W, *Walked.Source, *Result.Data, *Result.Base, **P,
                           How, Journal, Result, Show);
  reportTried();
  if (Result.Sanitizer && Result.Sanitizer->Shape.empty())
    Log.note("note: " + Site.QualifiedName + ": the winner's sanitizer was " +
             Result.Sanitizer->Text);
  Log.update(E || Result.Outcome.empty() ? "stopped" : Result.Outcome);
  if (E)
    return E;
  if (isLast(Stage::Optimize)) {
    const Trial *Winner = Result.winner();
    Out << (Winner ? Winner->Proposal.DeviceText
                   : Walked.Source->kernelText().str())
        << '\n';
  }
  return Error::success();
}

Error Walk::run() {
  struct Step {
    Stage Which;
    Error (Walk::*Do)();
  };
  static const Step Steps[] = {
      {Stage::Closure, &Walk::cut},        {Stage::Access, &Walk::findAccesses},
      {Stage::Workload, &Walk::inferData}, {Stage::Mep, &Walk::writeProgram},
      {Stage::Evaluate, &Walk::measure},   {Stage::Optimize, &Walk::search}};
  for (const Step &S : Steps) {
    if (Options.StopAfter < S.Which)
      break;
    if (Worker::Interrupted)
      return makeError(Failure::Interrupted, "interrupted");
    Result.Stage = name(S.Which);
    llvm::TimeTraceScope Trace("mep: " + Result.Stage);
    if (Error E = (this->*S.Do)())
      return E;
  }
  return Error::success();
}

} // namespace

Error mep::walkKernel(const PipelineOptions &Options, const KernelSite &Site,
                      StringRef Folder, SharedState &Shared, Progress &Log,
                      llvm::raw_ostream &Out, WalkedKernel &Walked) {
  llvm::TimeTraceScope Trace("mep: kernel", Site.QualifiedName);
  Walked.Result.Site = Site;
  Log.begin(Site.QualifiedName);
  Error E = Walk(Options, Site, Folder, Shared, Log, Out, Walked).run();
  Log.finish();
  return E;
}
