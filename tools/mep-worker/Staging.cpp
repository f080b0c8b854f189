/// \file
/// Pieces of contents on their way through the host.

#include "Staging.h"
#include <algorithm>
#include <future>

using namespace mepworker;

std::vector<uint8_t *> Staging::pieces(unsigned Parity, size_t Contents,
                                       uint64_t Bytes) {
  std::vector<uint8_t *> Result;
  if (Slots.size() < 2 * Contents)
    Slots.resize(2 * Contents);
  for (size_t I = 0; I < Contents; ++I) {
    Slot &Own = Slots[2 * I + Parity];
    if (Own.Bytes < Bytes) {
      Own = {}; // Not both at once.
      Own = {std::unique_ptr<uint8_t[]>(new uint8_t[Bytes]), Bytes};
    }
    Result.push_back(Own.Memory.get());
  }
  return Result;
}

void Staging::pass(uint64_t Count, uint64_t ElementBytes,
                   const std::vector<Read> &From, const Work &Do,
                   const Write &To) {
  const uint64_t Step = std::max<uint64_t>(1, PieceBytes / ElementBytes);
  const uint64_t Bytes = std::min(Step, Count) * ElementBytes;
  const size_t Contents = std::max<size_t>(1, From.size());
  std::vector<uint8_t *> Now, Before;
  uint64_t BeforeBegin = 0;
  std::future<bool> Working; // Ends before what it works on.
  for (uint64_t Begin = 0; Begin < Count; Begin += Step) {
    const uint64_t End = std::min(Begin + Step, Count);
    Now = pieces(Begin / Step & 1, Contents, Bytes);
    for (size_t I = 0; I < From.size(); ++I)
      From[I](Now[I], Begin, End);
    if (Working.valid() && !Working.get())
      return;
    // A thread for one piece alone would cost more than it gives.
    Working =
        std::async(Count > Step ? std::launch::async : std::launch::deferred,
                   [&Do, Now, Begin, End] { return Do(Now, Begin, End); });
    if (To && !Before.empty())
      To(Before[0], BeforeBegin, Begin);
    Before = Now;
    BeforeBegin = Begin;
  }
  if (Working.valid() && Working.get() && To)
    To(Before[0], BeforeBegin, Count);
}
