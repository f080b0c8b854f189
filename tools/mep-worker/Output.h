/// \file
/// The worker's side of stdout. Answers go to a private duplicate of it, and
/// descriptor 1 itself is turned away, so that nothing that a kernel, a
/// compiler or a library prints can get between them.

#ifndef MEP_WORKER_OUTPUT_H
#define MEP_WORKER_OUTPUT_H

#include <mutex>
#include <string>

namespace mepworker {

class Output {
public:
  /// Takes stdout over.
  Output();
  /// Writes one line at once; ends the process when nobody reads any more.
  void send(const std::string &Line);
  /// The answer that is sent when device code kills this process by a signal
  /// (the CPU platform runs it right here); empty: none.
  void setLastWords(const std::string &Before, const std::string &After);
  void clearLastWords();
  /// Sends the last words on SIGSEGV and the like, then exits with 3.
  void catchCrashes();

private:
  std::mutex Mutex;
};

} // namespace mepworker

#endif // MEP_WORKER_OUTPUT_H
