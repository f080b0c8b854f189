/// \file
/// Closure, proof level: the machine code of one kernel in a cubin.

#ifndef MEP_LIB_CLOSURE_CUBIN_H
#define MEP_LIB_CLOSURE_CUBIN_H

#include "llvm/Support/Error.h"
#include <map>
#include <string>
#include <vector>

namespace mep {

/// A place in the code that the linker fills, with the symbol it refers to.
struct CodeRelocation {
  uint64_t Offset = 0, Type = 0;
  std::string Symbol;
  bool operator==(const CodeRelocation &) const = default;
};

struct KernelCode {
  std::string Symbol;
  std::string Bytes;
  std::vector<CodeRelocation> Relocations;
};

/// A stretch of the bank of `__constant__` variables.
struct ConstantSymbol {
  uint64_t Begin = 0, End = 0;
  std::string Name;
};

struct Cubin {
  std::vector<KernelCode> Kernels;
  std::vector<ConstantSymbol> Constants;     ///< Bank 3.
  std::map<uint64_t, std::string> Addresses; ///< Bank 4: what each slot points
                                             ///< to; a string by its bytes.
  /// The kernel \p Symbol names; null if absent. The hash that nvcc puts in the
  /// name of an unnamed namespace is not compared.
  const KernelCode *find(llvm::StringRef Symbol) const;
};

/// Reads the `.text.*` sections of the ELF file \p Path. Error (Toolchain) when
/// it is no cubin.
llvm::Expected<Cubin> readCubin(llvm::StringRef Path);

/// What differs between the code of a kernel in two cubins, in a few words;
/// empty when it is the same. Where a variable lies in its module is no
/// difference as long as both instructions reach the same variable: \p Moved
/// counts those.
std::string difference(const Cubin &A, const KernelCode &InA, const Cubin &B,
                       const KernelCode &InB, unsigned &Moved);

/// \p Symbol with every spelling of an unnamed namespace made one.
std::string comparableSymbol(llvm::StringRef Symbol);

} // namespace mep

#endif // MEP_LIB_CLOSURE_CUBIN_H
