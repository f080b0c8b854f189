/// \file
/// The winner's edits, applied in memory and checked by parsing.

#include "mep/Splice/Splicer.h"
#include "ArgumentOverlap.h"
#include "KernelEdit.h"
#include "LaunchEdit.h"
#include "SpliceText.h"
#include "UnseenMentions.h"
#include "mep/Frontend/ParsedUnit.h"
#include "mep/Frontend/TakenBranches.h"
#include "mep/Support/Error.h"
#include "mep/Support/Files.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>
#include <set>

using namespace mep;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

/// The plan asks for other launches than the original ones.
bool changesLaunch(const KernelSite &Site, const LaunchPlan &Plan) {
  return !Plan.isOriginal() ||
         llvm::any_of(Plan.Launches, [&](const PlannedLaunch &L) {
           return !L.Kernel.empty() && L.Kernel != Site.Name;
         });
}

/// A launch is compiled on the host's side: conditional code in the kernel has
/// to be decided there as it was where the kernel was measured.
Error checkSidesAgree(const ParsedUnit &Home, const KernelSite &Site,
                      const Closure &C) {
  StringRef Measured = C.kernelPiece()->Condition;
  if (Measured.empty())
    return Error::success();
  auto OnHost = takenCondition(Home, Site.Definition);
  if (!OnHost)
    return OnHost.takeError();
  if (*OnHost == Measured)
    return Error::success();
  return makeError(Failure::Unsupported,
                   "the text of kernel '" + Site.QualifiedName +
                       "' holds code that is conditional on the side it is "
                       "compiled for, and the winner needs another launch",
                   Site.Definition.str());
}

/// The new text is proven for one block size only.
bool fixesBlock(const Closure &C, const Candidate &Winner) {
  StringRef Bounds = "__launch_bounds__";
  return mentions(Winner.DeviceText, Bounds) &&
         !mentions(C.kernelText(), Bounds);
}

std::string unseenNote(const UnseenMentions &Unseen) {
  constexpr size_t Most = 4;
  std::string Note =
      "the original stays for what names it where this build "
      "does not look: " +
      llvm::join(llvm::ArrayRef(Unseen.Places).take_front(Most), ", ");
  if (Unseen.Places.size() > Most)
    Note += " and " + std::to_string(Unseen.Places.size() - Most) + " more";
  return Note;
}

} // namespace

Expected<std::vector<Edit>>
mep::spliceKernel(const ParsedUnit &Home, const ParsedUnit &Host,
                  const KernelSite &Site, const Closure &C,
                  const Workload &Data, const Candidate &Winner,
                  const std::map<std::string, int64_t> &Tune,
                  const SpliceSurroundings &Around) {
  LaunchIndex Index = indexLaunches(Host, Site);
  std::vector<const LaunchSite *> Editable;
  std::string Reason;
  std::vector<std::string> Kept; ///< Notes on launches that are not edited.
  bool Overlaps = false; ///< Some launch updates in place, others do not.
  SourceSpan ReasonAt = Site.Definition;
  auto UnitOf = [&](StringRef File) -> const ParsedUnit * {
    if (File == Host.command().File)
      return &Host;
    return Around.UnitOf ? Around.UnitOf(File) : nullptr;
  };
  ArgumentOverlap Arguments(Site, Data, UnitOf);
  for (const LaunchSite &Launch : Site.Launches) {
    std::string Why = Arguments.whyNot(Launch);
    const bool InPlace = !Why.empty();
    Overlaps |= InPlace;
    if (InPlace && Around.Notes)
      Around.Notes->push_back("the launch at " + Launch.Call.str() +
                              " keeps the original: " + Why);
    if (Why.empty())
      Why = whyNotEdited(Host, Site, Launch, Index);
    if (Why.empty()) {
      Editable.push_back(&Launch);
      continue;
    }
    if (!InPlace)
      Kept.push_back("the launch at " + Launch.Call.str() +
                     " keeps the original, and what was measured for it is "
                     "not in the patch: " +
                     Why);
    if (Reason.empty()) {
      Reason = Why;
      ReasonAt = Launch.Call;
    }
  }
  // With other launches than those that can be edited, the original has to
  // stay beside the new version where that is not right for all of them.
  UnseenMentions Unseen;
  addUnseenMentions(Host, Site, Unseen);
  if (&Home != &Host)
    addUnseenMentions(Home, Site, Unseen);
  addOtherUnits(Host, Site, Around, Unseen);
  bool Everywhere = Reason.empty() && Unseen.Places.empty() &&
                    Index.Uses == Site.Launches.size() &&
                    Site.Definition.File == Host.command().File &&
                    !Index.DeclaredElsewhere;
  bool ForOneLaunch = changesLaunch(Site, Winner.Plan) ||
                      fixesBlock(C, Winner) || Overlaps ||
                      Site.Instantiations.size() > 1;
  // With the original launch a template can be specialised for what was
  // measured; no launch needs an edit.
  bool Specialise = Site.Instantiations.size() > 1 && !Overlaps &&
                    !changesLaunch(Site, Winner.Plan) && !fixesBlock(C, Winner);
  Beside Keep = Specialise                    ? Beside::Specialised
                : ForOneLaunch && !Everywhere ? Beside::Renamed
                                              : Beside::Nothing;
  if (Keep == Beside::Renamed && Editable.empty())
    return makeError(Failure::Unsupported,
                     Reason.empty() ? "no launch of kernel '" +
                                          Site.QualifiedName + "' was seen"
                                    : Reason,
                     ReasonAt.str());

  bool LaunchesChange =
      changesLaunch(Site, Winner.Plan) || Keep == Beside::Renamed;
  if (LaunchesChange)
    if (Error E = checkSidesAgree(Home, Site, C))
      return std::move(E);
  auto Kernel = editKernel(Home, Site, C, Winner, Tune, Keep,
                           !LaunchesChange  ? Launchers::Unchanged
                           : Unseen.Defines ? Launchers::FollowItsBranch
                                            : Launchers::Edited);
  if (!Kernel)
    return Kernel.takeError();
  std::vector<Edit> Edits;
  if (Kernel->Change)
    Edits.push_back(*Kernel->Change);
  if (changesLaunch(Site, Winner.Plan) || Kernel->LaunchName != Site.Name) {
    auto Launches = editLaunches(Host, Site, Data, Winner.Plan, Tune, *Kernel,
                                 Editable, Index);
    if (!Launches)
      return Launches.takeError();
    llvm::append_range(Edits, *Launches);
  }
  if (Around.Notes) {
    if (Keep == Beside::Renamed)
      llvm::append_range(*Around.Notes, Kept);
    if (Keep == Beside::Renamed && !Unseen.Places.empty())
      Around.Notes->push_back(unseenNote(Unseen));
    llvm::append_range(*Around.Notes, Arguments.assumed());
  }
  return Edits;
}

Expected<Patch> mep::makePatch(std::vector<Edit> Edits) {
  llvm::sort(Edits, [](const Edit &A, const Edit &B) {
    return std::tie(A.Place.File, A.Place.Begin) <
           std::tie(B.Place.File, B.Place.Begin);
  });
  Patch P;
  unsigned Done = 0;
  for (const Edit &E : Edits) {
    if (P.Files.empty() || P.Files.back().File != E.Place.File) {
      if (!P.Files.empty())
        P.Files.back().After +=
            StringRef(P.Files.back().Before).drop_front(Done);
      auto Text = readFile(E.Place.File);
      if (!Text)
        return Text.takeError();
      P.Files.push_back({E.Place.File, std::move(*Text), ""});
      Done = 0;
    }
    FilePatch &F = P.Files.back();
    StringRef Before = F.Before;
    if (E.Place.End > Before.size() ||
        contentHash(Before.slice(E.Place.Begin, E.Place.End)) != E.Hash)
      return makeError(Failure::Input,
                       "the file changed since it was parsed; run again",
                       E.Place.str());
    if (E.Place.Begin < Done)
      return makeError(Failure::Unsupported, "two edits touch the same text",
                       E.Place.str());
    F.After += Before.slice(Done, E.Place.Begin);
    F.After += E.Replacement;
    Done = E.Place.End;
  }
  if (!P.Files.empty())
    P.Files.back().After += StringRef(P.Files.back().Before).drop_front(Done);
  P.Edits = std::move(Edits);
  return P;
}

namespace {

/// The first error of \p After that \p Before does not have as often.
const UnitDiagnostic *firstNew(const std::vector<UnitDiagnostic> &Before,
                               const std::vector<UnitDiagnostic> &After) {
  std::multiset<std::string> Known;
  for (const UnitDiagnostic &D : Before)
    Known.insert(D.Message);
  for (const UnitDiagnostic &D : After) {
    auto It = Known.find(D.Message);
    if (It == Known.end())
      return &D;
    Known.erase(It);
  }
  return nullptr;
}

Error checkSide(const UnitCommand &Command, View Side,
                const std::vector<std::pair<std::string, std::string>> &Files) {
  auto After = parseUnit(Command, Side, Files);
  if (!After)
    return After.takeError();
  if ((*After)->errors().empty())
    return Error::success();
  auto Before = parseUnit(Command, Side);
  if (!Before)
    return Before.takeError();
  if (const UnitDiagnostic *D =
          firstNew((*Before)->errors(), (*After)->errors()))
    return makeError(Failure::Unsupported,
                     "the spliced unit does not compile: " + D->Message,
                     D->Place.str());
  return Error::success();
}

} // namespace

Error mep::checkPatch(const Patch &P, const std::vector<UnitCommand> &Units) {
  std::vector<std::pair<std::string, std::string>> Files;
  for (const FilePatch &F : P.Files)
    Files.emplace_back(F.File, F.After);
  for (const UnitCommand &Command : Units)
    for (View Side : {View::Host, View::Device})
      if (Error E = checkSide(Command, Side, Files))
        return E;
  return Error::success();
}

Error mep::applyPatch(const Patch &P) {
  for (size_t I = 0; I < P.Files.size(); ++I) {
    Error E = writeFile(P.Files[I].File, P.Files[I].After);
    if (!E)
      continue;
    // All or none: put back what was written already.
    for (size_t Written = 0; Written < I; ++Written)
      E = llvm::joinErrors(std::move(E), writeFile(P.Files[Written].File,
                                                   P.Files[Written].Before));
    return E;
  }
  return Error::success();
}
