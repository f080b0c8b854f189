/// \file
/// Raw tokens of a candidate, one directive at a time.

#include "CandidateText.h"
#include "clang/Basic/IdentifierTable.h"
#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <set>
#include <vector>

using namespace mep;
using namespace clang;
using llvm::StringRef;

namespace {

LangOptions dialect() {
  LangOptions Options;
  Options.CPlusPlus = Options.CPlusPlus11 = Options.CPlusPlus14 =
      Options.CPlusPlus17 = Options.CPlusPlus20 = true;
  Options.Bool = Options.WChar = true;
  Options.Digraphs = Options.Trigraphs = true; // Some compilers take them.
  Options.LineComment = Options.CUDA = true;
  return Options;
}

/// A line's tokens as written, without blanks and comments; a directive with
/// all its continuation lines. \c IsSpliced: a word goes over a line's end.
struct Line {
  bool IsDirective = false, IsSpliced = false;
  std::vector<StringRef> Words;

  StringRef word(size_t I) const { return I < Words.size() ? Words[I] : ""; }
};

std::vector<Line> linesOf(const std::string &Text) {
  const LangOptions Options = dialect();
  Lexer Lex(SourceLocation(), Options, Text.c_str(), Text.c_str(),
            Text.c_str() + Text.size());
  std::vector<Line> Lines;
  for (Token T;;) {
    Lex.LexFromRawLexer(T);
    if (T.is(tok::eof))
      return Lines;
    if (T.isAtStartOfLine() || Lines.empty()) {
      Lines.emplace_back();
      Lines.back().IsDirective = T.is(tok::hash);
      if (T.is(tok::hash))
        continue;
    }
    const char *End = Lex.getBufferLocation();
    Lines.back().Words.emplace_back(End - T.getLength(), T.getLength());
    Lines.back().IsSpliced |= T.needsCleaning();
  }
}

bool isConditional(StringRef Directive) {
  return llvm::StringSwitch<bool>(Directive)
      .Cases({"if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else",
              "endif"},
             true)
      .Default(false);
}

bool isUnrolling(StringRef Word) {
  return Word == "unroll" || Word == "nounroll";
}

class TextCheck {
public:
  explicit TextCheck(StringRef Original) : Keywords(Options) {
    Kept = Original.str();
    for (const Line &L : linesOf(Kept))
      if (L.IsDirective)
        Known.insert(joined(L));
  }

  std::string refused(const Line &L) const {
    if (L.IsSpliced)
      return "a word that goes over the end of a line";
    if (L.IsDirective && !Known.count(joined(L)))
      if (std::string What = directive(L); !What.empty())
        return What;
    for (size_t I = 0; I < L.Words.size(); ++I)
      if (std::string What = word(L, I); !What.empty())
        return What;
    return "";
  }

private:
  static std::string joined(const Line &L) { return llvm::join(L.Words, " "); }

  std::string directive(const Line &L) const {
    const StringRef Name = L.word(0);
    if (Name.empty() || Name == "error" || Name == "warning")
      return "";
    if (Name == "define" || Name == "undef")
      return macro(L.word(1));
    if (isConditional(Name))
      return "conditional code (#" + Name.str() + ")";
    if (Name == "pragma" && (isUnrolling(L.word(1)) ||
                             (L.word(1) == "GCC" && L.word(2) == "unroll")))
      return "";
    return "#" + Name.str();
  }

  std::string macro(StringRef Name) const {
    const bool IsReserved =
        Name.starts_with("__") ||
        (Name.size() > 1 && Name[0] == '_' && llvm::isUpper(Name[1]));
    if (IsReserved || Keywords.get(Name).isKeyword(Options))
      return "a macro with the name '" + Name.str() + "'";
    return "";
  }

  std::string word(const Line &L, size_t I) const {
    const StringRef Word = L.Words[I];
    // Older dialects see its lines as lines.
    if (Word.take_until([](char C) { return C == '"'; }).ends_with("R") &&
        Word.ends_with("\""))
      return "a raw string";
    if (isHarnessName(Word))
      return "the name '" + Word.str() + "', which is the harness's,";
    if (Word == "asm" || Word == "__asm" || Word == "__asm__")
      return "inline assembly";
    if (Word == "__has_include" || Word == "__has_include_next" ||
        Word == "__has_embed")
      return Word.str();
    if ((Word == "_Pragma" || Word == "__pragma") &&
        !isUnrolling(L.word(I + 2).trim('"').take_while(llvm::isAlpha)))
      return Word.str();
    return "";
  }

  const LangOptions Options = dialect();
  mutable IdentifierTable Keywords;
  std::string Kept;
  std::set<std::string> Known; ///< Directives of the original.
};

} // namespace

bool mep::isHarnessName(StringRef Name) {
  return Name.starts_with("mep_") || Name.starts_with("MEP_");
}

std::string mep::foreignText(StringRef Text, StringRef Original) {
  const TextCheck Check(Original);
  const std::string Own = Text.str();
  for (const Line &L : linesOf(Own))
    if (std::string What = Check.refused(L); !What.empty())
      return What;
  return "";
}
