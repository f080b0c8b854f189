/// \file
/// The fills and the checksum that the worker and every program share.

#include "../../../lib/Mep/runtime/mep_fill.h"
#include "gtest/gtest.h"
#include <set>
#include <vector>

using namespace mep_fill;

namespace {

template <typename Scalar>
std::vector<Scalar> filled(Kind K, Rule How, double Low, double High,
                           uint64_t Count = 1000, uint64_t Seed = 1) {
  std::vector<Scalar> Values(Count);
  Component Part{K, 0, 1};
  fill(Values.data(), sizeof(Scalar), &Part, 1, Count, How, Low, High, Seed,
       nameHash("A"));
  return Values;
}

// Known answers of the Random123 library (kat_vectors, philox4x32 10).
TEST(Fill, PhiloxKnownAnswers) {
  Words Zero = philox({{0, 0, 0, 0}}, 0, 0);
  EXPECT_EQ(Zero.Lane[0], 0x6627e8d5u);
  EXPECT_EQ(Zero.Lane[3], 0x9b00dbd8u);
  Words Ones = philox({{~0u, ~0u, ~0u, ~0u}}, ~0u, ~0u);
  EXPECT_EQ(Ones.Lane[0], 0x408f276du);
  EXPECT_EQ(Ones.Lane[3], 0x6d5451fdu);
  Words Digits = philox({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
                        0xa4093822, 0x299f31d0);
  EXPECT_EQ(Digits.Lane[0], 0xd16cfe09u);
  EXPECT_EQ(Digits.Lane[3], 0x24126ea1u);
}

TEST(Fill, UniformStaysInRangeAndSpreads) {
  double Sum = 0;
  for (float Value : filled<float>(Kind::F32, Rule::Uniform, -1, 1, 100000)) {
    ASSERT_GE(Value, -1.0f);
    ASSERT_LT(Value, 1.0f);
    Sum += Value;
  }
  EXPECT_NEAR(Sum / 100000, 0, 0.02);
  std::set<int> Seen;
  for (int Value : filled<int>(Kind::I32, Rule::Uniform, -2, 2))
    Seen.insert(Value);
  EXPECT_EQ(Seen, (std::set<int>{-2, -1, 0, 1, 2}));
}

TEST(Fill, DoublesUseMoreThanFloatPrecision) {
  unsigned Finer = 0;
  for (double Value : filled<double>(Kind::F64, Rule::Uniform, 1, 2))
    Finer += double(float(Value)) != Value;
  EXPECT_GT(Finer, 990u);
}

TEST(Fill, UnsignedAndSmallTypesAreClamped) {
  for (unsigned Value : filled<unsigned>(Kind::U32, Rule::Uniform, -1, 1))
    ASSERT_LE(Value, 1u);
  for (int8_t Value : filled<int8_t>(Kind::I8, Rule::Index, 0, 1000))
    ASSERT_GE(Value, 0);
}

TEST(Fill, IndexLeavesOutTheEnd) {
  std::set<int> Seen;
  for (int Value : filled<int>(Kind::I32, Rule::Index, 0, 3))
    Seen.insert(Value);
  EXPECT_EQ(Seen, (std::set<int>{0, 1, 2}));
}

TEST(Fill, PermutationHoldsEveryIndexOnce) {
  for (uint64_t Count : {1, 2, 3, 17, 64, 1000}) {
    std::set<int> Seen;
    for (int Value : filled<int>(Kind::I32, Rule::Permutation, 0, 0, Count))
      Seen.insert(Value);
    EXPECT_EQ(Seen.size(), Count);
    EXPECT_EQ(*Seen.rbegin(), int(Count) - 1);
  }
}

TEST(Fill, OffsetsRiseFromZeroToHigh) {
  auto Rows = filled<int>(Kind::I32, Rule::Offsets, 0, 5000, 1001);
  EXPECT_EQ(Rows.front(), 0);
  EXPECT_EQ(Rows.back(), 5000);
  for (size_t I = 1; I < Rows.size(); ++I)
    ASSERT_LE(Rows[I - 1], Rows[I]);
  auto Few = filled<int>(Kind::I32, Rule::Offsets, 0, 3, 100);
  EXPECT_EQ(Few.back(), 3);
}

TEST(Fill, WhatCountsBeginsAtLow) {
  std::set<int> Seen;
  for (int Value : filled<int>(Kind::I32, Rule::Permutation, 1, 1, 100))
    Seen.insert(Value);
  EXPECT_EQ(Seen.size(), 100u);
  EXPECT_EQ(*Seen.begin(), 1);
  auto Rows = filled<int>(Kind::I32, Rule::Offsets, 1, 51, 11);
  EXPECT_EQ(Rows.front(), 1);
  EXPECT_EQ(Rows.back(), 51);
  auto Floats = filled<float>(Kind::F32, Rule::Iota, -2, -2, 4);
  EXPECT_EQ(Floats, (std::vector<float>{-2, -1, 0, 1}));
}

std::vector<int> countedBy(double Low, const Counting &How, uint64_t Count) {
  std::vector<int> Values(Count);
  Component Part{Kind::I32, 0, 1};
  fill(Values.data(), 4, &Part, 1, Count, Rule::Iota, Low, Low, 1, 0, {How});
  return Values;
}

TEST(Fill, CountsInStepsRepetitionsAndPeriods) {
  EXPECT_EQ(countedBy(1, {}, 4), (std::vector<int>{1, 2, 3, 4}));
  EXPECT_EQ(countedBy(10, {-3}, 4), (std::vector<int>{10, 7, 4, 1}));
  EXPECT_EQ(countedBy(0, {1, 2}, 5), (std::vector<int>{0, 0, 1, 1, 2}));
  EXPECT_EQ(countedBy(5, {2, 1, 3}, 5), (std::vector<int>{5, 7, 9, 5, 7}));
  EXPECT_EQ(countedBy(0, {1, 2, 2}, 6), (std::vector<int>{0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(countedBy(1, {1, 1, 0, 4}, 5), (std::vector<int>{1, 2, 3, 0, 1}));
  // The sign of the dividend, as in C++.
  EXPECT_EQ(countedBy(-1, {-1, 1, 0, 3}, 4), (std::vector<int>{-1, -2, 0, -1}));
}

TEST(Fill, ATableIsTakenScalarByScalarAndThenZero) {
  struct Pair {
    float Weight;
    int32_t Shift;
  };
  const double Listed[] = {0.5, -3, 1e30, 1e30};
  Component Parts[] = {{Kind::F32, 0, 1}, {Kind::I32, 4, 1}};
  Details More;
  More.Listed = Listed;
  More.ListedCount = 4;
  std::vector<Pair> Values(3), Last(1);
  fill(Values.data(), sizeof(Pair), Parts, 2, 3, Rule::Table, 0, 0, 1, 0, More);
  EXPECT_EQ(Values[0].Weight, 0.5f);
  EXPECT_EQ(Values[0].Shift, -3);
  EXPECT_EQ(Values[1].Weight, 1e30f);
  EXPECT_EQ(Values[1].Shift, INT32_MAX);
  EXPECT_EQ(Values[2].Weight, 0.0f);
  fillRange(Last.data(), sizeof(Pair), Parts, 2, 3, Rule::Table, 0, 0, 1, 0, 1,
            2, More);
  EXPECT_EQ(Last[0].Weight, 1e30f);
}

TEST(Fill, ARangeEqualsThatPartOfTheWhole) {
  struct Particle {
    double Position[3];
    int32_t Cell;
  };
  Component Parts[] = {{Kind::F64, 0, 3}, {Kind::I32, 24, 1}};
  std::vector<Particle> Whole(100), Part(37);
  fill(Whole.data(), sizeof(Particle), Parts, 2, 100, Rule::Uniform, -5, 5, 7,
       nameHash("P"));
  fillRange(Part.data(), sizeof(Particle), Parts, 2, 100, Rule::Uniform, -5, 5,
            7, nameHash("P"), 13, 50);
  EXPECT_EQ(std::memcmp(&Whole[13], Part.data(), 37 * sizeof(Particle)), 0);
}

TEST(Fill, SeedAndNameMakeOtherValues) {
  auto One = filled<float>(Kind::F32, Rule::Uniform, 0, 1, 100, 1);
  EXPECT_NE(One, filled<float>(Kind::F32, Rule::Uniform, 0, 1, 100, 2));
  std::vector<float> Other(100);
  Component Part{Kind::F32, 0, 1};
  fill(Other.data(), 4, &Part, 1, 100, Rule::Uniform, 0, 1, 1, nameHash("B"));
  EXPECT_NE(One, Other);
}

TEST(Fill, HalvesAreRoundedToNearestEven) {
  EXPECT_EQ(toHalf(1.0f), 0x3c00);
  EXPECT_EQ(toHalf(-2.0f), 0xc000);
  EXPECT_EQ(toHalf(65519.0f), 0x7bff);
  EXPECT_EQ(toHalf(65520.0f), 0x7c00);
  EXPECT_EQ(toHalf(0x1p-24f), 0x0001);
  EXPECT_EQ(toHalf(0x1p-25f), 0x0000);
  EXPECT_EQ(toHalf(1.0f + 0x1p-11f), 0x3c00);
  EXPECT_EQ(toHalf(1.0f + 0x3p-11f), 0x3c02);
  EXPECT_EQ(toBfloat(1.0f), 0x3f80);
  EXPECT_EQ(toBfloat(1.0f + 0x1p-8f), 0x3f80);
}

TEST(Fill, ChecksumSeesOrderLengthAndEveryBit) {
  unsigned char Bytes[20] = {1, 2, 3};
  uint64_t Sum = checksum(ChecksumStart, Bytes, 20);
  EXPECT_NE(Sum, checksum(ChecksumStart, Bytes, 19));
  std::swap(Bytes[0], Bytes[1]);
  EXPECT_NE(Sum, checksum(ChecksumStart, Bytes, 20));
  std::swap(Bytes[0], Bytes[1]);
  Bytes[19] ^= 1;
  EXPECT_NE(Sum, checksum(ChecksumStart, Bytes, 20));
  Bytes[19] ^= 1;
  EXPECT_EQ(Sum, checksum(ChecksumStart, Bytes, 20));
  EXPECT_EQ(checksumText(0x1234), "0000000000001234");
}

TEST(Fill, ChecksumLeavesPaddingOut) {
  unsigned char Bytes[16] = {};
  Component Parts[] = {{Kind::F64, 0, 1}, {Kind::I32, 8, 1}};
  uint64_t Sum = checksum(ChecksumStart, Bytes, 16, Parts, 2, 1);
  Bytes[13] = 9;
  EXPECT_EQ(Sum, checksum(ChecksumStart, Bytes, 16, Parts, 2, 1));
  Bytes[10] = 9;
  EXPECT_NE(Sum, checksum(ChecksumStart, Bytes, 16, Parts, 2, 1));
}

} // namespace
