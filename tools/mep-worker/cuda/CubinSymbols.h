/// \file
/// CUDA platform: which machine symbol is the kernel or global that a C++ name
/// means, read from a cubin's ELF symbol table. NVRTC says so itself; nvcc does
/// not.

#ifndef MEP_WORKER_CUDA_CUBINSYMBOLS_H
#define MEP_WORKER_CUDA_CUBINSYMBOLS_H

#include <string>
#include <vector>

namespace mepworker::cuda {

struct CubinSymbols {
  std::vector<std::string> Functions, Objects; ///< Defined, mangled.
};

/// Empty lists for anything that is no 64-bit little-endian ELF file.
CubinSymbols readSymbols(const std::string &Cubin);

/// Text to append to a source so that nvcc instantiates the template
/// specialisations among \p Kernels and leaves their symbols in the cubin.
std::string nameTags(const std::vector<std::string> &Kernels);

/// Mangled symbol of name expression \p Kernels[Index]; empty if not found.
std::string findKernel(const CubinSymbols &Symbols,
                       const std::vector<std::string> &Kernels, size_t Index);

/// Mangled symbol of the global \p Name; empty if not found.
std::string findObject(const CubinSymbols &Symbols, const std::string &Name);

} // namespace mepworker::cuda

#endif // MEP_WORKER_CUDA_CUBINSYMBOLS_H
