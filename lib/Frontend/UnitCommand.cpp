/// \file
/// compile_commands.json and `--` flags to translated commands.

#include "mep/Frontend/UnitCommand.h"
#include "NvccFlags.h"
#include "mep/Support/Error.h"
#include "mep/Support/Resources.h"
#include "clang/Tooling/CompilationDatabase.h"
#include "clang/Tooling/JSONCompilationDatabase.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include <set>

using namespace mep;
using clang::tooling::CompileCommand;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

std::string absolute(StringRef File, StringRef Directory) {
  llvm::SmallString<256> Path(File);
  if (path::is_relative(Path)) {
    Path = Directory;
    path::append(Path, File);
  }
  fs::make_absolute(Path);
  path::remove_dots(Path, /*remove_dot_dot=*/true);
  return Path.str().str();
}

bool isToolkit(StringRef Folder) {
  llvm::SmallString<256> Probe(Folder);
  path::append(Probe, "include", "cuda_runtime.h");
  return !Folder.empty() && fs::exists(Probe);
}

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

/// Words before the compiler in a command that starts with a launcher.
size_t programIndex(const std::vector<std::string> &Words) {
  static const StringRef Launchers[] = {"ccache", "sccache", "distcc", "env"};
  size_t I = 0;
  while (I + 1 < Words.size() &&
         (llvm::is_contained(Launchers, path::stem(Words[I])) ||
          (I && StringRef(Words[I]).contains('=') && Words[I][0] != '-')))
    ++I;
  return I;
}

/// A suffix alone makes a device unit; `.cpp` needs a flag or hipcc.
bool isDeviceSuffix(StringRef File) {
  return llvm::is_contained({".cu", ".cuh", ".cuknl", ".hip"},
                            path::extension(File));
}

// ---- the mends every unit gets ---------------------------------------------

/// Toolkit or stub headers, and what nvcc does silently (measured on real code;
/// CUDA 13 keeps cub and thrust under include/cccl).
Expected<std::vector<std::string>> cudaMends(StringRef Toolkit,
                                             StringRef Arch) {
  std::vector<std::string> Words{"-x", "cuda", "-Wno-unknown-cuda-version",
                                 "-Wno-register", "-fno-spell-checking"};
  auto Stubs = resourcePath("stubs");
  if (!Stubs)
    return Stubs.takeError();
  if (Toolkit.empty()) {
    llvm::append_range(Words,
                       std::initializer_list<std::string>{
                           "-nocudainc", "-nocudalib", "-isystem",
                           *Stubs + "/cuda", "-include", "cuda_runtime.h"});
  } else {
    llvm::append_range(Words, std::initializer_list<std::string>{
                                  "--cuda-path=" + Toolkit.str(), "-nocudalib",
                                  "-isystem", Toolkit.str() + "/include/cccl",
                                  "-include", *Stubs + "/nvcc_shim.h"});
  }
  Words.push_back("--cuda-gpu-arch=" + (Arch.empty() ? "sm_75" : Arch.str()));
  return Words;
}

Expected<std::vector<std::string>> hipMends() {
  auto Stubs = resourcePath("stubs");
  if (!Stubs)
    return Stubs.takeError();
  std::vector<std::string> Words{"-x", "hip", "-nogpulib",
                                 "-D__HIP_PLATFORM_AMD__",
                                 "-D__AMDGCN_WAVEFRONT_SIZE=64"};
  if (!fs::exists("/opt/rocm/include/hip/hip_runtime.h") &&
      !fs::exists("/usr/include/hip/hip_runtime.h"))
    llvm::append_range(Words, std::initializer_list<std::string>{
                                  "-nogpuinc", "-isystem", *Stubs + "/hip-root",
                                  "-isystem", *Stubs + "/cuda"});
  return Words;
}

// ---- one command -----------------------------------------------------------

Expected<UnitCommand> translate(const std::string &File,
                                const std::string &Directory,
                                const std::vector<std::string> &Words,
                                StringRef Toolkit) {
  UnitCommand Command;
  Command.Directory = Directory;
  Command.File = absolute(File, Directory);
  Command.Original = Words;
  size_t Program = programIndex(Words);
  Compiler Which = Words.empty() ? Compiler::Nvcc : compilerOf(Words[Program]);
  auto Flags = expandResponseFiles(
      Words.empty()
          ? Words
          : std::vector<std::string>(Words.begin() + Program + 1, Words.end()),
      Directory);
  if (!Flags)
    return Flags.takeError();
  TranslatedFlags T =
      Which == Compiler::Nvcc ? translateNvcc(*Flags) : translateClang(*Flags);
  bool Hip = T.ForcesHip || (Which == Compiler::Hipcc && !T.ForcesCuda) ||
             path::extension(Command.File) == ".hip";
  Command.IsHip = Hip;
  Command.IsCuda = !Hip && (T.ForcesCuda || isDeviceSuffix(Command.File));
  if (!Command.IsCuda && !Command.IsHip)
    return Command;
  Command.Arch = T.Arch.empty() ? (Hip ? "gfx906" : "sm_75") : T.Arch;
  auto Mends = Hip ? hipMends() : cudaMends(Toolkit, Command.Arch);
  if (!Mends)
    return Mends.takeError();
  Command.Arguments = std::move(*Mends);
  if (Hip)
    Command.Arguments.push_back("--offload-arch=" + Command.Arch);
  // nvcc's default; Clang's own is the same today but follows its version.
  if (!T.HasStandard)
    Command.Arguments.push_back("-std=gnu++17");
  llvm::append_range(Command.Arguments, T.Clang);
  Command.DeviceFlags = T.Device;
  for (const std::string &Flag : T.Unknown)
    Command.Warnings.push_back(Command.File + ": compiler flag " + Flag +
                               " is unknown and left out");
  return Command;
}

// ---- the database ----------------------------------------------------------

constexpr const char *DatabaseName = "compile_commands.json";

Expected<std::unique_ptr<clang::tooling::JSONCompilationDatabase>>
openDatabase(StringRef Path) {
  // Read once here for an error that says why; Clang's loader says less.
  auto Readable = llvm::MemoryBuffer::getFile(Path);
  if (!Readable)
    return makeError(
        Failure::Input, "cannot be read: " + Readable.getError().message(),
        Path.str(), "CMake writes it with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON");
  std::string Problem;
  auto Database = clang::tooling::JSONCompilationDatabase::loadFromFile(
      Path, Problem, clang::tooling::JSONCommandLineSyntax::AutoDetect);
  if (!Database)
    return makeError(Failure::Input,
                     "is no compile database: " +
                         StringRef(Problem).trim().str(),
                     Path.str());
  return Database;
}

/// `-p` may name the folder or the file; without it, the nearest folder above
/// the first file that has a database.
Expected<std::string> databasePath(const CommandOptions &Options) {
  if (!Options.BuildPath.empty()) {
    llvm::SmallString<256> Path(Options.BuildPath);
    if (fs::is_directory(Path) || !path::has_extension(Path))
      path::append(Path, DatabaseName);
    return Path.str().str();
  }
  llvm::SmallString<256> Start;
  fs::current_path(Start);
  if (!Options.Files.empty())
    Start = path::parent_path(absolute(Options.Files.front(), Start));
  for (StringRef Folder = Start; !Folder.empty();
       Folder = path::parent_path(Folder))
    for (StringRef Inside : {"", "build"}) {
      llvm::SmallString<256> Path(Folder);
      path::append(Path, Inside, DatabaseName);
      if (fs::exists(Path))
        return Path.str().str();
    }
  return makeError(
      Failure::Input,
      std::string("no ") + DatabaseName + " here or in a folder above",
      Start.str().str(), "name its folder with -p, or give the flags after --");
}

Expected<std::vector<UnitCommand>> fromDatabase(const CommandOptions &Options,
                                                StringRef Toolkit) {
  auto Path = databasePath(Options);
  if (!Path)
    return Path.takeError();
  auto Database = openDatabase(*Path);
  if (!Database)
    return Database.takeError();
  llvm::SmallString<256> Here, DatabaseFolder(path::parent_path(*Path));
  fs::current_path(Here);
  fs::make_absolute(DatabaseFolder);
  std::vector<std::string> Wanted;
  for (const std::string &File : Options.Files)
    Wanted.push_back(absolute(File, Here));
  std::vector<UnitCommand> Units;
  std::set<std::string> Seen;
  for (const CompileCommand &C : (*Database)->getAllCompileCommands()) {
    std::string Directory = absolute(C.Directory, DatabaseFolder);
    std::string File = absolute(C.Filename, Directory);
    if (!Wanted.empty() && !llvm::is_contained(Wanted, File))
      continue;
    if (!Seen.insert(File).second)
      continue;
    auto Unit = translate(File, Directory, C.CommandLine, Toolkit);
    if (!Unit)
      return Unit.takeError();
    if (Unit->IsCuda || Unit->IsHip)
      Units.push_back(std::move(*Unit));
    else if (!Wanted.empty())
      return makeError(Failure::Input, "is compiled as neither CUDA nor HIP",
                       File);
  }
  for (const std::string &File : Wanted)
    if (!Seen.count(File))
      return makeError(Failure::Input,
                       "is not in the compile database " + *Path, File,
                       "give the flags after -- to do without the database");
  if (Units.empty())
    return makeError(Failure::NotFound, "no CUDA or HIP unit in the database",
                     *Path);
  return Units;
}

Expected<std::vector<UnitCommand>> fromFixedFlags(const CommandOptions &Options,
                                                  StringRef Toolkit) {
  if (Options.Files.empty())
    return makeError(Failure::Usage, "flags after -- need at least one file");
  llvm::SmallString<256> Here;
  fs::current_path(Here);
  std::vector<UnitCommand> Units;
  for (const std::string &File : Options.Files) {
    std::vector<std::string> Words{path::extension(File) == ".hip" ? "hipcc"
                                                                   : "nvcc"};
    llvm::append_range(Words, Options.FixedFlags);
    // Without a database a plain .cpp can only be meant as device code.
    if (!isDeviceSuffix(File))
      Words.insert(Words.end(), {"-x", "cu"});
    auto Unit = translate(File, Here.str().str(), Words, Toolkit);
    if (!Unit)
      return Unit.takeError();
    Units.push_back(std::move(*Unit));
  }
  return Units;
}

Error checkReadable(const std::vector<UnitCommand> &Units) {
  for (const UnitCommand &Unit : Units) {
    fs::file_status Status;
    if (std::error_code EC = fs::status(Unit.File, Status))
      return makeError(Failure::Input, EC.message(), Unit.File);
    if (fs::is_directory(Status))
      return makeError(Failure::Input, "is a folder", Unit.File);
    auto Text = llvm::MemoryBuffer::getFile(Unit.File);
    if (!Text)
      return makeError(Failure::Input, Text.getError().message(), Unit.File);
  }
  return Error::success();
}

} // namespace

std::string mep::findCudaToolkit(StringRef Wanted) {
  if (!Wanted.empty())
    return isToolkit(Wanted) ? Wanted.str() : std::string();
  for (const char *Variable : {"CUDA_PATH", "CUDA_HOME"})
    if (auto Folder = llvm::sys::Process::GetEnv(Variable))
      if (isToolkit(*Folder))
        return *Folder;
  if (auto Nvcc = llvm::sys::findProgramByName("nvcc")) {
    llvm::SmallString<256> Real;
    if (!fs::real_path(*Nvcc, Real)) {
      StringRef Folder = path::parent_path(path::parent_path(Real));
      if (isToolkit(Folder))
        return Folder.str();
    }
  }
  return isToolkit("/usr/local/cuda") ? "/usr/local/cuda" : "";
}

Expected<std::vector<UnitCommand>>
mep::loadCommands(const CommandOptions &Options) {
  std::string Toolkit = findCudaToolkit(Options.ToolkitPath);
  if (!Options.ToolkitPath.empty() && Toolkit.empty())
    return makeError(
        Failure::Toolchain,
        "no CUDA toolkit there (include/cuda_runtime.h is missing)",
        "--cuda-path=" + Options.ToolkitPath);
  auto Units = Options.HasFixedFlags ? fromFixedFlags(Options, Toolkit)
                                     : fromDatabase(Options, Toolkit);
  if (!Units)
    return Units.takeError();
  // Files that were named must be there; in a whole database one that is not
  // is reported when it is parsed.
  if (!Options.Files.empty())
    if (Error E = checkReadable(*Units))
      return E;
  return Units;
}

Expected<UnitCommand>
mep::deviceTextCommand(const std::vector<std::string> &Flags, bool Stubs) {
  std::vector<std::string> Words{"nvcc"};
  llvm::append_range(Words, Flags);
  return translate("/mep/kernel.cu", "/", Words,
                   Stubs ? std::string() : findCudaToolkit());
}
