/// \file
/// Which compiler a command is for, its flags, and the mends.

#include "CommandTranslation.h"
#include "NvccFlags.h"
#include "mep/Support/Error.h"
#include "mep/Support/Resources.h"
#include "clang/Basic/OffloadArch.h"
#include "clang/Options/Options.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mep;
using llvm::Expected;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

using Strings = std::vector<std::string>;

/// What the stub headers stand for.
constexpr unsigned NewestToolkit = 13000;

// ---- which compiler a command is for ---------------------------------------

enum class Compiler { Nvcc, Hipcc, Clang };

Compiler compilerOf(StringRef Program) {
  StringRef Name = path::stem(Program);
  if (Name.contains("nvcc"))
    return Compiler::Nvcc;
  if (Name.contains("hipcc") || Name == "dcc")
    return Compiler::Hipcc;
  return Compiler::Clang;
}

/// Where the compiler stands in a command that starts with a launcher.
size_t programIndex(const Strings &Words) {
  static const StringRef Launchers[] = {"ccache", "sccache", "distcc", "env"};
  if (!Words.empty() && path::stem(Words[0]) == "cmake") {
    // cmake -E __run_co_compile --tidy=... -- compiler ...
    auto Dashes = llvm::find(Words, "--");
    if (Words.end() - Dashes > 1)
      return Dashes - Words.begin() + 1;
  }
  size_t I = 0;
  while (I + 1 < Words.size() &&
         (llvm::is_contained(Launchers, path::stem(Words[I])) ||
          (I && StringRef(Words[I]).contains('=') && Words[I][0] != '-')))
    ++I;
  return I;
}

// ---- the mends every unit gets ---------------------------------------------

/// The architecture the parse runs for. One that is newer than this Clang reads
/// the same as the newest it knows.
std::string parseArch(StringRef Arch) {
  auto Known = [](StringRef Name) {
    return clang::StringToOffloadArch(Name) != clang::OffloadArch::UNKNOWN;
  };
  if (Known(Arch))
    return Arch.str();
  unsigned Number = 0;
  StringRef Digits = Arch.drop_while([](char C) { return !llvm::isDigit(C); });
  if (Digits.take_while(llvm::isDigit).getAsInteger(10, Number))
    return "sm_75";
  for (Number = std::min(Number, 999u); Number > 50; --Number)
    if (std::string Name = "sm_" + std::to_string(Number); Known(Name))
      return Name;
  return "sm_75";
}

/// Toolkit or stub headers, and what nvcc does silently (measured on real code;
/// CUDA 13 keeps cub and thrust under include/cccl).
Expected<Strings> cudaMends(StringRef Toolkit, StringRef Arch) {
  Strings Words{"-x", "cuda", "-Wno-unknown-cuda-version", "-Wno-register",
                "-fno-spell-checking"};
  auto Stubs = resourcePath("stubs");
  if (!Stubs)
    return Stubs.takeError();
  if (Toolkit.empty())
    llvm::append_range(Words,
                       Strings{"-nocudainc", "-nocudalib", "-isystem",
                               *Stubs + "/cuda", "-include", "cuda_runtime.h"});
  else
    llvm::append_range(Words,
                       Strings{"--cuda-path=" + Toolkit.str(), "-nocudalib",
                               "-isystem", Toolkit.str() + "/include/cccl",
                               "-include", *Stubs + "/nvcc_shim.h"});
  llvm::append_range(Words, Strings{"-idirafter", *Stubs + "/host",
                                    "--cuda-gpu-arch=" + parseArch(Arch)});
  return Words;
}

Expected<Strings> hipMends(StringRef Arch) {
  auto Stubs = resourcePath("stubs");
  if (!Stubs)
    return Stubs.takeError();
  Strings Words{"-x", "hip", "-nogpulib", "-D__HIP_PLATFORM_AMD__",
                "-D__AMDGCN_WAVEFRONT_SIZE=64"};
  if (!fs::exists("/opt/rocm/include/hip/hip_runtime.h") &&
      !fs::exists("/usr/include/hip/hip_runtime.h"))
    llvm::append_range(Words,
                       Strings{"-nogpuinc", "-isystem", *Stubs + "/hip-root",
                               "-isystem", *Stubs + "/cuda",
                               // Before any header of C, as hipcc does: what
                               // these declare is the device's too.
                               "-include", "hip/hip_runtime.h"});
  llvm::append_range(Words, Strings{"-idirafter", *Stubs + "/host",
                                    "--offload-arch=" + Arch.str()});
  return Words;
}

// ---- what Clang would not take ---------------------------------------------

/// Clang's driver drops every include path when one argument is unknown to it,
/// so such an argument must go first. Those removed are added to \p Unknown.
Strings keepKnown(const Strings &Words, Strings &Unknown) {
  llvm::SmallVector<const char *> Pointers;
  for (const std::string &Word : Words)
    Pointers.push_back(Word.c_str());
  unsigned MissingIndex = 0, MissingCount = 0;
  llvm::opt::InputArgList Parsed = clang::getDriverOptTable().ParseArgs(
      Pointers, MissingIndex, MissingCount,
      llvm::opt::Visibility(clang::options::ClangOption));
  llvm::BitVector Drop(Words.size());
  for (const llvm::opt::Arg *A : Parsed.filtered(clang::options::OPT_UNKNOWN))
    Drop.set(A->getIndex());
  // A last word that waits for its value.
  if (MissingCount)
    Drop.set(MissingIndex);
  Strings Kept;
  for (size_t I = 0; I < Words.size(); ++I)
    (Drop[I] ? Unknown : Kept).push_back(Words[I]);
  return Kept;
}

} // namespace

unsigned mep::cudaVersion(StringRef Toolkit) {
  unsigned Version = 0;
  auto Header = llvm::MemoryBuffer::getFile(Toolkit + "/include/cuda.h");
  if (!Header)
    return 0;
  StringRef Text = (*Header)->getBuffer();
  constexpr StringRef Define = "#define CUDA_VERSION ";
  if (size_t At = Text.find(Define); At != StringRef::npos)
    Text.drop_front(At + Define.size())
        .ltrim()
        .take_while(llvm::isDigit)
        .getAsInteger(10, Version);
  return Version;
}

std::string mep::absolutePath(StringRef File, StringRef Directory) {
  llvm::SmallString<256> Path(File);
  if (path::is_relative(Path)) {
    Path = Directory;
    path::append(Path, File);
  }
  fs::make_absolute(Path);
  path::remove_dots(Path, /*remove_dot_dot=*/true);
  return Path.str().str();
}

bool mep::isDeviceSuffix(StringRef File) {
  return llvm::is_contained({".cu", ".cuh", ".cuknl", ".hip"},
                            path::extension(File));
}

Expected<UnitCommand> mep::translateCommand(StringRef File, StringRef Directory,
                                            const Strings &Words,
                                            StringRef Toolkit) {
  UnitCommand Command;
  Command.Directory = Directory.str();
  Command.File = absolutePath(File, Directory);
  Command.Original = Words;
  size_t Program = Command.Compiler = programIndex(Words);
  Compiler Which = Words.empty() ? Compiler::Nvcc : compilerOf(Words[Program]);
  auto Flags = expandResponseFiles(
      Words.empty() ? Words : Strings(Words.begin() + Program + 1, Words.end()),
      Directory);
  if (!Flags)
    return Flags.takeError();
  TranslatedFlags T =
      Which == Compiler::Nvcc ? translateNvcc(*Flags) : translateClang(*Flags);
  bool Hip = T.ForcesHip || (Which == Compiler::Hipcc && !T.ForcesCuda) ||
             (path::extension(File) == ".hip" && !T.ForcesCuda);
  Command.IsHip = Hip;
  Command.IsCuda = !Hip && (T.ForcesCuda || isDeviceSuffix(File));
  if (!Command.IsCuda && !Command.IsHip) {
    Command.Arguments = keepKnown(T.Clang, T.Unknown);
    // What nvcc adds for every file, and what host code of an application that
    // calls the runtime needs from its build system.
    if (!Toolkit.empty())
      llvm::append_range(Command.Arguments,
                         Strings{"-isystem", (Toolkit + "/include").str()});
    return Command;
  }
  Command.Arch = T.Arch.empty() ? (Hip ? "gfx906" : "sm_75") : T.Arch;
  auto Mends = Hip ? hipMends(Command.Arch) : cudaMends(Toolkit, Command.Arch);
  if (!Mends)
    return Mends.takeError();
  Command.Arguments = std::move(*Mends);
  // nvcc's default; Clang's own is the same today but follows its version.
  if (!T.HasStandard)
    Command.Arguments.push_back("-std=gnu++17");
  llvm::append_range(Command.Arguments, keepKnown(T.Clang, T.Unknown));
  Command.DeviceFlags = T.Device;
  for (const std::string &Flag : T.Unknown)
    Command.Warnings.push_back(Command.File + ": compiler flag " + Flag +
                               " is unknown and left out");
  return Command;
}

Strings mep::nvccMacros(const UnitCommand &Command) {
  unsigned Version = 0;
  for (StringRef Word : Command.Arguments)
    if (Word.consume_front("--cuda-path="))
      Version = cudaVersion(Word);
  if (!Version)
    Version = NewestToolkit;
  return {"-D__NVCC__", "-D__CUDACC_VER_BUILD__=0",
          "-D__CUDACC_VER_MAJOR__=" + std::to_string(Version / 1000),
          "-D__CUDACC_VER_MINOR__=" + std::to_string(Version % 1000 / 10)};
}
