/// \file
/// CUDA platform: NVRTC in a process of its own. Compilers crash, hang and eat
/// memory on hostile or unlucky text, and NVRTC runs inside its caller. So a
/// supervisor is forked before the device is opened (a process that holds a
/// device must not fork); its child keeps a warm NVRTC and is replaced when it
/// dies or takes too long.

#ifndef MEP_WORKER_CUDA_COMPILESERVER_H
#define MEP_WORKER_CUDA_COMPILESERVER_H

#include "Nvrtc.h"
#include <sys/types.h>

namespace mepworker::cuda {

class CompileServer {
public:
  /// Forks the supervisor. Call before any thread is started and before the
  /// driver is initialised. \p Candidates: NVRTC libraries to try.
  /// NVRTC is loaded \p AtOnce, or with the first request.
  void start(const std::vector<std::string> &Candidates, bool AtOnce);
  ~CompileServer();
  /// Ends it; a compile in progress gives no answer.
  void stop();

  /// For one that starts at once: waits until NVRTC is open; false with \p
  /// Error if there is none.
  /// \p Version: `NVRTC 13.0`.
  bool ready(std::string &Version, std::string &Error);

  /// As Nvrtc::compile, within limits of time, memory and size.
  DeviceImage compile(const DeviceCompile &Request,
                      const std::vector<std::string> &Includes);

private:
  [[noreturn]] static void serve(int In, int Out,
                                 const std::vector<std::string> &Candidates,
                                 bool AtOnce);
  pid_t Server = -1;
  int Requests = -1, Answers = -1;
};

} // namespace mepworker::cuda

#endif // MEP_WORKER_CUDA_COMPILESERVER_H
