#include "SpliceStep.h"
#include "mep/Frontend/ParsedUnit.h"
#include "mep/Splice/Splicer.h"
#include "mep/Support/Error.h"
#include "mep/Support/Files.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

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

/// Adds the kernel's edits to \p Edits, or leaves them as they are and returns
/// why.
Error addKernel(const WalkedKernel &Kernel, UnitCache &Units,
                std::vector<Edit> &Edits) {
  const KernelResult &R = Kernel.Result;
  auto Host = Units.host(R.Site.Launches.empty() ? R.Site.Unit
                                                 : R.Site.Launches[0].Unit);
  if (!Host)
    return Host.takeError();
  auto Own = spliceKernel(**Host, R.Site, *Kernel.Source, *R.Data,
                          R.winner()->Proposal, R.winning()->Tune);
  if (!Own)
    return Own.takeError();
  std::vector<Edit> Joined = Edits;
  Joined.insert(Joined.end(), Own->begin(), Own->end());
  auto Tentative = makePatch(Joined);
  if (!Tentative)
    return Tentative.takeError();
  if (Error E = checkPatch(*Tentative, touchedUnits(R.Site, Units)))
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

} // namespace

Error mep::spliceWinners(const PipelineOptions &Options,
                         std::vector<WalkedKernel> &Kernels, UnitCache &Units,
                         llvm::raw_ostream &Out, llvm::raw_ostream &Log,
                         std::vector<std::string> &Written) {
  std::vector<Edit> Edits;
  for (WalkedKernel &Kernel : Kernels) {
    if (!Kernel.Result.winner())
      continue;
    if (Error E = addKernel(Kernel, Units, Edits)) {
      Kernel.NotSpliced = failureOf(E);
      Kernel.Result.Error = "splice: " + llvm::toString(std::move(E));
      Log << "warning: " << Kernel.Result.Site.QualifiedName
          << ": not spliced: " << Kernel.Result.Error << '\n';
    } else {
      noteAssumptions(Kernel.Result, Log);
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
