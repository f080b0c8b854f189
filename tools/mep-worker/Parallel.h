/// \file
/// Host work on large buffers, split over the cores.

#ifndef MEP_WORKER_PARALLEL_H
#define MEP_WORKER_PARALLEL_H

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace mepworker {

/// Calls \p Work(block, begin, end) once for each block of \p Block items of
/// [0, \p Count), on up to 16 threads; one block is the caller's own work.
template <typename Function>
void forBlocks(uint64_t Count, uint64_t Block, Function Work) {
  constexpr uint64_t MostThreads = 16;
  const uint64_t Blocks = (Count + Block - 1) / Block;
  std::atomic<uint64_t> Next{0};
  auto Serve = [&] {
    for (uint64_t B; (B = Next++) < Blocks;)
      Work(B, B * Block, std::min((B + 1) * Block, Count));
  };
  const uint64_t Threads = std::min<uint64_t>(
      {Blocks, MostThreads, std::max(1u, std::thread::hardware_concurrency())});
  std::vector<std::thread> Crew;
  for (uint64_t I = 1; I < Threads; ++I)
    Crew.emplace_back(Serve);
  Serve();
  for (std::thread &Each : Crew)
    Each.join();
}

/// The same for the items of [\p Begin, \p End): blocks are those of [0, …),
/// cut at both ends.
template <typename Function>
void forBlocksOf(uint64_t Begin, uint64_t End, uint64_t Block, Function Work) {
  const uint64_t First = Begin / Block;
  forBlocks(Begin < End ? (End - 1) / Block + 1 - First : 0, 1,
            [&](uint64_t Number, uint64_t, uint64_t) {
              uint64_t From = (First + Number) * Block;
              Work(First + Number, std::max(Begin, From),
                   std::min(End, From + Block));
            });
}

} // namespace mepworker

#endif // MEP_WORKER_PARALLEL_H
