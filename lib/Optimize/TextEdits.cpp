/// \file
/// Replacements in a candidate's text.

#include "TextEdits.h"
#include <algorithm>

using namespace mep;

std::optional<std::string> TextEdits::apply(llvm::StringRef Text) const {
  return applyWithin(Text, {0, Text.size()});
}

std::optional<std::string> TextEdits::applyWithin(llvm::StringRef Text,
                                                  TextRange Part) const {
  std::vector<const Edit *> Inside;
  for (const Edit &E : Edits)
    if (Part.contains(E.Range))
      Inside.push_back(&E);
  std::sort(Inside.begin(), Inside.end(), [](const Edit *A, const Edit *B) {
    return std::pair(A->Range.Begin, A) < std::pair(B->Range.Begin, B);
  });
  std::string Out;
  size_t At = Part.Begin;
  for (const Edit *E : Inside) {
    if (E->Range.Begin < At)
      return std::nullopt;
    Out += Text.slice(At, E->Range.Begin);
    Out += E->Text;
    At = E->Range.End;
  }
  Out += Text.slice(At, Part.End);
  return Out;
}
