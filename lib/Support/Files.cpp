#include "mep/Support/Files.h"
#include "mep/Support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
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

/// Writes \p Text to \p Descriptor. All errors come at the flush.
static std::error_code writeAll(int Descriptor, StringRef Text) {
  llvm::raw_fd_ostream OS(Descriptor, /*shouldClose=*/false,
                          /*unbuffered=*/false);
  OS << Text;
  OS.flush();
  std::error_code Problem = OS.error();
  OS.clear_error();
  return Problem;
}

/// A device or a pipe (`/dev/stdout`) is written to; a rename would replace it.
static std::error_code writeInto(StringRef Path, StringRef Text) {
  int Descriptor = -1;
  if (std::error_code EC = fs::openFileForWrite(
          Path, Descriptor, fs::CD_OpenExisting, fs::OF_Append))
    return EC;
  std::error_code Problem = writeAll(Descriptor, Text);
  llvm::sys::Process::SafelyCloseFileDescriptor(Descriptor);
  return Problem;
}

/// A link is followed, so that it stays one.
static std::string linkTarget(StringRef Path) {
  llvm::SmallString<256> Real;
  return fs::real_path(Path, Real) ? Path.str() : Real.str().str();
}

llvm::Error mep::writeFile(StringRef Given, StringRef Text) {
  std::string Path = linkTarget(Given);
  auto Fail = [&](std::error_code EC) {
    return makeError(Failure::Output, "cannot write: " + EC.message(),
                     Given.str());
  };
  fs::file_status Status;
  if (!fs::status(Given, Status) && !fs::is_regular_file(Status) &&
      !fs::is_directory(Status)) {
    if (std::error_code EC = writeInto(Given, Text))
      return Fail(EC);
    return llvm::Error::success();
  }
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
  if (std::error_code EC = writeAll(Temporary->FD, Text)) {
    llvm::consumeError(Temporary->discard());
    return Fail(EC);
  }
  if (llvm::Error E = Temporary->keep(Path))
    return Fail(llvm::errorToErrorCode(std::move(E)));
  return llvm::Error::success();
}

std::string mep::contentHash(StringRef Text) {
  auto Digest = llvm::SHA256::hash(llvm::arrayRefFromStringRef(Text));
  return llvm::toHex(Digest, /*LowerCase=*/true).substr(0, 16);
}
