#include "NvccFallback.h"
#include "CubinSymbols.h"
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char **environ;

using namespace mepworker::cuda;
namespace fs = std::filesystem;

namespace {

constexpr auto CompileTime = std::chrono::seconds(50);
constexpr rlim_t FileLimit = rlim_t(256) << 20;

/// A folder only we can enter, gone when this is.
class PrivateFolder {
public:
  PrivateFolder() {
    std::error_code Ignored;
    std::string Name = (fs::temp_directory_path(Ignored) / "mep-XXXXXX");
    if (mkdtemp(Name.data()))
      Path = Name;
  }
  ~PrivateFolder() {
    std::error_code Ignored;
    if (!Path.empty())
      fs::remove_all(Path, Ignored);
  }
  PrivateFolder(const PrivateFolder &) = delete;

  std::string Path; ///< Empty: could not be made.
};

std::string contents(const std::string &File) {
  std::ifstream In(File, std::ios::binary);
  return {std::istreambuf_iterator<char>(In), {}};
}

std::vector<std::string> commandLine(const std::string &Nvcc,
                                     const DeviceCompile &R) {
  std::vector<std::string> Words = {Nvcc,        "-cubin", "-arch=sm_" + R.Arch,
                                    "-w",        "-x",     "cu",
                                    "kernel.cu", "-o",     "kernel.cubin"};
  for (const std::string &Define : R.Defines)
    Words.push_back("-D" + Define);
  for (std::string &Flag : nvccFlags(R.Flags))
    Words.push_back(std::move(Flag));
  return Words;
}

/// Starts \p Words in \p Folder as its own process group, output to `log`.
pid_t spawnIn(const std::string &Folder, std::vector<std::string> Words) {
  posix_spawn_file_actions_t Actions;
  posix_spawnattr_t Attributes;
  posix_spawn_file_actions_init(&Actions);
  posix_spawnattr_init(&Attributes);
  posix_spawn_file_actions_addchdir_np(&Actions, Folder.c_str());
  posix_spawn_file_actions_addopen(&Actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&Actions, 1, "log",
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&Actions, 1, 2);
  posix_spawnattr_setflags(&Attributes, POSIX_SPAWN_SETPGROUP);
  std::vector<char *> Argv;
  for (std::string &W : Words)
    Argv.push_back(W.data());
  Argv.push_back(nullptr);
  pid_t Child = -1;
  int Code =
      posix_spawn(&Child, Argv[0], &Actions, &Attributes, Argv.data(), environ);
  posix_spawn_file_actions_destroy(&Actions);
  posix_spawnattr_destroy(&Attributes);
  if (Code)
    return -1;
  rlimit Limit{FileLimit, FileLimit};
  prlimit(Child, RLIMIT_FSIZE, &Limit, nullptr);
  return Child;
}

/// Waits; false when the time is over and the group was killed.
bool finish(pid_t Child, int &Status) {
  auto End = std::chrono::steady_clock::now() + CompileTime;
  for (;;) {
    pid_t Done = waitpid(Child, &Status, WNOHANG);
    if (Done == Child || (Done < 0 && errno != EINTR))
      return true;
    if (std::chrono::steady_clock::now() > End) {
      kill(-Child, SIGKILL);
      waitpid(Child, &Status, 0);
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

DeviceImage failed(const std::string &Log) {
  DeviceImage Image;
  Image.Log = Log;
  return Image;
}

void takeNames(const DeviceCompile &Request, DeviceImage &Image) {
  CubinSymbols Symbols = readSymbols(Image.Image);
  for (size_t I = 0; I < Request.Kernels.size(); ++I)
    Image.KernelNames.push_back(findKernel(Symbols, Request.Kernels, I));
  for (const std::string &Symbol : Request.Symbols)
    Image.SymbolNames.push_back(findObject(Symbols, Symbol));
}

} // namespace

bool mepworker::cuda::wantsHostHeaders(const std::string &Log) {
  for (const char *Sign :
       {"cannot open source file", "could not open source file",
        "No such file or directory", "is undefined", "has no member",
        "must be a class or namespace", "#error",
        // Extensions of the host compiler that nvcc lets through.
        "expected an expression", "not allowed in JIT mode",
        "storage class specifier is not allowed"})
    if (Log.find(Sign) != Log.npos)
      return true;
  // An error placed in another file than ours is one inside a header.
  for (size_t At = 0; (At = Log.find("): error", At)) != Log.npos; ++At)
    return true;
  return false;
}

DeviceImage mepworker::cuda::compileWithNvcc(const std::string &Nvcc,
                                             const DeviceCompile &Request) {
  PrivateFolder Folder;
  if (Folder.Path.empty())
    return failed(std::string("no scratch folder: ") + strerror(errno));
  std::ofstream Source(Folder.Path + "/kernel.cu", std::ios::binary);
  Source << Request.Source << nameTags(Request.Kernels);
  Source.close();
  if (!Source)
    return failed("cannot write to " + Folder.Path);
  pid_t Child = spawnIn(Folder.Path, commandLine(Nvcc, Request));
  if (Child < 0)
    return failed("cannot run " + Nvcc);
  int Status = 0;
  bool InTime = finish(Child, Status);
  DeviceImage Image;
  Image.Log = tidyLog(contents(Folder.Path + "/log"));
  Image.LimitHit = !InTime;
  if (!InTime)
    Image.Log +=
        "nvcc took more than " + std::to_string(CompileTime.count()) + " s";
  if (!InTime || !WIFEXITED(Status) || WEXITSTATUS(Status) != 0)
    return Image;
  Image.Image = contents(Folder.Path + "/kernel.cubin");
  Image.Ok = !Image.Image.empty();
  if (Image.Ok)
    takeNames(Request, Image);
  return Image;
}
