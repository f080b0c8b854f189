/// \file
/// However large the buffers, the worker's side holds a few pieces of them.

#include "Answer.h"
#include "HostDevice.h"
#include "Verify.h"
#include "gtest/gtest.h"
#include <atomic>
#include <malloc.h>
#include <new>

using namespace mepworker;

namespace {
std::atomic<int64_t> Now{0}, Most{0};

void *counted(void *Got) {
  if (!Got)
    throw std::bad_alloc();
  int64_t Here = Now += int64_t(malloc_usable_size(Got));
  int64_t Before = Most;
  while (Here > Before && !Most.compare_exchange_weak(Before, Here))
    ;
  return Got;
}
void freed(void *Pointer) {
  if (Pointer)
    Now -= int64_t(malloc_usable_size(Pointer));
  std::free(Pointer);
}
} // namespace

// Of all that is not the device's, which takes its memory from malloc.
void *operator new(size_t Bytes) { return counted(std::malloc(Bytes)); }
void *operator new[](size_t Bytes) { return counted(std::malloc(Bytes)); }
void operator delete(void *Pointer) noexcept { freed(Pointer); }
void operator delete[](void *Pointer) noexcept { freed(Pointer); }
void operator delete(void *Pointer, size_t) noexcept { freed(Pointer); }
void operator delete[](void *Pointer, size_t) noexcept { freed(Pointer); }

namespace {

constexpr uint64_t Count = 4 << 20; ///< 16 MiB a buffer.
constexpr uint64_t PieceBytes = 256 << 10, MostBytes = 4 << 20;

void twice(const std::vector<void *> &Arguments) {
  for (uint64_t I = 0; I < Count; ++I)
    pointer<float>(Arguments, 0)[I] = 2 * pointer<float>(Arguments, 1)[I];
}

TEST(HostMemory, FillingStudyingAndJudgingHoldPiecesOnly) {
  HostDevice Device;
  Watchdog Dog;
  Runner Run(Device, Dog, 60, PieceBytes);
  Device.MostAtOnce = 0;
  Most = Now.load();
  const int64_t Before = Now;
  ShapeData Data(Device, Run.host(),
                 shapeOf({bufferSpec("y", Role::Out, Count),
                          bufferSpec("x", Role::In, Count)}),
                 {});
  Data.fill(1);
  Program Code = programOf(twice);
  Binding Baseline(Device, Code, Data, originalPlan(Data.spec()), "k", "");
  Expectation Known = studyBaseline(Run, Data, Baseline, Options());
  Program Other = programOf([](auto &Arguments) {
    twice(Arguments);
    pointer<float>(Arguments, 0)[Count - 1] = 9;
  });
  Binding Candidate(Device, Other, Data, originalPlan(Data.spec()), "k", "");
  WorstError Worst;
  EXPECT_THROW(
      verifyOnReference(Run, Data, Baseline, Candidate, Known, "run", Worst),
      Failure);
  std::mt19937_64 Random(1);
  Data.refresh(Random);
  EXPECT_THROW(compareRuns(Run, Data, Baseline, Candidate, Known, PoisonNaN,
                           "run", Worst),
               Failure);
  Data.prepareOther(1);
  EXPECT_LE(Most - Before, int64_t(MostBytes));
  EXPECT_LE(Device.MostAtOnce, PieceBytes);
}

} // namespace
