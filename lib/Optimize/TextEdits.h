/// \file
/// Replacements in a candidate's text.

#ifndef MEP_LIB_OPTIMIZE_TEXTEDITS_H
#define MEP_LIB_OPTIMIZE_TEXTEDITS_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace mep {

/// Bytes [Begin, End) of a text.
struct TextRange {
  size_t Begin = 0, End = 0;
  bool contains(const TextRange &R) const {
    return Begin <= R.Begin && R.End <= End;
  }
};

/// Collected replacements; insertions at one place keep their order.
class TextEdits {
public:
  void replace(TextRange Range, std::string Text) {
    Edits.push_back({Range, std::move(Text)});
  }
  void insert(size_t At, std::string Text) {
    replace({At, At}, std::move(Text));
  }
  bool empty() const { return Edits.empty(); }
  /// \p Text with all edits applied; empty if two of them overlap.
  std::optional<std::string> apply(llvm::StringRef Text) const;
  /// The stretch \p Part of \p Text with the edits that lie inside applied.
  std::optional<std::string> applyWithin(llvm::StringRef Text,
                                         TextRange Part) const;

private:
  struct Edit {
    TextRange Range;
    std::string Text;
  };
  std::vector<Edit> Edits;
};

} // namespace mep

#endif // MEP_LIB_OPTIMIZE_TEXTEDITS_H
