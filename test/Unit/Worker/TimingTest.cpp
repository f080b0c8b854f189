/// \file
/// Rounds of several shapes: sums by weight, and each shape by itself.

#include "Timing.h"
#include "Statistics.h"
#include "gtest/gtest.h"

using namespace mepworker;

namespace {

TEST(Timing, ARoundIsTheSumByWeight) {
  Samples Taken;
  addRound({3, 1}, {{100, 50}, {40, 60}}, Taken);
  addRound({3, 1}, {{200, 50}, {20, 60}}, Taken);
  EXPECT_EQ(Taken.Baseline, (std::vector<double>{340, 620}));
  EXPECT_EQ(Taken.Candidate, (std::vector<double>{210, 210}));
  ASSERT_EQ(Taken.OfShapes.size(), 2u);
  EXPECT_EQ(Taken.OfShapes[0].Baseline, (std::vector<double>{100, 200}));
  EXPECT_EQ(Taken.OfShapes[1].Candidate, (std::vector<double>{60, 60}));
}

TEST(Timing, ASingleShapeIsItself) {
  Samples Taken;
  addRound({1}, {{100, 50}}, Taken);
  EXPECT_EQ(Taken.Baseline, (std::vector<double>{100}));
  EXPECT_EQ(Taken.Candidate, (std::vector<double>{50}));
  EXPECT_TRUE(Taken.OfShapes.empty());
}

/// What is won on the launch that runs often outweighs what is lost on the
/// other, and the interval is that of the sums.
TEST(Timing, TheRatioIsThatOfTheSums) {
  Samples Taken;
  for (unsigned Round = 0; Round < 5; ++Round)
    addRound({10, 1}, {{100, 50}, {100, 200}}, Taken);
  RatioInterval All = ratioInterval(Taken.Baseline, Taken.Candidate, 20, 1);
  EXPECT_DOUBLE_EQ(All.Ratio, 1100.0 / 700);
  EXPECT_DOUBLE_EQ(All.Low, All.High);
  EXPECT_EQ(judge(All), Verdict::Faster);
  RatioInterval Second = ratioInterval(Taken.OfShapes[1].Baseline,
                                       Taken.OfShapes[1].Candidate, 20, 1);
  EXPECT_EQ(judge(Second), Verdict::Slower);
}

} // namespace
