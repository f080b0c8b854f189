/// \file
/// Finding and running the host compiler, with limits on time and size.

#include "HostCompiler.h"
#include "../Elf.h"
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace mepworker;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

namespace {

constexpr double CompileSeconds = 30;
constexpr rlim_t MostFileBytes = 256 << 20;

/// A folder of this process alone, removed with the object.
struct PrivateFolder {
  PrivateFolder() {
    std::string Pattern = (fs::temp_directory_path() / "mep-XXXXXX").string();
    if (mkdtemp(Pattern.data()))
      Path = Pattern;
  }
  ~PrivateFolder() {
    std::error_code Ignored;
    if (!Path.empty())
      fs::remove_all(Path, Ignored);
  }
  std::string Path;
};

std::string readAll(const std::string &Path) {
  std::ifstream In(Path, std::ios::binary);
  std::stringstream Text;
  Text << In.rdbuf();
  return Text.str();
}

struct Ran {
  int Status = -1; ///< As waitpid gives it.
  bool TimedOut = false;
};

[[noreturn]] void becomeChild(const std::vector<std::string> &Words,
                              const std::string &LogPath) {
  setpgid(0, 0);
  int Log = open(LogPath.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  int Nothing = open("/dev/null", O_RDONLY);
  dup2(Nothing, 0);
  dup2(Log, 1);
  dup2(Log, 2);
  struct rlimit Size = {MostFileBytes, MostFileBytes};
  setrlimit(RLIMIT_FSIZE, &Size);
  setenv("LC_ALL", "C", 1);
  std::vector<char *> Arguments;
  for (const std::string &Word : Words)
    Arguments.push_back(const_cast<char *>(Word.c_str()));
  Arguments.push_back(nullptr);
  execvp(Arguments[0], Arguments.data());
  _exit(127);
}

Ran runProgram(const std::vector<std::string> &Words,
               const std::string &LogPath, double Seconds) {
  Ran Result;
  pid_t Child = fork();
  if (Child < 0)
    return Result;
  if (Child == 0)
    becomeChild(Words, LogPath);
  auto Deadline = Clock::now() + std::chrono::duration<double>(Seconds);
  auto Pause = std::chrono::microseconds(200);
  while (waitpid(Child, &Result.Status, WNOHANG) == 0) {
    if (Clock::now() > Deadline) {
      Result.TimedOut = true;
      kill(-Child, SIGKILL);
      waitpid(Child, &Result.Status, 0);
      break;
    }
    std::this_thread::sleep_for(Pause);
    Pause = std::min(Pause * 2, std::chrono::microseconds(5000));
  }
  return Result;
}

bool succeeded(const Ran &Of) {
  return WIFEXITED(Of.Status) && WEXITSTATUS(Of.Status) == 0;
}

/// `clang version 22.1.8` or `g++ (Debian …) 12.2.0` as `clang 22.1.8`.
std::string shortVersion(const std::string &Text) {
  std::string First = Text.substr(0, Text.find('\n'));
  bool Clang = First.find("clang") != std::string::npos;
  size_t Digit = Clang ? First.find("version ") : First.rfind(' ');
  if (Digit == std::string::npos)
    return First;
  Digit += Clang ? 8 : 1;
  return (Clang ? "clang " : "g++ ") +
         First.substr(Digit, First.find_first_of(" (+~", Digit) - Digit);
}

/// The installed folder, beside the executable's.
std::string runtimeFolder() {
  std::error_code Failed;
  fs::path Self = fs::read_symlink("/proc/self/exe", Failed);
  fs::path Folder =
      Self.parent_path().parent_path() / "share/clang-mep-opt/runtime";
  return fs::exists(Folder / "mep_cpu.h", Failed) ? Folder.string() : "";
}

/// The runtime needs C++17; a newer standard of the request is kept.
std::string standardFlag(const std::vector<std::string> &Flags) {
  std::string Flag = "-std=gnu++17";
  for (const std::string &Each : Flags)
    if (Each == "-std=c++20" || Each == "-std=c++23" ||
        Each == "-std=gnu++20" || Each == "-std=gnu++23")
      Flag = "-std=gnu++" + Each.substr(Each.size() - 2);
  return Flag;
}

} // namespace

bool HostCompiler::find(std::string &Error) {
  Runtime = runtimeFolder();
  if (Runtime.empty()) {
    Error = "the folder share/clang-mep-opt/runtime is missing beside the "
            "worker's bin folder";
    return false;
  }
  PrivateFolder Folder;
  for (const char *Try : {"clang++-22", "clang++", "c++", "g++"}) {
    std::string Log = Folder.Path + "/version";
    if (!succeeded(runProgram({Try, "--version"}, Log, 10)))
      continue;
    Path = Try;
    Version = shortVersion(readAll(Log));
    Name = Version.rfind("clang", 0) == 0 ? "clang++" : "g++";
    return true;
  }
  Error = "no C++ compiler found (tried clang++-22, clang++, c++, g++)";
  return false;
}

/// -fsanitize=thread has every access and atomic call a function (see
/// Recorder.cpp), whatever the compiler; what would merge accesses into wider
/// ones that have no such function, or leave one of two out, is off.
HostCompiler::Words HostCompiler::recordingOptions() const {
  if (Name == "clang++")
    return {"-fsanitize=thread",
            "-DMEP_CPU_PROBE",
            "-fno-vectorize",
            "-fno-slp-vectorize",
            "-fno-unroll-loops",
            "-mllvm",
            "-tsan-instrument-read-before-write=1",
            "-mllvm",
            "-tsan-instrument-func-entry-exit=0"};
  return {"-fsanitize=thread",
          "-DMEP_CPU_PROBE",
          "-fno-tree-vectorize",
          "-fno-tree-loop-distribute-patterns",
          "-fno-builtin-memcpy",
          "-fno-builtin-memset",
          "-fno-builtin-memmove",
          "--param",
          "tsan-instrument-func-entry-exit=0"};
}

HostCompiler::Words HostCompiler::options(const CompileRequest &Request) const {
  Words Result = {
      Path, Request.Recorded ? "-O2" : "-O3", "-w",
      // Device code may still use the keyword.
      "-Wno-register", standardFlag(Request.Flags), "-fPIC", "-fno-math-errno",
      // Rounds as the generated program does.
      "-ffp-contract=off", "-pthread", "-I" + Runtime, "-I" + Runtime + "/cpu"};
#if defined(__x86_64__)
  Result.push_back("-march=native");
#else
  Result.push_back("-mcpu=native");
#endif
  if (Request.Recorded)
    for (const std::string &Word : recordingOptions())
      Result.push_back(Word);
  Result.push_back(Request.NeedsFibers ? "-DMEP_BOOST_CONTEXT"
                                       : "-DMEP_NO_FIBERS");
  for (const std::string &Flag : Request.Flags)
    if (Flag.rfind("-D", 0) == 0 || Flag.rfind("-U", 0) == 0 ||
        Flag.rfind("-I", 0) == 0)
      Result.push_back(Flag);
  return Result;
}

/// Half of a compilation is the runtime's and the library's headers; Clang
/// takes them precompiled. They are kept in memory, so nothing is left behind
/// when a kernel kills the worker.
std::string HostCompiler::precompiled(const Words &Options,
                                      const std::string &Folder) {
  if (Name != "clang++")
    return "";
  auto [Known, New] = Precompiled.try_emplace(Options, -1);
  if (New) {
    const std::string File = Folder + "/runtime.pch";
    Words Command = Options;
    for (const std::string &Header : RuntimeHeaders)
      Command.insert(Command.end(), {"-include", Header});
    Command.insert(Command.end(),
                   {"-x", "c++-header", Runtime + "/mep_cpu.h", "-o", File});
    int Memory = memfd_create("runtime.pch", 0);
    if (Memory >= 0 &&
        succeeded(runProgram(Command, Folder + "/pchlog", CompileSeconds))) {
      std::string Content = readAll(File);
      if (write(Memory, Content.data(), Content.size()) ==
          ssize_t(Content.size()))
        Known->second = Memory;
    }
  }
  return Known->second < 0 ? ""
                           : "/proc/self/fd/" + std::to_string(Known->second);
}

HostCompiler::Built HostCompiler::build(Words Options, std::string Unit,
                                        const std::string &Folder) {
  Built Result{Options, std::move(Unit), "", 0, "", false};
  const std::string Source = Folder + "/unit.cpp", Object = Folder + "/unit.o",
                    Library = Folder + "/unit.so", Log = Folder + "/log";
  std::ofstream Out(Source, std::ios::binary);
  Out << Result.Unit;
  if (!Out.flush()) {
    Result.Log = "error: cannot write to the temporary folder";
    return Result;
  }
  Words Command = std::move(Options);
  std::string Headers = precompiled(Command, Folder);
  if (!Headers.empty())
    Command.insert(Command.end(), {"-include-pch", Headers});
  // Linked apart where a runtime of the compiler's own would come along.
  const bool Recorded = std::count(Command.begin(), Command.end(),
                                   std::string("-DMEP_CPU_PROBE")) != 0;
  Command.insert(Command.end(),
                 {"-x", "c++", Source, "-o", Recorded ? Object : Library,
                  Recorded ? "-c" : "-shared"});
  Ran Compiled = runProgram(Command, Log, CompileSeconds);
  if (Recorded && succeeded(Compiled))
    Compiled = runProgram({Path, "-shared", "-pthread", Object, "-o", Library},
                          Log, CompileSeconds);
  Result.Log = readAll(Log);
  Result.LimitHit = Compiled.TimedOut;
  if (Compiled.TimedOut)
    Result.Log = "compiling took longer than 30 s";
  else if (succeeded(Compiled))
    Result.CodeDigest = codeDigest(Result.Library = readAll(Library));
  else if (Result.Log.empty())
    Result.Log = "error: the host compiler was killed";
  return Result;
}

HostCompiler::Output HostCompiler::compile(const CompileRequest &Request) {
  constexpr size_t MostKept = 6;
  PrivateFolder Folder;
  Words Options = options(Request);
  std::string Unit = hostSource(Request);
  auto Known = std::find_if(Kept.begin(), Kept.end(), [&](const Built &B) {
    return B.Options == Options && B.Unit == Unit;
  });
  if (Known == Kept.end()) {
    Built New = build(std::move(Options), std::move(Unit), Folder.Path);
    // Time is the machine's matter, and may be enough once more.
    if (New.LimitHit)
      return {nullptr, 0, std::move(New.Log), true};
    Kept.push_front(std::move(New));
    Kept.resize(std::min(Kept.size(), MostKept));
    Known = Kept.begin();
  }
  Output Result{nullptr, Known->CodeDigest, Known->Log, false};
  if (Known->Library.empty())
    return Result;
  const std::string Library = Folder.Path + "/opened.so";
  std::ofstream(Library, std::ios::binary) << Known->Library;
  if (!(Result.Library = dlopen(Library.c_str(), RTLD_NOW))) {
    std::string Why = dlerror();
    Result.Log +=
        "error: " +
        Why.substr(Why.rfind(Folder.Path, 0) == 0 ? Library.size() + 2 : 0);
  }
  return Result;
}
