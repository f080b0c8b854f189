/// \file
/// The header that Clang puts in front of every CUDA or HIP unit, parsed once
/// for all units with the same flags and kept for later runs.

#ifndef MEP_LIB_FRONTEND_WRAPPERCACHE_H
#define MEP_LIB_FRONTEND_WRAPPERCACHE_H

#include "llvm/ADT/IntrusiveRefCntPtr.h"

namespace clang {
class CompilerInvocation;
}
namespace llvm::vfs {
class FileSystem;
}

namespace mep {

/// Lets \p Invocation take the runtime wrapper that it begins with from a
/// precompiled header, made when there is none that fits. They lie in the
/// user's cache folder (`MEP_CACHE_DIR`, else `clang-mep-opt` in the system's
/// place for caches; empty: none are used), are checked against the headers
/// they were made from and against a sum of their own bytes, and the oldest are
/// removed. Changes nothing where it
/// cannot: a parse without it gives the same, later. False then; a file that is
/// taken may still be gone when it is read.
bool usePrecompiledWrapper(
    clang::CompilerInvocation &Invocation,
    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Disk);

} // namespace mep

#endif // MEP_LIB_FRONTEND_WRAPPERCACHE_H
