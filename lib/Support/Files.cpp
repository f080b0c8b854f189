#include "mep/Support/Files.h"
#include "mep/Support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

using namespace mep;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

llvm::Expected<std::string> mep::readFile(StringRef Path) {
  if (fs::is_directory(Path))
    return makeError(Failure::Input, "is a folder, expected a file",
                     Path.str());
  auto Buffer = llvm::MemoryBuffer::getFile(Path);
  if (!Buffer)
    return makeError(Failure::Input, Buffer.getError().message(), Path.str());
  return (*Buffer)->getBuffer().str();
}

llvm::Error mep::writeFile(StringRef Path, StringRef Text) {
  auto Fail = [&](std::error_code EC) {
    return makeError(Failure::Output, "cannot write: " + EC.message(),
                     Path.str());
  };
  StringRef Folder = path::parent_path(Path);
  if (!Folder.empty())
    if (std::error_code EC = fs::create_directories(Folder))
      return Fail(EC);
  if (fs::exists(Path) && !fs::can_write(Path))
    return Fail(std::make_error_code(std::errc::permission_denied));
  unsigned Mode = fs::all_read | fs::owner_write;
  if (auto Permissions = fs::getPermissions(Path))
    Mode = *Permissions;
  auto Temporary = fs::TempFile::create(Path + ".%%%%%%.tmp", Mode);
  if (!Temporary)
    return Fail(llvm::errorToErrorCode(Temporary.takeError()));
  std::error_code Wrote;
  {
    llvm::raw_fd_ostream OS(Temporary->FD, /*shouldClose=*/false);
    OS << Text;
    OS.flush();
    Wrote = OS.error();
    OS.clear_error();
  }
  if (Wrote) {
    llvm::consumeError(Temporary->discard());
    return Fail(Wrote);
  }
  if (llvm::Error E = Temporary->keep(Path))
    return Fail(llvm::errorToErrorCode(std::move(E)));
  return llvm::Error::success();
}

std::string mep::contentHash(StringRef Text) {
  auto Digest = llvm::SHA256::hash(llvm::arrayRefFromStringRef(Text));
  return llvm::toHex(Digest, /*LowerCase=*/true).substr(0, 16);
}
