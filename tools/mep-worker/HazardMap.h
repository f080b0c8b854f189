/// \file
/// Whether the accesses of a launch are ordered: for each word of memory, which
/// threads touched it last, and whether a barrier lies between. A step of the
/// probe. What it calls a race is one, whatever order the threads ran in; what
/// it lets pass may still be one.

#ifndef MEP_WORKER_HAZARDMAP_H
#define MEP_WORKER_HAZARDMAP_H

#include "Platform.h"
#include "TouchMap.h"
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace mepworker {

enum class AccessKind : uint8_t {
  Read,
  Write,
  AtomicRead,
  AtomicWrite,
  AtomicUpdate, ///< Both.
  VolatileRead,
  VolatileWrite
};

/// Two accesses without order, or one of what nobody wrote.
struct Hazard {
  enum Kind : int { Race, Uninitialised } How = Race;
  int Region = -1; ///< As in TouchMap; -1: shared memory.
  /// Bytes from the buffer's start, or from where a block's shared memory
  /// (static and dynamic apart) begins.
  int64_t Offset = 0;
  TouchPlace First, Second; ///< Of Uninitialised only the second.
};

/// Threads of a block are ordered by barriers, lanes of a warp by warp
/// operations too. Accesses are fine without order when both read, when both
/// are atomic, or when the write changes nothing. In global memory there is
/// more that programs rely on: fences or atomic operations on either side,
/// volatile accesses, plain reads of what others change atomically.
class HazardMap {
public:
  static constexpr unsigned MostHazards = 16;
  static constexpr uint64_t WordBytes = 4;

  /// For regions as \p Map has them. Throws DeviceError when the address space
  /// cannot be reserved.
  HazardMap(const std::vector<RegionSpec> &Regions, const TouchMap &Map);
  ~HazardMap();
  HazardMap(const HazardMap &) = delete;

  /// What nobody wrote in shared memory reads as this from now on.
  void setDirt(uint8_t Value) { Dirt = Value; }

  // ---- in the process that runs the kernel
  // ------------------------------------

  /// \p Number: of the plan.
  void beginLaunch(unsigned Number, const Geometry &Shape);
  void beginBlock(uint64_t Number, const void *ThreadIndex);
  /// The shared memory of this OS thread: \p Bytes at \p Dynamic, and the
  /// thread-local variables around \p ThreadIndex but for \p Own (address and
  /// bytes), which are the runtime's.
  void setShared(const void *Dynamic, uint64_t Bytes, const void *ThreadIndex,
                 const std::vector<std::pair<const void *, uint64_t>> &Own);
  /// What is done while no kernel runs is nobody's, and the thread-local
  /// variables that are touched then are the runtime's.
  void setRunning(bool Kernel) { IsRunning = Kernel; }
  void barrier() { Interval = ++Intervals; }
  void meet(unsigned Warp);
  void fence();
  /// To be called before the access happens.
  void access(const volatile void *Address, uint64_t Bytes, AccessKind Kind);
  /// The last write has happened.
  void settle();
  /// What the run's results come to.
  void setDigest(uint64_t Value) { Common->Digest = Value; }

  // ---- for the process that waits
  // ---------------------------------------------

  std::vector<Hazard> hazards() const;
  uint64_t digest() const { return Common->Digest; }
  /// Whether a block read shared memory that it had not written.
  bool readUninitialised() const;

private:
  struct Access {
    uint32_t Interval = 0; ///< Between two barriers of a block; 0: none.
    uint32_t Block = 0, Tick = 0;
    uint16_t Thread = 0;
    uint8_t Mask = 0; ///< Bytes of the word.
    bool Atomic : 1 = false, ChangesNothing : 1 = false;
  };
  struct Cell {
    Access Write, OtherWrite, Read, OtherRead; ///< Other: another thread's.
    uint32_t Owner = 0;  ///< Block whose shared memory this is.
    uint8_t Written = 0; ///< Bytes that it wrote.
    bool IsOwn = false;  ///< The runtime's.
  };
  /// Words of a buffer's chunk (TouchMap::ChunkBytes), made when it is touched.
  using Chunk = std::unique_ptr<Cell[]>;
  struct Range {
    uint64_t Begin = 0, Bytes = 0;
    std::vector<Cell> Cells;
  };
  /// Where an access is: Words leads to the cell of each of its words.
  struct Spot {
    int Region = -1;
    int64_t Offset = 0;  ///< As in Hazard.
    uint64_t Word = 0;   ///< Of the regions, or of In.
    Range *In = nullptr; ///< Of shared memory.
  };
  struct State {
    unsigned Count = 0;
    uint64_t Digest = 0;
    Hazard Found[MostHazards];
  };
  /// A write that is about to happen, with what it may collide with.
  struct Pending {
    uint64_t Address = 0, Bytes = 0;
    unsigned char Before[16];
    std::array<Cell *, 5> Words{};
    unsigned Count = 0; ///< Of words; 0: there is none.
    bool IsSuspect = false;
    Hazard Suspected;
  };

  bool find(uint64_t Address, uint64_t Bytes, Spot &Here);
  Cell &cell(const Spot &Here, uint64_t Number);
  void visit(Cell &Word, uint8_t Mask, uint64_t Address, AccessKind Kind,
             int Region, int64_t Offset);
  void enterShared(Cell &Word, uint8_t Mask, uint64_t Address, bool Writes,
                   int64_t Offset);
  bool collide(const Access &Before, const Access &Now, bool IsShared) const;
  Hazard between(const Access &Before, const Access &Now, bool FirstWrites,
                 bool SecondWrites, int Region, int64_t Offset) const;
  TouchPlace place(const Access &Of, bool Writes) const;
  void report(const Hazard &Found);
  uint16_t thread() const;

  uint64_t Base = 0, Span = 0;
  struct Outer {
    uint64_t Begin, Bytes;
    unsigned Region;
  };
  std::vector<Outer> Globals; ///< Buffers that lie elsewhere.
  std::unordered_map<uint64_t, Chunk> Chunks;
  uint64_t LastNumber = ~uint64_t(0); ///< Of the chunk looked at last.
  Cell *LastChunk = nullptr;
  State *Common = nullptr;
  Range Static, Dynamic;
  uint8_t Dirt = 0;

  uint32_t Intervals = 0, Interval = 0, LaunchFirst = 1, BlockFirst = 1;
  uint32_t Tick = 0, BlockTick = 0, Block = 0;
  const uint32_t *Thread = nullptr;
  std::array<uint64_t, 3> Shape{1, 1, 1};
  unsigned Launch = 0;
  bool IsRunning = true;
  std::array<uint32_t, 1024> ThreadSync{};
  std::array<uint32_t, 1024> WarpMet{};
  std::map<uint32_t, uint32_t> BlockSync;
  Pending Last;
};

} // namespace mepworker

#endif // MEP_WORKER_HAZARDMAP_H
