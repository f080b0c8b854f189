/// \file
/// Messages over a pair of sockets, and the process at its other end.

#include "Channel.h"
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace mepworker;

namespace {

/// The compiled code of one source is far smaller.
constexpr uint64_t MostBytes = uint64_t(128) << 20, MostFields = 1 << 20;

/// All \p Size bytes at \p Data through \p Move, which is read or write.
template <typename Byte, typename Call>
bool moveAll(int Fd, Byte *Data, size_t Size, Call Move) {
  while (Size) {
    ssize_t N = Move(Fd, Data, Size);
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      return false;
    Data += N;
    Size -= size_t(N);
  }
  return true;
}

bool writeAll(int To, const void *Data, size_t Size) {
  return moveAll(To, static_cast<const char *>(Data), Size, write);
}
bool readAll(int From, void *Data, size_t Size) {
  return moveAll(From, static_cast<char *>(Data), Size, read);
}

/// The server must not hold the worker's pipes open: the tool sees the worker's
/// end by their closing. Nor another server's channel, whose end it would hide.
void leaveFiles(int Kept) {
  int Null = open("/dev/null", O_RDWR);
  for (int Fd : {0, 1, 2})
    dup2(Null, Fd);
#ifdef __NR_close_range
  if (syscall(__NR_close_range, 3, Kept - 1, 0) == 0 &&
      syscall(__NR_close_range, Kept + 1, ~0U, 0) == 0)
    return;
#endif
  for (int Fd = 3, End = int(sysconf(_SC_OPEN_MAX)); Fd < End; ++Fd)
    if (Fd != Kept)
      close(Fd);
}

} // namespace

bool mepworker::sendFields(int To, const Fields &Values) {
  uint64_t Count = Values.size();
  bool Ok = writeAll(To, &Count, sizeof(Count));
  for (const std::string &V : Values) {
    uint64_t Size = V.size();
    Ok = Ok && writeAll(To, &Size, sizeof(Size)) &&
         writeAll(To, V.data(), V.size());
  }
  return Ok;
}

bool mepworker::receiveFields(int From, Fields &Values) {
  uint64_t Count = 0;
  Values.clear();
  if (!readAll(From, &Count, sizeof(Count)) || Count > MostFields)
    return false;
  for (uint64_t I = 0; I < Count; ++I) {
    uint64_t Size = 0;
    if (!readAll(From, &Size, sizeof(Size)) || Size > MostBytes)
      return false;
    std::string Value(Size, 0);
    if (!readAll(From, Value.data(), Size))
      return false;
    Values.push_back(std::move(Value));
  }
  return true;
}

void mepworker::packList(Fields &Out, const std::vector<std::string> &List) {
  Out.push_back(std::to_string(List.size()));
  Out.insert(Out.end(), List.begin(), List.end());
}

std::vector<std::string> mepworker::unpackList(const Fields &In, size_t &At) {
  std::vector<std::string> List;
  size_t Count =
      At < In.size() ? std::strtoull(In[At++].c_str(), nullptr, 10) : 0;
  while (Count-- && At < In.size())
    List.push_back(In[At++]);
  return List;
}

bool mepworker::hasHungUp(int Channel) {
  pollfd Fd{Channel, 0, 0};
  return poll(&Fd, 1, 0) > 0 && Fd.revents;
}

bool ServerProcess::start(const char *Name,
                          const std::function<void(int)> &Serve) {
  int Ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, Ends))
    return false;
  // A write to a server that died must be an error, not the worker's death.
  signal(SIGPIPE, SIG_IGN);
  pid_t Child = fork();
  if (Child == 0) {
    setpgid(0, 0);
    prctl(PR_SET_NAME, Name);
    leaveFiles(Ends[1]);
    Serve(Ends[1]);
    _exit(0);
  }
  close(Ends[1]);
  End = Ends[0];
  return Child > 0;
}

void ServerProcess::stop() {
  if (End >= 0)
    shutdown(End, SHUT_RDWR);
}

ServerProcess::~ServerProcess() {
  if (End >= 0)
    close(End);
}
