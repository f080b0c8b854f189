/// \file
/// CUDA platform: NVRTC in a process of its own. Compilers crash, hang and eat
/// memory on hostile or unlucky text, and NVRTC runs inside its caller. So a
/// supervisor is forked before the device is opened (a process that holds a
/// device must not fork); its child keeps a warm NVRTC and is replaced when it
/// dies or takes too long. The supervisor also starts nvcc, which the worker
/// cannot do in its sandbox. All that compiles is in one of its own.

#ifndef MEP_WORKER_CUDA_COMPILESERVER_H
#define MEP_WORKER_CUDA_COMPILESERVER_H

#include "../Channel.h"
#include "Nvrtc.h"

namespace mepworker::cuda {

class CompileServer {
public:
  /// Forks the supervisor. Call before any thread is started and before the
  /// driver is initialised. \p Candidates: NVRTC libraries to try.
  /// NVRTC is loaded \p AtOnce, or with the first request.
  void start(const std::vector<std::string> &Candidates, bool AtOnce);
  /// Ends it; a compile in progress gives no answer.
  void stop() { Server.stop(); }

  /// For one that starts at once: waits until NVRTC is open; false with \p
  /// Error if there is none.
  /// \p Version: `NVRTC 13.0`.
  bool ready(std::string &Version, std::string &Error);

  /// What may compile a request, in this order: the second if the first could
  /// not take it (NvccFallback.h).
  struct Compilers {
    bool Nvrtc = true;
    std::string Nvcc; ///< Path; empty: none.
  };
  /// As Nvrtc::compile, within limits of time, memory and size.
  DeviceImage compile(const DeviceCompile &Request,
                      const std::vector<std::string> &Includes,
                      const Compilers &With);
  DeviceImage compile(const DeviceCompile &Request,
                      const std::vector<std::string> &Includes) {
    return compile(Request, Includes, Compilers());
  }

private:
  ServerProcess Server;
};

} // namespace mepworker::cuda

#endif // MEP_WORKER_CUDA_COMPILESERVER_H
