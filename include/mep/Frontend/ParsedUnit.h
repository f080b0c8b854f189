/// \file
/// One translation unit seen by Clang from one side. Only the Clang zone
/// (Frontend, Discovery, Closure, Workload, the catalogue, Splice) includes
/// this; nothing from it outlives the unit.

#ifndef MEP_FRONTEND_PARSEDUNIT_H
#define MEP_FRONTEND_PARSEDUNIT_H

#include "mep/Frontend/UnitCommand.h"
#include "mep/Model/Source.h"
#include "clang/Basic/SourceLocation.h"
#include <memory>

namespace clang {
class ASTContext;
class ASTUnit;
class Decl;
class LangOptions;
class Preprocessor;
class PreprocessingRecord;
class SourceManager;
} // namespace clang

namespace mep {

/// Host: launch expressions and host constants. Device: kernel bodies as the
/// device compiler sees them (`__CUDA_ARCH__` defined).
enum class View { Host, Device };

/// An error of the parse; warnings are not kept.
struct UnitDiagnostic {
  SourceSpan Place;
  std::string Message;
  unsigned Offset = 0; ///< In the file named by Place.
};

class ParsedUnit {
public:
  ParsedUnit(UnitCommand Command, View Side,
             std::unique_ptr<clang::ASTUnit> Unit,
             std::vector<UnitDiagnostic> Errors);
  ~ParsedUnit();

  const UnitCommand &command() const { return Command; }
  View view() const { return Side; }
  clang::ASTUnit &unit() const { return *Unit; }
  clang::ASTContext &context() const;
  clang::SourceManager &sources() const;
  const clang::LangOptions &language() const;
  /// Macro definitions with their history (`#undef`, redefinition).
  clang::Preprocessor &preprocessor() const;
  /// Every macro definition and expansion, include and skipped range.
  clang::PreprocessingRecord &record() const;
  const std::vector<UnitDiagnostic> &errors() const { return Errors; }

  /// The file range that \p Range was written as, macro expansions mapped to
  /// where they stand; invalid span if it does not lie in one file.
  SourceSpan span(clang::SourceRange Range) const;
  /// The source text of \p Range in its file.
  llvm::StringRef text(clang::SourceRange Range) const;
  llvm::StringRef text(const SourceSpan &Span) const;
  /// Whole text of the file as the parse saw it.
  llvm::StringRef fileText(llvm::StringRef File) const;
  /// True if an error of the parse lies inside \p Span.
  bool hasErrorIn(const SourceSpan &Span) const;
  /// In the toolkit, the compiler or the system: stays an `#include`.
  bool isSystem(clang::SourceLocation Location) const;

private:
  UnitCommand Command;
  View Side;
  std::unique_ptr<clang::ASTUnit> Unit;
  std::vector<UnitDiagnostic> Errors;
};

/// Parses \p Command's file as \p Side sees it. Errors in the code do not fail
/// the call (see \c errors()); Error (Input, Toolchain) only when there is no
/// AST at all.
llvm::Expected<std::unique_ptr<ParsedUnit>>
parseUnit(const UnitCommand &Command, View Side);

/// Parses \p Text as if it were \p Command's file, with other files unchanged;
/// how a spliced unit is checked before anything is written. \p Overlays maps
/// absolute paths to texts.
llvm::Expected<std::unique_ptr<ParsedUnit>>
parseUnit(const UnitCommand &Command, View Side,
          const std::vector<std::pair<std::string, std::string>> &Overlays);

/// Parses a self-contained device source (a closure, a candidate) from memory,
/// device view. \p Flags: `-std=…`, `-DN=…`; nvcc's device flags are accepted.
llvm::Expected<std::unique_ptr<ParsedUnit>>
parseDeviceText(llvm::StringRef Text, const std::vector<std::string> &Flags);

} // namespace mep

#endif // MEP_FRONTEND_PARSEDUNIT_H
