/// \file
/// The order of accesses, word by word.

#include "HazardMap.h"
#include "Answer.h"
#include <algorithm>
#include <link.h>
#include <sys/mman.h>
#include <utility>

using namespace mepworker;

namespace {

constexpr unsigned WarpLanes = 32;

bool isWrite(AccessKind Kind) {
  return Kind == AccessKind::Write || Kind == AccessKind::AtomicWrite ||
         Kind == AccessKind::AtomicUpdate || Kind == AccessKind::VolatileWrite;
}
bool isAtomic(AccessKind Kind, bool IsShared) {
  return Kind == AccessKind::AtomicRead || Kind == AccessKind::AtomicWrite ||
         Kind == AccessKind::AtomicUpdate ||
         (!IsShared && (Kind == AccessKind::VolatileRead ||
                        Kind == AccessKind::VolatileWrite));
}

/// The thread-local variables, around \p Of, of the library that has it.
struct LocalBlock {
  uint64_t Of = 0, Begin = 0, Bytes = 0;
};
int findLocals(dl_phdr_info *Library, size_t, void *Into) {
  auto &Wanted = *static_cast<LocalBlock *>(Into);
  uint64_t Begin = reinterpret_cast<uint64_t>(Library->dlpi_tls_data);
  for (unsigned I = 0; Begin && I < Library->dlpi_phnum; ++I) {
    const auto &Part = Library->dlpi_phdr[I];
    if (Part.p_type != PT_TLS || Wanted.Of - Begin >= Part.p_memsz)
      continue;
    Wanted.Begin = Begin;
    Wanted.Bytes = Part.p_memsz;
    return 1;
  }
  return 0;
}

} // namespace

HazardMap::HazardMap(const std::vector<RegionSpec> &Regions,
                     const TouchMap &Map)
    : Base(Map.base()), Span(Regions.size() * TouchMap::RegionBytes) {
  void *Got = mmap(nullptr, sizeof(State), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (Got == MAP_FAILED)
    throw DeviceError("no memory for the probe");
  Common = new (Got) State();
  for (unsigned I = 0; I < Regions.size(); ++I)
    if (Regions[I].Existing)
      Globals.push_back({reinterpret_cast<uint64_t>(Regions[I].Existing),
                         Regions[I].Bytes, I});
}

HazardMap::~HazardMap() { munmap(Common, sizeof(State)); }

// ---- the order of things ----------------------------------------------------

void HazardMap::beginLaunch(unsigned Number, const Geometry &Of) {
  settle();
  Launch = Number;
  Shape = Of.Block;
  LaunchFirst = Interval = ++Intervals;
  BlockSync.clear();
}

void HazardMap::beginBlock(uint64_t Number, const void *ThreadIndex) {
  settle();
  IsRunning = true;
  Block = uint32_t(Number);
  Thread = static_cast<const uint32_t *>(ThreadIndex);
  BlockFirst = Interval = ++Intervals;
  BlockTick = ++Tick;
  ThreadSync.fill(0);
  WarpMet.fill(0);
}

void HazardMap::meet(unsigned Warp) {
  settle();
  WarpMet[Warp % WarpMet.size()] = ++Tick;
}

void HazardMap::fence() { ThreadSync[thread()] = BlockSync[Block] = ++Tick; }

uint16_t HazardMap::thread() const {
  if (!Thread)
    return 0;
  uint64_t Number =
      Thread[0] + Shape[0] * (Thread[1] + Shape[1] * uint64_t(Thread[2]));
  return uint16_t(Number % ThreadSync.size());
}

/// True when nothing orders \p Before and \p Now, which come from different
/// threads.
bool HazardMap::collide(const Access &Before, const Access &Now,
                        bool IsShared) const {
  if (Before.Interval < LaunchFirst || !(Before.Mask & Now.Mask))
    return false;
  if (Before.Interval < BlockFirst) {
    auto Released = BlockSync.find(Before.Block), Taken = BlockSync.find(Block);
    return Released == BlockSync.end() || Released->second <= Before.Tick ||
           Taken == BlockSync.end() || Taken->second < BlockTick;
  }
  if (Before.Thread == Now.Thread || Before.Interval != Now.Interval)
    return false;
  unsigned Warp = Now.Thread / WarpLanes;
  if (Before.Thread / WarpLanes == Warp && Before.Tick < WarpMet[Warp])
    return false;
  return IsShared || ThreadSync[Before.Thread] <= Before.Tick ||
         ThreadSync[Now.Thread] <= Before.Tick;
}

// ---- one access -------------------------------------------------------------

bool HazardMap::find(uint64_t Address, uint64_t Bytes, Spot &Here) {
  uint64_t Distance = Address - Base;
  if (Distance < Span) {
    Here.Region = int(Distance / TouchMap::RegionBytes);
    Here.Offset =
        int64_t(Distance % TouchMap::RegionBytes) - int64_t(TouchMap::Start);
    Here.Word = Distance / WordBytes;
    return true;
  }
  for (const Outer &Each : Globals)
    if (Address - Each.Begin < Each.Bytes) {
      Here.Region = int(Each.Region);
      Here.Offset = int64_t(Address - Each.Begin);
      // As far from a whole word as the variable itself.
      Here.Word = (Each.Region * TouchMap::RegionBytes + TouchMap::Start +
                   Each.Begin % WordBytes + uint64_t(Here.Offset)) /
                  WordBytes;
      return true;
    }
  for (Range *Each : {&Dynamic, &Static})
    if (Address - Each->Begin < Each->Bytes &&
        Bytes <= Each->Bytes - (Address - Each->Begin)) {
      Here.In = Each;
      Here.Offset = int64_t(Address - Each->Begin);
      Here.Word = (Each->Begin % WordBytes + uint64_t(Here.Offset)) / WordBytes;
      return true;
    }
  return false;
}

HazardMap::Cell &HazardMap::cell(const Spot &Here, uint64_t Number) {
  uint64_t Word = Here.Word + Number;
  if (Here.In)
    return Here.In->Cells[Word];
  constexpr uint64_t WordsOfChunk = TouchMap::ChunkBytes / WordBytes;
  if (Word / WordsOfChunk != LastNumber) {
    LastNumber = Word / WordsOfChunk;
    Chunk &Made = Chunks[LastNumber];
    if (!Made)
      Made = std::make_unique<Cell[]>(WordsOfChunk);
    LastChunk = Made.get();
  }
  return LastChunk[Word % WordsOfChunk];
}

void HazardMap::access(const volatile void *At, uint64_t Bytes,
                       AccessKind Kind) {
  settle();
  uint64_t Address = reinterpret_cast<uint64_t>(At);
  Spot Here;
  const bool IsKnown = find(Address, Bytes, Here);
  if (!IsRunning) {
    // Variables that a compiler adds are the runtime's too.
    if (Here.In && Bytes)
      cell(Here, 0).IsOwn = true;
    return;
  }
  if (isAtomic(Kind, IsKnown && Here.Region < 0))
    fence();
  if (!IsKnown || Bytes == 0 || cell(Here, 0).IsOwn)
    return;
  const unsigned Skipped = Address % WordBytes;
  const uint64_t Words = (Skipped + Bytes + WordBytes - 1) / WordBytes;
  if (isWrite(Kind) && Bytes <= sizeof(Last.Before)) {
    Last.Address = Address;
    Last.Bytes = Bytes;
    Last.Count = unsigned(Words);
    for (unsigned I = 0; I < Words; ++I)
      Last.Words[I] = &cell(Here, I);
    std::memcpy(Last.Before, reinterpret_cast<const void *>(Address), Bytes);
  }
  for (uint64_t I = 0; I < Words; ++I) {
    uint64_t Begin = I ? 0 : Skipped,
             End = std::min(WordBytes, Skipped + Bytes - I * WordBytes);
    uint8_t Mask = uint8_t((1u << End) - (1u << Begin));
    visit(cell(Here, I), Mask, Address - Skipped + I * WordBytes, Kind,
          Here.Region,
          Here.Offset + int64_t(I * WordBytes + Begin) - int64_t(Skipped));
  }
}

void HazardMap::visit(Cell &Word, uint8_t Mask, uint64_t Address,
                      AccessKind Kind, int Region, int64_t Offset) {
  const bool Writes = isWrite(Kind), IsShared = Region < 0;
  if (IsShared)
    enterShared(Word, Mask, Address, Writes, Offset);
  Access Now{Interval, Block, Tick, thread(), Mask, isAtomic(Kind, IsShared),
             false};
  auto Suspect = [&](const Access &Before, bool FirstWrites) {
    Hazard Found = between(Before, Now, FirstWrites, Writes, Region, Offset);
    if (!Writes || !Last.Count)
      return report(Found);
    if (!Last.IsSuspect)
      Last.Suspected = Found;
    Last.IsSuspect = true;
  };
  auto Enter = [&](Access &Latest, Access &Other) {
    if (Latest.Thread != Now.Thread || Latest.Block != Now.Block)
      Other = Latest;
    Latest = Now;
  };
  for (const Access &Before : {Word.Write, Word.OtherWrite}) {
    const bool Fine = Before.Atomic ? Now.Atomic || (!Writes && !IsShared)
                                    : !Writes && Before.ChangesNothing;
    if (!Fine && collide(Before, Now, IsShared))
      Suspect(Before, true);
  }
  if (!Writes)
    return Enter(Word.Read, Word.OtherRead);
  for (const Access &Before : {Word.Read, Word.OtherRead})
    if (!(Now.Atomic && (Before.Atomic || !IsShared)) &&
        collide(Before, Now, IsShared))
      Suspect(Before, false);
  Enter(Word.Write, Word.OtherWrite);
}

/// Shared memory is each block's own. What a block reads there and has not
/// written is made what the next run will not find.
void HazardMap::enterShared(Cell &Word, uint8_t Mask, uint64_t Address,
                            bool Writes, int64_t Offset) {
  if (Word.Owner != BlockFirst) {
    Word = Cell();
    Word.Owner = BlockFirst;
  }
  uint8_t Missing = Mask & ~Word.Written;
  Word.Written |= Mask; // What is read is made, below.
  if (Writes || !Missing)
    return;
  for (unsigned I = 0; I < WordBytes; ++I)
    if (Missing >> I & 1)
      reinterpret_cast<uint8_t *>(Address)[I] = Dirt;
  Hazard Found;
  Found.How = Hazard::Uninitialised;
  Found.Offset = Offset;
  Found.Second = place({Interval, Block, Tick, thread(), Mask}, false);
  report(Found);
}

/// A write is known to change something once it has happened.
void HazardMap::settle() {
  const unsigned Count = std::exchange(Last.Count, 0);
  const bool Suspected = std::exchange(Last.IsSuspect, false);
  if (!Count)
    return;
  if (std::memcmp(Last.Before, reinterpret_cast<const void *>(Last.Address),
                  Last.Bytes) == 0)
    for (unsigned I = 0; I < Count; ++I)
      Last.Words[I]->Write.ChangesNothing = true;
  else if (Suspected)
    report(Last.Suspected);
}

// ---- what was found ---------------------------------------------------------

TouchPlace HazardMap::place(const Access &Of, bool Writes) const {
  TouchPlace Here;
  Here.Known = true;
  Here.Write = Writes;
  Here.Block = Of.Block;
  Here.Launch = Launch;
  uint64_t Number = Of.Thread;
  Here.Thread = {uint32_t(Number % Shape[0]),
                 uint32_t(Number / Shape[0] % Shape[1]),
                 uint32_t(Number / Shape[0] / Shape[1])};
  return Here;
}

Hazard HazardMap::between(const Access &Before, const Access &Now,
                          bool FirstWrites, bool SecondWrites, int Region,
                          int64_t Offset) const {
  return {Hazard::Race, Region, Offset, place(Before, FirstWrites),
          place(Now, SecondWrites)};
}

/// The first of each kind and memory.
void HazardMap::report(const Hazard &Found) {
  for (unsigned I = 0; I < Common->Count; ++I)
    if (Common->Found[I].How == Found.How &&
        Common->Found[I].Region == Found.Region)
      return;
  if (Common->Count < MostHazards)
    Common->Found[Common->Count++] = Found;
}

std::vector<Hazard> HazardMap::hazards() const {
  return {Common->Found, Common->Found + Common->Count};
}

bool HazardMap::readUninitialised() const {
  const std::vector<Hazard> All = hazards();
  return std::any_of(All.begin(), All.end(), [](const Hazard &Each) {
    return Each.How == Hazard::Uninitialised;
  });
}

void HazardMap::setShared(
    const void *DynamicStart, uint64_t Bytes, const void *ThreadIndex,
    const std::vector<std::pair<const void *, uint64_t>> &Own) {
  auto Cover = [](Range &To, uint64_t Begin, uint64_t Length) {
    To.Begin = Begin;
    To.Bytes = Length;
    To.Cells.assign(Length / WordBytes + 2, Cell());
  };
  Cover(Dynamic, reinterpret_cast<uint64_t>(DynamicStart), Bytes);
  LocalBlock Locals{reinterpret_cast<uint64_t>(ThreadIndex)};
  if (!dl_iterate_phdr(findLocals, &Locals))
    return;
  Cover(Static, Locals.Begin, Locals.Bytes);
  for (auto [Start, Length] : Own) {
    uint64_t Begin = reinterpret_cast<uint64_t>(Start) - Static.Begin +
                     Static.Begin % WordBytes;
    for (uint64_t W = Begin / WordBytes;
         W <= (Begin + Length - 1) / WordBytes && W < Static.Cells.size(); ++W)
      Static.Cells[W].IsOwn = true;
  }
}
