#include "mep/Support/Resources.h"
#include "mep/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mep;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

std::string mep::installPrefix() {
  // The address of any function of the executable locates it.
  std::string Exe = fs::getMainExecutable(
      nullptr, reinterpret_cast<void *>(&mep::installPrefix));
  return path::parent_path(path::parent_path(Exe)).str();
}

llvm::Expected<std::string> mep::resourcePath(StringRef Relative) {
  llvm::SmallString<256> Path(installPrefix());
  path::append(Path, "share", "clang-mep-opt", Relative);
  if (!fs::exists(Path))
    return makeError(Failure::Toolchain, "the installation lacks this file",
                     Path.str().str());
  return Path.str().str();
}

llvm::Expected<std::string> mep::resourceText(StringRef Relative) {
  auto Path = resourcePath(Relative);
  if (!Path)
    return Path.takeError();
  auto Buffer = llvm::MemoryBuffer::getFile(*Path, /*IsText=*/true);
  if (!Buffer)
    return makeError(Failure::Toolchain, Buffer.getError().message(), *Path);
  return (*Buffer)->getBuffer().str();
}

llvm::Expected<std::string> mep::clangResourceDir() {
  llvm::SmallString<256> Bundled(installPrefix());
  path::append(Bundled, "lib", "clang", "22");
  for (StringRef Dir :
       {StringRef(Bundled), StringRef(MEP_CLANG_RESOURCE_DIR)}) {
    llvm::SmallString<256> Probe(Dir);
    path::append(Probe, "include", "stddef.h");
    if (fs::exists(Probe))
      return Dir.str();
  }
  return makeError(Failure::Toolchain,
                   "Clang's own headers are missing; expected them under",
                   Bundled.str().str());
}
