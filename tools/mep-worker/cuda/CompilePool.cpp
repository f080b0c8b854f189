#include "CompilePool.h"
#include <algorithm>

using namespace mepworker::cuda;

namespace {

/// Half the cores, so that the host's part of the timing is left alone.
constexpr unsigned MostServers = 8;
/// Finished images that are kept for a second measurement.
constexpr size_t MostKept = 256;

std::string keyOf(const DeviceCompile &R) {
  std::string Key = R.Arch;
  for (const auto *List : {&R.Kernels, &R.Symbols, &R.Defines, &R.Flags}) {
    Key += '\1';
    for (const std::string &Word : *List)
      Key += Word + '\2';
  }
  return Key + '\1' + R.Source;
}

} // namespace

void CompilePool::start(const std::vector<std::string> &NvrtcCandidates) {
  unsigned Count =
      std::clamp(std::thread::hardware_concurrency() / 2, 1u, MostServers);
  for (unsigned I = 0; I < Count; ++I) {
    Servers.push_back(std::make_unique<CompileServer>());
    Servers.back()->start(NvrtcCandidates, /*AtOnce=*/I == 0);
  }
}

bool CompilePool::open(const std::vector<std::string> &Folders,
                       const std::string &NvccPath, std::string &Version,
                       std::string &Error) {
  Includes = Folders;
  Nvcc = NvccPath;
  HasNvrtc = Servers.front()->ready(Version, Error);
  IsIdle.assign(Servers.size(), true);
  for (size_t I = 0; I < Servers.size(); ++I)
    Threads.emplace_back([this, I] { work(I); });
  return HasNvrtc;
}

CompilePool::~CompilePool() {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    Ending = true;
  }
  Changed.notify_all();
  // A compile in progress ends with its server.
  for (auto &Each : Servers)
    Each->stop();
  for (std::thread &Each : Threads)
    Each.join();
}

PoolResult CompilePool::build(CompileServer &Server,
                              const DeviceCompile &Request) const {
  PoolResult Result;
  Result.Image = Server.compile(Request, Includes, {HasNvrtc, Nvcc});
  Result.ByNvcc = Result.Image.ByNvcc;
  return Result;
}

/// Work for which no server before \p Number is idle: those that have NVRTC
/// loaded come first. Callers hold the lock.
bool CompilePool::hasWorkFor(size_t Number) const {
  size_t Before =
      size_t(std::count(IsIdle.begin(), IsIdle.begin() + long(Number), true));
  return Queue.size() > Before;
}

void CompilePool::work(size_t Number) {
  std::unique_lock<std::mutex> Lock(Mutex);
  for (;;) {
    Changed.wait(Lock, [&] { return Ending || hasWorkFor(Number); });
    if (Ending)
      return;
    IsIdle[Number] = false;
    JobRef Mine = Queue.front();
    Queue.pop_front();
    Mine->State = Job::Running;
    Lock.unlock();
    PoolResult Made = build(*Servers[Number], Mine->Request);
    Lock.lock();
    IsIdle[Number] = true;
    Mine->Result = std::move(Made);
    Mine->State = Job::Done;
    Changed.notify_all();
  }
}

/// Callers hold the lock.
CompilePool::JobRef CompilePool::enqueue(const DeviceCompile &Request,
                                         bool First) {
  std::string Key = keyOf(Request);
  JobRef &Slot = Known[Key];
  if (!Slot) {
    Slot = std::make_shared<Job>();
    Slot->Request = Request;
    Order.push_back(std::move(Key));
  } else if (Slot->State != Job::Waiting) {
    return Slot;
  }
  Queue.erase(std::remove(Queue.begin(), Queue.end(), Slot), Queue.end());
  if (First)
    Queue.push_front(Slot);
  else
    Queue.push_back(Slot);
  return Slot;
}

void CompilePool::forgetOldest() {
  for (size_t I = 0; I < Order.size() && Order.size() > MostKept;) {
    auto At = Known.find(Order[I]);
    if (At->second->State != Job::Done) {
      ++I;
      continue;
    }
    Known.erase(At);
    Order.erase(Order.begin() + long(I));
  }
}

void CompilePool::dropQueued() {
  for (const JobRef &Each : Queue) {
    std::string Key = keyOf(Each->Request);
    Known.erase(Key);
    Order.erase(std::find(Order.begin(), Order.end(), Key));
  }
  Queue.clear();
}

void CompilePool::announce(std::vector<DeviceCompile> Requests, bool Next) {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (Next)
      std::reverse(Requests.begin(), Requests.end());
    else
      dropQueued();
    for (const DeviceCompile &Each : Requests)
      enqueue(Each, /*First=*/Next);
    forgetOldest();
  }
  Changed.notify_all();
}

PoolResult CompilePool::compile(const DeviceCompile &Request) {
  std::unique_lock<std::mutex> Lock(Mutex);
  JobRef Mine = enqueue(Request, /*First=*/true);
  Changed.notify_all();
  Changed.wait(Lock, [&] { return Mine->State == Job::Done; });
  PoolResult Result = Mine->Result;
  forgetOldest();
  return Result;
}
