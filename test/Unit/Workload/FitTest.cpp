/// \file
/// Sizes that a device can hold with the copies that verification keeps.

#include "../../../lib/Workload/Shapes.h"
#include "mep/Workload/Resolve.h"
#include "gtest/gtest.h"

using namespace mep;

namespace {

Buffer bufferOf(const char *Name, Role Use, const char *Extent) {
  Buffer B;
  B.Name = Name;
  B.Use = Use;
  B.Element = {"float", 4, {{ScalarKind::F32, 0, 1}}};
  B.Extent = Extent;
  return B;
}

Workload workloadOf(bool Fixed) {
  Workload W;
  W.Kernel = "k";
  W.Dimensions = {{"N", 8192, true, Fixed, ""}, {"M", 4096, true, Fixed, ""}};
  W.Buffers = {bufferOf("x", Role::In, "N * M"),
               bufferOf("y", Role::Out, "N * M")};
  W.Launch.Block[0] = "256";
  W.Launch.Grid[0] = "N";
  addShapes(W);
  W.Notes.clear();
  return W;
}

uint64_t need(const Workload &W) {
  auto Shapes = resolveShapes(W);
  if (!Shapes) {
    ADD_FAILURE() << llvm::toString(Shapes.takeError());
    return 0;
  }
  return workerBytes(*Shapes);
}

TEST(Fit, InputsTwiceOutputsThreeTimesAndOneMore) {
  Workload W = workloadOf(false);
  W.Shapes.resize(1);
  EXPECT_EQ(need(W), uint64_t(8192) * 4096 * 4 * (2 + 3 + 1));
}

TEST(Fit, WhatFitsIsLeftAlone) {
  Workload W = workloadOf(false);
  auto Fitted = fittedWorkload(W, need(W));
  ASSERT_TRUE(bool(Fitted));
  EXPECT_EQ(Fitted->Dimensions[0].Value, 8192);
  EXPECT_TRUE(Fitted->Notes.empty());
}

TEST(Fit, AllShapesGetSmallerInProportionAndANoteSaysSo) {
  Workload W = workloadOf(false);
  const uint64_t Limit = 100 << 20;
  auto Fitted = fittedWorkload(W, Limit);
  ASSERT_TRUE(bool(Fitted));
  EXPECT_LE(need(*Fitted), Limit);
  EXPECT_GE(need(*Fitted), Limit / 2);
  // As divisible as they were.
  EXPECT_NEAR(Fitted->Dimensions[0].Value, 2 * Fitted->Dimensions[1].Value,
              512);
  EXPECT_EQ(Fitted->Dimensions[0].Value % 256, 0);
  ASSERT_EQ(Fitted->Shapes.size(), W.Shapes.size());
  EXPECT_LT(Fitted->Shapes[1].Dimensions.at("N"), Fitted->Dimensions[0].Value);
  ASSERT_EQ(Fitted->Notes.size(), 1u);
  EXPECT_NE(Fitted->Notes[0].find("'N' is " +
                                  std::to_string(Fitted->Dimensions[0].Value) +
                                  " in place of 8192, 'M' is "),
            std::string::npos)
      << Fitted->Notes[0];
}

TEST(Fit, ASmallPowerOfTwoGetsSmallerToo) {
  Workload W = workloadOf(false);
  W.Dimensions[0].Value = W.Dimensions[1].Value = 256;
  W.Shapes = {{"base", {}}};
  const uint64_t Limit = need(W) / 3;
  auto Fitted = fittedWorkload(W, Limit);
  ASSERT_TRUE(bool(Fitted));
  EXPECT_LE(need(*Fitted), Limit);
  EXPECT_EQ(Fitted->Dimensions[0].Value, Fitted->Dimensions[1].Value);
  EXPECT_EQ(Fitted->Dimensions[0].Value, 128); // 144 fit.
}

TEST(Fit, ShapesOfTheUserStay) {
  Workload W = workloadOf(false);
  W.Shapes = {{"base", {}}, {"mine", {{"N", 9000}, {"M", 5000}}}};
  const uint64_t Limit = 100 << 20;
  auto Fitted = fittedWorkload(W, Limit);
  ASSERT_TRUE(bool(Fitted));
  ASSERT_EQ(Fitted->Shapes.size(), 2u);
  EXPECT_EQ(Fitted->Shapes[1].Dimensions.at("N"), 9000);
  // Only the base counts: the other one does not make it ever smaller.
  Fitted->Shapes.resize(1);
  EXPECT_LE(need(*Fitted), Limit);
  EXPECT_GE(need(*Fitted), Limit / 2);
}

TEST(Fit, WhatIsFixedStaysAsItIs) {
  Workload W = workloadOf(true);
  auto Fitted = fittedWorkload(W, 100 << 20);
  ASSERT_TRUE(bool(Fitted));
  EXPECT_EQ(Fitted->Dimensions[0].Value, 8192);
  EXPECT_TRUE(Fitted->Notes.empty());
}

} // namespace
