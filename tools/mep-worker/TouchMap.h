/// \file
/// Which bytes a launch reads and writes: each buffer lies alone in a large
/// reserved region, and every byte of a region has marks. A step of the probe;
/// the marks are shared with the child process that runs the kernel, so that
/// they outlive whatever becomes of it.

#ifndef MEP_WORKER_TOUCHMAP_H
#define MEP_WORKER_TOUCHMAP_H

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace mepworker {

/// What a region is to hold.
struct RegionSpec {
  uint64_t ElementBytes = 1;
  uint64_t Bytes = 0; ///< Of the buffer; 0: not known, nothing is outside.
  /// Memory that is already there (a device global); null: the region's own.
  char *Existing = nullptr;
};

/// An access, with the block and thread that made it.
struct TouchPlace {
  bool Known = false, Write = false;
  int64_t Offset = 0; ///< Bytes from the buffer's start; may be negative.
  uint64_t Bytes = 0;
  uint64_t Block = 0;  ///< Number in launch order.
  unsigned Launch = 0; ///< Of the plan.
  std::array<uint32_t, 3> Thread{};
};

/// Elements of one kind of touch. First and Last are meaningful when Elements
/// is not zero, and may lie outside the buffer.
struct TouchedElements {
  uint64_t Elements = 0, Bytes = 0;
  int64_t First = 0, Last = -1;
};

struct RegionTouches {
  TouchedElements Reads, Writes;
  TouchedElements ReadFirst; ///< Read while nothing had been written there.
  uint64_t OutsideBytes = 0; ///< Distinct bytes touched outside the buffer.
  TouchPlace Outside;        ///< The first such access.
  /// Largest power of two, up to 4096, that divides every access's distance
  /// from the buffer's start; 0 when there was none.
  unsigned Alignment = 0;
  unsigned Widest = 0; ///< Bytes of the widest single access, up to 128.
};

/// How a run ended, as far as the process that runs it can say.
struct TouchEnding {
  enum Kind : int { None, Finished, MemoryLimit, Wild, Signal } How = None;
  int Number = 0;       ///< Of the signal.
  uint64_t Address = 0; ///< Of a wild access.
  TouchPlace Place;
};

class TouchMap {
public:
  static constexpr unsigned RegionShift = 36, ChunkShift = 16;
  static constexpr uint64_t RegionBytes = uint64_t(1) << RegionShift;
  static constexpr uint64_t ChunkBytes = uint64_t(1) << ChunkShift;
  /// Where in a region the buffer begins.
  static constexpr uint64_t Start = RegionBytes / 2;

  /// Gives the content of [\p Offset, \p Offset + ChunkBytes) bytes of the
  /// buffer of \p Region; what it leaves alone is zero.
  using Filler = std::function<void(unsigned Region, int64_t Offset, char *To)>;

  /// Runs on one map, each in a child of its own.
  static constexpr unsigned MostRuns = 6;

  /// Throws DeviceError when the address space cannot be reserved. At most
  /// \p MostBytes of it can be touched by one run.
  TouchMap(const std::vector<RegionSpec> &Regions, uint64_t MostBytes);
  ~TouchMap();
  TouchMap(const TouchMap &) = delete;

  char *address(unsigned Region) const;
  /// Of the regions, one after the other.
  uint64_t base() const { return Base; }
  void setFiller(Filler How) { Fill = std::move(How); }

  /// Marks an access that is about to happen; makes the memory if need be.
  void touch(const volatile void *Address, uint64_t Bytes, bool Write) {
    uint64_t Offset = reinterpret_cast<uint64_t>(Address) - Base;
    if (Offset < Span)
      mark(Offset, Bytes, Write);
    else
      touchElsewhere(reinterpret_cast<uint64_t>(Address), Bytes, Write);
  }
  /// Makes the memory at \p Address, which is touched by code that does not
  /// say so; false when it is in no region.
  bool openUnseen(const void *Address);
  /// The block to run as number \p Number of \p Blocks; remembered for places.
  uint64_t enterBlock(uint64_t Number, uint64_t Blocks,
                      const void *ThreadIndex) {
    Thread = ThreadIndex;
    ++Common->BlocksBegun;
    return Common->Block = FromLast ? Blocks - 1 - Number : Number;
  }
  /// What is launched next is number \p Number of the plan.
  void beginLaunch(unsigned Number) { Common->Launch = Number; }
  /// The next run takes the blocks from the last one on.
  void reverseBlocks() { FromLast = true; }
  /// Of all bytes that this run wrote to \p Region.
  uint64_t digestOfWritten(unsigned Region) const;
  /// \p How ends the run; only the first ending counts.
  void end(TouchEnding::Kind How, int Number, uint64_t Address);

  // ---- for the process that waits
  // --------------------------------------------

  /// Between two runs: what the next run reads before it writes is its own
  /// matter, all else adds up.
  void beginRun();
  RegionTouches summary(unsigned Region) const;
  TouchEnding ending() const { return Common->Ending; }
  uint64_t blocksBegun() const { return Common->BlocksBegun; }
  uint64_t accesses() const { return Common->Accesses; }
  uint64_t unseen() const { return Common->Unseen; }

private:
  enum Mark : uint8_t { Read = 1, Written = 2, ReadFirst = 4, EverWritten = 8 };

  struct Region {
    uint64_t ElementBytes = 1, Bytes = 0;
    char *Existing = nullptr;
    uint64_t Distances = 0; ///< Of all accesses, one over the other.
    uint64_t Widest = 0;
    TouchPlace Outside;
  };
  /// What both processes see.
  struct State {
    uint64_t Accesses = 0, Unseen = 0, Opened = 0;
    uint64_t Block = 0, BlocksBegun = 0; ///< Of the last run.
    unsigned Launch = 0;
    TouchEnding Ending;
  };

  template <typename Word> static void markWord(uint8_t *At, bool Write) {
    constexpr Word Ones = Word(~Word(0)) / 255;
    Word Marks;
    std::memcpy(&Marks, At, sizeof(Word));
    Marks = Write ? Word(Marks | Ones * Written)
                  : Word(Marks | Ones * Read |
                         (~Marks & (Ones * Written)) * (ReadFirst / Written));
    std::memcpy(At, &Marks, sizeof(Word));
  }
  void mark(uint64_t Offset, uint64_t Bytes, bool Write) {
    ++Common->Accesses;
    Region &In = Regions[Offset >> RegionShift];
    uint64_t Distance = (Offset & (RegionBytes - 1)) - Start;
    In.Distances |= Distance;
    In.Widest = Bytes > In.Widest ? Bytes : In.Widest;
    if (Distance > In.Bytes || Bytes > In.Bytes - Distance)
      markOutside(In, Distance, Bytes, Write);
    if (!Open[Offset >> ChunkShift] ||
        !Open[(Offset + Bytes - 1) >> ChunkShift] || Bytes > ChunkBytes)
      open(Offset, Bytes);
    uint8_t *At = Marks + Offset;
    for (; Bytes >= 8; Bytes -= 8, At += 8)
      markWord<uint64_t>(At, Write);
    if (Bytes & 4)
      markWord<uint32_t>(At, Write), At += 4;
    if (Bytes & 2)
      markWord<uint16_t>(At, Write), At += 2;
    if (Bytes & 1)
      markWord<uint8_t>(At, Write);
  }
  void markOutside(Region &In, uint64_t Distance, uint64_t Bytes, bool Write);
  void touchElsewhere(uint64_t Address, uint64_t Bytes, bool Write);
  void open(uint64_t Offset, uint64_t Bytes);
  void openChunk(uint64_t Chunk);
  TouchPlace place(int64_t Offset, uint64_t Bytes, bool Write) const;
  std::vector<uint64_t> chunks() const;
  void leave(uint64_t Chunk) const;

  uint64_t Base = 0, Span = 0, MostChunks, OpenedNow = 0;
  uint8_t *Marks = nullptr;
  uint8_t *Open = nullptr;    ///< By chunk; each run's own.
  Region *Regions = nullptr;  ///< Shared.
  State *Common = nullptr;    ///< Shared.
  uint64_t *Opened = nullptr; ///< Chunks in order of opening, shared.
  unsigned Count;
  const void *Thread = nullptr;
  uint64_t LastElsewhere = 0;
  bool LastWrites = false, AnyExisting = false, FromLast = false;
  Filler Fill;
  std::vector<std::pair<void *, uint64_t>> Mapped;
};

} // namespace mepworker

#endif // MEP_WORKER_TOUCHMAP_H
