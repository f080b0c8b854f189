/// \file
/// The marks of the probe: which elements were read, written, read first, and
/// which lay outside, from accesses made by hand.

#include "TouchMap.h"
#include "gtest/gtest.h"

using namespace mepworker;

namespace {

constexpr uint64_t Room = 64 << 20;

TEST(TouchMap, CountsDistinctElementsAndBytes) {
  TouchMap Map({{4, 400, nullptr}}, Room);
  char *A = Map.address(0);
  for (int Twice = 0; Twice < 2; ++Twice)
    for (int I = 10; I < 20; ++I)
      Map.touch(A + 4 * I, 4, false);
  Map.touch(A + 4 * 30 + 2, 1, false);
  Map.touch(A + 4 * 50, 16, true);
  RegionTouches Sum = Map.summary(0);
  EXPECT_EQ(Sum.Reads.Elements, 11u);
  EXPECT_EQ(Sum.Reads.Bytes, 41u);
  EXPECT_EQ(Sum.Reads.First, 10);
  EXPECT_EQ(Sum.Reads.Last, 30);
  EXPECT_EQ(Sum.Writes.Elements, 4u);
  EXPECT_EQ(Sum.Writes.First, 50);
  EXPECT_EQ(Sum.Writes.Last, 53);
  EXPECT_EQ(Sum.OutsideBytes, 0u);
  EXPECT_FALSE(Sum.Outside.Known);
  EXPECT_EQ(Sum.Alignment, 2u);
  EXPECT_EQ(Sum.Widest, 16u);
  EXPECT_EQ(Map.accesses(), 22u);
}

TEST(TouchMap, TellsReadsBeforeWritesFromReadsAfter) {
  TouchMap Map({{8, 0, nullptr}}, Room);
  char *A = Map.address(0);
  Map.touch(A, 8, true);
  Map.touch(A, 8, false);
  Map.touch(A + 8, 8, false);
  Map.touch(A + 8, 8, true);
  RegionTouches Sum = Map.summary(0);
  EXPECT_EQ(Sum.Reads.Elements, 2u);
  EXPECT_EQ(Sum.Writes.Elements, 2u);
  EXPECT_EQ(Sum.ReadFirst.Elements, 1u);
  EXPECT_EQ(Sum.ReadFirst.First, 1);
}

TEST(TouchMap, AnotherRunBeginsUnwritten) {
  TouchMap Map({{4, 0, nullptr}}, Room);
  char *A = Map.address(0);
  Map.touch(A, 4, true);
  Map.beginRun();
  Map.touch(A, 4, false);
  RegionTouches Sum = Map.summary(0);
  EXPECT_EQ(Sum.Writes.Elements, 1u);
  EXPECT_EQ(Sum.ReadFirst.Elements, 1u);
}

TEST(TouchMap, NamesTheFirstAccessOutside) {
  TouchMap Map({{4, 40, nullptr}}, Room);
  char *A = Map.address(0);
  const uint32_t Thread[3] = {7, 1, 0};
  EXPECT_EQ(Map.enterBlock(5, 8, Thread), 5u);
  Map.touch(A + 36, 4, true);
  EXPECT_FALSE(Map.summary(0).Outside.Known);
  Map.touch(A + 38, 4, true);
  Map.touch(A - 12, 8, false);
  RegionTouches Sum = Map.summary(0);
  ASSERT_TRUE(Sum.Outside.Known);
  EXPECT_TRUE(Sum.Outside.Write);
  EXPECT_EQ(Sum.Outside.Offset, 38);
  EXPECT_EQ(Sum.Outside.Block, 5u);
  EXPECT_EQ(Sum.Outside.Thread, (std::array<uint32_t, 3>{7, 1, 0}));
  EXPECT_EQ(Sum.OutsideBytes, 10u);
  EXPECT_EQ(Sum.Reads.First, -3);
  EXPECT_EQ(Sum.Reads.Last, -2);
  EXPECT_EQ(Sum.Writes.Last, 10);
}

TEST(TouchMap, ElementsMayStraddleChunks) {
  constexpr int64_t Element =
      65536 / 12; // Begins in one chunk, ends in another.
  TouchMap Map({{12, 0, nullptr}}, Room);
  char *A = Map.address(0);
  for (int Part = 0; Part < 12; Part += 4)
    Map.touch(A + 12 * Element + Part, 4, false);
  Map.touch(A + 65530, 12, true);
  RegionTouches Sum = Map.summary(0);
  EXPECT_EQ(Sum.Reads.Elements, 1u);
  EXPECT_EQ(Sum.Reads.Bytes, 12u);
  EXPECT_EQ(Sum.Reads.First, Element);
  EXPECT_EQ(Sum.Writes.Bytes, 12u);
}

TEST(TouchMap, KeepsBuffersApartAndFillsWhatIsTouched) {
  TouchMap Map({{4, 40, nullptr}, {4, 0, nullptr}}, Room);
  std::vector<std::pair<unsigned, int64_t>> Filled;
  Map.setFiller([&](unsigned Region, int64_t Offset, char *To) {
    Filled.push_back({Region, Offset});
    To[0] = 42;
  });
  char *B = Map.address(1);
  Map.touch(B, 4, false);
  EXPECT_EQ(B[0], 42);
  Map.touch(B + 4, 4, false);
  ASSERT_EQ(Filled.size(), 1u);
  EXPECT_EQ(Filled[0], (std::pair<unsigned, int64_t>{1, 0}));
  EXPECT_EQ(Map.summary(0).Reads.Elements, 0u);
  EXPECT_EQ(Map.summary(1).Reads.Elements, 2u);
}

TEST(TouchMap, SeesDeviceGlobalsWhereTheyLie) {
  float Global[8], Other[8];
  TouchMap Map({{4, sizeof(Global), reinterpret_cast<char *>(Global)}}, Room);
  Map.touch(&Global[3], 4, true);
  Map.touch(&Other[3], 4, true);
  RegionTouches Sum = Map.summary(0);
  EXPECT_EQ(Sum.Writes.Elements, 1u);
  EXPECT_EQ(Sum.Writes.First, 3);
}

TEST(TouchMap, BlocksCanBeTakenFromTheLast) {
  TouchMap Map({{4, 4, nullptr}}, Room);
  Map.enterBlock(0, 8, nullptr);
  Map.beginRun();
  Map.reverseBlocks();
  EXPECT_EQ(Map.enterBlock(0, 8, nullptr), 7u);
  EXPECT_EQ(Map.enterBlock(1, 8, nullptr), 6u);
  EXPECT_EQ(Map.blocksBegun(), 2u);
  Map.touch(Map.address(0) + 4, 4, false);
  EXPECT_EQ(Map.summary(0).Outside.Block, 6u);
}

TEST(TouchMap, TheFirstEndingCounts) {
  TouchMap Map({{4, 0, nullptr}}, Room);
  int Nobodys = 0;
  Map.touch(&Nobodys, 4, true);
  Map.end(TouchEnding::Wild, 11, reinterpret_cast<uint64_t>(&Nobodys));
  Map.end(TouchEnding::Finished, 0, 0);
  EXPECT_EQ(Map.ending().How, TouchEnding::Wild);
  EXPECT_TRUE(Map.ending().Place.Write);
}

} // namespace
