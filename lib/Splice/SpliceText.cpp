#include "SpliceText.h"
#include "clang/Basic/IdentifierTable.h"
#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <vector>

using namespace mep;
using llvm::StringRef;

namespace {

struct NamedToken {
  StringRef Name; ///< Dotted names are one token: `p.n.m`.
  size_t Begin = 0;
  bool IsMember = false; ///< After `->` or a `.` that follows no name.
};

/// The identifiers of \p Text in order. \p Buffer is Text, null-terminated.
std::vector<NamedToken> identifiers(const std::string &Buffer) {
  clang::LangOptions Language;
  Language.CPlusPlus = true;
  Language.LineComment = true;
  clang::Lexer Lex(clang::SourceLocation(), Language, Buffer.data(),
                   Buffer.data(), Buffer.data() + Buffer.size());
  std::vector<NamedToken> Names;
  clang::Token T;
  bool AfterAccess = false, AfterName = false;
  for (;;) {
    Lex.LexFromRawLexer(T);
    if (T.is(clang::tok::eof))
      return Names;
    size_t At = Lex.getBufferLocation() - Buffer.data() - T.getLength();
    if (T.is(clang::tok::raw_identifier)) {
      // `p . n` written with blanks is not joined, which only means that a
      // dotted name is then not found.
      if (AfterAccess && AfterName && Buffer[At - 1] == '.')
        Names.back().Name =
            StringRef(Buffer).slice(Names.back().Begin, At + T.getLength());
      else
        Names.push_back(
            {StringRef(Buffer).substr(At, T.getLength()), At, AfterAccess});
      AfterName = true;
      AfterAccess = false;
      continue;
    }
    bool Dot = T.is(clang::tok::period);
    AfterAccess = Dot || T.is(clang::tok::arrow);
    AfterName = Dot && AfterName;
  }
}

} // namespace

std::string mep::replaceNames(StringRef Text,
                              const std::map<std::string, std::string> &Names) {
  std::string Buffer = Text.str(), Out;
  size_t Done = 0;
  for (const NamedToken &T : identifiers(Buffer)) {
    if (T.IsMember)
      continue;
    // Longest prefix of the dotted name that is known.
    for (StringRef Name = T.Name; !Name.empty();
         Name = Name.rsplit('.').first) {
      auto It = Names.find(Name.str());
      if (It != Names.end()) {
        Out.append(Buffer, Done, T.Begin - Done);
        Out += It->second;
        Done = T.Begin + Name.size();
        break;
      }
      if (!Name.contains('.'))
        break;
    }
  }
  Out.append(Buffer, Done, std::string::npos);
  return Out;
}

bool mep::mentions(StringRef Text, StringRef Name) {
  std::string Buffer = Text.str();
  return llvm::any_of(identifiers(Buffer), [&](const NamedToken &T) {
    return !T.IsMember &&
           (T.Name == Name || T.Name.starts_with((Name + ".").str()));
  });
}

std::string mep::replaceLastName(StringRef Text, StringRef Name,
                                 StringRef With) {
  // Template arguments may mention the same name; the callee's own stands
  // before them.
  std::string Buffer = Text.str();
  size_t Open = Text.find('<');
  std::vector<NamedToken> Tokens = identifiers(Buffer);
  for (const NamedToken &T : llvm::reverse(Tokens))
    if (T.Name == Name && T.Begin < Open)
      return Buffer.replace(T.Begin, Name.size(), With.str());
  return Buffer;
}

std::string mep::squeezed(StringRef Text) {
  std::string Out;
  for (char C : Text)
    if (!llvm::isSpace(C))
      Out += C;
  return Out;
}

std::set<std::string> mep::variableNames(StringRef Text) {
  clang::LangOptions Language;
  Language.CPlusPlus = Language.CPlusPlus11 = Language.Bool = true;
  clang::IdentifierTable Table(Language);
  std::string Buffer = Text.str();
  std::set<std::string> Names;
  for (const NamedToken &T : identifiers(Buffer)) {
    StringRef Base = T.Name.split('.').first;
    if (!T.IsMember && !Table.get(Base).isKeyword(Language))
      Names.insert(Base.str());
  }
  return Names;
}

std::string mep::parenthesized(StringRef Text) {
  bool Simple = !Text.empty();
  for (char C : Text)
    Simple &= llvm::isAlnum(C) || C == '_' || C == '.';
  return Simple ? Text.str() : ("(" + Text + ")").str();
}
