/// \file
/// Launches with numbers of their own become weighted shapes of the first's
/// workload.

#include "../../../lib/Workload/Launches.h"
#include "mep/Workload/Resolve.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace mep;

namespace {

/// `k(a, n, flag, scale)` on `n` elements in blocks of 256.
Workload launch(int64_t N, const std::string &Flag = "0",
                const std::string &Scale = "0.5f") {
  Workload W;
  W.Kernel = "k";
  W.Dimensions = {{"n", N, false, false, ""}};
  Buffer A;
  A.Name = "a";
  A.Element = {"float", 4, {{ScalarKind::F32, 0, 1}}};
  A.Extent = "n";
  W.Buffers = {A};
  ArgumentPart Pointer, Count, Mode, Factor;
  Pointer.Name = Pointer.Buffer = "a";
  Count.Name = Count.Value = "n";
  Mode.Name = "flag";
  Mode.Value = Flag;
  Factor.Name = "scale";
  Factor.Kind = ScalarKind::F32;
  Factor.Value = Scale;
  W.Arguments = {{"a", "float *", 8, {Pointer}},
                 {"n", "int", 4, {Count}},
                 {"flag", "int", 4, {Mode}},
                 {"scale", "float", 4, {Factor}}};
  W.Launch.Grid[0] = "(n + block_x - 1) / block_x";
  W.Launch.Block[0] = "256";
  W.Shapes = {{"base", {}}, {"odd", {{"n", 31}}}};
  return W;
}

LaunchData of(Workload W, double Runs, const std::string &Place) {
  return {std::move(W), Runs, {}, Place, {}};
}

Workload with(const std::vector<LaunchData> &Others, double Runs = 1) {
  Workload W = launch(1000);
  addLaunches(W, of(launch(1000), Runs, "first"), Others, "");
  return W;
}

const ResolvedShape &shape(const std::vector<ResolvedShape> &All,
                           const std::string &Name) {
  for (const ResolvedShape &S : All)
    if (S.Name == Name)
      return S;
  ADD_FAILURE() << "no shape " << Name;
  return All.front();
}

std::vector<ResolvedShape> resolved(const Workload &W) {
  auto Shapes = resolveShapes(W);
  EXPECT_TRUE(bool(Shapes)) << llvm::toString(Shapes.takeError());
  return Shapes ? std::move(*Shapes) : std::vector<ResolvedShape>();
}

bool notes(const Workload &W, const std::string &Text) {
  return llvm::any_of(W.Notes, [&](const std::string &Note) {
    return Note.find(Text) != std::string::npos;
  });
}

TEST(Launches, TheSameNumbersAddUp) {
  Workload W = with({of(launch(1000), 5, "second")});
  ASSERT_EQ(W.Shapes.size(), 2u);
  EXPECT_EQ(W.Dimensions.size(), 1u);
  EXPECT_TRUE(W.Notes.empty());
}

/// Another place in a buffer is the same work, unless it is aligned otherwise.
TEST(Launches, OtherPlacesInABuffer) {
  Workload Far = launch(1000), Odd = launch(1000);
  Far.Arguments[0].Parts[0].BufferOffset = "128";
  Odd.Arguments[0].Parts[0].BufferOffset = "3";
  EXPECT_EQ(with({of(Far, 5, "second")}).Shapes.size(), 2u);
  Workload W = with({of(Odd, 5, "second")});
  ASSERT_EQ(W.Shapes.size(), 4u);
  auto All = resolved(W);
  EXPECT_EQ(shape(All, "launch2").Arguments[0].Pointers[0].ByteOffset, 12u);
}

/// The size that the workload already has: expressions stay as they are.
TEST(Launches, AnotherSizeIsAnAssignment) {
  Workload W = with({of(launch(500), 3, "second"), of(launch(500), 3, "third")},
                    /*Runs=*/2);
  ASSERT_EQ(W.Shapes.size(), 4u);
  EXPECT_EQ(W.Shapes[0].Weight, 1);
  EXPECT_EQ(W.Shapes[1].Name, "launch2");
  EXPECT_EQ(W.Shapes[1].Weight, 3);
  EXPECT_EQ(W.Shapes[1].Dimensions,
            (std::map<std::string, int64_t>{{"n", 500}}));
  EXPECT_EQ(W.Dimensions.size(), 1u);
  EXPECT_EQ(W.Shapes[2].Name, "odd");
  EXPECT_EQ(W.Shapes[3].Name, "launch2_odd");
  EXPECT_TRUE(notes(W, "launch2 is the launch at second, third"));
  auto All = resolved(W);
  EXPECT_EQ(shape(All, "launch2").Launch.Grid[0], 2u);
  EXPECT_EQ(shape(All, "launch2").Weight, 3);
}

/// A number in the text becomes a dimension named like the parameter, a
/// floating one is told apart by the launch.
TEST(Launches, WhatDiffersBecomesADimension) {
  Workload W = with({of(launch(1000, "1", "0.25f"), 1, "second")});
  ASSERT_EQ(W.Shapes.size(), 4u);
  EXPECT_EQ(W.Arguments[2].Parts[0].Value, "flag");
  EXPECT_EQ(W.Arguments[3].Parts[0].Value,
            "(which_launch == 1 ? 0.25f : 0.5f)");
  EXPECT_EQ(W.Shapes[1].Dimensions,
            (std::map<std::string, int64_t>{{"flag", 1}, {"which_launch", 1}}));
  for (const Dimension &D : W.Dimensions)
    EXPECT_EQ(D.Fixed, D.Name != "n") << D.Name;
  auto All = resolved(W);
  EXPECT_EQ(shape(All, "base").Arguments[2].Bytes[0], 0);
  EXPECT_EQ(shape(All, "odd").Arguments[2].Bytes[0], 0);
  EXPECT_EQ(shape(All, "launch2").Arguments[2].Bytes[0], 1);
  EXPECT_EQ(shape(All, "launch2").Arguments[3].Bytes,
            (std::vector<uint8_t>{0, 0, 0x80, 0x3e}));
}

/// Shapes made from the first launch keep following its sizes.
TEST(Launches, ExpressionsStayThoseOfTheFirst) {
  Workload Other = launch(1000);
  Other.Launch.Grid[0] = "7";
  Workload W = with({of(Other, 1, "second")});
  EXPECT_EQ(W.Launch.Grid[0],
            "(which_launch == 1 ? 7 : (n + block_x - 1) / block_x)");
  auto All = resolved(W);
  EXPECT_EQ(shape(All, "base").Launch.Grid[0], 4u);
  EXPECT_EQ(shape(All, "odd").Launch.Grid[0], 1u);
  EXPECT_EQ(shape(All, "launch2").Launch.Grid[0], 7u);
}

TEST(Launches, BlocksDiffer) {
  Workload Other = launch(1000);
  Other.Launch.Block[0] = "128";
  Workload W = with({of(Other, 1, "second")});
  EXPECT_EQ(W.Launch.Block[0], "launch_block_x");
  auto All = resolved(W);
  EXPECT_EQ(shape(All, "launch2").Launch.Block[0], 128u);
  EXPECT_EQ(shape(All, "launch2").Launch.Grid[0], 8u);
}

/// A third launch must not change what the second is.
TEST(Launches, SeveralSharePlaces) {
  Workload Third = launch(300, "2");
  Third.Launch.Grid[0] = "9";
  Workload Second = launch(1000, "1");
  Second.Launch.Grid[0] = "7";
  Workload W = with({of(Second, 1, "second"), of(Third, 1, "third")});
  auto All = resolved(W);
  EXPECT_EQ(shape(All, "base").Launch.Grid[0], 4u);
  EXPECT_EQ(shape(All, "launch2").Launch.Grid[0], 7u);
  EXPECT_EQ(shape(All, "launch3").Launch.Grid[0], 9u);
  EXPECT_EQ(shape(All, "launch2").Arguments[2].Bytes[0], 1);
  EXPECT_EQ(shape(All, "launch3").Arguments[2].Bytes[0], 2);
  EXPECT_EQ(shape(All, "launch3").Buffers[0].Count, 300u);
}

/// One that only partly writes a buffer makes it an input of all.
TEST(Launches, RolesAreJoined) {
  Workload W = launch(1000), Other = launch(500);
  W.Buffers[0].Use = Role::Out;
  Other.Buffers[0].Use = Role::InOut;
  addLaunches(W, of(W, 1, "first"), {of(Other, 1, "second")}, "");
  EXPECT_EQ(W.Buffers[0].Use, Role::InOut);
}

TEST(Launches, OtherPointersAreLeftOut) {
  Workload Other = launch(500);
  Other.Arguments[0].Parts[0].Buffer.clear();
  Other.Arguments[0].Parts[0].Value = "0";
  Workload W = with({of(Other, 1, "second")});
  EXPECT_EQ(W.Shapes.size(), 2u);
  EXPECT_TRUE(notes(W, "the launch at second is not part of the workload: 'a' "
                       "is null"));
}

/// Numbers that are assumed for it alone are none.
TEST(Launches, AssumedNumbersAreLeftOut) {
  Workload Other = launch(500);
  Other.Assumptions.push_back({Assumption::Dimension, "n", "'n' is 500"});
  Workload W = with({of(Other, 1, "second")});
  EXPECT_EQ(W.Shapes.size(), 2u);
  EXPECT_TRUE(notes(W, "known only when the application runs: 'n' is 500"));
}

/// A launch that does not run is verified.
TEST(Launches, NeverRunIsVerifiedOnly) {
  Workload W = with({of(launch(500), 0, "second")}, /*Runs=*/4);
  ASSERT_EQ(W.Shapes.size(), 3u);
  EXPECT_EQ(W.Shapes[1].Weight, 0);
  EXPECT_EQ(weightsOf(W.Shapes), (std::vector<double>{1, 0, 0}));
  EXPECT_TRUE(notes(W, "does not run"));
}

/// The most frequent are timed, some more verified, the rest noted.
TEST(Launches, ThereIsAMost) {
  std::vector<LaunchData> Others;
  for (int64_t I = 1; I <= 9; ++I)
    Others.push_back(
        of(launch(100 * I + 1), double(I), "l" + std::to_string(I)));
  Workload W = with(Others, /*Runs=*/1);
  unsigned Timed = 0;
  for (const Shape &S : W.Shapes)
    Timed += S.Weight > 0;
  EXPECT_EQ(Timed, MostTimedLaunches);
  // With the odd shapes of the timed ones.
  constexpr size_t Launches = MostTimedLaunches + MostVerifiedLaunches;
  EXPECT_EQ(W.Shapes.size(), Launches + MostTimedLaunches);
  EXPECT_EQ(W.Shapes[Launches - 1].Dimensions.at("n"), 901);
  EXPECT_EQ(W.Shapes[Launches - 1].Weight, 9);
  EXPECT_TRUE(notes(W, "l1 is not part of the workload: there are too many"));
}

/// What only the other launch does is verified on an odd size as well.
TEST(Launches, EachTimedLaunchHasAnOddShape) {
  Workload W = with({of(launch(1000, "1"), 2, "second")});
  auto All = resolved(W);
  const ResolvedShape &Odd = shape(All, "launch2_odd");
  EXPECT_EQ(Odd.Arguments[2].Bytes[0], 1);
  EXPECT_EQ(Odd.Buffers[0].Count, 31u);
  EXPECT_EQ(Odd.Weight, 0);
}

/// Unless a size that only it has stays while the buffers get smaller.
TEST(Launches, ASizeThatStaysHasNoOddShape) {
  Workload Other = launch(1000, "1");
  Other.Arguments[1].Parts[0].Value = "600";
  Workload W = with({of(Other, 2, "second")});
  EXPECT_TRUE(llvm::none_of(
      W.Shapes, [](const Shape &S) { return S.Name == "launch2_odd"; }));
}

/// A launch follows the sizes by its own expressions where they have its
/// numbers.
TEST(Launches, TheOthersExpressionsAreKept) {
  Workload Other = launch(1000);
  Other.Launch.Grid[0] = "n / 250";
  Other.Arguments[1].Parts[0].Value = "n / 2";
  Workload W = with({of(Other, 1, "second")});
  EXPECT_EQ(W.Arguments[1].Parts[0].Value, "(which_launch == 1 ? n / 2 : n)");
  EXPECT_EQ(shape(resolved(W), "launch2_odd").Arguments[1].Bytes[0], 15);
}

/// Not a launch at all.
TEST(Launches, WithoutBlocksItIsLeftOut) {
  Workload Other = launch(1000, "1");
  Other.Launch.Grid[0] = "0";
  Workload W = with({of(Other, 1, "second")});
  EXPECT_EQ(W.Shapes.size(), 2u);
  EXPECT_TRUE(notes(W, "second is not part of the workload: it is no valid"));
}

/// Six launches of few threads take longer than one of a few more.
TEST(Launches, WhatRunsOftenIsTimed) {
  std::vector<LaunchData> Others;
  for (int64_t I = 1; I <= 3; ++I)
    Others.push_back(of(launch(100 * I + 1), 6, "small"));
  Others.push_back(of(launch(4096), 1, "once"));
  Others.push_back(of(launch(int64_t(1) << 26), 1, "large"));
  Workload W = with(Others, /*Runs=*/1);
  for (const Shape &S : W.Shapes)
    if (auto N = S.Dimensions.find("n");
        N != S.Dimensions.end() && S.Name.find("odd") == std::string::npos)
      EXPECT_EQ(S.Weight > 0,
                N->second > 4096 || N->second == 101 || N->second == 201)
          << N->second;
}

/// New names avoid the kernel's own.
TEST(Launches, NamesAreFree) {
  Workload W = launch(1000), Other = launch(1000);
  W.Buffers[0].Extent = "1000";
  Other.Buffers[0].Extent = "2000";
  addLaunches(W, of(W, 1, "first"), {of(Other, 1, "second")},
              "int a_extent; int a_extent_2;");
  EXPECT_EQ(W.Buffers[0].Extent, "a_extent_3");
}

} // namespace
