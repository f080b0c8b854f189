/// \file
/// Second step of the walk: which kernels there are, who launches them, and
/// which are worth the time.

#ifndef MEP_DISCOVERY_DISCOVERY_H
#define MEP_DISCOVERY_DISCOVERY_H

#include "mep/Model/KernelSite.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace clang {
class Expr;
class FunctionDecl;
} // namespace clang

namespace mep {
class ParsedUnit;

/// The kernels defined or launched in \p Host, each with its launches in the
/// unit, in source order. One that is only launched here has no Definition.
std::vector<KernelSite> discoverKernels(const ParsedUnit &Host);

/// The definition of \p Site in \p Unit (either view), or null. For a template
/// the specialisation that \p Instantiation names.
const clang::FunctionDecl *findKernel(const ParsedUnit &Unit,
                                      const KernelSite &Site,
                                      unsigned Instantiation = 0);

/// The kernel that \p E names, through casts, `&` and variables that hold it
/// from their initialiser on; null if that is not certain.
const clang::FunctionDecl *namedKernel(const clang::Expr *E);

/// The symbol of \p Kernel in device code, the same in every unit and view:
/// what tells one instantiation from another.
std::string deviceSymbol(const ParsedUnit &Unit,
                         const clang::FunctionDecl &Kernel);

struct KernelFilter {
  std::string NameRegex; ///< `--kernel`; matches the qualified name.
  std::string At;   ///< `--at=FILE:LINE`; inside the definition or a launch.
  unsigned Top = 0; ///< `--top`: only so many, the hottest; 0: all.
};

/// The selected kernels, hottest first and those that nothing launches last,
/// duplicates (one header kernel seen in several units) merged, launches of a
/// kernel that another unit defines joined to it by symbol. Errors: NotFound
/// naming what was asked for and what there is; Usage for a bad regular
/// expression or place.
llvm::Expected<std::vector<KernelSite>>
selectKernels(std::vector<KernelSite> Found, const KernelFilter &Filter);

} // namespace mep

#endif // MEP_DISCOVERY_DISCOVERY_H
