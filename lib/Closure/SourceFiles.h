/// \file
/// Closure, text level: the tokens and directives of the files of a unit, and
/// the text that the preprocessor's taken branches leave of a range.

#ifndef MEP_LIB_CLOSURE_SOURCEFILES_H
#define MEP_LIB_CLOSURE_SOURCEFILES_H

#include "clang/Basic/SourceLocation.h"
#include "clang/Basic/TokenKinds.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mep {
class ParsedUnit;

/// Bytes [Begin, End) of one file of the unit. A header that is included twice
/// has two identities.
struct FileRange {
  clang::FileID File;
  unsigned Begin = 0, End = 0;
};

/// A token of the raw text, comments left out.
struct RawToken {
  unsigned Begin = 0, End = 0;
  clang::tok::TokenKind Kind;
  bool InDirective = false;
};

/// One preprocessor line: from its `#` to the end of its last token or comment.
struct RawDirective {
  unsigned Begin = 0, End = 0;
  llvm::StringRef Name; ///< `if`, `include`, …; empty for a lone `#`.

  bool isConditional() const;
  bool isInclude() const;
};

struct RawFile {
  llvm::StringRef Text;
  std::vector<RawToken> Tokens;
  std::vector<RawDirective> Directives;
};

/// Splits \p Text into tokens and directives; \p Text must outlive the result
/// and be followed by a null byte.
RawFile scanFile(llvm::StringRef Text);

/// The identifiers in \p Text, comments and literals left out, each once.
std::vector<std::string> identifiersIn(llvm::StringRef Text);

class SourceFiles {
public:
  explicit SourceFiles(const ParsedUnit &Unit);

  const RawFile &file(clang::FileID File) const;

  /// The text of \p Range as the preprocessor took it: skipped branches and
  /// conditional lines are gone, includes of the project stand expanded.
  std::string render(const FileRange &Range) const;

  /// From now on the text of \p Range reads \p Replacement.
  void replace(const FileRange &Range, std::string Replacement);

  /// \p Location in \p File's own bytes; a place in a file that it includes is
  /// the place of the include. Invalid File when it is not inside.
  bool offsetIn(clang::FileID File, clang::SourceLocation Location,
                unsigned &Offset) const;
  bool contains(const FileRange &Range, clang::SourceLocation Location) const;

  /// Where the directive that included \p File names it; invalid for the main
  /// file and forced includes.
  clang::SourceLocation includeOf(clang::FileID File) const;

private:
  struct Cut {
    unsigned Begin, End;
    std::string Replacement;
    bool WholeLine = true;
  };
  std::vector<Cut> cutsIn(const FileRange &Range) const;
  std::string includedText(clang::FileID File, const RawDirective &D) const;

  const ParsedUnit &Unit;
  mutable std::map<clang::FileID, std::unique_ptr<RawFile>> Scanned;
  std::map<clang::FileID, std::vector<std::pair<unsigned, unsigned>>> Skipped;
  std::map<clang::FileID, std::vector<Cut>> Replaced;
  /// By including file: offset of the file name, included file.
  std::map<clang::FileID, std::map<unsigned, clang::FileID>> Includes;
};

} // namespace mep

#endif // MEP_LIB_CLOSURE_SOURCEFILES_H
