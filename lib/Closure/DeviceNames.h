/// \file
/// Closure: what the names of the CUDA device library mean for a kernel, and
/// which of them and of the standard library NVRTC knows by itself.

#ifndef MEP_LIB_CLOSURE_DEVICENAMES_H
#define MEP_LIB_CLOSURE_DEVICENAMES_H

#include "llvm/ADT/StringRef.h"

namespace mep {

/// Threads of a block or warp meet in it: on a CPU it needs fibers.
bool isBarrierName(llvm::StringRef Name);
bool isBarrierAssembly(llvm::StringRef Text);
bool isAtomicName(llvm::StringRef Name);
bool isAtomicAssembly(llvm::StringRef Text);

/// True for a header of the C or C++ standard library, by the name that an
/// include gives it.
bool isStandardHeader(llvm::StringRef Header);
/// True for a header of the CUDA runtime whose device part every compiler of
/// device code has built in.
bool isRuntimeHeader(llvm::StringRef Header);
/// True if NVRTC, with the toolkit's include folder, compiles \p Header.
bool nvrtcTakes(llvm::StringRef Header);
/// True if NVRTC declares the standard function \p Name by itself, without
/// `std::`.
bool nvrtcDeclares(llvm::StringRef Name);
/// What declares the standard type, macro or `std::` function \p Name for
/// NVRTC; empty when there is no such text. \p InStd: the name is `std::Name`.
llvm::StringRef nvrtcText(llvm::StringRef Name, bool InStd);
/// The standard header, `<cstdint>`, of a name that \c nvrtcText knows without
/// `std::`; empty for any other.
llvm::StringRef standardHome(llvm::StringRef Name);

} // namespace mep

#endif // MEP_LIB_CLOSURE_DEVICENAMES_H
