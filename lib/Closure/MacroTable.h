/// \file
/// Closure, macro level: every definition and `#undef` of the macros that kept
/// text can expand, in the order of the translation unit.

#ifndef MEP_LIB_CLOSURE_MACROTABLE_H
#define MEP_LIB_CLOSURE_MACROTABLE_H

#include "SourceFiles.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <cstdint>
#include <optional>

namespace clang {
class MacroInfo;
}

namespace mep {

/// A `#define` or an `#undef` in the project or on the command line.
struct MacroEvent {
  std::string Name;
  clang::SourceLocation Place; ///< Of the name.
  bool IsDefine = false, OnCommandLine = false;
  std::string Body; ///< Name, parameters and replacement as written.
  FileRange Range;  ///< Of Body.
  std::optional<int64_t> Literal; ///< The value of one integer literal.
};

class MacroTable {
public:
  explicit MacroTable(const ParsedUnit &Unit);

  /// The names in \p Seeds that are macros, and those that their replacements
  /// can expand.
  llvm::StringSet<> reach(const std::vector<std::string> &Seeds) const;
  /// The history of \p Name, oldest first; empty if the project never touches
  /// it.
  llvm::ArrayRef<MacroEvent> history(llvm::StringRef Name) const;
  /// Where a system header defines \p Name; invalid if none does.
  clang::SourceLocation systemDefinition(llvm::StringRef Name) const;

private:
  void add(llvm::StringRef Name, clang::SourceLocation Place,
           const clang::MacroInfo *Info);

  const ParsedUnit &Unit;
  llvm::StringMap<std::vector<MacroEvent>> Events;
  llvm::StringMap<clang::SourceLocation> System;
  llvm::StringMap<std::vector<std::string>> SystemBodies;
};

} // namespace mep

#endif // MEP_LIB_CLOSURE_MACROTABLE_H
