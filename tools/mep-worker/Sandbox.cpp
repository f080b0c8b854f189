/// \file
/// Closing the sandbox: Landlock, rlimits and the environment. The system calls
/// are in SystemCalls.cpp.

#include "Sandbox.h"
#include "SystemCalls.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

extern char **environ;

using namespace mepworker;
namespace fs = std::filesystem;
using Names = std::vector<std::string>;

namespace {

bool IsDisabled = false;
Names MoreReadable;

// ---- Landlock ---------------------------------------------------------------

// Kernel headers are often older than the kernel: what they may lack is here,
// by number (Landlock's user space interface, ABI 1 to 6).
constexpr uint64_t Execute = 1 << 0, WriteFile = 1 << 1, ReadFile = 1 << 2,
                   ReadFolder = 1 << 3, Truncate = 1 << 14,
                   ControlDevice = 1 << 15;
constexpr uint64_t AllOfAbi1 = (1 << 13) - 1, Refer = 1 << 13;
constexpr uint64_t OfFiles =
    Execute | WriteFile | ReadFile | Truncate | ControlDevice;
constexpr uint64_t BindTcp = 1, ConnectTcp = 2;
constexpr uint64_t AbstractSockets = 1, Signals = 2;

struct RulesetAttributes {
  uint64_t Files, Network, Scoped;
};

#ifndef __NR_landlock_create_ruleset
#define __NR_landlock_create_ruleset 444
#define __NR_landlock_add_rule 445
#define __NR_landlock_restrict_self 446
#endif

/// 0: this kernel has no Landlock.
long landlockVersion() {
  return std::max(0L, syscall(__NR_landlock_create_ruleset, nullptr, 0, 1));
}

/// All that this kernel can forbid.
RulesetAttributes everything(long Version) {
  RulesetAttributes All{AllOfAbi1, 0, 0};
  if (Version >= 2)
    All.Files |= Refer;
  if (Version >= 3)
    All.Files |= Truncate;
  if (Version >= 4)
    All.Network = BindTcp | ConnectTcp;
  if (Version >= 5)
    All.Files |= ControlDevice;
  if (Version >= 6)
    All.Scoped = AbstractSockets | Signals;
  return All;
}

/// A path that does not exist needs no rule.
bool allow(int Ruleset, const std::string &Path, uint64_t Access) {
  int Where = open(Path.c_str(), O_PATH | O_CLOEXEC);
  struct stat Kind;
  if (Where < 0)
    return true;
  if (fstat(Where, &Kind) == 0 && !S_ISDIR(Kind.st_mode))
    Access &= OfFiles;
  landlock_path_beneath_attr Rule{};
  Rule.allowed_access = Access;
  Rule.parent_fd = Where;
  bool Done = syscall(__NR_landlock_add_rule, Ruleset,
                      LANDLOCK_RULE_PATH_BENEATH, &Rule, 0) == 0;
  close(Where);
  return Done;
}

bool restrictFiles(const SandboxSpec &Needs) {
  const long Version = landlockVersion();
  if (!Version)
    return false;
  const RulesetAttributes All = everything(Version);
  int Ruleset =
      int(syscall(__NR_landlock_create_ruleset, &All, sizeof(All), 0));
  if (Ruleset < 0)
    return false;
  const bool Starts = Needs.For == Duty::Compiler;
  const uint64_t Reads = ReadFile | ReadFolder | (Starts ? Execute : 0);
  bool Done = true;
  for (const std::string &Path : Needs.Readable)
    Done &= allow(Ruleset, Path, Reads & All.Files);
  for (const std::string &Path : Needs.Writable)
    Done &= allow(Ruleset, Path, All.Files & ~(Starts ? 0 : Execute));
  Done = Done && syscall(__NR_landlock_restrict_self, Ruleset, 0) == 0;
  close(Ruleset);
  return Done;
}

// ---- rlimits ----------------------------------------------------------------

/// Hard, so that code in this process cannot take it back.
bool limit(int What, rlim_t Value) {
  struct rlimit Now{};
  getrlimit(__rlimit_resource_t(What), &Now);
  const rlim_t Least = std::min(Now.rlim_max, Value);
  Now = {Least, Least};
  return setrlimit(__rlimit_resource_t(What), &Now) == 0;
}

/// What RLIMIT_DATA counts: writable memory of this process alone. Reserved
/// addresses, of which drivers and the CPU's device memory take many, are not
/// in it until they can be written.
uint64_t writableBytes() {
  std::ifstream In("/proc/self/status");
  for (std::string Line; std::getline(In, Line);)
    if (Line.rfind("VmData:", 0) == 0)
      return std::strtoull(Line.c_str() + 7, nullptr, 10) << 10;
  return 0;
}

bool limitResources(const SandboxSpec &Needs) {
  constexpr rlim_t MostFileBytes = rlim_t(256) << 20, MostFiles = 4096;
  bool Done = limit(RLIMIT_CORE, 0) && limit(RLIMIT_FSIZE, MostFileBytes) &&
              limit(RLIMIT_NOFILE, MostFiles);
  if (Needs.MemoryBytes)
    Done &= limit(RLIMIT_DATA, writableBytes() + Needs.MemoryBytes);
  return Done;
}

// ---- the environment --------------------------------------------------------

bool isKept(const char *Entry) {
  constexpr const char *Whole[] = {"PATH",
                                   "HOME",
                                   "LD_LIBRARY_PATH",
                                   "TMPDIR",
                                   "LANG",
                                   "LC_ALL",
                                   "CPATH",
                                   "C_INCLUDE_PATH",
                                   "LIBRARY_PATH",
                                   "CPLUS_INCLUDE_PATH",
                                   "COMPILER_PATH",
                                   "GCC_EXEC_PREFIX",
                                   "MEP_CPU_THREADS"};
  constexpr const char *Families[] = {"CUDA_", "NVIDIA_", "NVCC_"};
  const size_t Length = std::strcspn(Entry, "=");
  for (const char *Name : Whole)
    if (std::strlen(Name) == Length && !std::strncmp(Name, Entry, Length))
      return true;
  return std::any_of(std::begin(Families), std::end(Families),
                     [&](const char *Prefix) {
                       return !std::strncmp(Entry, Prefix, std::strlen(Prefix));
                     });
}

std::string variable(const char *Name) {
  const char *Value = std::getenv(Name);
  return Value ? Value : "";
}

void addParts(Names &To, const std::string &List, char Between) {
  for (size_t Start = 0; Start < List.size();) {
    size_t End = std::min(List.find(Between, Start), List.size());
    if (List[Start] == '/')
      To.push_back(List.substr(Start, End - Start));
    Start = End + 1;
  }
}

void append(Names &To, const Names &More) {
  To.insert(To.end(), More.begin(), More.end());
}

/// The home folder, or one that it lies in, holds more than a program.
bool holdsHome(const fs::path &Folder) {
  const std::string Home = variable("HOME") + "/", Own = Folder.string() + "/";
  return Folder == "/" || Folder == "/home" || Home.rfind(Own, 0) == 0;
}

} // namespace

void mepworker::becomeKernels() {
  if (!IsDisabled)
    filterSystemCalls(Duty::Kernels);
}

void mepworker::disableSandbox() { IsDisabled = true; }

void mepworker::allowReading(const std::string &Path) {
  MoreReadable.push_back(Path);
}

void mepworker::cleanEnvironment() {
  if (IsDisabled)
    return;
  char **Kept = environ;
  for (char **Entry = environ; *Entry; ++Entry)
    if (isKept(*Entry))
      *Kept++ = *Entry;
    else
      std::memset(*Entry, 0, std::strlen(*Entry));
  *Kept = nullptr;
}

Names mepworker::libraryFolders() {
  Names Result = {"/lib",
                  "/lib32",
                  "/lib64",
                  "/usr/lib",
                  "/usr/lib32",
                  "/usr/lib64",
                  "/usr/local/lib",
                  "/usr/local/lib64",
                  "/nix/store",
                  "/gnu/store",
                  "/etc/ld.so.cache",
                  "/etc/ld.so.conf",
                  "/etc/ld.so.conf.d",
                  "/sys/devices/system/cpu",
                  "/proc/cpuinfo",
                  "/proc/meminfo",
                  "/dev/null",
                  "/dev/urandom"};
  addParts(Result, variable("LD_LIBRARY_PATH"), ':');
  append(Result, MoreReadable);
  return Result;
}

Names mepworker::toolFolders() {
  Names Result = libraryFolders();
  append(Result, {"/usr", "/bin", "/sbin", "/etc/alternatives", "/dev/zero"});
  for (const char *Each :
       {"PATH", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH",
        "COMPILER_PATH"})
    addParts(Result, variable(Each), ':');
  for (const char *Each : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"}) {
    Names Words;
    std::string Text = variable(Each);
    for (size_t At; (At = Text.find("-I")) != std::string::npos; Text[At] = ' ')
      addParts(Words, Text.substr(At + 2, Text.find(' ', At) - At - 2), ' ');
    append(Result, Words);
  }
  for (const char *Program : {"gcc", "g++", "clang++"})
    Result.push_back(prefixOf(Program));
  return Result;
}

std::string mepworker::prefixOf(const std::string &Program) {
  Names Folders;
  if (Program.find('/') == std::string::npos)
    addParts(Folders, variable("PATH"), ':');
  else
    Folders.push_back("");
  std::error_code Failed;
  for (const std::string &Folder : Folders) {
    fs::path Real = fs::canonical(fs::path(Folder) / Program, Failed);
    if (Failed)
      continue;
    fs::path Prefix = Real.parent_path();
    if (Prefix.filename() == "bin")
      Prefix = Prefix.parent_path();
    return holdsHome(Prefix) ? "" : Prefix.string();
  }
  return "";
}

Names mepworker::pathsIn(const Names &Flags) {
  Names Result;
  for (size_t I = 0; I < Flags.size(); ++I) {
    const std::string &Word = Flags[I];
    const size_t Slash = Word.find('/');
    if (Word == "-I" && I + 1 < Flags.size())
      Result.push_back(Flags[++I]);
    else if (Word.rfind("-I", 0) == 0 && Word.size() > 2)
      Result.push_back(Word.substr(2));
    else if (Slash != std::string::npos)
      Result.push_back(Word.substr(Slash, Word.find(',', Slash) - Slash));
  }
  return Result;
}

Names Protections::names() const {
  Names Result;
  if (Landlock)
    Result.push_back("landlock");
  if (Seccomp)
    Result.push_back("seccomp");
  if (Limits)
    Result.push_back("rlimits");
  return Result;
}

Protections mepworker::enterSandbox(const SandboxSpec &Needs) {
  Protections Active;
  if (IsDisabled)
    return Active;
  Active.Limits = limitResources(Needs);
  // Both others want it; set-user-id programs are no way out then.
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return Active;
  Active.Landlock = restrictFiles(Needs);
  Active.Seccomp = filterSystemCalls(Needs.For);
  return Active;
}
