#include "WorkerProcess.h"
#include "mep/Support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

using namespace mep;
using llvm::StringRef;
using Outcome = WorkerProcess::Outcome;

/// Longer lines are no answer of a worker.
static constexpr size_t LineLimit = size_t(64) << 20;
static constexpr size_t SaidLimit = 4096;
/// How often a waiting call looks at the stop flag.
static constexpr int SliceMs = 50;
/// A process that closed its output gets this long to end by itself.
static constexpr int GraceMs = 1000;

static double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// ---- starting --------------------------------------------------------------

namespace {

/// A pipe whose ends do not leak into other children.
struct Pipe {
  int Read = -1, Write = -1;
  bool open() {
    int Ends[2];
    if (pipe2(Ends, O_CLOEXEC))
      return false;
    Read = Ends[0];
    Write = Ends[1];
    return true;
  }
  void close() {
    for (int Fd : {Read, Write})
      if (Fd >= 0)
        ::close(Fd);
  }
};

/// Zero or the errno of the failed start.
int start(const std::vector<std::string> &Words, const Pipe &In,
          const Pipe &Out, const Pipe &Err, pid_t &Pid) {
  posix_spawn_file_actions_t Actions;
  posix_spawnattr_t Attributes;
  posix_spawn_file_actions_init(&Actions);
  posix_spawnattr_init(&Attributes);
  posix_spawn_file_actions_adddup2(&Actions, In.Read, 0);
  posix_spawn_file_actions_adddup2(&Actions, Out.Write, 1);
  posix_spawn_file_actions_adddup2(&Actions, Err.Write, 2);
  // Own group: Ctrl-C reaches the tool alone, and one kill reaches all that the
  // worker started. The tool ignores SIGPIPE; a worker should not.
  sigset_t Default;
  sigemptyset(&Default);
  sigaddset(&Default, SIGPIPE);
  posix_spawnattr_setsigdefault(&Attributes, &Default);
  posix_spawnattr_setflags(&Attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  std::vector<char *> Argv;
  for (const std::string &W : Words)
    Argv.push_back(const_cast<char *>(W.c_str()));
  Argv.push_back(nullptr);
  int Code =
      posix_spawnp(&Pid, Argv[0], &Actions, &Attributes, Argv.data(), environ);
  posix_spawn_file_actions_destroy(&Actions);
  posix_spawnattr_destroy(&Attributes);
  return Code;
}

void setNonBlocking(int Fd) {
  fcntl(Fd, F_SETFL, fcntl(Fd, F_GETFL) | O_NONBLOCK);
}

} // namespace

llvm::Expected<std::unique_ptr<WorkerProcess>>
WorkerProcess::spawn(const std::vector<std::string> &Words,
                     const std::atomic<bool> &Stop) {
  Pipe In, Out, Err;
  pid_t Pid = -1;
  int Code = In.open() && Out.open() && Err.open()
                 ? start(Words, In, Out, Err, Pid)
                 : errno;
  if (Code) {
    for (Pipe *P : {&In, &Out, &Err})
      P->close();
    return makeError(Failure::Toolchain,
                     std::string("cannot start the worker: ") + strerror(Code),
                     Words[0]);
  }
  close(In.Read);
  close(Out.Write);
  close(Err.Write);
  return std::unique_ptr<WorkerProcess>(
      new WorkerProcess(Pid, In.Write, Out.Read, Err.Read, Stop));
}

WorkerProcess::WorkerProcess(pid_t Pid, int Input, int Output, int Errors,
                             const std::atomic<bool> &Stop)
    : Pid(Pid), Input(Input), Output(Output), Errors(Errors), Stop(Stop) {
  for (int Fd : {Input, Output, Errors})
    setNonBlocking(Fd);
}

WorkerProcess::~WorkerProcess() {
  if (Pid > 0) {
    kill(-Pid, SIGKILL);
    reap();
  }
  for (int Fd : {Input, Output, Errors})
    close(Fd);
}

// ---- lines -----------------------------------------------------------------

/// Takes what the child wrote; false at the end of its output.
bool WorkerProcess::readOutput() {
  char Buffer[1 << 16];
  ssize_t Got = read(Output, Buffer, sizeof(Buffer));
  if (Got > 0)
    Pending.append(Buffer, size_t(Got));
  return Got > 0 || (Got < 0 && (errno == EAGAIN || errno == EINTR));
}

void WorkerProcess::readErrors() {
  char Buffer[4096];
  for (ssize_t Got; (Got = read(Errors, Buffer, sizeof(Buffer))) > 0;) {
    Said.append(Buffer, size_t(Got));
    if (Said.size() > SaidLimit)
      Said.erase(0, Said.size() - SaidLimit);
  }
}

/// Waits until the child takes input (\p InputEvents = POLLOUT) or has written
/// a line; reads all that comes meanwhile, so that it never blocks on us.
Outcome WorkerProcess::wait(short InputEvents, double Deadline) {
  for (;;) {
    if (Stop)
      return Outcome::Interrupted;
    double LeftMs = (Deadline - now()) * 1e3;
    if (LeftMs <= 0)
      return Outcome::TimedOut;
    pollfd Fds[] = {{Output, POLLIN, 0},
                    {Errors, POLLIN, 0},
                    {InputEvents ? Input : -1, InputEvents, 0}};
    int Ready = poll(Fds, 3, int(std::min<double>(LeftMs + 1, SliceMs)));
    if (Ready <= 0)
      continue;
    bool ErrorsClosed = (Fds[1].revents & POLLHUP) != 0;
    if (Fds[1].revents)
      readErrors();
    if (Fds[0].revents && !readOutput())
      return Outcome::Ended;
    if (Fds[2].revents & POLLERR)
      return Outcome::Ended;
    if (Pending.size() > LineLimit)
      return Outcome::Ended;
    if (Fds[2].revents || (!InputEvents && StringRef(Pending).contains('\n')))
      return Outcome::Line;
    if (ErrorsClosed && !Fds[0].revents) // poll would return at once for ever
      usleep(1000);
  }
}

Outcome WorkerProcess::send(StringRef Text, double Deadline) {
  while (!Text.empty()) {
    Outcome Ready = wait(POLLOUT, Deadline);
    if (Ready != Outcome::Line)
      return Ready;
    ssize_t Sent = write(Input, Text.data(), Text.size());
    if (Sent < 0 && errno != EAGAIN && errno != EINTR)
      return Outcome::Ended;
    Text = Text.drop_front(size_t(std::max<ssize_t>(Sent, 0)));
  }
  return Outcome::Line;
}

Outcome WorkerProcess::receive(std::string &Line, double Deadline) {
  size_t End = Pending.find('\n');
  if (End == std::string::npos) {
    Outcome Got = wait(0, Deadline);
    if (Got != Outcome::Line)
      return Got;
    End = Pending.find('\n');
  }
  Line = Pending.substr(0, End);
  Pending.erase(0, End + 1);
  return Outcome::Line;
}

/// A write to a process that died raises SIGPIPE; for the time of one exchange
/// it is ignored, whatever the program around us does.
namespace {
class PipeSignalIgnored {
public:
  PipeSignalIgnored() {
    struct sigaction Ignore = {};
    Ignore.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &Ignore, &Before);
  }
  ~PipeSignalIgnored() { sigaction(SIGPIPE, &Before, nullptr); }

private:
  struct sigaction Before;
};
} // namespace

Outcome WorkerProcess::ask(StringRef Request, double Seconds,
                           std::string &Answer) {
  PipeSignalIgnored Quiet;
  double Deadline = now() + Seconds;
  // A worker that refuses to start may answer before it reads: what it wrote
  // counts even when the request could not be sent.
  Outcome Sent = send((Request + "\n").str(), Deadline);
  if (Sent == Outcome::Ended) {
    while (readOutput() && !StringRef(Pending).contains('\n') &&
           now() < Deadline && !Stop)
      usleep(1000);
    if (!StringRef(Pending).contains('\n'))
      return Outcome::Ended;
  } else if (Sent != Outcome::Line) {
    return Sent;
  }
  Outcome Got = receive(Answer, Deadline);
  return Got;
}

// ---- the end ---------------------------------------------------------------

/// Waits for the child's end, kills it after the grace.
int WorkerProcess::reap() {
  for (int WaitedMs = 0; Pid > 0; WaitedMs += 5) {
    pid_t Done = waitpid(Pid, &Status, WNOHANG);
    if (Done == Pid || (Done < 0 && errno != EINTR)) {
      // Its own children may have outlived it.
      kill(-Pid, SIGKILL);
      Pid = -1;
    } else if (WaitedMs >= GraceMs || Stop) {
      kill(-Pid, SIGKILL);
      usleep(5000);
    } else {
      usleep(5000);
    }
  }
  return Status;
}

std::string WorkerProcess::evidence() {
  int Code = reap();
  readErrors();
  std::string Text =
      WIFSIGNALED(Code) ? "killed by signal " + std::to_string(WTERMSIG(Code)) +
                              " (" + strsignal(WTERMSIG(Code)) + ")"
                        : "exit code " + std::to_string(WEXITSTATUS(Code));
  StringRef Last = StringRef(Said).rtrim().rsplit('\n').second;
  if (Last.empty())
    Last = StringRef(Said).trim();
  return Last.empty() ? Text : Text + "; it said: " + Last.str();
}
