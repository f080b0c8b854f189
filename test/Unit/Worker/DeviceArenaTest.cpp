/// \file
/// The CPU platform's device memory has an end, and what is released is gone.

#include "cpu/DeviceArena.h"
#include "gtest/gtest.h"
#include <cstring>
#include <fstream>
#include <unistd.h>

using namespace mepworker;

namespace {

constexpr uint64_t Mib = 1 << 20;

uint64_t residentBytes() {
  std::ifstream In("/proc/self/statm");
  uint64_t Whole = 0, Resident = 0;
  In >> Whole >> Resident;
  return Resident * uint64_t(sysconf(_SC_PAGESIZE));
}

TEST(DeviceArena, GivesWhatItHasAndNoMore) {
  DeviceArena Arena(8 * Mib);
  ASSERT_TRUE(Arena.isOpen());
  void *First = Arena.allocate(5 * Mib);
  ASSERT_TRUE(First);
  EXPECT_FALSE(Arena.allocate(4 * Mib));
  EXPECT_TRUE(Arena.take(2 * Mib)); // A device global, elsewhere.
  EXPECT_FALSE(Arena.allocate(2 * Mib));
  Arena.giveBack(2 * Mib);
  EXPECT_FALSE(Arena.allocate(UINT64_MAX));
  Arena.release(First);
  EXPECT_TRUE(Arena.allocate(8 * Mib));
}

TEST(DeviceArena, GapsDoNotMatter) {
  DeviceArena Arena(8 * Mib);
  void *Parts[8];
  for (void *&Each : Parts)
    ASSERT_TRUE(Each = Arena.allocate(Mib));
  for (int I = 0; I < 8; I += 2)
    Arena.release(Parts[I]);
  auto *Large = static_cast<char *>(Arena.allocate(4 * Mib));
  ASSERT_TRUE(Large);
  std::memset(Large, 1, 4 * Mib);
  for (int I = 1; I < 8; I += 2)
    EXPECT_EQ(*static_cast<char *>(Parts[I]), 0);
}

TEST(DeviceArena, WhatNoAllocationHasReadsAsZerosAndCannotBeWritten) {
  DeviceArena Arena(8 * Mib);
  auto *Only = static_cast<char *>(Arena.allocate(Mib));
  std::memset(Only, 1, Mib);
  EXPECT_EQ(Only[-1], 0);
  EXPECT_EQ(Only[Mib], 0);
  EXPECT_DEATH(Only[Mib] = 1, "");
  EXPECT_DEATH(Only[-1] = 1, "");
}

TEST(DeviceArena, WhatIsReleasedGoesBackToTheSystem) {
  DeviceArena Arena(64 * Mib);
  const uint64_t Before = residentBytes();
  auto *Large = static_cast<char *>(Arena.allocate(64 * Mib));
  std::memset(Large, 1, 64 * Mib);
  EXPECT_GT(residentBytes(), Before + 60 * Mib);
  Arena.release(Large);
  EXPECT_LT(residentBytes(), Before + 4 * Mib);
  EXPECT_EQ(*Large, 0);
}

} // namespace
