/// \file
/// A folder of source files that lives as long as a test.

#ifndef MEP_TEST_TEMPORARYFOLDER_H
#define MEP_TEST_TEMPORARYFOLDER_H

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace mep {

class TemporaryFolder {
public:
  TemporaryFolder() {
    llvm::SmallString<128> Unique;
    if (!llvm::sys::fs::createUniqueDirectory("mep-test", Unique))
      Root = Unique.str().str();
  }
  ~TemporaryFolder() { llvm::sys::fs::remove_directories(Root); }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  std::string path(llvm::StringRef Name) const {
    return Root + "/" + Name.str();
  }

  /// Writes \p Text and returns the file's absolute path.
  std::string write(llvm::StringRef Name, llvm::StringRef Text) const {
    std::string File = path(Name);
    llvm::sys::fs::create_directories(llvm::sys::path::parent_path(File));
    std::error_code EC;
    llvm::raw_fd_ostream(File, EC) << Text;
    return File;
  }

  std::string Root;
};

} // namespace mep

#endif // MEP_TEST_TEMPORARYFOLDER_H
