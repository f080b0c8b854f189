/// \file
/// Compile servers: processes that are forked before the worker's sandbox
/// closes, and what travels between them and the worker.

#ifndef MEP_WORKER_CHANNEL_H
#define MEP_WORKER_CHANNEL_H

#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace mepworker {

/// What a message has, one after the other.
using Fields = std::vector<std::string>;

/// False when nobody reads.
bool sendFields(int To, const Fields &Values);
/// False at the end of the input, and for what is no message.
bool receiveFields(int From, Fields &Values);

/// A list as fields of a message.
void packList(Fields &Out, const std::vector<std::string> &List);
std::vector<std::string> unpackList(const Fields &In, size_t &At);

/// Nobody is left at the other end.
bool hasHungUp(int Channel);

/// The worker's end of a server.
class ServerProcess {
public:
  /// Forks a process named \p Name that runs \p Serve with its end of the
  /// channel. It has none of the worker's files and a process group of its own,
  /// so that it can tidy up when the worker has been killed: it is to end when
  /// its end is hung up. Call before any thread is started.
  bool start(const char *Name, const std::function<void(int)> &Serve);
  ~ServerProcess();
  /// Hangs up, and wakes whoever waits for an answer.
  void stop();

  int channel() const { return End; }

private:
  int End = -1;
};

} // namespace mepworker

#endif // MEP_WORKER_CHANNEL_H
