/// \file
/// CUDA platform: several compile servers, so that the variants of a sweep are
/// compiled while the device measures the ones before them.

#ifndef MEP_WORKER_CUDA_COMPILEPOOL_H
#define MEP_WORKER_CUDA_COMPILEPOOL_H

#include "CompileServer.h"
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

namespace mepworker::cuda {

struct PoolResult {
  DeviceImage Image;
  bool ByNvcc = false; ///< NVRTC could not take the source.
};

class CompilePool {
public:
  /// Forks the servers; under the conditions of CompileServer::start.
  void start(const std::vector<std::string> &NvrtcCandidates);
  ~CompilePool();

  /// Waits until NVRTC is open and starts the threads. False with \p Error if
  /// there is no NVRTC; then only nvcc is used. \p Nvcc may be empty.
  bool open(const std::vector<std::string> &Includes, const std::string &Nvcc,
            std::string &Version, std::string &Error);

  /// As Platform::announce.
  void announce(std::vector<DeviceCompile> Requests, bool Next);
  /// Waits for an announced compile of the same request, or compiles at once.
  PoolResult compile(const DeviceCompile &Request);

private:
  struct Job {
    DeviceCompile Request;
    enum { Waiting, Running, Done } State = Waiting;
    PoolResult Result;
  };
  using JobRef = std::shared_ptr<Job>;

  bool hasWorkFor(size_t Number) const;
  void work(size_t Number);
  PoolResult build(CompileServer &Server, const DeviceCompile &Request) const;
  JobRef enqueue(const DeviceCompile &Request, bool First);
  void dropQueued();
  void forgetOldest();

  std::vector<std::unique_ptr<CompileServer>> Servers;
  std::vector<std::thread> Threads;
  std::vector<std::string> Includes;
  std::string Nvcc;
  bool HasNvrtc = false;

  std::mutex Mutex;
  std::condition_variable Changed;
  std::map<std::string, JobRef> Known; ///< By all parts of the request.
  std::deque<std::string> Order;       ///< Of Known, oldest first.
  std::deque<JobRef> Queue;
  std::vector<bool> IsIdle; ///< By server.
  bool Ending = false;
};

} // namespace mepworker::cuda

#endif // MEP_WORKER_CUDA_COMPILEPOOL_H
