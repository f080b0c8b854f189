/// \file
/// Fork, confine, run, wait.

#include "Programs.h"
#include "Channel.h"
#include "Sandbox.h"
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace mepworker;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

PrivateFolder::PrivateFolder(const std::string &Parent) {
  std::error_code Failed;
  fs::path In =
      Parent.empty() ? fs::temp_directory_path(Failed) : fs::path(Parent);
  if (Failed)
    return;
  std::string Pattern = (fs::absolute(In, Failed) / "mep-XXXXXX").string();
  if (mkdtemp(Pattern.data()))
    Path = Pattern;
}

void PrivateFolder::remove() {
  std::error_code Ignored;
  if (!Path.empty())
    fs::remove_all(Path, Ignored);
  Path.clear();
}

std::string mepworker::contentsOf(const std::string &Path) {
  std::ifstream In(Path, std::ios::binary);
  std::stringstream Text;
  Text << In.rdbuf();
  return Text.str();
}

namespace {

[[noreturn]] void becomeProgram(const ProgramRun &What) {
  constexpr rlim_t MostMemory = rlim_t(8) << 30;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0);
  int Log =
      open(What.Log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
  dup2(Log, 1);
  dup2(Log, 2);
  if (What.IsInside && chdir(What.Folder.c_str()))
    _exit(127);
  setenv("LC_ALL", "C", 1);
  setenv("TMPDIR", What.Folder.c_str(), 1);
  // It would want to write a cache.
  setenv("CCACHE_DISABLE", "1", 1);
  // What escapes a kill of its group has an end all the same.
  const rlim_t Most = rlim_t(What.Seconds) + 1;
  struct rlimit Time = {Most, Most}, Memory = {MostMemory, MostMemory};
  setrlimit(RLIMIT_CPU, &Time);
  setrlimit(RLIMIT_AS, &Memory);
  SandboxSpec Needs{
      Duty::Compiler, toolFolders(), {What.Folder, "/dev/null"}, 0};
  Needs.Readable.insert(Needs.Readable.end(), What.Readable.begin(),
                        What.Readable.end());
  Needs.Readable.push_back(prefixOf(What.Words[0]));
  enterSandbox(Needs);
  std::vector<char *> Arguments;
  for (const std::string &Word : What.Words)
    Arguments.push_back(const_cast<char *>(Word.c_str()));
  Arguments.push_back(nullptr);
  execvp(Arguments[0], Arguments.data());
  _exit(127);
}

} // namespace

Ran mepworker::runProgram(const ProgramRun &What) {
  Ran Result;
  pid_t Child = fork();
  if (Child < 0)
    return Result;
  if (Child == 0)
    becomeProgram(What);
  auto Deadline = Clock::now() + std::chrono::duration<double>(What.Seconds);
  auto Pause = std::chrono::microseconds(200);
  while (waitpid(Child, &Result.Status, WNOHANG) == 0) {
    Result.TimedOut = Clock::now() > Deadline;
    if (Result.TimedOut || (What.Worker >= 0 && hasHungUp(What.Worker))) {
      kill(-Child, SIGKILL);
      kill(Child, SIGKILL); // Before it has its group.
      waitpid(Child, &Result.Status, 0);
      break;
    }
    std::this_thread::sleep_for(Pause);
    Pause = std::min(Pause * 2, std::chrono::microseconds(5000));
  }
  kill(-Child, SIGKILL);
  return Result;
}
