/// \file
/// Finds kernels and launches in one parsed unit: the AST side of Discovery.

#ifndef MEP_LIB_DISCOVERY_KERNELFINDER_H
#define MEP_LIB_DISCOVERY_KERNELFINDER_H

#include "mep/Model/KernelSite.h"
#include <vector>

namespace clang {
class CallExpr;
class FunctionDecl;
} // namespace clang

namespace mep {
class ParsedUnit;

/// A kernel of the unit: its pattern (of a template) or itself.
struct FoundKernel {
  const clang::FunctionDecl *Definition = nullptr;
};

/// A launch and where it stands in the host code.
struct FoundLaunch {
  const clang::CallExpr *Call = nullptr;
  const clang::FunctionDecl *Kernel = nullptr;    ///< The specialisation.
  const clang::FunctionDecl *Enclosing = nullptr; ///< Host function, or null.
  bool InLoop = false;
  bool InInstantiation = false; ///< Seen in the body of a template's instance.
};

struct FoundCode {
  std::vector<FoundKernel> Kernels;
  std::vector<FoundLaunch> Launches;
};

/// Walks the project's declarations (not the system's) once, in source order.
FoundCode findCode(const ParsedUnit &Unit);

/// From the first specifier or attribute to the closing brace.
SourceSpan definitionSpan(const ParsedUnit &Unit,
                          const clang::FunctionDecl &Kernel);

/// The pattern a specialisation was made from, or the function itself.
const clang::FunctionDecl *patternOf(const clang::FunctionDecl *Kernel);

/// The symbol of the kernel in device code (not the host stub's).
std::string deviceSymbol(const ParsedUnit &Unit,
                         const clang::FunctionDecl &Kernel);

/// `float, 16` of a specialisation; empty for a plain function.
std::string templateArguments(const ParsedUnit &Unit,
                              const clang::FunctionDecl &Kernel);

/// Static guess of the cost of one launch, and what it rests on.
struct Heat {
  double Value = 0;
  std::string Reason;
};
Heat guessHeat(const clang::FunctionDecl &Kernel, bool LaunchedInLoop);

} // namespace mep

#endif // MEP_LIB_DISCOVERY_KERNELFINDER_H
