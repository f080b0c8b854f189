#include "IncludePlan.h"
#include "DeviceNames.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/Basic/FileEntry.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/PreprocessingRecord.h"

using namespace mep;
using clang::FileID;
using clang::SourceLocation;
using llvm::StringRef;

IncludePlan::IncludePlan(const ParsedUnit &Unit) : Unit(Unit) {
  for (clang::PreprocessedEntity *Entity : Unit.record()) {
    const auto *D = llvm::dyn_cast<clang::InclusionDirective>(Entity);
    if (!D || Unit.isSystem(D->getSourceRange().getBegin()) || !D->getFile())
      continue;
    SourceLocation Hash = D->getSourceRange().getBegin();
    if (!Hash.isFileID())
      continue;
    bool Angled = !D->wasInQuotes();
    std::string Spelling =
        (Angled ? "<" : "\"") + D->getFileName().str() + (Angled ? ">" : "\"");
    Directive Found{Hash, Spelling};
    ByFile.try_emplace(D->getFile()->getFileEntry().tryGetRealPathName(),
                       Found);
    FileID File = Unit.sources().translateFile(*D->getFile());
    if (File.isValid() &&
        Unit.isSystem(Unit.sources().getLocForStartOfFile(File)))
      All.push_back(Found);
  }
}

/// The directive whose file name stands at \p Place.
IncludePlan::Directive IncludePlan::directiveAt(SourceLocation Place) const {
  const clang::SourceManager &SM = Unit.sources();
  auto [File, Offset] = SM.getDecomposedLoc(SM.getExpansionLoc(Place));
  StringRef Text = SM.getBufferData(File).substr(Offset);
  char Close = Text.starts_with("<") ? '>' : '"';
  if (!Text.starts_with("<") && !Text.starts_with("\""))
    return {};
  size_t End = Text.find(Close, 1);
  return {Place, Text.take_front(End + 1).str()};
}

/// The project's directive that brings the declaration at \p Place in; null
/// when the compiler includes it by itself and the project does not ask for it.
const IncludePlan::Directive *
IncludePlan::directiveFor(SourceLocation Place) const {
  const clang::SourceManager &SM = Unit.sources();
  FileID File = SM.getFileID(SM.getExpansionLoc(Place));
  const Directive *Named = nullptr;
  while (File.isValid()) {
    if (clang::OptionalFileEntryRef Entry = SM.getFileEntryRefForID(File)) {
      auto It = ByFile.find(Entry->getFileEntry().tryGetRealPathName());
      if (It != ByFile.end() && !Named)
        Named = &It->second;
    }
    SourceLocation By = SM.getIncludeLoc(File);
    if (By.isInvalid())
      break;
    By = SM.getExpansionLoc(By);
    File = SM.getFileID(By);
    if (!SM.getFileEntryRefForID(File)) // a forced include
      break;
    if (!Unit.isSystem(By)) {
      Directive Found = directiveAt(By);
      if (Found.Spelling.empty())
        break;
      return &ByPlace.try_emplace(By.getRawEncoding(), Found).first->second;
    }
  }
  return Named;
}

void IncludePlan::addLine(std::string Line) {
  if (SeenLines.insert(Line).second)
    Lines.push_back(std::move(Line));
}

/// Makes NVRTC know \p Name; false if nothing is known that does.
bool IncludePlan::teachNvrtc(StringRef Name, bool InStd) {
  StringRef Own = nvrtcText(Name, InStd);
  if (!Own.empty()) {
    addLine(Own.starts_with("#define")
                ? ("#ifndef " + Name + "\n" + Own + "\n#endif").str()
                : Own.str());
    return true;
  }
  if (InStd && !nvrtcText(Name, false).empty())
    addLine(nvrtcText(Name, false).str());
  else if (!nvrtcDeclares(Name))
    return false;
  if (InStd && Name != "move" && Name != "forward" && Name != "NULL")
    addLine(("namespace std { using ::" + Name + "; }").str());
  return true;
}

static StringRef headerName(StringRef Spelling) {
  return Spelling.drop_front().drop_back();
}

void IncludePlan::use(const Directive &D, bool HostOnly) {
  auto It =
      Used.try_emplace(D.Spelling, PlannedInclude{D.Place, D.Spelling, true})
          .first;
  It->second.HostOnly &= HostOnly;
  if (Unit.sources().isBeforeInTranslationUnit(D.Place, It->second.Place))
    It->second.Place = D.Place;
}

void IncludePlan::need(StringRef Name, SourceLocation Place, bool InStd) {
  const Directive *D = directiveFor(Place);
  bool Standard = InStd || !D || isStandardHeader(headerName(D->Spelling));
  bool Taught = Standard && !Name.empty() && teachNvrtc(Name, InStd);
  if (InStd && !Taught)
    Clean = false;
  if (!D) {
    StringRef Home = standardHome(Name);
    if (!Home.empty())
      HostHeaders.insert(Home.str());
    return;
  }
  StringRef Header = headerName(D->Spelling);
  if (isRuntimeHeader(Header))
    return use(*D, /*HostOnly=*/true);
  bool Takes = nvrtcTakes(Header);
  if (!Takes && !Taught)
    Clean = false;
  use(*D, Taught && isStandardHeader(Header));
}

void IncludePlan::needAll() {
  for (const Directive &D : All)
    use(D, !nvrtcTakes(headerName(D.Spelling)));
}

std::vector<PlannedInclude> IncludePlan::includes() const {
  std::vector<PlannedInclude> Result;
  for (const auto &Entry : Used)
    Result.push_back(Entry.second);
  return Result;
}
