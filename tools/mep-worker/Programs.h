/// \file
/// Running a compiler that is a program: confined, within limits, and never
/// longer than the worker lives.

#ifndef MEP_WORKER_PROGRAMS_H
#define MEP_WORKER_PROGRAMS_H

#include <string>
#include <vector>

namespace mepworker {

/// A folder of this process alone, removed with the object.
class PrivateFolder {
public:
  /// In \p Parent; by default where temporary files are.
  explicit PrivateFolder(const std::string &Parent = "");
  ~PrivateFolder() { remove(); }
  void remove();
  PrivateFolder(const PrivateFolder &) = delete;

  std::string Path; ///< Empty: could not be made.
};

/// Of a file; empty when it cannot be read.
std::string contentsOf(const std::string &Path);

struct ProgramRun {
  std::vector<std::string> Words; ///< The first is a path or a name in PATH.
  std::string Folder;             ///< All that it may write in.
  bool IsInside = false;          ///< It starts in there.
  std::string Log;                ///< Gets its output.
  double Seconds = 30;
  std::vector<std::string> Readable; ///< Beside toolFolders().
  int Worker = -1; ///< A channel: what runs ends when that hangs up.
};

struct Ran {
  int Status = -1; ///< As waitpid gives it; -1: could not be started.
  bool TimedOut = false;
  bool succeeded() const { return Status == 0; }
};

/// Runs and waits. What the program has started ends with it.
Ran runProgram(const ProgramRun &What);

} // namespace mepworker

#endif // MEP_WORKER_PROGRAMS_H
