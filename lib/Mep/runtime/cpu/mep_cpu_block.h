/// \file
/// The threads of one block on one OS thread. With MEP_NO_FIBERS they are a
/// loop nest. Otherwise each is a fiber that stops at barriers and warp
/// operations; a meeting is complete when every fiber that has not returned
/// (and, in a warp operation, is named by the mask) has come to it, so early
/// returns never block it.

#ifndef MEP_CPU_BLOCK_H
#define MEP_CPU_BLOCK_H

#include "mep_cpu_fibers.h"
#include "mep_cpu_types.h"

namespace mep_cpu {

/// This OS thread's dynamic shared memory; its content between blocks is
/// whatever was left there, as on a device.
static thread_local char *SharedMemory;

template <typename Element> static inline Element *dynamicShared() {
  return reinterpret_cast<Element *>(SharedMemory);
}

#ifdef MEP_CPU_PROBE
/// For a build whose accesses are recorded: says which block and thread makes
/// them, and is told which block to run.
extern "C" uint64_t mep_cpu_probe_block(uint64_t Number, uint64_t Blocks,
                                        const void *ThreadIndex);
/// All threads of the block that are left have come to a barrier; lanes of a
/// warp have met.
extern "C" void mep_cpu_probe_barrier();
extern "C" void mep_cpu_probe_meet(unsigned Warp);
/// Whether what is executed from here on is the kernel's.
extern "C" void mep_cpu_probe_running(bool Kernel);
/// This OS thread's shared memory is at \p Dynamic and among the thread-local
/// variables, but for the runtime's own.
extern "C" void mep_cpu_probe_shared(const void *Dynamic, uint64_t Bytes,
                                     const void *ThreadIndex,
                                     const void *const *Own,
                                     const uint64_t *OwnBytes, unsigned Count);
#endif

static inline void tellBarrier() {
#ifdef MEP_CPU_PROBE
  mep_cpu_probe_barrier();
#endif
}
static inline void tellRunning([[maybe_unused]] bool Kernel) {
#ifdef MEP_CPU_PROBE
  mep_cpu_probe_running(Kernel);
#endif
}
static inline void tellMeeting([[maybe_unused]] unsigned Warp) {
#ifdef MEP_CPU_PROBE
  mep_cpu_probe_meet(Warp);
#endif
}

static inline void enterBlock(dim3 Grid, uint64_t Block) {
#ifdef MEP_CPU_PROBE
  Block = mep_cpu_probe_block(Block, uint64_t(Grid.x) * Grid.y * Grid.z,
                              &threadIdx);
#ifndef MEP_NO_FIBERS
  tellRunning(false);
#endif
#endif
  blockIdx.x = unsigned(Block % Grid.x);
  blockIdx.y = unsigned(Block / Grid.x % Grid.y);
  blockIdx.z = unsigned(Block / Grid.x / Grid.y);
}

#ifdef MEP_NO_FIBERS

[[noreturn]] static inline void needsFibers() {
  std::fputs("mep_cpu: a barrier or warp operation, but the program was built "
             "with MEP_NO_FIBERS\n",
             stderr);
  std::abort();
}

template <typename Callable>
static inline void runBlock(dim3 Block, const Callable &Kernel) {
  for (unsigned Deep = 0; Deep < Block.z; ++Deep)
    for (unsigned Row = 0; Row < Block.y; ++Row)
      for (unsigned Column = 0; Column < Block.x; ++Column) {
        threadIdx.x = Column;
        threadIdx.y = Row;
        threadIdx.z = Deep;
        Kernel();
      }
}

#else

static_assert(MEP_WARP_SIZE > 0 && MEP_WARP_SIZE <= 64,
              "MEP_WARP_SIZE must be 1 to 64");

enum class Wait : uint8_t { Ready, Block, Warp, Returned };

/// What a lane brings to a warp operation and takes from it.
struct Exchange {
  uint64_t Mask = 0;     ///< Lanes that are to meet.
  uint64_t Together = 0; ///< Out: lanes that met.
  uint64_t Votes = 0;    ///< Out: those of them whose Vote was true.
  unsigned Source = 0;   ///< Lane whose value is wanted.
  bool Vote = false;
  alignas(16) unsigned char Value[16];
  alignas(16) unsigned char Result[16];
};

struct Fiber {
  Context Here;
  Wait State = Wait::Ready;
  uint3 Index{};
  Exchange Lane;
};

class Block;
static thread_local Block *Current;

class Block {
public:
  ~Block() { delete[] Fibers; }

  /// Runs \p Entry as every thread of a block of \p Shape.
  void run(dim3 Shape, void (*Entry)(const void *), const void *Kernel) {
    start(Shape, Entry, Kernel);
    while (Alive != 0) {
      for (unsigned Warp = 0; Warp < Warps; ++Warp)
        runWarp(Warp);
      if (!releaseWarps())
        releaseBarrier();
    }
  }

  /// Waits for the others of the block; the number of true \p Vote among them.
  unsigned barrier(bool Vote) {
    BarrierVotes += Vote;
    stop(Wait::Block);
    return BarrierResult;
  }

  /// Threads that had come to the last barrier.
  unsigned barrierSize() const { return BarrierArrived; }

  /// Meets the lanes of \p Mask in this warp.
  Exchange &meet(uint64_t Mask) {
    Exchange &Mine = Fibers[Running].Lane;
    Mine.Mask = Mask;
    unsigned Warp = Running / MEP_WARP_SIZE;
    Fibers[Running].State = Wait::Warp;
    uint64_t Group = waiting(Warp, Mask);
    if ((Group & Mask) == (aliveLanes(Warp) & Mask)) {
      complete(Warp, Group);
      return Mine;
    }
    stop(Wait::Warp);
    return Mine;
  }

  Exchange &lane() { return Fibers[Running].Lane; }
  unsigned laneNumber() const { return Running % MEP_WARP_SIZE; }
  uint64_t aliveLanes() const { return aliveLanes(Running / MEP_WARP_SIZE); }

private:
  void start(dim3 Shape, void (*Entry)(const void *), const void *Kernel) {
    Count = Shape.x * Shape.y * Shape.z;
    Warps = (Count + MEP_WARP_SIZE - 1) / MEP_WARP_SIZE;
    if (Count > Made) {
      delete[] Fibers;
      Fibers = new Fiber[Count];
      Made = Count;
    }
    Memory.reserve(Count);
    EntryPoint = Entry;
    Argument = Kernel;
    Alive = Count;
    BarrierVotes = 0;
    Current = this;
    for (unsigned Number = 0; Number < Count; ++Number) {
      Fiber &Each = Fibers[Number];
      Each.State = Wait::Ready;
      Each.Index = {Number % Shape.x, Number / Shape.x % Shape.y,
                    Number / Shape.x / Shape.y};
      prepare(Each.Here, Memory.get(Number), Stacks::bytes(), enter);
    }
  }

  static void enter() {
    Block &Own = *Current;
    Own.EntryPoint(Own.Argument);
    --Own.Alive;
    Own.stop(Wait::Returned);
  }

  void stop(Wait State) {
    Fiber &Self = Fibers[Running];
    Self.State = State;
    switchTo(Self.Here, Scheduler);
  }

  void resume(unsigned Number) {
    Running = Number;
    threadIdx = Fibers[Number].Index;
    tellRunning(true);
    switchTo(Scheduler, Fibers[Number].Here);
    tellRunning(false);
  }

  unsigned lanesOf(unsigned Warp) const {
    unsigned Left = Count - Warp * MEP_WARP_SIZE;
    return Left < MEP_WARP_SIZE ? Left : MEP_WARP_SIZE;
  }

  /// Until no lane of the warp can go on by itself. A lane that returns may be
  /// the last one that the others were waiting for.
  void runWarp(unsigned Warp) {
    bool Progress = true;
    while (Progress) {
      Progress = false;
      for (unsigned Lane = 0; Lane < lanesOf(Warp); ++Lane) {
        unsigned Number = Warp * MEP_WARP_SIZE + Lane;
        if (Fibers[Number].State != Wait::Ready)
          continue;
        Progress = true;
        resume(Number);
        if (Fibers[Number].State == Wait::Returned)
          completeWaiting(Warp, false);
      }
    }
  }

  uint64_t aliveLanes(unsigned Warp) const {
    uint64_t Lanes = 0;
    for (unsigned Lane = 0; Lane < lanesOf(Warp); ++Lane)
      if (Fibers[Warp * MEP_WARP_SIZE + Lane].State != Wait::Returned)
        Lanes |= uint64_t(1) << Lane;
    return Lanes;
  }

  /// Lanes that wait for a warp operation with \p Mask.
  uint64_t waiting(unsigned Warp, uint64_t Mask) const {
    uint64_t Lanes = 0;
    for (unsigned Lane = 0; Lane < lanesOf(Warp); ++Lane) {
      const Fiber &Each = Fibers[Warp * MEP_WARP_SIZE + Lane];
      if (Each.State == Wait::Warp && Each.Lane.Mask == Mask)
        Lanes |= uint64_t(1) << Lane;
    }
    return Lanes;
  }

  /// Gives every lane of \p Group its result and lets it go on.
  void complete(unsigned Warp, uint64_t Group) {
    Fiber *First = Fibers + Warp * MEP_WARP_SIZE;
    uint64_t Votes = 0;
    for (uint64_t Rest = Group; Rest; Rest &= Rest - 1) {
      unsigned Lane = unsigned(__builtin_ctzll(Rest));
      Votes |= uint64_t(First[Lane].Lane.Vote) << Lane;
    }
    for (uint64_t Rest = Group; Rest; Rest &= Rest - 1) {
      Exchange &Own = First[__builtin_ctzll(Rest)].Lane;
      bool Present = Own.Source < MEP_WARP_SIZE && (Group >> Own.Source & 1);
      std::memcpy(Own.Result,
                  Present ? First[Own.Source].Lane.Value : Own.Value, 16);
      Own.Together = Group;
      Own.Votes = Votes;
      First[__builtin_ctzll(Rest)].State = Wait::Ready;
    }
    tellMeeting(Warp);
  }

  /// Completes the warp operations of \p Warp whose lanes are all there; with
  /// \p Partly also those that lanes stay away from. True if there was one.
  bool completeWaiting(unsigned Warp, bool Partly) {
    bool Any = false;
    for (unsigned Lane = 0; Lane < lanesOf(Warp); ++Lane) {
      const Fiber &Each = Fibers[Warp * MEP_WARP_SIZE + Lane];
      if (Each.State != Wait::Warp)
        continue;
      uint64_t Mask = Each.Lane.Mask, Group = waiting(Warp, Mask);
      if (!Partly && (Group & Mask) != (aliveLanes(Warp) & Mask))
        continue;
      complete(Warp, Group);
      Any = true;
    }
    return Any;
  }

  /// Nobody can go on by itself: lanes of a mask that never come (divergent
  /// code under `__activemask()` or a full mask) are not waited for longer.
  bool releaseWarps() {
    bool Any = false;
    for (unsigned Warp = 0; Warp < Warps; ++Warp)
      Any |= completeWaiting(Warp, true);
    return Any;
  }

  void releaseBarrier() {
    BarrierResult = BarrierVotes;
    BarrierVotes = 0;
    BarrierArrived = 0;
    for (unsigned Number = 0; Number < Count; ++Number)
      if (Fibers[Number].State == Wait::Block) {
        Fibers[Number].State = Wait::Ready;
        ++BarrierArrived;
      }
    tellBarrier();
  }

  Stacks Memory;
  Context Scheduler;
  Fiber *Fibers = nullptr;
  void (*EntryPoint)(const void *) = nullptr;
  const void *Argument = nullptr;
  unsigned Made = 0, Count = 0, Warps = 0, Running = 0, Alive = 0;
  unsigned BarrierVotes = 0, BarrierResult = 0, BarrierArrived = 0;
};

static thread_local Block OwnBlock;

template <typename Callable>
static inline void runBlock(dim3 Shape, const Callable &Kernel) {
  OwnBlock.run(
      Shape,
      [](const void *Function) {
        (*static_cast<const Callable *>(Function))();
      },
      &Kernel);
}

#endif // MEP_NO_FIBERS

#ifdef MEP_CPU_PROBE
template <typename... Locals>
static void tellSharedBut(size_t DynamicBytes, Locals &...Own) {
  const void *Starts[] = {&Own...};
  const uint64_t Bytes[] = {sizeof(Own)...};
  mep_cpu_probe_shared(SharedMemory, DynamicBytes, &threadIdx, Starts, Bytes,
                       sizeof...(Own));
}
#endif

/// Where this OS thread's shared memory lies, to whoever records accesses.
static inline void tellShared([[maybe_unused]] size_t DynamicBytes) {
#if defined(MEP_CPU_PROBE) && defined(MEP_NO_FIBERS)
  tellSharedBut(DynamicBytes, threadIdx, blockIdx, blockDim, gridDim,
                SharedMemory);
#elif defined(MEP_CPU_PROBE)
  tellSharedBut(DynamicBytes, threadIdx, blockIdx, blockDim, gridDim,
                SharedMemory, Current, OwnBlock, Leaving, Starting);
#endif
}

} // namespace mep_cpu

#endif // MEP_CPU_BLOCK_H
