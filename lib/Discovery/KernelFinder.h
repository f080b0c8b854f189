/// \file
/// Finds kernels and launches in one parsed unit: the AST side of Discovery.

#ifndef MEP_LIB_DISCOVERY_KERNELFINDER_H
#define MEP_LIB_DISCOVERY_KERNELFINDER_H

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
  /// In a host loop, or in a function that the unit calls from one.
  bool InLoop = false;
  bool InInstantiation = false; ///< Seen in the body of a template's instance.
};

struct FoundCode {
  std::vector<FoundKernel> Kernels;
  std::vector<FoundLaunch> Launches;
};

/// Walks the project's declarations (not the system's) once, in source order.
FoundCode findCode(const ParsedUnit &Unit);

} // namespace mep

#endif // MEP_LIB_DISCOVERY_KERNELFINDER_H
