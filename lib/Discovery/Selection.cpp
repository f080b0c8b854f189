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
  return Span.File == P.File && P.Line >= Span.Line && P.Line <= lastLine(Span);
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

} // namespace

Expected<std::vector<KernelSite>>
mep::selectKernels(std::vector<KernelSite> Found, const KernelFilter &Filter) {
  std::vector<KernelSite> All = mergeViews(std::move(Found));
  if (All.empty())
    return makeError(Failure::NotFound, "no kernel in the units looked at");
  std::vector<KernelSite> Chosen;
  llvm::Regex Name(Filter.NameRegex);
  std::string Problem;
  if (!Filter.NameRegex.empty() && !Name.isValid(Problem))
    return makeError(Failure::Usage, "not a regular expression: " + Problem,
                     "--kernel=" + Filter.NameRegex);
  std::optional<Place> At;
  if (!Filter.At.empty()) {
    auto P = parsePlace(Filter.At);
    if (!P)
      return P.takeError();
    At = *P;
  }
  for (const KernelSite &Site : All)
    if ((Filter.NameRegex.empty() || Name.match(Site.QualifiedName)) &&
        (!At || covers(Site, *At)))
      Chosen.push_back(Site);
  if (Chosen.empty())
    return makeError(
        Failure::NotFound,
        "no kernel " +
            (At ? "at " + Filter.At : "matches '" + Filter.NameRegex + "'") +
            "; there are " + listNames(All));
  llvm::sort(Chosen, [](const KernelSite &A, const KernelSite &B) {
    return std::tie(B.Rank, A.Definition.File, A.Definition.Begin) <
           std::tie(A.Rank, B.Definition.File, B.Definition.Begin);
  });
  return Chosen;
}
