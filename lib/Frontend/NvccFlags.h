/// \file
/// nvcc's command line in Clang's words. The table is data: a flag is one row.

#ifndef MEP_LIB_FRONTEND_NVCCFLAGS_H
#define MEP_LIB_FRONTEND_NVCCFLAGS_H

#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace mep {

/// An nvcc command taken apart.
struct TranslatedFlags {
  std::vector<std::string> Clang;  ///< For Clang's driver.
  std::vector<std::string> Device; ///< See UnitCommand::DeviceFlags.
  std::vector<std::string> Inputs; ///< Words that are no flags.
  std::vector<std::string> Unknown;
  std::string Arch; ///< Highest real architecture; may be empty.
  bool HasStandard = false;
  bool ForcesCuda = false, ForcesHip = false; ///< `-x cu`, `-x hip`.
};

/// Response files (`@F`, `--options-file F`, `-optf F`) replaced by their
/// content, relative to \p Directory. Error (Input) naming an unreadable one.
llvm::Expected<std::vector<std::string>>
expandResponseFiles(const std::vector<std::string> &Words,
                    llvm::StringRef Directory);

/// \p Words without the program name.
TranslatedFlags translateNvcc(const std::vector<std::string> &Words);

/// The same for a command of clang, hipcc or a host compiler: nearly all of it
/// is Clang's own.
TranslatedFlags translateClang(const std::vector<std::string> &Words);

} // namespace mep

#endif // MEP_LIB_FRONTEND_NVCCFLAGS_H
