/// \file
/// Closure, proof: a compile command's words as nvcc takes them.

#ifndef MEP_LIB_CLOSURE_NVCCWORDS_H
#define MEP_LIB_CLOSURE_NVCCWORDS_H

#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace mep {

/// What of \p Words (no program name) device code depends on. Left out: what
/// to make and where, the architecture, warnings, and how the host compiler
/// optimises. What only Clang or GCC spells so is respelled: nvcc refuses a
/// command for one word that it does not know.
std::vector<std::string> nvccWords(llvm::ArrayRef<std::string> Words);

} // namespace mep

#endif // MEP_LIB_CLOSURE_NVCCWORDS_H
