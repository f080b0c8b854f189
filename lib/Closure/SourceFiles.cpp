#include "SourceFiles.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/PreprocessingRecord.h"
#include "llvm/ADT/StringSet.h"

using namespace mep;
using clang::FileID;
using clang::SourceLocation;
using llvm::StringRef;

bool RawDirective::isConditional() const {
  return Name == "if" || Name == "ifdef" || Name == "ifndef" ||
         Name == "elif" || Name == "elifdef" || Name == "elifndef" ||
         Name == "else" || Name == "endif";
}

bool RawDirective::isInclude() const {
  return Name == "include" || Name == "include_next" || Name == "import";
}

// ---- scanning --------------------------------------------------------------

static clang::LangOptions scanLanguage() {
  clang::LangOptions Language;
  Language.CPlusPlus = Language.CPlusPlus11 = Language.CPlusPlus14 = true;
  Language.CPlusPlus17 = Language.LineComment = Language.Bool = true;
  Language.RawStringLiterals = true;
  return Language;
}

RawFile mep::scanFile(StringRef Text) {
  RawFile Result;
  Result.Text = Text;
  clang::LangOptions Language = scanLanguage();
  clang::Lexer Lex(SourceLocation(), Language, Text.begin(), Text.begin(),
                   Text.end());
  Lex.SetCommentRetentionState(true);
  bool InDirective = false, WantsName = false;
  clang::Token Token;
  // The lexer says "at the end" together with the last token.
  for (bool AtEnd = false; !AtEnd;) {
    AtEnd = Lex.LexFromRawLexer(Token);
    if (Token.is(clang::tok::eof))
      break;
    unsigned End = Lex.getCurrentBufferOffset();
    unsigned Begin = End - Token.getLength();
    bool StartsLine = Token.isAtStartOfLine();
    if (StartsLine)
      InDirective = WantsName = false;
    if (StartsLine && Token.is(clang::tok::hash)) {
      InDirective = WantsName = true;
      Result.Directives.push_back({Begin, End, {}});
    } else if (InDirective) {
      RawDirective &D = Result.Directives.back();
      D.End = End;
      if (WantsName && Token.is(clang::tok::raw_identifier)) {
        D.Name = Text.slice(Begin, End);
        WantsName = false;
      }
    }
    if (Token.isNot(clang::tok::comment))
      Result.Tokens.push_back({Begin, End, Token.getKind(), InDirective});
  }
  return Result;
}

std::vector<std::string> mep::identifiersIn(StringRef Text) {
  std::string Terminated = Text.str();
  RawFile Scan = scanFile(Terminated);
  llvm::StringSet<> Seen;
  std::vector<std::string> Result;
  for (const RawToken &T : Scan.Tokens)
    if (T.Kind == clang::tok::raw_identifier) {
      StringRef Name = Scan.Text.slice(T.Begin, T.End);
      if (Seen.insert(Name).second)
        Result.push_back(Name.str());
    }
  return Result;
}

// ---- files of a unit -------------------------------------------------------

SourceFiles::SourceFiles(const ParsedUnit &Unit) : Unit(Unit) {
  const clang::SourceManager &SM = Unit.sources();
  for (clang::SourceRange R : Unit.record().getSkippedRanges()) {
    auto [File, Begin] = SM.getDecomposedLoc(R.getBegin());
    auto [EndFile, End] = SM.getDecomposedLoc(R.getEnd());
    if (File == EndFile)
      Skipped[File].push_back({Begin, End});
  }
  for (unsigned I = 0, N = SM.local_sloc_entry_size(); I != N; ++I) {
    const clang::SrcMgr::SLocEntry &Entry = SM.getLocalSLocEntry(I);
    if (!Entry.isFile() || Entry.getFile().getIncludeLoc().isInvalid())
      continue;
    FileID Included =
        SM.getFileID(SourceLocation::getFromRawEncoding(Entry.getOffset()));
    auto [File, Offset] = SM.getDecomposedLoc(
        SM.getExpansionLoc(Entry.getFile().getIncludeLoc()));
    Includes[File][Offset] = Included;
  }
}

const RawFile &SourceFiles::file(FileID File) const {
  auto &Slot = Scanned[File];
  if (!Slot)
    Slot =
        std::make_unique<RawFile>(scanFile(Unit.sources().getBufferData(File)));
  return *Slot;
}

SourceLocation SourceFiles::includeOf(FileID File) const {
  return Unit.sources().getIncludeLoc(File);
}

bool SourceFiles::offsetIn(FileID File, SourceLocation Location,
                           unsigned &Offset) const {
  const clang::SourceManager &SM = Unit.sources();
  Location = SM.getExpansionLoc(Location);
  while (Location.isValid()) {
    auto [Current, At] = SM.getDecomposedLoc(Location);
    if (Current == File) {
      Offset = At;
      return true;
    }
    Location = SM.getIncludeLoc(Current);
    if (Location.isValid())
      Location = SM.getExpansionLoc(Location);
  }
  return false;
}

bool SourceFiles::contains(const FileRange &Range,
                           SourceLocation Location) const {
  unsigned Offset = 0;
  return offsetIn(Range.File, Location, Offset) && Offset >= Range.Begin &&
         Offset < Range.End;
}

void SourceFiles::replace(const FileRange &Range, std::string Replacement) {
  Replaced[Range.File].push_back(
      {Range.Begin, Range.End, std::move(Replacement), /*WholeLine=*/false});
}

// ---- the taken text --------------------------------------------------------

/// The text of what \p D includes, empty when it is a system header (hoisted by
/// the caller) or was guarded away.
std::string SourceFiles::includedText(FileID File,
                                      const RawDirective &D) const {
  auto InFile = Includes.find(File);
  if (InFile == Includes.end())
    return {};
  auto It = InFile->second.lower_bound(D.Begin);
  if (It == InFile->second.end() || It->first >= D.End)
    return {};
  FileID Included = It->second;
  if (Unit.isSystem(Unit.sources().getLocForStartOfFile(Included)))
    return {};
  unsigned Size = unsigned(file(Included).Text.size());
  return render({Included, 0, Size});
}

std::vector<SourceFiles::Cut>
SourceFiles::cutsIn(const FileRange &Range) const {
  std::vector<Cut> Cuts;
  const RawFile &Raw = file(Range.File);
  auto Skips = Skipped.find(Range.File);
  if (Skips != Skipped.end())
    for (auto [Begin, End] : Skips->second)
      if (Begin < Range.End && End > Range.Begin)
        Cuts.push_back({Begin, End, {}});
  for (const RawDirective &D : Raw.Directives) {
    if (D.Begin >= Range.End || D.End <= Range.Begin)
      continue;
    if (D.isConditional())
      Cuts.push_back({D.Begin, D.End, {}});
    else if (D.isInclude())
      Cuts.push_back({D.Begin, D.End, includedText(Range.File, D)});
  }
  if (auto Own = Replaced.find(Range.File); Own != Replaced.end())
    for (const Cut &C : Own->second)
      if (C.Begin < Range.End && C.End > Range.Begin)
        Cuts.push_back(C);
  llvm::sort(Cuts,
             [](const Cut &A, const Cut &B) { return A.Begin < B.Begin; });
  return Cuts;
}

/// True if the text between \p Begin and \p End is blank without a line break.
static bool blank(StringRef Text, unsigned Begin, unsigned End) {
  return Text.slice(Begin, End).find_first_not_of(" \t\r") == StringRef::npos;
}

std::string SourceFiles::render(const FileRange &Range) const {
  StringRef Text = file(Range.File).Text;
  std::string Result;
  unsigned At = Range.Begin;
  for (const Cut &C : cutsIn(Range)) {
    unsigned End = std::min(C.End, Range.End);
    if (End <= At)
      continue;
    unsigned Begin = std::max(C.Begin, At);
    // A directive owns its whole line: its indentation and its line break.
    size_t LineStart = Text.rfind('\n', Begin);
    LineStart = LineStart == StringRef::npos ? 0 : LineStart + 1;
    size_t LineEnd = std::min(Text.find('\n', End), Text.size());
    unsigned KeptEnd = Begin;
    if (C.WholeLine && LineStart >= At && blank(Text, LineStart, Begin))
      KeptEnd = unsigned(LineStart);
    Result += Text.slice(At, KeptEnd);
    Result += C.Replacement;
    At = End;
    if (C.WholeLine && LineEnd < Range.End && blank(Text, End, LineEnd))
      At = unsigned(LineEnd) + 1;
  }
  Result += Text.slice(At, Range.End);
  return Result;
}
