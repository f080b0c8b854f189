/// \file
/// Closure, dependency level: from the kernel to every declaration it needs,
/// through bodies, types, template arguments, initialisers and instantiations.

#ifndef MEP_LIB_CLOSURE_DEPENDENCYWALK_H
#define MEP_LIB_CLOSURE_DEPENDENCYWALK_H

#include "ChunkTable.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Error.h"
#include <set>

namespace clang {
class CXXRecordDecl;
class FunctionDecl;
class NamedDecl;
class UsingDirectiveDecl;
class VarDecl;
} // namespace clang

namespace mep {

/// What the walk found.
struct Needs {
  std::set<size_t> Chunks;
  llvm::SetVector<const clang::NamedDecl *> System; ///< Outside the project.
  llvm::SetVector<const clang::VarDecl *> Globals;  ///< `__device__` variables.
  /// Methods that only the host can call and whose bodies the closure has no
  /// use for.
  llvm::SetVector<const clang::FunctionDecl *> HostMethods;
  /// Lambdas of host functions that the kernel is given, in an order in which
  /// they can be written.
  llvm::SetVector<const clang::CXXRecordDecl *> Lambdas;
  /// Definitions of joined units that code of other units calls: real calls in
  /// the application.
  llvm::SetVector<const clang::FunctionDecl *> CalledAcross;
  std::set<std::string> Elsewhere; ///< Declared here, defined in another unit.
  bool UsesBarrier = false, UsesAtomics = false, UsesDynamicShared = false;
  uint64_t StaticSharedBytes = 0;
  /// What nvcc takes and NVRTC refuses: GNU extensions, `register`, functions
  /// marked for the host alone.
  bool UsesHostDialect = false;
};

/// True if device code can call \p F.
bool isDeviceCallable(const clang::FunctionDecl *F);

/// Walks from \p Kernel. Errors: Unsupported with the construct and its place.
llvm::Expected<Needs> findNeeds(const ParsedUnit &Unit,
                                const ChunkTable &Chunks,
                                const clang::FunctionDecl *Kernel);

/// What \p Kernel needs and the unit only declares, as far as it is seen.
std::set<std::string> findElsewhere(const ParsedUnit &Unit,
                                    const ChunkTable &Chunks,
                                    const clang::FunctionDecl *Kernel);

/// Needs of everything but host functions and host variables: the masked whole
/// unit.
Needs findUnitNeeds(const ParsedUnit &Unit, const ChunkTable &Chunks,
                    const clang::FunctionDecl *Kernel);

/// True if the body of \p F does with the declarations in \p Kept and with none
/// of a header.
bool bodyNeedsOnly(const ParsedUnit &Unit, const ChunkTable &Chunks,
                   const clang::FunctionDecl *F, const std::set<size_t> &Kept);

} // namespace mep

#endif // MEP_LIB_CLOSURE_DEPENDENCYWALK_H
