#include "mep/Frontend/TakenBranches.h"
#include "mep/Frontend/ParsedUnit.h"
#include "mep/Support/Error.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/PreprocessingRecord.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/StringSet.h"

using namespace mep;
using llvm::StringRef;

namespace {

/// One line of the preprocessor, comments left out.
struct DirectiveLine {
  StringRef Name;
  std::string Rest;               ///< What follows the name, in one line.
  std::vector<StringRef> Mention; ///< The identifiers of Rest.
  unsigned End = 0;               ///< Offset behind the line's last token.
};

/// The directives of \p Text from \p Begin to \p End, by raw tokens.
std::vector<DirectiveLine> directivesIn(StringRef Text, unsigned Begin,
                                        unsigned End,
                                        const clang::LangOptions &Language) {
  clang::Lexer Lex(clang::SourceLocation(), Language, Text.begin(),
                   Text.begin() + Begin, Text.end());
  std::vector<DirectiveLine> Lines;
  clang::Token T;
  bool Inside = false;
  for (bool AtEnd = false; !AtEnd;) {
    AtEnd = Lex.LexFromRawLexer(T);
    unsigned At = Lex.getCurrentBufferOffset() - T.getLength();
    if (T.is(clang::tok::eof) || At >= End)
      break;
    if (T.isAtStartOfLine())
      Inside = false;
    StringRef Word = Text.substr(At, T.getLength());
    if (T.isAtStartOfLine() && T.is(clang::tok::hash)) {
      Inside = true;
      Lines.emplace_back().End = At + 1;
      continue;
    }
    if (!Inside)
      continue;
    DirectiveLine &D = Lines.back();
    D.End = At + T.getLength();
    if (D.Name.empty()) {
      D.Name = Word;
      continue;
    }
    if (T.is(clang::tok::raw_identifier))
      D.Mention.push_back(Word);
    if (!D.Rest.empty() && T.hasLeadingSpace())
      D.Rest += ' ';
    D.Rest += Word;
  }
  return Lines;
}

class BranchWalk {
public:
  BranchWalk(const ParsedUnit &Unit, const SourceSpan &Place)
      : Unit(Unit), Place(Place) {
    const clang::SourceManager &SM = Unit.sources();
    auto Entry = SM.getFileManager().getOptionalFileRef(Place.File);
    if (Entry)
      File = SM.translateFile(*Entry);
    for (clang::SourceRange R : Unit.record().getSkippedRanges()) {
      auto [InFile, Begin] = SM.getDecomposedLoc(R.getBegin());
      if (InFile == File)
        Skipped.push_back({Begin, SM.getFileOffset(R.getEnd())});
    }
  }

  llvm::Expected<std::string> run();

private:
  /// An open `#if`: what decided it so far.
  struct Group {
    std::string Passed;    ///< The branches before, each denied.
    bool Taken = false;    ///< Some branch was.
    bool Reachable = true; ///< The group itself is in a taken branch.
    bool Active = false;   ///< The branch that is read now is taken.
  };
  bool isSkipped(unsigned Offset) const {
    return llvm::any_of(Skipped, [&](auto S) {
      return S.first <= Offset && Offset < S.second;
    });
  }
  void branch(Group &G, const DirectiveLine &D, StringRef Condition);
  llvm::Error checkNames(const DirectiveLine &D, bool Expanded);
  bool restsOnOwn(StringRef Name, llvm::StringSet<> &Seen) const;
  void require(StringRef Condition) {
    if (!Condition.empty())
      Result += (Result.empty() ? "" : " && ") + Condition.str();
  }

  const ParsedUnit &Unit;
  const SourceSpan &Place;
  clang::FileID File;
  std::vector<std::pair<unsigned, unsigned>> Skipped;
  llvm::StringSet<> Own; ///< Macros that Place defines or undefines.
  std::string Result;
};

/// True if \p Name is one of the macros of the place or expands to one.
bool BranchWalk::restsOnOwn(StringRef Name, llvm::StringSet<> &Seen) const {
  if (Own.contains(Name))
    return true;
  if (!Seen.insert(Name).second)
    return false;
  clang::Preprocessor &PP = Unit.preprocessor();
  const clang::IdentifierInfo *Id = PP.getIdentifierInfo(Name);
  const clang::MacroInfo *Macro = PP.getMacroInfo(Id);
  if (!Macro)
    return false;
  return llvm::any_of(Macro->tokens(), [&](const clang::Token &T) {
    return T.getIdentifierInfo() &&
           restsOnOwn(T.getIdentifierInfo()->getName(), Seen);
  });
}

llvm::Error BranchWalk::checkNames(const DirectiveLine &D, bool Expanded) {
  for (StringRef Name : D.Mention) {
    llvm::StringSet<> Seen;
    if (Own.contains(Name) || (Expanded && restsOnOwn(Name, Seen)))
      return makeError(Failure::Unsupported,
                       "conditional code depends on macro '" + Name.str() +
                           "', which is defined beside it",
                       Place.str());
  }
  return llvm::Error::success();
}

/// \p D begins a branch under \p Condition; an empty one is `#else`.
void BranchWalk::branch(Group &G, const DirectiveLine &D, StringRef Condition) {
  G.Active = false;
  if (!G.Reachable || G.Taken)
    return;
  if (!isSkipped(D.End)) {
    G.Taken = G.Active = true;
    require(G.Passed);
    require(Condition);
    return;
  }
  if (!Condition.empty())
    G.Passed += (G.Passed.empty() ? "!" : " && !") + Condition.str();
}

llvm::Expected<std::string> BranchWalk::run() {
  if (File.isInvalid())
    return std::string();
  std::vector<Group> Open;
  for (const DirectiveLine &D :
       directivesIn(Unit.sources().getBufferData(File), Place.Begin, Place.End,
                    Unit.language())) {
    bool Names = D.Name == "ifdef" || D.Name == "ifndef" ||
                 D.Name == "elifdef" || D.Name == "elifndef";
    bool Decides = Names || D.Name == "if" || D.Name == "elif";
    bool Read = Open.empty() || Open.back().Active;
    if (D.Name.starts_with("if"))
      Open.push_back({"", false, Read});
    bool Macro = D.Name == "define" || D.Name == "undef";
    if (Macro && Read && !D.Mention.empty())
      Own.insert(D.Mention.front());
    if (Macro || Open.empty())
      continue;
    Group &G = Open.back();
    if (Decides && G.Reachable && !G.Taken)
      if (llvm::Error E = checkNames(D, !Names))
        return std::move(E);
    if (Names)
      branch(G, D,
             (D.Name.ends_with("ndef") ? "!defined(" : "defined(") + D.Rest +
                 ")");
    else if (Decides)
      branch(G, D, "(" + D.Rest + ")");
    else if (D.Name == "else")
      branch(G, D, "");
    if (D.Name == "endif") {
      if (G.Reachable && !G.Taken)
        require(G.Passed);
      Open.pop_back();
    }
  }
  return Result;
}

} // namespace

llvm::Expected<std::string> mep::takenCondition(const ParsedUnit &Unit,
                                                const SourceSpan &Place) {
  return BranchWalk(Unit, Place).run();
}
