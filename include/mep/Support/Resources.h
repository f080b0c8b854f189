/// \file
/// Where the files that travel with the tool are: the runtime headers a MEP
/// copies, the toolkit-free stub headers, the prompts, Clang's own headers.
/// `<prefix>/bin/clang-mep-opt` finds them under `<prefix>/share/clang-mep-opt`
/// and `<prefix>/lib/clang/22`; the build tree has the same layout.

#ifndef MEP_SUPPORT_RESOURCES_H
#define MEP_SUPPORT_RESOURCES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mep {

/// Absolute path of the running executable's folder's parent.
std::string installPrefix();

/// Absolute path of \p Relative (e.g. `runtime/mep_fill.h`, `stubs`). Error
/// (Toolchain) when the installation lacks it.
llvm::Expected<std::string> resourcePath(llvm::StringRef Relative);

/// Text of the resource file \p Relative.
llvm::Expected<std::string> resourceText(llvm::StringRef Relative);

/// Clang's resource directory (the folder that holds `include/stddef.h`): the
/// bundled one, else that of the LLVM this tool was built against.
llvm::Expected<std::string> clangResourceDir();

} // namespace mep

#endif // MEP_SUPPORT_RESOURCES_H
