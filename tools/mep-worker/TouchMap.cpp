/// \file
/// Reserving regions, making what is touched of them, and summing up the marks.

#include "TouchMap.h"
#include "Answer.h"
#include <algorithm>
#include <sys/mman.h>
#include <unistd.h>

using namespace mepworker;

namespace {
constexpr unsigned MostAlignment = 4096;
constexpr uint64_t ChunksOfRegion =
    TouchMap::RegionBytes >> TouchMap::ChunkShift;

void add(TouchedElements &To, int64_t Element, uint64_t Bytes) {
  if (Bytes == 0)
    return;
  if (To.Elements++ == 0)
    To.First = Element;
  To.Last = Element;
  To.Bytes += Bytes;
}
} // namespace

TouchMap::TouchMap(const std::vector<RegionSpec> &Specs, uint64_t MostBytes)
    : MostChunks(std::max<uint64_t>(1, MostBytes / ChunkBytes)),
      Count(unsigned(Specs.size())) {
  // Anonymous memory appears when it is touched, so reserving costs nothing.
  auto Reserve = [&](uint64_t Bytes, int Access, int Sharing) {
    void *Got = mmap(nullptr, Bytes, Access,
                     Sharing | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (Got == MAP_FAILED)
      throw DeviceError("cannot reserve " + std::to_string(Bytes >> 30) +
                        " GiB of address space for the probe");
    Mapped.emplace_back(Got, Bytes);
    return static_cast<char *>(Got);
  };
  const int Both = PROT_READ | PROT_WRITE;
  Span = uint64_t(Count) * RegionBytes;
  // One region more, so that what straddles the last one's end stays in bounds.
  Base = reinterpret_cast<uint64_t>(
      Reserve(Span + RegionBytes, PROT_NONE, MAP_PRIVATE));
  Marks = reinterpret_cast<uint8_t *>(
      Reserve(Span + RegionBytes, Both, MAP_SHARED));
  Open = reinterpret_cast<uint8_t *>(
      Reserve((Span + RegionBytes) >> ChunkShift, Both, MAP_PRIVATE));
  Regions = reinterpret_cast<Region *>(
      Reserve(sizeof(Region) * (Count + 1), Both, MAP_SHARED));
  Common = reinterpret_cast<State *>(Reserve(sizeof(State), Both, MAP_SHARED));
  Opened = reinterpret_cast<uint64_t *>(
      Reserve(MostRuns * MostChunks * sizeof(uint64_t), Both, MAP_SHARED));
  new (Common) State();
  for (unsigned I = 0; I < Count; ++I) {
    Region &Made = *new (Regions + I) Region();
    Made.ElementBytes = Specs[I].ElementBytes;
    Made.Bytes = Specs[I].Bytes ? Specs[I].Bytes : Start;
    Made.Existing = Specs[I].Existing;
    AnyExisting |= Specs[I].Existing != nullptr;
  }
}

TouchMap::~TouchMap() {
  for (auto [Where, Bytes] : Mapped)
    munmap(Where, Bytes);
}

char *TouchMap::address(unsigned Number) const {
  return Regions[Number].Existing
             ? Regions[Number].Existing
             : reinterpret_cast<char *>(Base + Number * RegionBytes + Start);
}

TouchPlace TouchMap::place(int64_t Offset, uint64_t Bytes, bool Write) const {
  TouchPlace Here{true,          Write,          Offset, Bytes,
                  Common->Block, Common->Launch, {}};
  if (Thread)
    std::memcpy(Here.Thread.data(), Thread, sizeof(Here.Thread));
  return Here;
}

void TouchMap::markOutside(Region &In, uint64_t Distance, uint64_t Bytes,
                           bool Write) {
  if (!In.Outside.Known)
    In.Outside = place(int64_t(Distance), Bytes, Write);
}

/// Device globals; the rest is the kernel's own (its stack, shared memory), or
/// nobody's, which shows in a moment.
void TouchMap::touchElsewhere(uint64_t Address, uint64_t Bytes, bool Write) {
  LastElsewhere = Address;
  LastWrites = Write;
  if (!AnyExisting)
    return;
  for (unsigned I = 0; I < Count; ++I) {
    uint64_t Distance =
        Address - reinterpret_cast<uint64_t>(Regions[I].Existing);
    if (Regions[I].Existing && Distance < Regions[I].Bytes)
      mark(I * RegionBytes + Start + Distance, Bytes, Write);
  }
}

bool TouchMap::openUnseen(const void *Address) {
  uint64_t Offset = reinterpret_cast<uint64_t>(Address) - Base;
  if (Offset >= Span || Open[Offset >> ChunkShift])
    return false;
  ++Common->Unseen;
  openChunk(Offset >> ChunkShift);
  return true;
}

void TouchMap::open(uint64_t Offset, uint64_t Bytes) {
  for (uint64_t C = Offset >> ChunkShift;
       C <= (Offset + Bytes - 1) >> ChunkShift; ++C)
    if (!Open[C])
      openChunk(C);
}

void TouchMap::openChunk(uint64_t Chunk) {
  if (OpenedNow++ == MostChunks) {
    end(TouchEnding::MemoryLimit, 0, 0);
    _exit(0);
  }
  Open[Chunk] = 1;
  Opened[Common->Opened++] = Chunk;
  unsigned In = unsigned(Chunk / ChunksOfRegion);
  if (In >= Count || Regions[In].Existing)
    return;
  char *Memory = reinterpret_cast<char *>(Base + (Chunk << ChunkShift));
  mprotect(Memory, ChunkBytes, PROT_READ | PROT_WRITE);
  if (Fill)
    Fill(In, int64_t((Chunk % ChunksOfRegion) << ChunkShift) - int64_t(Start),
         Memory);
}

void TouchMap::end(TouchEnding::Kind How, int Number, uint64_t Address) {
  TouchEnding &Ending = Common->Ending;
  if (Ending.How != TouchEnding::None)
    return;
  bool Write = Address && LastElsewhere == Address && LastWrites;
  Ending = {How, Number, Address, place(0, 0, Write)};
}

uint64_t TouchMap::digestOfWritten(unsigned Number) const {
  uint64_t Digest = 0;
  for (uint64_t Chunk : chunks()) {
    if (Chunk / ChunksOfRegion != Number)
      continue;
    const uint8_t *Mark = Marks + (Chunk << ChunkShift);
    int64_t Begin =
        int64_t((Chunk % ChunksOfRegion) << ChunkShift) - int64_t(Start);
    for (int64_t I = 0; I < int64_t(ChunkBytes); ++I)
      if (Mark[I] & Written)
        Digest = (Digest ^ uint64_t(Begin + I) ^
                  uint64_t(uint8_t(address(Number)[Begin + I])) << 48) *
                     0x9e3779b97f4a7c15u +
                 (Digest >> 29);
  }
  return Digest;
}

std::vector<uint64_t> TouchMap::chunks() const {
  std::vector<uint64_t> All(Opened, Opened + Common->Opened);
  std::sort(All.begin(), All.end());
  All.erase(std::unique(All.begin(), All.end()), All.end());
  return All;
}

/// The marks stay, but not as memory of this process: all runs together may
/// have touched more than one may.
void TouchMap::leave(uint64_t Chunk) const {
  madvise(Marks + (Chunk << ChunkShift), ChunkBytes, MADV_DONTNEED);
}

void TouchMap::beginRun() {
  for (uint64_t Chunk : chunks()) {
    uint8_t *At = Marks + (Chunk << ChunkShift);
    for (uint64_t I = 0; I < ChunkBytes; ++I)
      if (At[I] & Written)
        At[I] = uint8_t((At[I] & ~Written) | EverWritten);
    leave(Chunk);
  }
  Common->Ending = {};
  Common->Block = Common->BlocksBegun = 0;
}

RegionTouches TouchMap::summary(unsigned Number) const {
  const Region &In = Regions[Number];
  RegionTouches Sum;
  Sum.Outside = In.Outside;
  Sum.Widest = unsigned(std::min<uint64_t>(In.Widest, 128));
  if (In.Widest)
    Sum.Alignment = 1u << __builtin_ctzll(In.Distances | MostAlignment);

  int64_t Element = 0;
  uint64_t Reads = 0, Writes = 0, First = 0;
  auto Flush = [&] {
    add(Sum.Reads, Element, Reads);
    add(Sum.Writes, Element, Writes);
    add(Sum.ReadFirst, Element, First);
    Reads = Writes = First = 0;
  };
  auto Visit = [&](int64_t Offset, uint8_t Seen) {
    const int64_t Size = int64_t(In.ElementBytes);
    int64_t At = (Offset < 0 ? Offset - Size + 1 : Offset) / Size;
    if (At != Element)
      Flush();
    Element = At;
    Reads += (Seen & Read) != 0;
    Writes += (Seen & (Written | EverWritten)) != 0;
    First += (Seen & Mark::ReadFirst) != 0;
    Sum.OutsideBytes += Offset < 0 || uint64_t(Offset) >= In.Bytes;
  };
  for (uint64_t Chunk : chunks()) {
    if (Chunk / ChunksOfRegion != Number)
      continue;
    const uint8_t *At = Marks + (Chunk << ChunkShift);
    int64_t Begin =
        int64_t((Chunk % ChunksOfRegion) << ChunkShift) - int64_t(Start);
    for (uint64_t I = 0; I < ChunkBytes; ++I)
      if (At[I])
        Visit(Begin + int64_t(I), At[I]);
    leave(Chunk);
  }
  Flush();
  return Sum;
}
