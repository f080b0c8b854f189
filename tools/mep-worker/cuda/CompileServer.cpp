#include "CompileServer.h"
#include "../Sandbox.h"
#include "NvccFallback.h"
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

using namespace mepworker;
using namespace mepworker::cuda;

// ---- limits ----------------------------------------------------------------

/// One compile. Generous for honest kernels (the slowest toolkit header takes
/// 4 s), short for template bombs.
static constexpr int CompileSeconds = 30;
static constexpr rlim_t CompileMemory = rlim_t(8) << 30;
static constexpr uint64_t ImageLimit = uint64_t(64) << 20;

// ---- messages --------------------------------------------------------------

namespace {

/// A request as it travels.
struct Order {
  DeviceCompile Wanted;
  std::vector<std::string> Includes;
  CompileServer::Compilers With;
};

Fields pack(const Order &O) {
  const DeviceCompile &R = O.Wanted;
  Fields Out = {R.Source, R.Arch, O.With.Nvrtc ? "1" : "0", O.With.Nvcc};
  for (const auto *List :
       {&R.Kernels, &R.Symbols, &R.Defines, &R.Flags, &O.Includes})
    packList(Out, *List);
  return Out;
}

bool unpack(const Fields &In, Order &O) {
  constexpr size_t Single = 4;
  if (In.size() < Single)
    return false;
  DeviceCompile &R = O.Wanted;
  R.Source = In[0];
  R.Arch = In[1];
  O.With = {In[2] == "1", In[3]};
  size_t At = Single;
  for (auto *List : {&R.Kernels, &R.Symbols, &R.Defines, &R.Flags, &O.Includes})
    *List = unpackList(In, At);
  return true;
}

/// What a compiler must be able to read for it, beside the system.
std::vector<std::string> readable(const Order &O) {
  std::vector<std::string> Paths = pathsIn(O.Wanted.Flags);
  Paths.insert(Paths.end(), O.Includes.begin(), O.Includes.end());
  if (!O.With.Nvcc.empty())
    Paths.push_back(prefixOf(O.With.Nvcc));
  return Paths;
}

Fields pack(const DeviceImage &Image) {
  Fields Out = {Image.Ok ? "1" : "0", Image.LimitHit ? "1" : "0",
                Image.ByNvcc ? "1" : "0", Image.Log, Image.Image};
  packList(Out, Image.KernelNames);
  packList(Out, Image.SymbolNames);
  return Out;
}

DeviceImage unpackImage(const Fields &In) {
  DeviceImage Image;
  constexpr size_t Single = 5;
  if (In.size() < Single) {
    Image.Log = "the compile server gave no answer";
    return Image;
  }
  Image.Ok = In[0] == "1";
  Image.LimitHit = In[1] == "1";
  Image.ByNvcc = In[2] == "1";
  Image.Log = In[3];
  Image.Image = In[4];
  size_t At = Single;
  Image.KernelNames = unpackList(In, At);
  Image.SymbolNames = unpackList(In, At);
  return Image;
}

// ---- inside the server -----------------------------------------------------

void setLimit(int What, rlim_t Value) {
  rlimit Limit{};
  getrlimit(__rlimit_resource_t(What), &Limit);
  Limit.rlim_cur = std::min(Limit.rlim_max, Value);
  setrlimit(__rlimit_resource_t(What), &Limit);
}

DeviceImage answer(const Nvrtc &Compiler, const Order &Asked) {
  DeviceImage Image = Compiler.compile(Asked.Wanted, Asked.Includes);
  if (Image.Image.size() > ImageLimit) {
    Image = {};
    Image.LimitHit = true;
    Image.Log = "the compiled code is larger than " +
                std::to_string(ImageLimit >> 20) + " MiB";
  }
  return Image;
}

/// Says hello (`1`, version or `0`, reason), then compiles until the end of
/// the requests. All of NVRTC is in memory before the first of them closes the
/// sandbox; what that one may read is all that later ones may.
[[noreturn]] void runCompiler(int In, int Out,
                              const std::vector<std::string> &Candidates) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setLimit(RLIMIT_AS, CompileMemory);
  setLimit(RLIMIT_CORE, 0);
  Nvrtc Compiler;
  std::string Error;
  bool Open = Compiler.open(Candidates, Error);
  if (Open)
    Compiler.warmUp();
  bool Heard =
      sendFields(Out, {Open ? "1" : "0", Open ? Compiler.version() : Error});
  Fields Request;
  Order Asked;
  for (bool IsFirst = true;
       Heard && Open && receiveFields(In, Request) && unpack(Request, Asked);
       IsFirst = false) {
    if (IsFirst) {
      SandboxSpec Needs{Duty::Library, toolFolders(), {"/dev/null"}, 0};
      for (std::string &Path : readable(Asked))
        Needs.Readable.push_back(std::move(Path));
      enterSandbox(Needs);
    }
    Heard = sendFields(Out, pack(answer(Compiler, Asked)));
  }
  _exit(0);
}

/// The supervisor's compiler process: replaced when it dies or is too slow.
class CompilerProcess {
public:
  CompilerProcess(const std::vector<std::string> &Candidates, int Worker)
      : Candidates(Candidates), Worker(Worker) {}
  ~CompilerProcess() { stop(); }

  /// Starts it and gives its hello; empty if it died over that.
  Fields start();
  /// Always gives an answer.
  DeviceImage compile(const Order &Asked);

private:
  int stop();
  bool awaitAnswer();
  static DeviceImage failed(int WaitStatus, bool TimedOut);

  const std::vector<std::string> &Candidates;
  int Worker;                        ///< The channel.
  std::vector<std::string> Readable; ///< By the child: of its first request.
  pid_t Child = -1;
  int Requests = -1, Answers = -1;
};

Fields CompilerProcess::start() {
  int To[2], From[2];
  if (pipe2(To, O_CLOEXEC) || pipe2(From, O_CLOEXEC))
    return {};
  Child = fork();
  if (Child == 0) {
    close(To[1]);
    close(From[0]);
    runCompiler(To[0], From[1], Candidates);
  }
  close(To[0]);
  close(From[1]);
  Requests = To[1];
  Answers = From[0];
  Fields Hello;
  receiveFields(Answers, Hello);
  return Hello;
}

/// Ends it and gives how it ended.
int CompilerProcess::stop() {
  int Status = 0;
  for (int *Fd : {&Requests, &Answers})
    if (*Fd >= 0)
      close(std::exchange(*Fd, -1));
  if (Child > 0) {
    if (waitpid(Child, &Status, WNOHANG) == 0) {
      kill(Child, SIGKILL);
      waitpid(Child, &Status, 0);
    }
    Child = -1;
  }
  return Status;
}

DeviceImage CompilerProcess::failed(int WaitStatus, bool TimedOut) {
  DeviceImage Image;
  Image.LimitHit = TimedOut;
  if (TimedOut)
    Image.Log =
        "compiling took more than " + std::to_string(CompileSeconds) + " s";
  else if (WIFSIGNALED(WaitStatus))
    Image.Log =
        std::string("the compiler crashed: ") + strsignal(WTERMSIG(WaitStatus));
  else
    Image.Log = "the compiler ended without an answer";
  return Image;
}

/// An answer is written at once when the compile is over, so its first byte
/// ends the waiting. False when the time is over.
bool CompilerProcess::awaitAnswer() {
  pollfd Ready[] = {{Answers, POLLIN, 0}, {Worker, 0, 0}};
  if (poll(Ready, 2, CompileSeconds * 1000) <= 0)
    return false;
  if (Ready[1].revents) { // Nobody waits any more.
    stop();
    _exit(0);
  }
  return true;
}

DeviceImage CompilerProcess::compile(const Order &Asked) {
  std::vector<std::string> Needed = readable(Asked);
  if (Child >= 0 && !Readable.empty() && Readable != Needed)
    stop();
  if (Child < 0)
    start();
  Readable = std::move(Needed);
  Fields Answer;
  bool Sent = sendFields(Requests, pack(Asked));
  bool TimedOut = Sent && !awaitAnswer();
  if (Sent && !TimedOut && receiveFields(Answers, Answer))
    return unpackImage(Answer);
  if (!TimedOut) // It is dying; stop() must see of what.
    usleep(20000);
  return failed(stop(), TimedOut);
}

DeviceImage build(CompilerProcess &Compiler, const Order &Asked, int Worker) {
  DeviceImage Image;
  if (Asked.With.Nvrtc)
    Image = Compiler.compile(Asked);
  bool TryNvcc = !Asked.With.Nvrtc ||
                 (!Image.Ok && !Image.LimitHit && wantsHostHeaders(Image.Log));
  if (!TryNvcc || Asked.With.Nvcc.empty())
    return Image;
  // NVRTC's diagnostics are about a missing header, nvcc's about the code.
  Image = compileWithNvcc(Asked.With.Nvcc, Asked.Wanted, Worker);
  Image.ByNvcc = true;
  return Image;
}

void serve(int Worker, const std::vector<std::string> &Candidates,
           bool AtOnce) {
  CompilerProcess Compiler(Candidates, Worker);
  Fields Request;
  Order Asked;
  bool Heard = !AtOnce || sendFields(Worker, Compiler.start());
  while (Heard && receiveFields(Worker, Request) && unpack(Request, Asked))
    Heard = sendFields(Worker, pack(build(Compiler, Asked, Worker)));
}

} // namespace

// ---- inside the worker -----------------------------------------------------

void CompileServer::start(const std::vector<std::string> &Candidates,
                          bool AtOnce) {
  Server.start("mep-nvrtc",
               [&](int Worker) { serve(Worker, Candidates, AtOnce); });
}

bool CompileServer::ready(std::string &Version, std::string &Error) {
  Fields Hello;
  if (!receiveFields(Server.channel(), Hello) || Hello.size() != 2) {
    Error = "NVRTC crashed while it was loaded";
    return false;
  }
  (Hello[0] == "1" ? Version : Error) = Hello[1];
  return Hello[0] == "1";
}

DeviceImage CompileServer::compile(const DeviceCompile &Request,
                                   const std::vector<std::string> &Includes,
                                   const Compilers &With) {
  Fields Answer;
  if (!sendFields(Server.channel(), pack({Request, Includes, With})) ||
      !receiveFields(Server.channel(), Answer))
    Answer.clear();
  return unpackImage(Answer);
}
