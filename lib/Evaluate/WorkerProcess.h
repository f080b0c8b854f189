/// \file
/// Evaluate, process level: one child process that is asked by lines and
/// answers by lines. It may be anything that a command line starts, also at the
/// other end of ssh, and it may die or hang at any moment.

#ifndef MEP_LIB_EVALUATE_WORKERPROCESS_H
#define MEP_LIB_EVALUATE_WORKERPROCESS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <atomic>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace mep {

class WorkerProcess {
public:
  /// How an exchange of lines ended.
  enum class Outcome { Line, Ended, TimedOut, Interrupted };

  /// Starts \p Words, the program looked up in PATH, as a process group of its
  /// own. \p Stop makes every waiting call return within 100 ms. Error
  /// (Toolchain): no such program, not executable.
  static llvm::Expected<std::unique_ptr<WorkerProcess>>
  spawn(const std::vector<std::string> &Words, const std::atomic<bool> &Stop);

  /// Kills the whole group.
  ~WorkerProcess();

  /// Sends \p Request and waits up to \p Seconds for one line.
  Outcome ask(llvm::StringRef Request, double Seconds, std::string &Answer);

  /// Ends the process and says how it ended: `exit code 3`, `killed by signal
  /// 11 (Segmentation fault)`, and the last line of its stderr if there is one.
  std::string evidence();

private:
  WorkerProcess(pid_t Pid, int Input, int Output, int Errors,
                const std::atomic<bool> &Stop);
  Outcome send(llvm::StringRef Text, double Deadline);
  Outcome receive(std::string &Line, double Deadline);
  Outcome wait(short InputEvents, double Deadline);
  bool readOutput();
  void readErrors();
  int reap();

  pid_t Pid;
  int Input, Output, Errors; ///< The child's stdin, stdout, stderr.
  const std::atomic<bool> &Stop;
  std::string Pending; ///< Of the child's stdout, not yet a whole line.
  std::string Said;    ///< End of the child's stderr.
  int Status = 0;
};

} // namespace mep

#endif // MEP_LIB_EVALUATE_WORKERPROCESS_H
