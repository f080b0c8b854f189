/// \file
/// What orders two accesses, told by hand: threads, barriers, meetings of a
/// warp, fences, atomic operations, and launches.

#include "HazardMap.h"
#include "gtest/gtest.h"

using namespace mepworker;

namespace {

class HazardMapTest : public ::testing::Test {
protected:
  HazardMapTest() : Touches({{4, 4096, nullptr}}, 64 << 20) {
    Geometry Launch;
    Launch.Grid = {4, 1, 1};
    Launch.Block = {64, 2, 1};
    Map.beginLaunch(0, Launch);
    block(0);
    Map.setShared(Shared.data(), sizeof(Shared), nullptr, {});
  }
  void block(uint64_t Number) { Map.beginBlock(Number, Index); }
  void thread(uint32_t X, uint32_t Y = 0) {
    Index[0] = X;
    Index[1] = Y;
  }
  /// The write changes what is there.
  void write(void *At, AccessKind Kind = AccessKind::Write) {
    Touches.touch(At, 4, true);
    Map.access(At, 4, Kind);
    ++*static_cast<int *>(At);
  }
  void read(void *At, AccessKind Kind = AccessKind::Read) {
    Touches.touch(At, 4, false);
    Map.access(At, 4, Kind);
  }
  int *global(unsigned Element) {
    return reinterpret_cast<int *>(Touches.address(0)) + Element;
  }
  unsigned races() {
    Map.settle();
    unsigned Count = 0;
    for (const Hazard &Each : Map.hazards())
      Count += Each.How == Hazard::Race;
    return Count;
  }

  std::array<int, 64> Shared{};
  uint32_t Index[3] = {0, 0, 0};
  TouchMap Touches;
  HazardMap Map{{{4, 4096, nullptr}}, Touches};
};

TEST_F(HazardMapTest, TwoThreadsWithoutABarrierRace) {
  thread(0);
  write(&Shared[5]);
  thread(1, 1);
  read(&Shared[5]);
  ASSERT_EQ(races(), 1u);
  Hazard Found = Map.hazards().front();
  EXPECT_EQ(Found.Region, -1);
  EXPECT_EQ(Found.Offset, 20);
  EXPECT_TRUE(Found.First.Write);
  EXPECT_FALSE(Found.Second.Write);
  EXPECT_EQ(Found.Second.Thread, (std::array<uint32_t, 3>{1, 1, 0}));
}

TEST_F(HazardMapTest, ABarrierOrdersABlock) {
  thread(0);
  write(&Shared[5]);
  write(global(3));
  Map.barrier();
  thread(1);
  read(&Shared[5]);
  write(global(3));
  EXPECT_EQ(races(), 0u);
}

TEST_F(HazardMapTest, AWriteAfterAReadRacesToo) {
  thread(7);
  write(&Shared[5]);
  Map.barrier();
  read(&Shared[5]);
  thread(8);
  read(&Shared[5]);
  thread(7);
  write(&Shared[5]);
  EXPECT_EQ(races(), 1u);
}

TEST_F(HazardMapTest, AMeetingOrdersItsWarpAlone) {
  thread(0);
  write(&Shared[0]);
  write(&Shared[1]);
  Map.meet(0);
  thread(1);
  read(&Shared[0]);
  EXPECT_EQ(races(), 0u);
  thread(32);
  read(&Shared[1]);
  EXPECT_EQ(races(), 1u);
}

TEST_F(HazardMapTest, BytesOfOneWordAreApart) {
  char *Bytes = reinterpret_cast<char *>(&Shared[0]);
  thread(0);
  Map.access(Bytes, 1, AccessKind::Write);
  Bytes[0] = 1;
  thread(1);
  Map.access(Bytes + 1, 1, AccessKind::Write);
  Bytes[1] = 1;
  EXPECT_EQ(races(), 0u);
  thread(2);
  Map.access(Bytes, 2, AccessKind::Write);
  Bytes[0] = Bytes[1] = 2;
  EXPECT_EQ(races(), 1u);
}

TEST_F(HazardMapTest, AccessesMayStraddleWords) {
  char *Bytes = reinterpret_cast<char *>(Shared.data());
  thread(0);
  Map.access(Bytes + 6, 4, AccessKind::Write);
  std::memset(Bytes + 6, 1, 4);
  thread(1);
  Map.access(Bytes + 9, 1, AccessKind::Write);
  Bytes[9] = 2;
  EXPECT_EQ(races(), 1u);
}

TEST_F(HazardMapTest, EqualValuesDoNotCollide) {
  thread(0);
  write(global(0));
  Map.barrier();
  for (uint32_t Each : {1, 2, 3}) {
    thread(Each);
    Touches.touch(global(0), 4, true);
    Map.access(global(0), 4, AccessKind::Write); // Nothing changes.
  }
  thread(4);
  read(global(0));
  EXPECT_EQ(races(), 0u);
}

TEST_F(HazardMapTest, AtomicsMeetAtomics) {
  thread(0);
  write(&Shared[0], AccessKind::AtomicUpdate);
  thread(1);
  write(&Shared[0], AccessKind::AtomicUpdate);
  EXPECT_EQ(races(), 0u);
  // The barrier before the result is taken is missing.
  thread(2);
  read(&Shared[0]);
  EXPECT_EQ(races(), 1u);
}

TEST_F(HazardMapTest, APlainReadOfAGlobalThatAtomicsChangeIsReliedUpon) {
  thread(0);
  write(global(0), AccessKind::AtomicUpdate);
  thread(1);
  read(global(0));
  EXPECT_EQ(races(), 0u);
}

TEST_F(HazardMapTest, BlocksAreNotOrdered) {
  thread(0);
  write(global(9));
  block(1);
  read(global(9));
  ASSERT_EQ(races(), 1u);
  Hazard Found = Map.hazards().front();
  EXPECT_EQ(Found.Region, 0);
  EXPECT_EQ(Found.Offset, 36);
  EXPECT_EQ(Found.First.Block, 0u);
  EXPECT_EQ(Found.Second.Block, 1u);
}

TEST_F(HazardMapTest, FencesOnBothSidesOrderBlocks) {
  thread(0);
  write(global(9));
  Map.fence();
  write(global(1), AccessKind::AtomicUpdate);
  block(1);
  write(global(1), AccessKind::AtomicUpdate);
  read(global(9));
  EXPECT_EQ(races(), 0u);
  // Written after the fence.
  block(2);
  Map.fence();
  write(global(20));
  block(3);
  Map.fence();
  read(global(20));
  EXPECT_EQ(races(), 1u);
}

TEST_F(HazardMapTest, ALaunchComesAfterTheLast) {
  thread(0);
  write(global(9));
  Map.beginLaunch(1, Geometry());
  block(0);
  write(global(9));
  block(1);
  EXPECT_EQ(races(), 0u);
  read(global(9));
  ASSERT_EQ(races(), 1u);
  EXPECT_EQ(Map.hazards().front().Second.Launch, 1u);
}

TEST_F(HazardMapTest, SharedMemoryIsEachBlocksOwn) {
  Map.setDirt(0xFF);
  thread(0);
  write(&Shared[3]);
  read(&Shared[3]);
  EXPECT_FALSE(Map.readUninitialised());
  block(1);
  thread(2);
  read(&Shared[3]);
  EXPECT_EQ(races(), 0u);
  ASSERT_TRUE(Map.readUninitialised());
  EXPECT_EQ(Map.hazards().front().Second.Thread[0], 2u);
  EXPECT_EQ(Shared[3], -1);
}

TEST_F(HazardMapTest, WhatTheRuntimeDoesIsNobodys) {
  thread(0);
  write(&Shared[3]);
  thread(1);
  Map.setRunning(false);
  write(&Shared[3]);
  Map.setRunning(true);
  EXPECT_EQ(races(), 0u);
}

} // namespace
