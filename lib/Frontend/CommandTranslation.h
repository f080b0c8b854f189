/// \file
/// One compile command in the words of Clang's driver, with the mends that make
/// it see what nvcc or hipcc would.

#ifndef MEP_LIB_FRONTEND_COMMANDTRANSLATION_H
#define MEP_LIB_FRONTEND_COMMANDTRANSLATION_H

#include "mep/Frontend/UnitCommand.h"

namespace mep {

/// \p File as an absolute path without dots; \p Directory is where a relative
/// one starts. Symbolic links stay: quoted includes start from the link.
std::string absolutePath(llvm::StringRef File, llvm::StringRef Directory);

/// A suffix that alone makes a device unit; `.cpp` needs a flag or hipcc.
bool isDeviceSuffix(llvm::StringRef File);

/// \p Words is the whole command, the compiler first (empty: nvcc). \p Toolkit
/// is the CUDA toolkit; empty: the stub headers. Neither IsCuda nor IsHip is
/// set if the command compiles host code only. Error (Input): a response file
/// that cannot be read.
llvm::Expected<UnitCommand>
translateCommand(llvm::StringRef File, llvm::StringRef Directory,
                 const std::vector<std::string> &Words,
                 llvm::StringRef Toolkit);

/// 13020 for 13.2, from the header of the CUDA toolkit in \p Toolkit; 0 if that
/// does not say.
unsigned cudaVersion(llvm::StringRef Toolkit);

/// The macros by which code asks for nvcc. They break the toolkit's own
/// libraries under Clang, so a parse gets them only when it fails without.
std::vector<std::string> nvccMacros(const UnitCommand &Command);

} // namespace mep

#endif // MEP_LIB_FRONTEND_COMMANDTRANSLATION_H
