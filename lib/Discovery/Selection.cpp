/// \file
/// Which of the found kernels the user wants, hottest first.

#include "mep/Discovery/Discovery.h"
#include "mep/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"
#include <map>
#include <tuple>

using namespace mep;
using llvm::Expected;
using llvm::StringRef;

namespace {

/// Adds the launches of \p From, a view of the same kernel from another unit.
void merge(KernelSite &Into, KernelSite From) {
  bool TakeUnit = Into.Launches.empty() && !From.Launches.empty();
  for (LaunchSite &L : From.Launches) {
    const Instantiation &Wanted = From.Instantiations[L.Instantiation];
    auto It = llvm::find_if(Into.Instantiations, [&](const Instantiation &I) {
      return I.MangledName == Wanted.MangledName;
    });
    L.Instantiation = It - Into.Instantiations.begin();
    if (It == Into.Instantiations.end())
      Into.Instantiations.push_back(Wanted);
    Into.Launches.push_back(std::move(L));
  }
  Into.Rank = std::max(Into.Rank, From.Rank);
  if (TakeUnit) {
    Into.Unit = From.Unit;
    Into.MangledName = From.MangledName;
    Into.RankReason = From.RankReason;
  }
}

std::vector<KernelSite> mergeViews(std::vector<KernelSite> Found) {
  std::map<std::tuple<std::string, unsigned, std::string>, size_t> Seen;
  std::vector<KernelSite> Merged;
  for (KernelSite &Site : Found) {
    if (!Site.Definition.valid())
      continue;
    auto Key = std::make_tuple(Site.Definition.File, Site.Definition.Begin,
                               Site.QualifiedName);
    auto [It, New] = Seen.try_emplace(Key, Merged.size());
    if (New)
      Merged.push_back(std::move(Site));
    else
      merge(Merged[It->second], std::move(Site));
  }
  return Merged;
}

/// The kernel that \p Launched, known by its launches alone, is of: the only
/// one of that symbol, else the only one beside the launching unit. A database
/// may hold several programs that use the same name.
KernelSite *definitionOf(const KernelSite &Launched,
                         std::vector<KernelSite> &Defined) {
  llvm::SmallVector<KernelSite *> All, Near;
  for (KernelSite &Site : Defined) {
    if (Site.MangledName != Launched.MangledName)
      continue;
    All.push_back(&Site);
    if (llvm::sys::path::parent_path(Site.Unit) ==
        llvm::sys::path::parent_path(Launched.Unit))
      Near.push_back(&Site);
  }
  if (All.size() == 1)
    return All.front();
  return Near.size() == 1 ? Near.front() : nullptr;
}

/// Joins what one unit launches to what another defines (`-rdc=true`, or a
/// kernel declared in a header). \p Orphans: launches of unknown kernels.
std::vector<KernelSite> mergeUnits(std::vector<KernelSite> Found,
                                   std::vector<KernelSite> &Orphans) {
  std::vector<KernelSite> Launched;
  for (const KernelSite &Site : Found)
    if (!Site.Definition.valid())
      Launched.push_back(Site);
  std::vector<KernelSite> Merged = mergeViews(std::move(Found));
  for (KernelSite &Site : Launched)
    if (KernelSite *Definition = definitionOf(Site, Merged))
      llvm::append_range(Definition->Launches, Site.Launches);
    else
      Orphans.push_back(std::move(Site));
  return Merged;
}

struct Place {
  std::string File;
  unsigned Line = 0;
};

Expected<Place> parsePlace(StringRef At) {
  auto [File, Rest] = At.rsplit(':');
  Place P;
  // `file:line:column`, as editors say it, is accepted too.
  if (auto [Front, Middle] = File.rsplit(':');
      !Middle.empty() && llvm::all_of(Middle, llvm::isDigit)) {
    File = Front;
    Rest = Middle;
  }
  if (File.empty() || Rest.getAsInteger(10, P.Line) || P.Line == 0)
    return makeError(Failure::Usage, "expected FILE:LINE", "--at=" + At.str());
  llvm::SmallString<256> Path(File);
  llvm::sys::fs::make_absolute(Path);
  llvm::sys::path::remove_dots(Path, true);
  P.File = Path.str().str();
  return P;
}

unsigned lastLine(const SourceSpan &Span) {
  auto Buffer = llvm::MemoryBuffer::getFile(Span.File);
  if (!Buffer)
    return Span.Line;
  StringRef Text = (*Buffer)->getBuffer();
  return Span.Line + Text.slice(Span.Begin, Span.End).count('\n');
}

bool covers(const SourceSpan &Span, const Place &P) {
  return P.Line >= Span.Line && P.Line <= lastLine(Span) &&
         (Span.File == P.File || llvm::sys::fs::equivalent(Span.File, P.File));
}

bool covers(const KernelSite &Site, const Place &P) {
  return covers(Site.Definition, P) ||
         llvm::any_of(Site.Launches,
                      [&](const LaunchSite &L) { return covers(L.Call, P); });
}

std::string listNames(const std::vector<KernelSite> &Sites) {
  std::vector<std::string> Names;
  for (const KernelSite &S : llvm::ArrayRef(Sites).take_front(20))
    Names.push_back(S.QualifiedName);
  return llvm::join(Names, ", ") + (Sites.size() > 20 ? ", ..." : "");
}

struct Wanted {
  llvm::Regex Name;
  std::optional<Place> At;
  std::string Text; ///< How the user said it.

  bool takes(const KernelSite &Site) {
    return Name.match(Site.QualifiedName) && (!At || covers(Site, *At));
  }
};

Expected<Wanted> parseFilter(const KernelFilter &Filter) {
  Wanted W{llvm::Regex(Filter.NameRegex.empty() ? ".*" : Filter.NameRegex),
           std::nullopt,
           {}};
  std::string Problem;
  if (!W.Name.isValid(Problem))
    return makeError(Failure::Usage, "not a regular expression: " + Problem,
                     "--kernel=" + Filter.NameRegex);
  if (!Filter.NameRegex.empty())
    W.Text = " matches '" + Filter.NameRegex + "'";
  if (Filter.At.empty())
    return W;
  auto P = parsePlace(Filter.At);
  if (!P)
    return P.takeError();
  W.At = *P;
  W.Text += " at " + Filter.At;
  return W;
}

bool isHotter(const KernelSite &A, const KernelSite &B) {
  if (A.Launches.empty() != B.Launches.empty())
    return B.Launches.empty();
  return std::tie(B.Rank, A.Definition.File, A.Definition.Begin) <
         std::tie(A.Rank, B.Definition.File, B.Definition.Begin);
}

} // namespace

Expected<std::vector<KernelSite>>
mep::selectKernels(std::vector<KernelSite> Found, const KernelFilter &Filter) {
  auto W = parseFilter(Filter);
  if (!W)
    return W.takeError();
  std::vector<KernelSite> Orphans;
  std::vector<KernelSite> All = mergeUnits(std::move(Found), Orphans);
  std::vector<KernelSite> Chosen;
  llvm::copy_if(All, std::back_inserter(Chosen),
                [&](const KernelSite &Site) { return W->takes(Site); });
  if (!Chosen.empty()) {
    llvm::sort(Chosen, isHotter);
    if (Filter.Top && Chosen.size() > Filter.Top)
      Chosen.resize(Filter.Top);
    return Chosen;
  }
  auto Orphan = llvm::find_if(
      Orphans, [&](const KernelSite &Site) { return W->takes(Site); });
  if (Orphan != Orphans.end())
    return makeError(Failure::NotFound,
                     "kernel '" + Orphan->QualifiedName +
                         "' is launched here, but defined in no unit looked at",
                     Orphan->Launches.front().Call.str());
  if (All.empty())
    return makeError(Failure::NotFound, "no kernel in the units looked at");
  return makeError(Failure::NotFound,
                   "no kernel" + W->Text + "; there are " + listNames(All));
}
