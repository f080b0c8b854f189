/// \file
/// Estimator, interval and verdict on plain numbers.

#include "Statistics.h"
#include "gtest/gtest.h"
#include <random>

using namespace mepworker;

TEST(Statistics, TrimmedMeanCutsBothEnds) {
  EXPECT_DOUBLE_EQ(trimmedMean({100, 2, 3, 4, 0}, 20), 3);
  EXPECT_DOUBLE_EQ(trimmedMean({1, 2, 3, 6}, 0), 3);
}

TEST(Statistics, TrimmedMeanKeepsAtLeastOneSample) {
  EXPECT_DOUBLE_EQ(trimmedMean({5}, 49), 5);
  EXPECT_DOUBLE_EQ(trimmedMean({9, 1, 5}, 50), 5);
  EXPECT_DOUBLE_EQ(trimmedMean({1, 3}, 90), 2);
  EXPECT_DOUBLE_EQ(trimmedMean({}, 20), 0);
}

TEST(Statistics, RelativeDeviation) {
  EXPECT_DOUBLE_EQ(relativeDeviation({4, 4, 4}), 0);
  EXPECT_DOUBLE_EQ(relativeDeviation({1}), 0);
  EXPECT_NEAR(relativeDeviation({9, 10, 11}), 0.1, 1e-12);
}

TEST(Statistics, ExactSamplesGiveAPointInterval) {
  RatioInterval I = ratioInterval({20, 20, 20, 20}, {10, 10, 10, 10}, 20, 1);
  EXPECT_DOUBLE_EQ(I.Ratio, 2);
  EXPECT_DOUBLE_EQ(I.Low, 2);
  EXPECT_DOUBLE_EQ(I.High, 2);
}

TEST(Statistics, IntervalHoldsTheRatioAndIsReproducible) {
  std::vector<double> Base = {10, 12, 11, 9, 13, 10, 11, 12},
                      Other = {11, 10, 12, 10, 9, 13, 11, 10};
  RatioInterval A = ratioInterval(Base, Other, 20, 7),
                B = ratioInterval(Base, Other, 20, 7);
  EXPECT_LE(A.Low, A.Ratio);
  EXPECT_GE(A.High, A.Ratio);
  EXPECT_LT(A.Low, A.High);
  EXPECT_EQ(A.Low, B.Low);
  EXPECT_EQ(A.High, B.High);
}

TEST(Statistics, WhatSlowsBothSidesCancelsOut) {
  std::vector<double> Base, Other;
  for (int I = 0; I < 20; ++I) {
    double Clock = I < 10 ? 1 : 2;
    Base.push_back(30 * Clock);
    Other.push_back(20 * Clock);
  }
  RatioInterval I = ratioInterval(Base, Other, 0, 1);
  EXPECT_NEAR(I.Low, 1.5, 1e-12);
  EXPECT_NEAR(I.High, 1.5, 1e-12);
}

/// How many of 500 comparisons of a normal quantity with itself leave 1
/// outside of the interval.
static unsigned missesOf(unsigned Samples) {
  std::mt19937_64 Random(11);
  std::normal_distribution<double> Time(100, 3);
  unsigned Missed = 0;
  for (unsigned Round = 0; Round < 500; ++Round) {
    std::vector<double> Base, Other;
    for (unsigned I = 0; I < Samples; ++I) {
      Base.push_back(Time(Random));
      Other.push_back(Time(Random));
    }
    RatioInterval I = ratioInterval(Base, Other, 20, Round);
    Missed += I.Low > 1 || I.High < 1;
  }
  return Missed;
}

TEST(Statistics, FewSamplesAreBelievedLess) {
  for (unsigned Samples : {2, 3, 4, 8})
    EXPECT_LE(missesOf(Samples), 45u) << Samples;
}

TEST(Statistics, NoSamplesNoRatio) {
  RatioInterval I = ratioInterval({}, {}, 20, 1);
  EXPECT_EQ(I.Ratio, 0);
}

TEST(Statistics, Verdicts) {
  EXPECT_EQ(judge({1.2, 1.1, 1.3}), Verdict::Faster);
  EXPECT_EQ(judge({0.8, 0.7, 0.9}), Verdict::Slower);
  EXPECT_EQ(judge({1.0, 0.98, 1.02}), Verdict::Same);
  EXPECT_EQ(judge({1.2, 0.9, 1.6}), Verdict::Undecided);
}

TEST(Statistics, OnePercentIsNeverClaimed) {
  EXPECT_EQ(judge({1.008, 1.006, 1.009}), Verdict::Same);
  EXPECT_EQ(judge({0.992, 0.991, 0.995}), Verdict::Same);
}

TEST(Statistics, NamesAreThoseOfTheProtocol) {
  EXPECT_STREQ(name(Verdict::Slower), "slower");
  EXPECT_STREQ(name(Verdict::Faster), "faster");
}
