/// \file
/// Contents of buffers on their way through a host that holds a few pieces
/// only.

#include "Staging.h"
#include "gtest/gtest.h"
#include <cstring>
#include <numeric>
#include <stdexcept>

using namespace mepworker;

namespace {

constexpr uint64_t Count = 1003;

std::vector<uint32_t> numbers(uint64_t Count) {
  std::vector<uint32_t> Result(Count);
  std::iota(Result.begin(), Result.end(), 1);
  return Result;
}

Staging::Read readOf(const std::vector<uint32_t> &From) {
  return [&](uint8_t *To, uint64_t Begin, uint64_t End) {
    std::memcpy(To, &From[Begin], (End - Begin) * 4);
  };
}

TEST(Staging, EveryPieceComesIsWorkedOnAndGoesInOrder) {
  Staging Host(40);
  const std::vector<uint32_t> A = numbers(Count), B(Count, 7);
  std::vector<uint32_t> Sums(Count);
  uint64_t Next = 0, Gone = 0;
  Host.pass(
      Count, 4, {readOf(A), readOf(B)},
      [&](auto &Pieces, uint64_t Begin, uint64_t End) {
        EXPECT_EQ(Begin, Next);
        EXPECT_LE(End - Begin, 10u);
        Next = End;
        auto *Own = reinterpret_cast<uint32_t *>(Pieces[0]);
        for (uint64_t I = 0; I < End - Begin; ++I)
          Own[I] += reinterpret_cast<uint32_t *>(Pieces[1])[I];
        return true;
      },
      [&](const uint8_t *From, uint64_t Begin, uint64_t End) {
        EXPECT_EQ(Begin, Gone);
        Gone = End;
        std::memcpy(&Sums[Begin], From, (End - Begin) * 4);
      });
  EXPECT_EQ(Next, Count);
  EXPECT_EQ(Gone, Count);
  for (uint64_t I = 0; I < Count; ++I)
    ASSERT_EQ(Sums[I], A[I] + 7);
}

TEST(Staging, StopsWhenNoMoreNeedBeLookedAt) {
  Staging Host(40);
  const std::vector<uint32_t> A = numbers(Count);
  uint64_t Last = 0;
  Host.pass(Count, 4, {readOf(A)}, [&](auto &, uint64_t Begin, uint64_t) {
    Last = Begin;
    return Begin < 100;
  });
  EXPECT_EQ(Last, 100u);
}

TEST(Staging, AnElementLargerThanAPieceComesAlone) {
  Staging Host(2);
  const std::vector<uint32_t> A = numbers(3);
  std::vector<uint32_t> Seen;
  Host.pass(3, 4, {readOf(A)}, [&](auto &Pieces, uint64_t, uint64_t) {
    Seen.push_back(*reinterpret_cast<uint32_t *>(Pieces[0]));
    return true;
  });
  EXPECT_EQ(Seen, A);
}

TEST(Staging, AFailureOnEitherSideEndsIt) {
  Staging Host(40);
  const std::vector<uint32_t> A = numbers(Count);
  auto Fail = [](auto &, uint64_t Begin, uint64_t) -> bool {
    if (Begin >= 50)
      throw std::runtime_error("work");
    return true;
  };
  EXPECT_THROW(Host.pass(Count, 4, {readOf(A)}, Fail), std::runtime_error);
  EXPECT_THROW(Host.pass(
                   Count, 4, {readOf(A)}, [](auto &&...) { return true; },
                   [](auto &&...) { throw std::runtime_error("copy"); }),
               std::runtime_error);
}

TEST(Staging, NothingIsPassedOfNothing) {
  Staging Host;
  Host.pass(0, 4, {}, [](auto &&...) {
    ADD_FAILURE();
    return true;
  });
}

} // namespace
