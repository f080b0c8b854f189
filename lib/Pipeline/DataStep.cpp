#include "DataStep.h"
#include "ProbeStep.h"
#include "mep/Support/Error.h"
#include "mep/Workload/Resolve.h"

using namespace mep;
using llvm::Error;
using llvm::Expected;

// ---- by the probe ----------------------------------------------------------

/// Only a run on the CPU can tell these; without a compiler for it what is
/// missing stays missing.
Error DataStep::findExtents(Workload &Data, std::optional<ProbeReport> &Seen) {
  auto On = Prober.get();
  if (!On) {
    if (Worker::Interrupted)
      return On.takeError();
    llvm::consumeError(On.takeError());
    return makeError(Failure::Workload, Open.Missing);
  }
  return probeExtents(Data, Open, Source, **On, Seen);
}

Error DataStep::check(Workload &Data, bool IsAsked,
                      std::optional<ProbeReport> &Seen) {
  // What rests on an assumption has to show that it fits together, and no
  // device tells of a read outside of a buffer.
  if (!IsAsked && Data.Assumptions.empty() && Open.NeedsRun.empty())
    return Error::success();
  Log.update("probing", false);
  auto On = Prober.get();
  Error E =
      On ? checkByProbe(Data, Open, Site, Source, **On, Seen) : On.takeError();
  if (!E || Seen || failureOf(E) == Failure::Interrupted)
    return E;
  std::string Why = llvm::toString(std::move(E));
  if (IsAsked)
    Log.note("note: " + Site.QualifiedName + ": not probed: " + Why);
  if (!Open.NeedsRun.empty())
    Data.Notes.push_back("not checked for reads outside of buffers (" +
                         Open.NeedsRun + "): not probed: " + Why);
  return Error::success();
}

/// Other data where the kernel leaves \p Data; \p Why stays the reason when
/// there is none.
Error DataStep::search(Workload &Data, Error Why,
                       std::optional<ProbeReport> &Seen) {
  auto On = Prober.get();
  if (!On || failureOf(Why) == Failure::Interrupted) {
    llvm::consumeError(On.takeError());
    return Why;
  }
  Log.update("looking for data by probing", false);
  std::optional<ProbeReport> Last, UnfinishedSeen;
  std::optional<Workload> Unfinished;
  auto Judge = [&](Workload &Choice) -> Expected<std::optional<Trouble>> {
    Last.reset();
    if (Open.empty()) {
      auto Wrong = judgeByProbe(Choice, Open, Site, Source, **On, Last);
      // A run that was cut short shows less than one to the end: kept for when
      // there is none.
      if (!Wrong || *Wrong || !Last || Last->isFinished())
        return Wrong;
      if (!Unfinished) {
        Unfinished = Choice;
        UnfinishedSeen = Last;
      }
      return Trouble::Endless;
    }
    Error E = findExtents(Choice, Last);
    if (failureOf(E) == Failure::Interrupted)
      return E;
    bool IsAstray = bool(E);
    llvm::consumeError(std::move(E));
    return IsAstray ? std::optional(Trouble::Astray) : std::nullopt;
  };
  unsigned Tries = 0;
  const size_t Known = Data.Notes.size();
  auto Found = searchData(Data, Trouble::Astray, {}, Judge, Tries);
  if (Found && !*Found && !Unfinished)
    return Why;
  llvm::consumeError(std::move(Why));
  if (!Found)
    return Found.takeError();
  if (!*Found) {
    Data = std::move(*Unfinished);
    Last = std::move(UnfinishedSeen);
  }
  Seen = std::move(Last);
  noteFrom(Known, Data);
  return Error::success();
}

Error DataStep::probe(Workload &Data, bool IsAsked,
                      std::optional<ProbeReport> &Seen) {
  Workload Inferred = Data;
  Error Wrong = Error::success();
  if (Open.empty()) {
    Wrong = check(Data, IsAsked, Seen);
  } else {
    Log.update("probing for extents", false);
    Wrong = findExtents(Data, Seen);
  }
  if (!Wrong)
    Wrong = resolveShapes(Data).takeError();
  if (!Wrong)
    return Error::success();
  if (!Seen && Data.Assumptions.empty())
    return Wrong;
  Data = std::move(Inferred);
  return search(Data, std::move(Wrong), Seen);
}

// ---- by the baseline -------------------------------------------------------

/// By the probe first, where there is one, since it sees what a device does
/// not.
Expected<std::optional<Trouble>>
DataStep::judge(Workload &Data, Prepare Do, std::optional<Baseline> &Base) {
  if (auto On = Prober.get()) {
    std::optional<ProbeReport> Seen;
    auto Wrong = judgeByProbe(Data, Open, Site, Source, **On, Seen);
    if (!Wrong || *Wrong)
      return Wrong;
  } else {
    llvm::consumeError(On.takeError());
  }
  auto Made = Do(Data);
  if (Made) {
    Base = std::move(*Made);
    return std::nullopt;
  }
  Error Why = Made.takeError();
  std::optional<Status> Refused = refusalOf(Why);
  std::optional<Trouble> Wrong = Refused ? troubleOf(*Refused) : std::nullopt;
  if (!Wrong)
    return Why;
  llvm::consumeError(std::move(Why));
  return Wrong;
}

Expected<Baseline> DataStep::prepare(Workload &Data, bool WasProbed,
                                     Prepare Do) {
  auto First = Do(Data);
  if (First)
    return First;
  Error Why = First.takeError();
  std::optional<Status> Refused = refusalOf(Why);
  std::optional<Trouble> What = Refused ? troubleOf(*Refused) : std::nullopt;
  if (!What)
    return Why;
  Log.update("looking for data", false);
  DataSearchLimits Limits;
  Limits.Unchanged = !WasProbed;
  std::optional<Baseline> Base;
  unsigned Tries = 0;
  const size_t Known = Data.Notes.size();
  auto Found = searchData(
      Data, *What, Limits,
      [&](Workload &Choice) { return judge(Choice, Do, Base); }, Tries);
  if (Found && *Found) {
    llvm::consumeError(std::move(Why));
    noteFrom(Known, Data);
    return std::move(*Base);
  }
  if (!Found && Worker::Interrupted) {
    llvm::consumeError(std::move(Why));
    return Found.takeError();
  }
  std::string Message = llvm::toString(std::move(Why));
  Message +=
      "; " + std::to_string(Tries) + " other choices of data do no better";
  if (!Found)
    Message += ", the last: " + llvm::toString(Found.takeError());
  return llvm::make_error<BaselineRefused>(*Refused, Message);
}

void DataStep::noteFrom(size_t First, const Workload &Data) {
  for (size_t I = First; I < Data.Notes.size(); ++I)
    Log.note("note: " + Site.QualifiedName + ": " + Data.Notes[I]);
}
