/// Which dimensions vary, and to what.
#include "../../../lib/Workload/Shapes.h"
#include "gtest/gtest.h"

using namespace mep;

namespace {

Workload matrixWorkload() {
  Workload W;
  W.Kernel = "k";
  W.Dimensions = {
      {"N", 1024, true, false, ""},     {"M", 1024, true, false, ""},
      {"R", 3, true, false, ""},        {"B", 64, false, false, ""},
      {"Steps", 100, false, false, ""}, {"Tile", 32, true, false, ""}};
  Buffer A;
  A.Name = "a";
  A.Element = {"float", 4, {{ScalarKind::F32, 0, 1}}};
  A.Extent = "N * (M + 2 * R) * Tile";
  W.Buffers = {A};
  W.Launch.Block[0] = "B";
  W.Launch.Grid[0] = "N / block_x";
  return W;
}

bool isFixed(const Workload &W, const char *Name) {
  for (const Dimension &D : W.Dimensions)
    if (D.Name == Name)
      return D.Fixed;
  ADD_FAILURE() << Name;
  return false;
}

TEST(Shapes, OnlySizesAreFree) {
  Workload W = matrixWorkload();
  fixDimensions(W, "__global__ void k() { __shared__ float s[Tile][Tile]; }");
  EXPECT_FALSE(isFixed(W, "N"));
  EXPECT_FALSE(isFixed(W, "M"));
  EXPECT_TRUE(isFixed(W, "R"));     // a radius
  EXPECT_TRUE(isFixed(W, "B"));     // the block
  EXPECT_TRUE(isFixed(W, "Steps")); // bounds no buffer
  EXPECT_TRUE(isFixed(W, "Tile"));  // sizes shared memory
}

TEST(Shapes, OddIsDistinctSquareIsEqual) {
  Workload W = matrixWorkload();
  fixDimensions(W, "__shared__ float s[Tile];");
  addShapes(W);
  ASSERT_EQ(W.Shapes.size(), 4u);
  EXPECT_EQ(W.Shapes[0].Name, "base");
  EXPECT_EQ(W.Shapes[1].Name, "odd");
  EXPECT_EQ(W.Shapes[1].Dimensions.at("N"), 255);
  EXPECT_EQ(W.Shapes[1].Dimensions.at("M"), 253);
  EXPECT_EQ(W.Shapes[2].Name, "square");
  EXPECT_EQ(W.Shapes[2].Dimensions.at("N"), 251);
  EXPECT_EQ(W.Shapes[2].Dimensions.at("M"), 251);
  EXPECT_EQ(W.Shapes[3].Dimensions.at("N"), 256);
  EXPECT_EQ(W.Shapes[3].Dimensions.at("M"), 256);
}

TEST(Shapes, TwinsNeedTheSameNumberOfBlocks) {
  Workload W = matrixWorkload();
  W.Dimensions = {{"N", 1000, true, false, ""},
                  {"M", 1000, true, false, ""},
                  {"K", 1000, true, false, ""},
                  {"L", 512, true, false, ""}};
  W.Buffers[0].Extent = "N * M * K * L";
  W.Launch.Block[0] = "8";
  W.Launch.Grid[0] = "N / 8 + 1";
  addShapes(W);
  ASSERT_EQ(W.Shapes.size(), 4u);
  std::map<std::string, int64_t> &Odd = W.Shapes[1].Dimensions;
  EXPECT_EQ(Odd, (std::map<std::string, int64_t>{
                     {"N", 247}, {"M", 245}, {"K", 243}, {"L", 127}}));
  for (const char *Name : {"M", "K"})
    EXPECT_EQ((Odd[Name] + 7) / 8, (Odd["N"] + 7) / 8);
}

TEST(Shapes, WithoutTwinsNothingIsSquare) {
  Workload W = matrixWorkload();
  W.Dimensions[1].Value = 512;
  fixDimensions(W, "__shared__ float s[Tile];");
  addShapes(W);
  ASSERT_EQ(W.Shapes.size(), 3u);
  EXPECT_EQ(W.Shapes[1].Dimensions.at("N"), 251);
  EXPECT_EQ(W.Shapes[1].Dimensions.at("M"), 127);
}

TEST(Shapes, NothingFreeLeavesBaseAndANote) {
  Workload W = matrixWorkload();
  for (Dimension &D : W.Dimensions)
    D.Fixed = true;
  addShapes(W);
  EXPECT_EQ(W.Shapes.size(), 1u);
  ASSERT_FALSE(W.Notes.empty());
  EXPECT_NE(W.Notes.back().find("no dimension is free"), std::string::npos);
}

TEST(Shapes, AShapeThatDoesNotLaunchIsLeftOut) {
  Workload W = matrixWorkload();
  fixDimensions(W, "__shared__ float s[Tile];");
  W.Launch.Grid[0] = "N / 256"; // 0 for 255 and 251
  addShapes(W);
  ASSERT_EQ(W.Shapes.size(), 2u);
  EXPECT_EQ(W.Shapes[1].Name, "small");
}

TEST(Shapes, Primes) {
  EXPECT_EQ(primeBelow(512, {}), 509);
  EXPECT_EQ(primeBelow(512, {509}), 503);
  EXPECT_EQ(primeBelow(1, {}), 2);
}

/// `k(n)` on a part of a buffer of \p Extent elements.
Workload partWorkload(const char *Extent) {
  Workload W = matrixWorkload();
  W.Dimensions = {{"N", 4096, false, false, ""},
                  {"part", 1000, false, false, ""}};
  W.Buffers[0].Extent = Extent;
  ArgumentPart Part;
  Part.Name = "n";
  Part.Value = "part";
  W.Arguments = {{"n", "int", 4, {Part}}};
  W.Launch.Block[0] = "64";
  W.Launch.Grid[0] = "(part + block_x - 1) / block_x";
  return W;
}

/// A size of the work that is none of a buffer gets smaller, never larger than
/// the buffer.
TEST(Shapes, WorkOnAPartOfABufferShrinks) {
  Workload W = partWorkload("N");
  std::set<std::string> Shrinking = fixDimensions(W, "");
  EXPECT_EQ(Shrinking, (std::set<std::string>{"part"}));
  EXPECT_TRUE(isFixed(W, "part")); // scaling leaves it alone
  addShapes(W, Shrinking);
  ASSERT_EQ(W.Shapes.size(), 3u);
  EXPECT_EQ(W.Shapes[1].Dimensions.at("part"), 241);
  EXPECT_EQ(W.Shapes[2].Dimensions.at("part"), 250);
  for (const Shape &S : W.Shapes)
    if (S.Name != "base")
      EXPECT_LT(S.Dimensions.at("part"), S.Dimensions.at("N"));
}

/// A kernel that is not told covers less than it was meant to.
TEST(Shapes, AGridThatTheKernelIsNotToldOfStays) {
  Workload W = partWorkload("N");
  W.Arguments.clear();
  EXPECT_TRUE(fixDimensions(W, "").empty());
}

TEST(Shapes, TheWorkIsNotLargerThanABufferOfTheSameSize) {
  Workload W = partWorkload("N");
  std::swap(W.Dimensions[0], W.Dimensions[1]);
  W.Dimensions[0].Value = 4096;
  addShapes(W, fixDimensions(W, ""));
  for (const Shape &S : W.Shapes)
    if (S.Name != "base")
      EXPECT_LE(S.Dimensions.at("part"), S.Dimensions.at("N"));
}

/// Buffers of other lengths are no other size of the problem.
TEST(Shapes, LengthsAloneAreSaid) {
  Workload W = partWorkload("N");
  W.Arguments[0].Parts[0].Value = "1000";
  W.Launch.Grid[0] = "16";
  addShapes(W, fixDimensions(W, ""));
  ASSERT_FALSE(W.Notes.empty());
  EXPECT_NE(W.Notes.back().find("no other size than the application's"),
            std::string::npos);
}

} // namespace
