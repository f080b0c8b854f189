/// \file
/// Reading and writing files so that nothing is ever half written.

#ifndef MEP_SUPPORT_FILES_H
#define MEP_SUPPORT_FILES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mep {

/// Whole text of \p Path. Error (Input) naming the path.
llvm::Expected<std::string> readFile(llvm::StringRef Path);

/// Replaces \p Path by \p Text through a temporary file in the same folder and
/// a rename, keeping the mode of an existing file; missing parent folders are
/// made. A link is followed; a device or pipe is written to as it is. Error
/// (Output) naming the path; then \p Path is as it was.
llvm::Error writeFile(llvm::StringRef Path, llvm::StringRef Text);

/// First 16 hex digits of the SHA-256 of \p Text: names content in sessions and
/// guards edits.
std::string contentHash(llvm::StringRef Text);

} // namespace mep

#endif // MEP_SUPPORT_FILES_H
