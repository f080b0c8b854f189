#include "CompileServer.h"
#include <algorithm>
#include <cerrno>
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

using namespace mepworker::cuda;

// ---- limits ----------------------------------------------------------------

/// One compile. Generous for honest kernels (the slowest toolkit header takes
/// 4 s), short for template bombs.
static constexpr int CompileSeconds = 30;
static constexpr rlim_t CompileMemory = rlim_t(8) << 30;
static constexpr uint64_t ImageLimit = uint64_t(64) << 20;

// ---- records over pipes ----------------------------------------------------

namespace {

using Fields = std::vector<std::string>;

bool writeAll(int To, const void *Data, size_t Size) {
  const char *P = static_cast<const char *>(Data);
  while (Size) {
    ssize_t N = write(To, P, Size);
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      return false;
    P += N;
    Size -= size_t(N);
  }
  return true;
}

bool readAll(int From, void *Data, size_t Size) {
  char *P = static_cast<char *>(Data);
  while (Size) {
    ssize_t N = read(From, P, Size);
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      return false;
    P += N;
    Size -= size_t(N);
  }
  return true;
}

bool sendFields(int To, const Fields &Values) {
  uint64_t Count = Values.size();
  bool Ok = writeAll(To, &Count, sizeof(Count));
  for (const std::string &V : Values) {
    uint64_t Size = V.size();
    Ok = Ok && writeAll(To, &Size, sizeof(Size)) &&
         writeAll(To, V.data(), V.size());
  }
  return Ok;
}

bool receiveFields(int From, Fields &Values) {
  uint64_t Count = 0;
  Values.clear();
  if (!readAll(From, &Count, sizeof(Count)) || Count > (1 << 20))
    return false;
  for (uint64_t I = 0; I < Count; ++I) {
    uint64_t Size = 0;
    if (!readAll(From, &Size, sizeof(Size)) || Size > 2 * ImageLimit)
      return false;
    std::string Value(Size, 0);
    if (!readAll(From, Value.data(), Size))
      return false;
    Values.push_back(std::move(Value));
  }
  return true;
}

void packList(Fields &Out, const std::vector<std::string> &List) {
  Out.push_back(std::to_string(List.size()));
  Out.insert(Out.end(), List.begin(), List.end());
}

std::vector<std::string> unpackList(const Fields &In, size_t &At) {
  std::vector<std::string> List;
  size_t Count = At < In.size() ? std::stoul(In[At++]) : 0;
  while (Count-- && At < In.size())
    List.push_back(In[At++]);
  return List;
}

Fields pack(const DeviceCompile &R, const std::vector<std::string> &Includes) {
  Fields Out = {R.Source, R.Arch};
  for (const auto *List :
       {&R.Kernels, &R.Symbols, &R.Defines, &R.Flags, &Includes})
    packList(Out, *List);
  return Out;
}

Fields pack(const DeviceImage &Image) {
  Fields Out = {Image.Ok ? "1" : "0", Image.LimitHit ? "1" : "0", Image.Log,
                Image.Image};
  packList(Out, Image.KernelNames);
  packList(Out, Image.SymbolNames);
  return Out;
}

DeviceImage unpackImage(const Fields &In) {
  DeviceImage Image;
  if (In.size() < 4) {
    Image.Log = "the compile server gave no answer";
    return Image;
  }
  Image.Ok = In[0] == "1";
  Image.LimitHit = In[1] == "1";
  Image.Log = In[2];
  Image.Image = In[3];
  size_t At = 4;
  Image.KernelNames = unpackList(In, At);
  Image.SymbolNames = unpackList(In, At);
  return Image;
}

// ---- inside the server -----------------------------------------------------

/// The server must not hold the worker's pipes open: the tool sees the worker's
/// end by their closing.
void leaveStandardStreams() {
  int Null = open("/dev/null", O_RDWR);
  for (int Fd : {0, 1, 2})
    dup2(Null, Fd);
  if (Null > 2)
    close(Null);
}

void setLimit(int What, rlim_t Value) {
  rlimit Limit{};
  getrlimit(__rlimit_resource_t(What), &Limit);
  Limit.rlim_cur = std::min(Limit.rlim_max, Value);
  setrlimit(__rlimit_resource_t(What), &Limit);
}

Fields answer(const Nvrtc &Compiler, const Fields &Request) {
  DeviceCompile R;
  R.Source = Request[0];
  R.Arch = Request[1];
  size_t At = 2;
  R.Kernels = unpackList(Request, At);
  R.Symbols = unpackList(Request, At);
  R.Defines = unpackList(Request, At);
  R.Flags = unpackList(Request, At);
  std::vector<std::string> Includes = unpackList(Request, At);
  DeviceImage Image = Compiler.compile(R, Includes);
  if (Image.Image.size() > ImageLimit) {
    Image = {};
    Image.LimitHit = true;
    Image.Log = "the compiled code is larger than " +
                std::to_string(ImageLimit >> 20) + " MiB";
  }
  return pack(Image);
}

/// Says hello (`1`, version or `0`, reason), then compiles until the end of
/// the requests.
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
  while (Heard && Open && receiveFields(In, Request) && Request.size() >= 2)
    Heard = sendFields(Out, answer(Compiler, Request));
  _exit(0);
}

/// The supervisor's compiler process: replaced when it dies or is too slow.
class CompilerProcess {
public:
  explicit CompilerProcess(const std::vector<std::string> &Candidates)
      : Candidates(Candidates) {}
  ~CompilerProcess() { stop(); }

  /// Starts it and gives its hello; empty if it died over that.
  Fields start();
  /// Always gives an answer.
  Fields compile(const Fields &Request);

private:
  int stop();
  static Fields failed(int WaitStatus, bool TimedOut);

  const std::vector<std::string> &Candidates;
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

Fields CompilerProcess::failed(int WaitStatus, bool TimedOut) {
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
  return pack(Image);
}

Fields CompilerProcess::compile(const Fields &Request) {
  if (Child < 0)
    start();
  Fields Answer;
  bool Sent = sendFields(Requests, Request);
  pollfd Ready{Answers, POLLIN, 0};
  // An answer is written at once when the compile is over, so its first byte
  // ends the waiting.
  bool TimedOut = Sent && poll(&Ready, 1, CompileSeconds * 1000) <= 0;
  if (Sent && !TimedOut && receiveFields(Answers, Answer))
    return Answer;
  if (!TimedOut) // It is dying; stop() must see of what.
    usleep(20000);
  return failed(stop(), TimedOut);
}

} // namespace

void CompileServer::serve(int In, int Out,
                          const std::vector<std::string> &Candidates,
                          bool AtOnce) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NAME, "mep-nvrtc");
  leaveStandardStreams();
  CompilerProcess Compiler(Candidates);
  Fields Request;
  bool Heard = !AtOnce || sendFields(Out, Compiler.start());
  while (Heard && receiveFields(In, Request))
    Heard = sendFields(Out, Compiler.compile(Request));
  _exit(0);
}

// ---- inside the worker -----------------------------------------------------

void CompileServer::start(const std::vector<std::string> &Candidates,
                          bool AtOnce) {
  int ToServer[2], FromServer[2];
  if (pipe2(ToServer, O_CLOEXEC))
    return;
  if (pipe2(FromServer, O_CLOEXEC)) {
    close(ToServer[0]);
    close(ToServer[1]);
    return;
  }
  // A write to a server that died must be an error, not the worker's death.
  signal(SIGPIPE, SIG_IGN);
  Server = fork();
  if (Server == 0) {
    close(ToServer[1]);
    close(FromServer[0]);
    serve(ToServer[0], FromServer[1], Candidates, AtOnce);
  }
  close(ToServer[0]);
  close(FromServer[1]);
  Requests = ToServer[1];
  Answers = FromServer[0];
}

void CompileServer::stop() {
  if (Server <= 0)
    return;
  // Its end closes the answers' pipe, which wakes whoever reads it.
  kill(Server, SIGKILL);
  waitpid(Server, nullptr, 0);
  Server = -1;
}

CompileServer::~CompileServer() {
  stop();
  if (Requests >= 0)
    close(Requests);
  if (Answers >= 0)
    close(Answers);
}

bool CompileServer::ready(std::string &Version, std::string &Error) {
  Fields Hello;
  if (Answers < 0 || !receiveFields(Answers, Hello) || Hello.size() != 2) {
    Error = "NVRTC crashed while it was loaded";
    return false;
  }
  (Hello[0] == "1" ? Version : Error) = Hello[1];
  return Hello[0] == "1";
}

DeviceImage CompileServer::compile(const DeviceCompile &Request,
                                   const std::vector<std::string> &Includes) {
  Fields Answer;
  if (!sendFields(Requests, pack(Request, Includes)) ||
      !receiveFields(Answers, Answer))
    Answer.clear();
  return unpackImage(Answer);
}
