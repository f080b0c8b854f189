/// \file
/// Launches: the blocks of a grid handed out to a crew of OS threads.

#ifndef MEP_CPU_LAUNCH_H
#define MEP_CPU_LAUNCH_H

#include "mep_cpu_block.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <sched.h>
#include <thread>
#include <vector>

namespace mep_cpu {

/// One launch as the crew sees it.
struct Work {
  dim3 Grid, Block;
  size_t SharedBytes = 0;
  uint64_t Blocks = 0, Step = 1;
  void (*Run)(dim3 Block, const void *Kernel) = nullptr;
  const void *Kernel = nullptr;
  std::atomic<uint64_t> Next{0};
};

/// A thread set up for the blocks of a launch: its shared memory and extents.
class Seat {
public:
  explicit Seat(const Work &Job) : Shared(Job.SharedBytes + 128) {
    uintptr_t Start = reinterpret_cast<uintptr_t>(Shared.data());
    SharedMemory = Shared.data() + (128 - Start % 128) % 128;
    blockDim = Job.Block;
    gridDim = Job.Grid;
    tellShared(Job.SharedBytes);
  }
  ~Seat() { SharedMemory = nullptr; }

private:
  std::vector<char> Shared;
};

/// Runs the next \p Count blocks of \p Job; false when none was left.
static bool takeBlocks(Work &Job, uint64_t Count) {
  uint64_t Begin = Job.Next.fetch_add(Count, std::memory_order_relaxed);
  if (Begin >= Job.Blocks)
    return false;
  uint64_t End = std::min(Begin + Count, Job.Blocks);
  for (uint64_t Number = Begin; Number < End; ++Number) {
    enterBlock(Job.Grid, Number);
    Job.Run(Job.Block, Job.Kernel);
  }
  return true;
}

/// The OS threads beside the caller's; they sleep between launches and end with
/// the program or library.
class Crew {
public:
  Crew() {
    CPU_ZERO(&Allowed);
    if (sched_getaffinity(0, sizeof(Allowed), &Allowed) == 0)
      for (int Core = 0; Core < CPU_SETSIZE; ++Core)
        if (CPU_ISSET(Core, &Allowed))
          Cores.push_back(Core);
    unsigned Wanted = std::max(1u, std::thread::hardware_concurrency());
    if (const char *Text = std::getenv("MEP_CPU_THREADS"))
      Wanted = unsigned(std::max(1, std::atoi(Text)));
    for (unsigned Number = 1; Number < Wanted; ++Number)
      Threads.emplace_back([this] { serve(); });
  }
  ~Crew() {
    {
      std::lock_guard<std::mutex> Lock(Mutex);
      Ending = true;
    }
    Wake.notify_all();
    for (std::thread &Each : Threads)
      Each.join();
  }

  unsigned size() const { return unsigned(Threads.size()) + 1; }

  /// Puts the caller on core \p First of those that the program may use,
  /// counted around, and the others on the next ones; from there on the system
  /// moves them as it likes.
  void place(uint64_t First) {
    if (Cores.size() < size())
      return;
    settle(pthread_self(), core(First));
    for (std::thread &Each : Threads)
      settle(Each.native_handle(), core(++First));
    // A thread that sleeps moves when it wakes.
    Work Nothing;
    call(Nothing);
    await();
    settle(pthread_self(), Allowed);
    for (std::thread &Each : Threads)
      settle(Each.native_handle(), Allowed);
  }

  /// To wake a thread may take longer than a small launch does, and differs
  /// from time to time: the others are called once a launch has taken as long.
  void run(Work &Job) {
    constexpr std::chrono::microseconds Short(20);
    Seat Own(Job);
    bool IsShared = false;
    const auto Start = std::chrono::steady_clock::now();
    while (takeBlocks(Job, IsShared ? Job.Step : 1))
      if (!IsShared && !Threads.empty() &&
          std::chrono::steady_clock::now() - Start > Short &&
          Job.Next.load(std::memory_order_relaxed) < Job.Blocks) {
        call(Job);
        IsShared = true;
      }
    if (IsShared)
      await();
  }

private:
  cpu_set_t core(uint64_t Number) const {
    cpu_set_t Only;
    CPU_ZERO(&Only);
    CPU_SET(Cores[Number % Cores.size()], &Only);
    return Only;
  }
  void settle(pthread_t Thread, const cpu_set_t &On) {
    pthread_setaffinity_np(Thread, sizeof(On), &On);
  }

  void call(Work &Job) {
    {
      std::lock_guard<std::mutex> Lock(Mutex);
      Open = &Job;
      Busy = unsigned(Threads.size());
      ++Turn;
    }
    Wake.notify_all();
  }
  void await() {
    std::unique_lock<std::mutex> Lock(Mutex);
    Done.wait(Lock, [this] { return Busy == 0; });
    Open = nullptr;
  }

  void serve() {
    uint64_t Seen = 0;
    for (;;) {
      Work *Job;
      {
        std::unique_lock<std::mutex> Lock(Mutex);
        Wake.wait(Lock, [&] { return Ending || Turn != Seen; });
        if (Ending)
          return;
        Seen = Turn;
        Job = Open;
      }
      {
        Seat Own(*Job);
        while (takeBlocks(*Job, Job->Step))
          ;
      }
      std::lock_guard<std::mutex> Lock(Mutex);
      if (--Busy == 0)
        Done.notify_one();
    }
  }

  cpu_set_t Allowed;
  std::vector<int> Cores; ///< Those of it.
  std::vector<std::thread> Threads;
  std::mutex Mutex;
  std::condition_variable Wake, Done;
  Work *Open = nullptr;
  unsigned Busy = 0;
  uint64_t Turn = 0;
  bool Ending = false;
};

static Crew &crew() {
  static Crew All;
  return All;
}

/// Calls \p Kernel, a callable without parameters, as every thread of the grid
/// and returns when all are done.
template <typename Callable>
static void launch(dim3 Grid, dim3 Block, size_t SharedBytes,
                   const Callable &Kernel) {
  Work Job;
  Job.Grid = Grid;
  Job.Block = Block;
  Job.SharedBytes = SharedBytes;
  Job.Blocks = uint64_t(Grid.x) * Grid.y * Grid.z;
  if (Job.Blocks == 0 || uint64_t(Block.x) * Block.y * Block.z == 0)
    return;
  Job.Step = std::max<uint64_t>(1, Job.Blocks / (crew().size() * 8));
  Job.Kernel = &Kernel;
  Job.Run = [](dim3 Shape, const void *Function) {
    runBlock(Shape, *static_cast<const Callable *>(Function));
  };
  crew().run(Job);
}

/// The value of an argument from its bytes.
template <typename Parameter>
static inline std::remove_reference_t<Parameter> &argument(void *Bytes) {
  return *static_cast<std::remove_reference_t<Parameter> *>(Bytes);
}

template <auto Kernel, typename... Parameters, size_t... Index>
static void invokeUnpacked(dim3 Grid, dim3 Block, size_t SharedBytes,
                           void **Arguments, void (*)(Parameters...),
                           std::index_sequence<Index...>) {
  (void)Arguments;
  std::tuple<std::remove_cv_t<std::remove_reference_t<Parameters>>...> Values{
      argument<Parameters>(Arguments[Index])...};
  launch(Grid, Block, SharedBytes,
         [&Values] { Kernel(std::get<Index>(Values)...); });
}

template <auto Kernel, typename... Parameters>
static void invokeDeduced(dim3 Grid, dim3 Block, size_t SharedBytes,
                          void **Arguments, void (*Type)(Parameters...)) {
  invokeUnpacked<Kernel>(Grid, Block, SharedBytes, Arguments, Type,
                         std::index_sequence_for<Parameters...>());
}

/// Launches \p Kernel; \p Grid and \p Block point at x, y and z, \p Arguments
/// at a pointer to each argument's bytes. A kernel named as template argument
/// can be inlined into the loops over its threads.
template <auto Kernel, typename Number>
static void invoke(const Number *Grid, const Number *Block, size_t SharedBytes,
                   void **Arguments) {
  invokeDeduced<Kernel>(
      dim3(unsigned(Grid[0]), unsigned(Grid[1]), unsigned(Grid[2])),
      dim3(unsigned(Block[0]), unsigned(Block[1]), unsigned(Block[2])),
      SharedBytes, Arguments, Kernel);
}

template <typename... Parameters, size_t... Index>
static void invokePointer(void (*Kernel)(Parameters...), dim3 Grid, dim3 Block,
                          size_t SharedBytes, void **Arguments,
                          std::index_sequence<Index...>) {
  (void)Arguments;
  launch(Grid, Block, SharedBytes,
         [=] { Kernel(argument<Parameters>(Arguments[Index])...); });
}

/// The same for a kernel known only at run time: one indirect call a thread.
template <typename... Parameters, typename Number>
static void invoke(void (*Kernel)(Parameters...), const Number *Grid,
                   const Number *Block, size_t SharedBytes, void **Arguments) {
  invokePointer(
      Kernel, dim3(unsigned(Grid[0]), unsigned(Grid[1]), unsigned(Grid[2])),
      dim3(unsigned(Block[0]), unsigned(Block[1]), unsigned(Block[2])),
      SharedBytes, Arguments, std::index_sequence_for<Parameters...>());
}

} // namespace mep_cpu

#endif // MEP_CPU_LAUNCH_H
