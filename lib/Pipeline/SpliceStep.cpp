#include "SpliceStep.h"
#include "mep/Frontend/ParsedUnit.h"
#include "mep/Splice/Splicer.h"
#include "mep/Support/Error.h"
#include "mep/Support/Files.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/TimeProfiler.h"

using namespace mep;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
namespace path = llvm::sys::path;

namespace {

/// The units whose code an edit of this kernel can change: the one that
/// defines it and those that launch it.
std::vector<UnitCommand> touchedUnits(const KernelSite &Site,
                                      const UnitCache &Units) {
  std::vector<std::string> Files{Site.Unit};
  for (const LaunchSite &L : Site.Launches)
    if (!llvm::is_contained(Files, L.Unit))
      Files.push_back(L.Unit);
  std::vector<UnitCommand> Touched;
  for (const std::string &File : Files)
    if (const UnitCommand *Command = Units.command(File))
      Touched.push_back(*Command);
  return Touched;
}

/// Adds the edits that put \p Winner in the place of the kernel to \p Edits, or
/// leaves them as they are and returns why.
Error addKernel(const WalkedKernel &Kernel, const Candidate &Winner,
                const std::map<std::string, int64_t> &Tune, UnitCache &Units,
                std::vector<Edit> &Edits, std::vector<std::string> &Notes) {
  const KernelSite &Site = Kernel.Result.Site;
  auto Host =
      Units.host(Site.Launches.empty() ? Site.Unit : Site.Launches[0].Unit);
  if (!Host)
    return Host.takeError();
  auto Home = Units.host(Site.Unit);
  if (!Home)
    return Home.takeError();
  auto UnitOf = [&](StringRef File) -> const ParsedUnit * {
    auto Unit = Units.host(File);
    if (!Unit)
      llvm::consumeError(Unit.takeError());
    return Unit ? *Unit : nullptr;
  };
  auto FilesNaming = [&](StringRef Name) {
    return Units.allNaming(Name, Site.Unit);
  };
  auto Own = spliceKernel(**Home, **Host, Site, *Kernel.Source,
                          Kernel.Result.Data.value_or(Workload()), Winner, Tune,
                          {UnitOf, FilesNaming, &Notes});
  if (!Own)
    return Own.takeError();
  std::vector<Edit> Joined = Edits;
  Joined.insert(Joined.end(), Own->begin(), Own->end());
  auto Tentative = makePatch(Joined);
  if (!Tentative)
    return Tentative.takeError();
  if (Error E = checkPatch(*Tentative, touchedUnits(Site, Units)))
    return E;
  Edits = std::move(Joined);
  return Error::success();
}

/// What a reader of the patch must know, which no measurement shows.
void noteAssumptions(const KernelResult &R, llvm::raw_ostream &Log) {
  const Candidate &Winner = R.winner()->Proposal;
  StringRef Notes = StringRef(Winner.Summary).split("; ").second;
  if (!Notes.empty())
    Log << "note: " << R.Site.QualifiedName << ": " << Notes << '\n';
  for (const PlannedLaunch &L : Winner.Plan.Launches)
    for (unsigned Axis : {1, 2})
      if (StringRef(L.Grid[Axis]).contains("grid_x"))
        Log << "note: " << R.Site.QualifiedName << ": the new launch has along "
            << "xyz"[Axis] << " what was along x, where a grid has at most "
            << "65535 blocks: it fails for larger problems than that\n";
}

/// The deepest folder that holds every patched file: what paths in the diff
/// are relative to. The working directory when it does.
std::string commonRoot(const Patch &P) {
  llvm::SmallString<256> Here;
  llvm::sys::fs::current_path(Here);
  auto Holds = [&](StringRef Root) {
    return llvm::all_of(P.Files, [&](const FilePatch &F) {
      return StringRef(F.File).starts_with((Root + "/").str());
    });
  };
  if (Holds(Here))
    return Here.str().str();
  StringRef Root = path::parent_path(P.Files.front().File);
  while (!Holds(Root) && path::has_parent_path(Root))
    Root = path::parent_path(Root);
  return Root.str();
}

/// The kernel's own text with a comment at the start of its body.
std::string markedText(const WalkedKernel &Kernel) {
  const KernelSite &Site = Kernel.Result.Site;
  std::string Text = Kernel.Source->kernelText().str();
  size_t Body = Site.Body.Begin - Site.Definition.Begin;
  // Left-out branches of conditional code move what follows them.
  if (!Kernel.Source->kernelPiece()->Condition.empty())
    Body = Text.find('{', Text.find(Site.Name));
  if (Body < Text.size())
    Text.insert(Body + 1, " /* spliced */");
  return Text;
}

} // namespace

std::string mep::rehearseSplice(const WalkedKernel &Kernel, UnitCache &Units,
                                StringRef Folder) {
  llvm::TimeTraceScope Trace("mep: splice rehearsal");
  Candidate Copy;
  Copy.DeviceText = markedText(Kernel);
  std::vector<Edit> Edits;
  std::vector<std::string> Notes;
  if (Error E = addKernel(Kernel, Copy, {}, Units, Edits, Notes))
    return llvm::toString(std::move(E));
  auto Final = makePatch(Edits);
  if (!Final)
    return llvm::toString(Final.takeError());
  llvm::SmallString<256> File(Folder);
  path::append(File, "rehearsal.patch");
  if (Error E = writeFile(File, unifiedDiff(*Final, commonRoot(*Final))))
    return llvm::toString(std::move(E));
  return "ok";
}

Error mep::spliceWinners(const PipelineOptions &Options,
                         std::vector<WalkedKernel> &Kernels, UnitCache &Units,
                         llvm::raw_ostream &Out, llvm::raw_ostream &Log,
                         std::vector<std::string> &Written) {
  std::vector<Edit> Edits;
  for (WalkedKernel &Kernel : Kernels) {
    if (!Kernel.Result.winner())
      continue;
    const KernelResult &R = Kernel.Result;
    std::vector<std::string> Notes;
    if (Error E = addKernel(Kernel, R.winner()->Proposal, R.winning()->Tune,
                            Units, Edits, Notes)) {
      Kernel.NotSpliced = failureOf(E);
      Kernel.Result.Error = "splice: " + llvm::toString(std::move(E));
      Log << "warning: " << Kernel.Result.Site.QualifiedName
          << ": not spliced: " << Kernel.Result.Error << '\n';
    } else {
      noteAssumptions(Kernel.Result, Log);
      for (const std::string &Note : Notes)
        Log << "note: " << R.Site.QualifiedName << ": " << Note << '\n';
    }
  }
  if (Edits.empty())
    return Error::success();
  auto Final = makePatch(Edits);
  if (!Final)
    return Final.takeError();
  std::string Root = commonRoot(*Final);
  std::string Diff = unifiedDiff(*Final, Root);
  llvm::SmallString<256> DiffPath(Options.OutputFolder);
  path::append(DiffPath, "clang-mep-opt.patch");
  if (Error E = writeFile(DiffPath, Diff))
    return E;
  Written.push_back(DiffPath.str().str());
  if (!Options.ExportFixes.empty()) {
    if (Error E = writeFile(Options.ExportFixes, replacementsYaml(*Final)))
      return E;
    Written.push_back(Options.ExportFixes);
  }
  if (Options.InPlace) {
    if (Error E = applyPatch(*Final))
      return E;
    for (const FilePatch &F : Final->Files)
      Written.push_back(F.File);
  } else if (Options.ExportFixes.empty()) {
    Out << Diff;
  }
  Log << "patch: " << DiffPath << " (apply with: patch -p1 -d '" << Root
      << "' < '" << DiffPath << "')\n";
  return Error::success();
}
