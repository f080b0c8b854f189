/// \file
/// Third step of the walk: cut the kernel out with all it needs.

#ifndef MEP_CLOSURE_CLOSUREBUILDER_H
#define MEP_CLOSURE_CLOSUREBUILDER_H

#include "mep/Model/Closure.h"
#include "mep/Model/KernelSite.h"
#include "llvm/Support/Error.h"
#include <map>
#include <memory>

namespace mep {
class ParsedUnit;
struct UnitCommand;

/// The closure of \p Site seen from \p Device (the device view of the unit
/// that defines or launches it), for one instantiation. Errors: Unsupported
/// with the construct and its place; Input when the parse has an error inside
/// the kernel or something it needs.
llvm::Expected<Closure> buildClosure(const ParsedUnit &Device,
                                     const KernelSite &Site,
                                     unsigned Instantiation = 0);

/// The fallback when the slice does not compile: the whole unit with host
/// functions and variables left out (\c Closure::WholeUnit). Same errors.
llvm::Expected<Closure> buildWholeUnitClosure(const ParsedUnit &Device,
                                              const KernelSite &Site,
                                              unsigned Instantiation = 0);

/// Device functions and variables that the kernel needs and \p Device only
/// declares (`-rdc=true`), without their scopes. Empty also when there is no
/// such kernel.
std::vector<std::string> definedElsewhere(const ParsedUnit &Device,
                                          const KernelSite &Site,
                                          unsigned Instantiation);

/// True if what the units in `Joined` of \p Command define is called from the
/// others and not inlined: nvcc compiles each unit for itself, unless device
/// link-time optimisation is asked for; AMD's compiler links before it
/// optimises. The closure keeps such calls.
bool callsAcrossUnits(const UnitCommand &Command);

/// Compiles kernels from the application's unit and from their closures with
/// `nvcc -cubin` and compares the functions' machine code. A unit is compiled
/// once for all of its kernels.
class FidelityProver {
public:
  explicit FidelityProver(std::string ToolkitPath);
  ~FidelityProver();
  /// Never fails: the result says why it could not run (no toolkit) or what
  /// differs.
  Fidelity prove(const UnitCommand &Command, const Closure &C);

private:
  struct Application;
  const Application &application(const UnitCommand &Command, const Closure &C);
  std::string ToolkitPath, Nvcc;
  /// By folder and words of the command.
  std::map<std::string, std::unique_ptr<Application>> Applications;
};

} // namespace mep

#endif // MEP_CLOSURE_CLOSUREBUILDER_H
