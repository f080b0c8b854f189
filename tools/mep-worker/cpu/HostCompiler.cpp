/// \file
/// Finding and running the host compiler, with limits on time and size.

#include "HostCompiler.h"
#include "../Elf.h"
#include "../Sandbox.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/mman.h>
#include <unistd.h>

using namespace mepworker;
namespace fs = std::filesystem;

namespace {

constexpr double CompileSeconds = 30;

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

bool HostCompiler::find(const std::string &Into, std::string &Error) {
  Runtime = runtimeFolder();
  if (Runtime.empty()) {
    Error = "the folder share/clang-mep-opt/runtime is missing beside the "
            "worker's bin folder";
    return false;
  }
  Scratch = Into;
  const std::string Log = Scratch + "/version";
  for (const char *Try : {"clang++-22", "clang++", "c++", "g++"}) {
    if (!run({Try, "--version"}, Scratch, "version").succeeded())
      continue;
    Path = Try;
    Version = shortVersion(contentsOf(Log));
    Name = Version.rfind("clang", 0) == 0 ? "clang++" : "g++";
    if (run({Path, "-v", "-E", "-x", "c++", "/dev/null"}, Scratch, "version")
            .succeeded())
      readSearchPath(contentsOf(Log));
    return true;
  }
  Error = "no C++ compiler found (tried clang++-22, clang++, c++, g++)";
  return false;
}

/// The lines that name the folders of headers: a compiler installed anywhere
/// says where its own are.
void HostCompiler::readSearchPath(const std::string &Said) {
  std::istringstream Lines(Said);
  for (std::string Line; std::getline(Lines, Line);)
    if (Line.rfind(" /", 0) == 0 && Line.find(' ', 1) == std::string::npos)
      SearchPath.push_back(Line.substr(1));
}

Ran HostCompiler::run(Words Command, const std::string &Folder,
                      const char *Log) const {
  ProgramRun What;
  What.Words = std::move(Command);
  What.Folder = Folder;
  What.Log = Folder + "/" + Log;
  What.Seconds = CompileSeconds;
  What.Readable = SearchPath;
  What.Readable.push_back(Runtime);
  What.Readable.insert(What.Readable.end(), Included.begin(), Included.end());
  What.Worker = Worker;
  return runProgram(What);
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
    if (Memory >= 0 && run(Command, Folder, "pchlog").succeeded()) {
      std::string Content = contentsOf(File);
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
                    Library = Folder + "/unit.so";
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
  Ran Compiled = run(Command, Folder, "log");
  if (Recorded && Compiled.succeeded())
    Compiled = run({Path, "-shared", "-pthread", Object, "-o", Library}, Folder,
                   "log");
  Result.Log = contentsOf(Folder + "/log");
  Result.LimitHit = Compiled.TimedOut;
  if (Compiled.TimedOut)
    Result.Log = "compiling took longer than 30 s";
  else if (Compiled.succeeded())
    Result.CodeDigest = codeDigest(Result.Library = contentsOf(Library));
  else if (Result.Log.empty())
    Result.Log = "error: the host compiler was killed";
  return Result;
}

HostCompiler::Output HostCompiler::compile(const CompileRequest &Request,
                                           int Waiting) {
  constexpr size_t MostKept = 6;
  Worker = Waiting;
  PrivateFolder Folder(Scratch);
  Words Options = options(Request);
  std::string Unit = hostSource(Request);
  auto Known = std::find_if(Kept.begin(), Kept.end(), [&](const Built &B) {
    return B.Options == Options && B.Unit == Unit;
  });
  if (Known == Kept.end()) {
    Built New = build(std::move(Options), std::move(Unit), Folder.Path);
    // Time is the machine's matter, and may be enough once more.
    if (New.LimitHit)
      return {"", 0, std::move(New.Log), true};
    if (New.Library.empty())
      New.Log.insert(0, lackingOnCpu(Request.Source));
    Kept.push_front(std::move(New));
    Kept.resize(std::min(Kept.size(), MostKept));
    Known = Kept.begin();
  }
  Output Result{"", Known->CodeDigest, Known->Log, false};
  // A name is used once: a library that stays open would be taken for the next.
  auto Place = [&] { return Scratch + "/" + std::to_string(Opened) + ".so"; };
  unlink(Place().c_str());
  ++Opened;
  if (Known->Library.empty())
    return Result;
  Result.Library = Place();
  std::ofstream(Result.Library, std::ios::binary) << Known->Library;
  return Result;
}
