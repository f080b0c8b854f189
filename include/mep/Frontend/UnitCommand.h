/// \file
/// First step of the walk: compile_commands.json to commands Clang understands.

#ifndef MEP_FRONTEND_UNITCOMMAND_H
#define MEP_FRONTEND_UNITCOMMAND_H

#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace mep {

/// How one translation unit is compiled, translated for Clang's driver.
struct UnitCommand {
  std::string File;      ///< Absolute path of the main file.
  std::string Directory; ///< Working directory of the command.
  /// Arguments for Clang without the program name, `-c`, `-o`, the file and
  /// the view's own flags; toolkit paths and mends included.
  std::vector<std::string> Arguments;
  std::vector<std::string> Original; ///< The command as it was given.
  size_t Compiler = 0; ///< Its place in Original, behind a launcher (ccache).
  bool IsCuda = false, IsHip = false;
  /// nvcc flags that change device code and that the fidelity proof and the
  /// worker need: `-std=…`, `--use_fast_math`, `-maxrregcount=…`, `-fmad=…`,
  /// `-ftz=…`, `-prec-…`, `-rdc=true`; include paths and macros are not here.
  std::vector<std::string> DeviceFlags;
  std::string Arch; ///< `sm_90`; `sm_75` if the command names none.
  /// Units whose device code is parsed as part of this one's, since its kernels
  /// call what they define.
  std::vector<std::string> Joined;
  /// One for each flag that was dropped unknown, and for entries left out.
  std::vector<std::string> Warnings;
};

struct CommandOptions {
  std::string BuildPath; ///< `-p`; empty: search upward of each file.
  std::vector<std::string>
      Files; ///< Empty: every CUDA/HIP unit of the database.
  std::vector<std::string> FixedFlags; ///< After `--`.
  bool HasFixedFlags = false;
  /// `--cuda-path`; empty: found; `none`: the bundled stub headers.
  std::string ToolkitPath;
};

/// The units to look at, in database order. Errors (Input, NotFound): no or
/// broken database, a file that is not in it, no CUDA or HIP unit; (Toolchain):
/// no toolkit where one was named, or one too old. Each names the path.
llvm::Expected<std::vector<UnitCommand>>
loadCommands(const CommandOptions &Options);

/// Every unit of the database, also those of plain C++, each of which parses
/// for View::Host: where values come from that device units are called with.
/// Empty when there is no database.
std::vector<UnitCommand> loadSurroundings(const CommandOptions &Options);

/// The CUDA toolkit's folder: \p Wanted, else CUDA_PATH, CUDA_HOME, nvcc on
/// PATH, /usr/local/cuda. Empty when there is none.
std::string findCudaToolkit(llvm::StringRef Wanted = {});

/// The command for a device source that is no file (a closure, a candidate):
/// \p Flags are nvcc's device flags and `-D`. With \p Stubs the bundled headers
/// stand in for the toolkit's, which parses ten times faster.
llvm::Expected<UnitCommand>
deviceTextCommand(const std::vector<std::string> &Flags, bool Stubs);

} // namespace mep

#endif // MEP_FRONTEND_UNITCOMMAND_H
