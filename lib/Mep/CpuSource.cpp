/// \file
/// Device source as a host compiler takes it: a walk over the tokens that
/// rewrites the few declarations C++ has no spelling for.

#include "mep/Mep/CpuSource.h"
#include <algorithm>
#include <cctype>
#include <vector>

namespace {

struct Token {
  size_t Begin, End;
};

bool isWordLetter(char C) {
  return std::isalnum(static_cast<unsigned char>(C)) || C == '_';
}

/// End of the string or character literal that starts at \p At.
size_t literalEnd(const std::string &Text, size_t At) {
  char Quote = Text[At];
  for (++At; At < Text.size() && Text[At] != Quote && Text[At] != '\n'; ++At)
    if (Text[At] == '\\')
      ++At;
  return std::min(At + 1, Text.size());
}

/// End of the raw string whose quote is at \p At.
size_t rawStringEnd(const std::string &Text, size_t At) {
  size_t Open = Text.find('(', At);
  if (Open == std::string::npos)
    return Text.size();
  std::string Close = ")" + Text.substr(At + 1, Open - At - 1) + "\"";
  size_t End = Text.find(Close, Open);
  return End == std::string::npos ? Text.size() : End + Close.size();
}

size_t commentEnd(const std::string &Text, size_t At) {
  bool Line = Text[At + 1] == '/';
  size_t End = Text.find(Line ? "\n" : "*/", At + 2);
  if (End == std::string::npos)
    return Text.size();
  return Line ? End : End + 2;
}

size_t wordEnd(const std::string &Text, size_t At) {
  while (At < Text.size() && isWordLetter(Text[At]))
    ++At;
  return At;
}

/// Words, literals and single punctuation characters; no comments, no blanks.
std::vector<Token> tokenize(const std::string &Text) {
  std::vector<Token> Tokens;
  for (size_t At = 0; At < Text.size();) {
    char C = Text[At];
    size_t End = At + 1;
    if (std::isspace(static_cast<unsigned char>(C)) || C == '\\') {
      At = End;
      continue;
    }
    if (C == '/' && At + 1 < Text.size() &&
        (Text[At + 1] == '/' || Text[At + 1] == '*')) {
      At = commentEnd(Text, At);
      continue;
    }
    if (C == '"' || C == '\'')
      End = At > 0 && C == '"' && Text[At - 1] == 'R' ? rawStringEnd(Text, At)
                                                      : literalEnd(Text, At);
    else if (std::isdigit(static_cast<unsigned char>(C)))
      while (End < Text.size() &&
             (isWordLetter(Text[End]) ||
              (Text[End] == '\'' && End + 1 < Text.size() &&
               isWordLetter(Text[End + 1]))))
        ++End;
    else if (isWordLetter(C))
      End = wordEnd(Text, At);
    Tokens.push_back({At, End});
    At = End;
  }
  return Tokens;
}

class Rewriter {
public:
  explicit Rewriter(const std::string &Text)
      : Text(Text), Tokens(tokenize(Text)) {}

  std::string run() {
    for (size_t I = 0; I < Tokens.size(); ++I) {
      countBraces(I);
      if (is(I, "extern"))
        I = dynamicShared(I);
      else if (is(I, "__shared__"))
        moveAlignment(I);
    }
    return Out + Text.substr(Copied);
  }

private:
  std::string word(size_t I) const {
    return I < Tokens.size()
               ? Text.substr(Tokens[I].Begin, Tokens[I].End - Tokens[I].Begin)
               : "";
  }
  bool is(size_t I, const char *Wanted) const {
    return I < Tokens.size() &&
           Text.compare(Tokens[I].Begin, Tokens[I].End - Tokens[I].Begin,
                        Wanted) == 0;
  }

  /// A brace after `)` opens a function or a block of one.
  void countBraces(size_t I) {
    if (is(I, "{"))
      InFunction.push_back((!InFunction.empty() && InFunction.back()) ||
                           (I > 0 && is(I - 1, ")")));
    else if (is(I, "}") && !InFunction.empty())
      InFunction.pop_back();
  }

  void replace(size_t Begin, size_t End, const std::string &With) {
    Out += Text.substr(Copied, Begin - Copied) + With;
    // The lines of the original stay, so that diagnostics keep their numbers.
    Out += std::string(size_t(std::count(Text.begin() + long(Begin),
                                         Text.begin() + long(End), '\n')),
                       '\n');
    Copied = End;
  }

  /// Index behind the parenthesis that opens at token \p I.
  size_t skipParentheses(size_t I) const {
    int Depth = 0;
    for (; I < Tokens.size(); ++I) {
      Depth += is(I, "(") - is(I, ")");
      if (Depth == 0)
        return I + 1;
    }
    return I;
  }

  bool isAlignment(size_t I) const {
    return is(I, "__align__") || is(I, "alignas") || is(I, "__attribute__") ||
           is(I, "__builtin_align__");
  }

  /// The declaration from `extern` at \p I to its `;`, if it is one of dynamic
  /// shared memory; the index of its last token, else \p I.
  size_t dynamicShared(size_t I) {
    bool IsShared = false;
    std::vector<size_t> Words;
    size_t At = I + 1;
    while (At < Tokens.size() && !is(At, "[") && !is(At, ";") && !is(At, "{") &&
           !is(At, "=")) {
      if (is(At, "__shared__"))
        IsShared = true, ++At;
      else if (isAlignment(At))
        At = skipParentheses(At + 1);
      else
        Words.push_back(At++);
    }
    if (!IsShared || Words.size() < 2 || !is(At, "[") || !is(At + 1, "]"))
      return I;
    std::string Name = word(Words.back()), Bounds;
    size_t End = At + 2;
    for (; End < Tokens.size() && !is(End, ";"); ++End)
      Bounds += word(End);
    if (End >= Tokens.size() || (!Bounds.empty() && Bounds[0] != '['))
      return I;
    Words.pop_back();
    if (!isLocal() && !standsAlone(I, End))
      return I;
    replace(Tokens[I].Begin, Tokens[End].End,
            declaration(typeText(Words), Name, Bounds));
    return End;
  }

  bool isLocal() const { return !InFunction.empty() && InFunction.back(); }

  /// Nothing else is on the lines of tokens \p First to \p Last, so that a
  /// directive may take their place.
  bool standsAlone(size_t First, size_t Last) const {
    size_t Before = Tokens[First].Begin, After = Tokens[Last].End;
    while (Before > 0 && (Text[Before - 1] == ' ' || Text[Before - 1] == '\t'))
      --Before;
    bool Continues = Last + 1 < Tokens.size() &&
                     Text.find('\n', After) > Tokens[Last + 1].Begin;
    return (Before == 0 || Text[Before - 1] == '\n') && !Continues;
  }

  /// The type's words as written; a blank between two words.
  std::string typeText(const std::vector<size_t> &Words) const {
    std::string Type;
    for (size_t Each : Words) {
      if (!Type.empty() && isWordLetter(Type.back()) &&
          isWordLetter(Text[Tokens[Each].Begin]))
        Type += ' ';
      Type += word(Each);
    }
    return Type;
  }

  std::string declaration(const std::string &Type, const std::string &Name,
                          const std::string &Bounds) const {
    std::string Element = Bounds.empty()
                              ? Type
                              : "std::remove_reference_t<decltype((*(" + Type +
                                    "(*)[1]" + Bounds + ")nullptr)[0])>";
    std::string Value = "mep_cpu::dynamicShared<" + Element + ">()";
    if (!isLocal())
      return "#define " + Name + " (" + Value + ")";
    return (Bounds.empty() ? Type + " *" : "auto *") + Name + " = " + Value +
           ";";
  }

  void moveAlignment(size_t I) {
    for (size_t At = I + 1; At < Tokens.size(); ++At) {
      if (is(At, "alignas"))
        replace(Tokens[At].Begin, Tokens[At].End, "__align__");
      else if (!is(At, "const") && !is(At, "static") && !is(At, "volatile"))
        return;
    }
  }

  const std::string &Text;
  std::vector<Token> Tokens;
  std::vector<bool> InFunction;
  std::string Out;
  size_t Copied = 0;
};

} // namespace

std::string mep::cpuSource(const std::string &DeviceSource) {
  return Rewriter(DeviceSource).run();
}
