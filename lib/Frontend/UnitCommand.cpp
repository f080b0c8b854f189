/// \file
/// compile_commands.json and `--` flags to translated commands.

#include "mep/Frontend/UnitCommand.h"
#include "CommandTranslation.h"
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
#include <map>
#include <set>

using namespace mep;
using clang::tooling::CompileCommand;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

bool isToolkit(StringRef Folder) {
  llvm::SmallString<256> Probe(Folder);
  path::append(Probe, "include", "cuda_runtime.h");
  return !Folder.empty() && fs::exists(Probe);
}

/// One name for a file that is reached through several links.
std::string realPath(StringRef Path) {
  llvm::SmallString<256> Real;
  return fs::real_path(Path, Real) ? Path.str() : Real.str().str();
}

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
    Start = path::parent_path(absolutePath(Options.Files.front(), Start));
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

/// One compile of the database, its paths absolute.
struct DatabaseEntry {
  std::string File, Directory;
  std::vector<std::string> Words;
  bool HasOther = false; ///< A later entry gives the file other flags.
};

/// The entries of the database at \p Path, each file once, in its order.
Expected<std::vector<DatabaseEntry>> databaseEntries(StringRef Path) {
  auto Database = openDatabase(Path);
  if (!Database)
    return Database.takeError();
  llvm::SmallString<256> Folder(path::parent_path(Path));
  fs::make_absolute(Folder);
  std::vector<DatabaseEntry> Entries;
  std::map<std::string, size_t> Seen;
  for (const CompileCommand &C : (*Database)->getAllCompileCommands()) {
    std::string Directory = absolutePath(C.Directory, Folder);
    std::string File = absolutePath(C.Filename, Directory);
    auto [First, IsNew] = Seen.try_emplace(realPath(File), Entries.size());
    if (IsNew)
      Entries.push_back({File, Directory, C.CommandLine});
    else
      Entries[First->second].HasOther |=
          Entries[First->second].Words != C.CommandLine;
  }
  return Entries;
}

Expected<std::vector<UnitCommand>> fromDatabase(const CommandOptions &Options,
                                                StringRef Toolkit) {
  auto Path = databasePath(Options);
  if (!Path)
    return Path.takeError();
  auto Entries = databaseEntries(*Path);
  if (!Entries)
    return Entries.takeError();
  llvm::SmallString<256> Here;
  fs::current_path(Here);
  std::vector<std::string> Wanted;
  for (const std::string &File : Options.Files)
    Wanted.push_back(realPath(absolutePath(File, Here)));
  std::vector<UnitCommand> Units;
  std::set<std::string> Seen;
  for (const DatabaseEntry &E : *Entries) {
    std::string Real = realPath(E.File);
    if (!Wanted.empty() && !llvm::is_contained(Wanted, Real))
      continue;
    Seen.insert(Real);
    auto Unit = translateCommand(E.File, E.Directory, E.Words, Toolkit);
    if (!Unit)
      return Unit.takeError();
    if (E.HasOther)
      Unit->Warnings.push_back(E.File + ": is in " + *Path +
                               " several times with different flags; the "
                               "first entry is used");
    if (Unit->IsCuda || Unit->IsHip)
      Units.push_back(std::move(*Unit));
    else if (!Wanted.empty())
      return makeError(Failure::Input, "is compiled as neither CUDA nor HIP",
                       E.File);
  }
  for (const std::string &File : Options.Files)
    if (!Seen.count(realPath(absolutePath(File, Here))))
      return makeError(Failure::Input,
                       "is not in the compile database " + *Path,
                       absolutePath(File, Here),
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
    auto Unit = translateCommand(File, Here.str().str(), Words, Toolkit);
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

/// Oldest toolkit whose headers and NVRTC the walk is made for.
constexpr unsigned OldestToolkit = 12000;

Error checkToolkit(StringRef Wanted, StringRef Toolkit) {
  if (Toolkit.empty()) {
    if (Wanted.empty() || Wanted == "none")
      return Error::success();
    return makeError(
        Failure::Toolchain,
        "no CUDA toolkit there (include/cuda_runtime.h is missing)",
        ("--cuda-path=" + Wanted).str());
  }
  unsigned Version = cudaVersion(Toolkit);
  if (!Version || Version >= OldestToolkit)
    return Error::success();
  return makeError(
      Failure::Toolchain,
      "this CUDA toolkit is of version " + std::to_string(Version / 1000) +
          "." + std::to_string(Version % 1000 / 10) + ", 12 or 13 is needed",
      Toolkit.str(),
      "name another with --cuda-path=DIR; --cuda-path=none does "
      "without one, for --platform=cpu");
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
  if (Error E = checkToolkit(Options.ToolkitPath, Toolkit))
    return E;
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

std::vector<UnitCommand> mep::loadSurroundings(const CommandOptions &Options) {
  std::vector<UnitCommand> Units;
  if (Options.HasFixedFlags)
    return Units;
  auto Path = databasePath(Options);
  if (!Path) {
    llvm::consumeError(Path.takeError());
    return Units;
  }
  auto Entries = databaseEntries(*Path);
  if (!Entries) {
    llvm::consumeError(Entries.takeError());
    return Units;
  }
  std::string Toolkit = findCudaToolkit(Options.ToolkitPath);
  for (const DatabaseEntry &E : *Entries) {
    auto Unit = translateCommand(E.File, E.Directory, E.Words, Toolkit);
    if (Unit)
      Units.push_back(std::move(*Unit));
    else
      llvm::consumeError(Unit.takeError());
  }
  return Units;
}

Expected<UnitCommand>
mep::deviceTextCommand(const std::vector<std::string> &Flags, bool Stubs) {
  std::vector<std::string> Words{"nvcc"};
  llvm::append_range(Words, Flags);
  return translateCommand("/mep/kernel.cu", "/", Words,
                          Stubs ? std::string() : findCudaToolkit());
}
