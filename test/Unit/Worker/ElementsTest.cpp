/// \file
/// Comparing, nudging and counting buffer contents.

#include "Elements.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>

using namespace mepworker;
using mep_fill::Kind;

namespace {

constexpr uint8_t Poison = 0xFF;

template <typename T>
BufferSpec bufferOf(Kind K, const std::vector<T> &Values) {
  BufferSpec B;
  B.Name = "C";
  B.ElementBytes = sizeof(T);
  B.Count = Values.size();
  B.Components = {{K, 0, 1}};
  return B;
}

template <typename T> std::vector<uint8_t> bytes(const std::vector<T> &Values) {
  std::vector<uint8_t> Result(Values.size() * sizeof(T));
  std::memcpy(Result.data(), Values.data(), Result.size());
  return Result;
}

template <typename T>
Difference difference(Kind K, std::vector<T> Expected, std::vector<T> Got,
                      double Relative, double Absolute = 0) {
  return compare(bufferOf(K, Expected), bytes(Expected), bytes(Got),
                 {{Relative}, Absolute}, Poison);
}

TEST(Elements, EqualContentsHaveNoDifference) {
  EXPECT_EQ(difference<float>(Kind::F32, {1, 2}, {1, 2}, 0).Wrong, 0u);
}

TEST(Elements, FirstWrongElementIsNamed) {
  Difference D = difference<float>(Kind::F32, {1, 1.5, 2}, {1, 2.5, 9}, 1e-3);
  EXPECT_EQ(D.Wrong, 2u);
  EXPECT_EQ(D.First, "C[1]: expected 1.5, got 2.5");
}

TEST(Elements, ToleranceIsRelativeToValueAndScale) {
  // Scale of {3, 4} is sqrt(12.5) = 3.54: 3 may be off by 6.54e-2 at 1e-2.
  EXPECT_EQ(difference<double>(Kind::F64, {3, 4}, {3.065, 4}, 1e-2).Wrong, 0u);
  EXPECT_EQ(difference<double>(Kind::F64, {3, 4}, {3.066, 4}, 1e-2).Wrong, 1u);
}

TEST(Elements, AbsoluteToleranceAlsoAccepts) {
  EXPECT_EQ(difference<float>(Kind::F32, {0, 1}, {0.5, 1}, 0, 0.5).Wrong, 0u);
  EXPECT_EQ(difference<float>(Kind::F32, {0, 1}, {0.6f, 1}, 0, 0.5).Wrong, 1u);
}

TEST(Elements, NaNAndInfinityPatternsMustMatch) {
  float NaN = std::nanf(""), Inf = HUGE_VALF;
  EXPECT_EQ(difference<float>(Kind::F32, {NaN}, {-NaN}, 1).Wrong, 0u);
  EXPECT_EQ(difference<float>(Kind::F32, {1}, {NaN}, 1).Wrong, 1u);
  EXPECT_EQ(difference<float>(Kind::F32, {NaN}, {1}, 1).Wrong, 1u);
  EXPECT_EQ(difference<float>(Kind::F32, {Inf}, {-Inf}, 1).Wrong, 1u);
  EXPECT_EQ(difference<float>(Kind::F32, {1}, {Inf}, 1).Wrong, 1u);
}

TEST(Elements, IntegersMustBeEqual) {
  EXPECT_EQ(difference<int32_t>(Kind::I32, {1000000}, {1000001}, 1).Wrong, 1u);
  EXPECT_EQ(difference<uint64_t>(Kind::U64, {~0ull - 1}, {~0ull - 2}, 1).Wrong,
            1u);
}

TEST(Elements, WrittenOnOneSideOnlyIsWrong) {
  std::vector<uint8_t> Unwritten(4, Poison), Written = bytes<float>({1});
  BufferSpec B = bufferOf<float>(Kind::F32, {1});
  EXPECT_EQ(compare(B, Unwritten, Unwritten, {{1}, 0}, Poison).Wrong, 0u);
  EXPECT_EQ(compare(B, Written, Unwritten, {{1}, 0}, Poison).First,
            "C[0]: expected 1, got not written");
  EXPECT_EQ(compare(B, Unwritten, Written, {{1}, 0}, Poison).Wrong, 1u);
}

TEST(Elements, PaddingIsNotCompared) {
  BufferSpec B;
  B.Name = "S";
  B.ElementBytes = 8;
  B.Count = 1;
  B.Components = {{Kind::U8, 0, 1}, {Kind::I32, 4, 1}};
  std::vector<uint8_t> A = {1, 9, 9, 9, 2, 0, 0, 0};
  std::vector<uint8_t> C = {1, 7, 7, 7, 2, 0, 0, 0};
  EXPECT_EQ(compare(B, A, C, {{0, 0}, 0}, Poison).Wrong, 0u);
  C[4] = 3;
  EXPECT_EQ(compare(B, A, C, {{0, 0}, 0}, Poison).First,
            "S[0] member 1: expected 2, got 3");
}

TEST(Elements, HalfAndBfloatValues) {
  EXPECT_EQ(difference<uint16_t>(Kind::F16, {0x3C00}, {0x3E00}, 0).First,
            "C[0]: expected 1, got 1.5");
  EXPECT_EQ(difference<uint16_t>(Kind::Bf16, {0x3F80}, {0x4000}, 0).First,
            "C[0]: expected 1, got 2");
  EXPECT_EQ(difference<uint16_t>(Kind::F16, {0x0001}, {0x7C00}, 0).First,
            "C[0]: expected 5.96046448e-08, got inf");
}

TEST(Elements, NudgeMovesFloatsByOneUlpAndLeavesTheRest) {
  std::vector<float> Values = {1, 0, HUGE_VALF, -3};
  std::vector<uint8_t> Data = bytes(Values);
  nudge(bufferOf(Kind::F32, Values), Data.data(), 0, 4);
  std::vector<float> Moved(4);
  std::memcpy(Moved.data(), Data.data(), Data.size());
  EXPECT_TRUE(Moved[0] == std::nextafterf(1, 2) ||
              Moved[0] == std::nextafterf(1, 0));
  EXPECT_EQ(Moved[1], 0);
  EXPECT_EQ(Moved[2], HUGE_VALF);
  EXPECT_NE(Moved[3], -3);
  std::vector<int32_t> Whole = {5};
  std::vector<uint8_t> Same = bytes(Whole);
  nudge(bufferOf(Kind::I32, Whole), Same.data(), 0, 1);
  EXPECT_EQ(Same, bytes(Whole));
}

TEST(Elements, CountsWhatWasWritten) {
  std::vector<float> After = {1, HUGE_VALF, 3, 4};
  Census C;
  count(bufferOf(Kind::F32, After), bytes<float>({1, 0, 0, 4}).data(),
        bytes(After).data(), 0, 4, C);
  EXPECT_EQ(C.WrittenBytes, 8u);
  EXPECT_EQ(C.Floats, 2u);
  EXPECT_EQ(C.NotFinite, 1u);
  EXPECT_EQ(C.FirstNotFinite, 1u);
}

TEST(Elements, ToleranceStaysBetweenFloorAndCap) {
  EXPECT_DOUBLE_EQ(measuredTolerance(Kind::F32, 0, 0, 1), 1e-5);
  EXPECT_DOUBLE_EQ(measuredTolerance(Kind::F32, 1, 0, 1), 1e-3);
  EXPECT_DOUBLE_EQ(measuredTolerance(Kind::F32, 1e-5, 0, 1), 8e-5);
  EXPECT_DOUBLE_EQ(measuredTolerance(Kind::F32, 0, 1e-5, 1), 4e-5);
  EXPECT_DOUBLE_EQ(measuredTolerance(Kind::F32, 0, 0, 1000000), 6e-5);
  EXPECT_DOUBLE_EQ(measuredTolerance(Kind::F64, 1, 1, 1), 1e-10);
  EXPECT_DOUBLE_EQ(measuredTolerance(Kind::F16, 1, 0, 1), 2e-2);
}

} // namespace
