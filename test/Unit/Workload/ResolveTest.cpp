/// Shapes and plans in numbers, and what is refused on the way.
#include "mep/Workload/Resolve.h"
#include "mep/Support/Error.h"
#include "gtest/gtest.h"
#include <cstring>

using namespace mep;

namespace {

ElementType floatElement() { return {"float", 4, {{ScalarKind::F32, 0, 1}}}; }

ArgumentPart scalarPart(std::string Name, ScalarKind Kind, std::string Value,
                        uint64_t Offset = 0) {
  ArgumentPart P;
  P.Name = std::move(Name);
  P.Kind = Kind;
  P.Value = std::move(Value);
  P.Offset = Offset;
  return P;
}

/// k(float *a, int n, float alpha) with N elements and a grid over block_x.
Workload vectorWorkload() {
  Workload W;
  W.Kernel = "k";
  W.Dimensions = {{"N", 1000, true, false, ""}, {"T", 256, false, true, ""}};
  Buffer A;
  A.Name = "a";
  A.Element = floatElement();
  A.Extent = "N + n";
  A.Fill.High = "N / 2.0";
  W.Buffers = {A};
  ArgumentPart Pointer;
  Pointer.Name = "a";
  Pointer.Buffer = "a";
  Pointer.BufferOffset = "n / 100";
  W.Arguments = {
      {"a", "float *", 8, {Pointer}},
      {"n", "int", 4, {scalarPart("n", ScalarKind::I32, "N * 2")}},
      {"alpha", "float", 4, {scalarPart("alpha", ScalarKind::F32, "1.5f")}}};
  W.Launch.Grid[0] = "(N + block_x - 1) / block_x";
  W.Launch.Block[0] = "T";
  W.Shapes = {{"base", {}}, {"odd", {{"N", 101}}}};
  return W;
}

std::string messageOf(llvm::Error E) { return llvm::toString(std::move(E)); }

TEST(Resolve, ShapesInNumbers) {
  auto Shapes = resolveShapes(vectorWorkload());
  ASSERT_TRUE(bool(Shapes)) << messageOf(Shapes.takeError());
  ASSERT_EQ(Shapes->size(), 2u);
  const ResolvedShape &Base = (*Shapes)[0], &Odd = (*Shapes)[1];
  EXPECT_EQ(Base.Buffers[0].Count, 3000u);
  EXPECT_EQ(Base.Buffers[0].High, 500.0);
  EXPECT_EQ(Base.Launch.Grid[0], 4u);
  EXPECT_EQ(Base.Launch.Block[0], 256u);
  EXPECT_EQ(Base.Defines, std::vector<std::string>{"N=1000"});
  EXPECT_EQ(Odd.Buffers[0].Count, 303u);
  EXPECT_EQ(Odd.Buffers[0].High, 50.5);
  EXPECT_EQ(Odd.Launch.Grid[0], 1u);
  EXPECT_EQ(Odd.Defines, std::vector<std::string>{"N=101"});
}

TEST(Resolve, ArgumentBytesAndPointers) {
  auto Shapes = resolveShapes(vectorWorkload());
  ASSERT_TRUE(bool(Shapes)) << messageOf(Shapes.takeError());
  const ResolvedShape &Base = (*Shapes)[0];
  ASSERT_EQ(Base.Arguments.size(), 3u);
  ASSERT_EQ(Base.Arguments[0].Pointers.size(), 1u);
  EXPECT_EQ(Base.Arguments[0].Pointers[0].Buffer, "a");
  EXPECT_EQ(Base.Arguments[0].Pointers[0].ByteOffset, 80u);
  EXPECT_EQ(Base.Arguments[0].Bytes, std::vector<uint8_t>(8, 0));
  EXPECT_EQ(Base.Arguments[1].Bytes, (std::vector<uint8_t>{0xD0, 7, 0, 0}));
  float Alpha;
  std::memcpy(&Alpha, Base.Arguments[2].Bytes.data(), 4);
  EXPECT_EQ(Alpha, 1.5f);
}

TEST(Resolve, StructureMembersAreDottedNames) {
  Workload W = vectorWorkload();
  W.Arguments.push_back({"p",
                         "P",
                         16,
                         {scalarPart("p.n", ScalarKind::I64, "N", 0),
                          scalarPart("p.h", ScalarKind::F16, "0.5", 8),
                          scalarPart("p.b", ScalarKind::BF16, "-2", 10),
                          scalarPart("p.ok", ScalarKind::Bool, "N > 3", 12)}});
  W.Buffers[0].Extent = "p.n * 3";
  auto Shapes = resolveShapes(W);
  ASSERT_TRUE(bool(Shapes)) << messageOf(Shapes.takeError());
  EXPECT_EQ((*Shapes)[1].Buffers[0].Count, 303u);
  const std::vector<uint8_t> &B = (*Shapes)[0].Arguments[3].Bytes;
  EXPECT_EQ(B[0] + 256 * B[1], 1000);
  EXPECT_EQ(B[8] + 256 * B[9], 0x3800);   // 0.5 in binary16
  EXPECT_EQ(B[10] + 256 * B[11], 0xC000); // -2 in bfloat16
  EXPECT_EQ(B[12], 1);
}

struct Refusal {
  const char *Name;
  void (*Break)(Workload &);
  const char *Message; ///< Must occur.
};

class ResolveRefuses : public testing::TestWithParam<Refusal> {};

TEST_P(ResolveRefuses, NamingTheMember) {
  Workload W = vectorWorkload();
  GetParam().Break(W);
  auto Shapes = resolveShapes(W);
  ASSERT_FALSE(bool(Shapes));
  llvm::Error E = Shapes.takeError();
  EXPECT_EQ(failureOf(E), Failure::Workload);
  std::string Message = messageOf(std::move(E));
  EXPECT_NE(Message.find(GetParam().Message), std::string::npos) << Message;
}

INSTANTIATE_TEST_SUITE_P(
    Members, ResolveRefuses,
    testing::Values(
        Refusal{"UnknownName", [](Workload &W) { W.Buffers[0].Extent = "M"; },
                "buffers[a].extent"},
        Refusal{"Empty", [](Workload &W) { W.Buffers[0].Extent = ""; },
                "buffers[a].extent"},
        Refusal{"ZeroExtent",
                [](Workload &W) { W.Buffers[0].Extent = "N - N"; },
                "buffers[a].extent"},
        Refusal{"NegativeExtent",
                [](Workload &W) { W.Buffers[0].Extent = "-N"; }, "-1000"},
        Refusal{"HugeExtent",
                [](Workload &W) { W.Buffers[0].Extent = "N * 1000000000000"; },
                "buffers[a].extent"},
        Refusal{"Division",
                [](Workload &W) { W.Launch.Grid[1] = "N / (N - N)"; },
                "launch.grid[1]"},
        Refusal{"ZeroGrid", [](Workload &W) { W.Launch.Grid[0] = "N / 2000"; },
                "launch.grid[0]"},
        Refusal{"WideGridY", [](Workload &W) { W.Launch.Grid[1] = "65536"; },
                "launch.grid[1]"},
        Refusal{"LargeBlock", [](Workload &W) { W.Launch.Block[1] = "5"; },
                "1280 threads"},
        Refusal{"DeepBlock",
                [](Workload &W) { W.Launch.Block = {"1", "1", "65"}; },
                "launch.block[2]"},
        Refusal{"NegativeShared",
                [](Workload &W) { W.Launch.SharedBytes = "-4"; },
                "shared_bytes"},
        Refusal{"IntOverflow",
                [](Workload &W) {
                  W.Buffers[0].Extent = "N";
                  W.Arguments[0].Parts[0].BufferOffset = "0";
                  W.Arguments[1].Parts[0].Value = "3000000000";
                },
                "arguments[n].value"},
        Refusal{
            "PointerPastEnd",
            [](Workload &W) { W.Arguments[0].Parts[0].BufferOffset = "3001"; },
            "arguments[a].buffer_offset"},
        Refusal{"NoSuchBuffer",
                [](Workload &W) { W.Arguments[0].Parts[0].Buffer = "b"; },
                "no buffer is named 'b'"},
        Refusal{"PartOutside",
                [](Workload &W) { W.Arguments[1].Parts[0].Offset = 2; },
                "arguments[n].offset"},
        Refusal{"NoSuchDimension",
                [](Workload &W) { W.Shapes[1].Dimensions = {{"Q", 3}}; },
                "no dimension is named 'Q'"},
        Refusal{"TwiceTheDimension",
                [](Workload &W) { W.Dimensions.push_back(W.Dimensions[0]); },
                "'N' is there twice"}),
    [](const auto &Info) { return Info.param.Name; });

TEST(ResolvePlan, OriginalLaunch) {
  auto Plans = resolvePlan(vectorWorkload(), LaunchPlan(), {});
  ASSERT_TRUE(bool(Plans)) << messageOf(Plans.takeError());
  ASSERT_EQ(Plans->size(), 2u);
  const ResolvedLaunch &L = (*Plans)[0].Launches.at(0);
  EXPECT_EQ(L.Kernel, "k");
  EXPECT_EQ(L.Arguments, (std::vector<std::string>{"a", "n", "alpha"}));
  EXPECT_EQ(L.Geometry.Grid[0], 4u);
  EXPECT_EQ(L.Geometry.Block[0], 256u);
}

TEST(ResolvePlan, TunablesScalarsAndScratch) {
  LaunchPlan Plan;
  PlannedLaunch First, Second;
  First.Block = {"TILE", "block_y", "1"};
  First.Grid[0] = "(n + TILE - 1) / TILE";
  Second.Kernel = "k2";
  Second.Arguments = {"a", "tmp"};
  Second.Grid[0] = "grid_x * 2";
  Plan.Launches = {First, Second};
  Plan.Scratch = {{"tmp", "float", "N * sizeof(float)"}};
  Plan.Tunables = {{"TILE", {16, 32}}};
  auto Plans = resolvePlan(vectorWorkload(), Plan, {{"TILE", 32}});
  ASSERT_TRUE(bool(Plans)) << messageOf(Plans.takeError());
  EXPECT_EQ((*Plans)[0].Launches[0].Geometry.Grid[0], 63u);
  EXPECT_EQ((*Plans)[0].Launches[0].Geometry.Block[0], 32u);
  EXPECT_EQ((*Plans)[0].Launches[1].Geometry.Grid[0], 8u);
  EXPECT_EQ((*Plans)[1].Scratch[0].second, 404u);
  auto Default = resolvePlan(vectorWorkload(), Plan, {});
  ASSERT_TRUE(bool(Default)) << messageOf(Default.takeError());
  EXPECT_EQ((*Default)[0].Launches[0].Geometry.Block[0], 16u);
}

std::string planError(void (*Break)(LaunchPlan &)) {
  LaunchPlan Plan;
  Plan.Launches.emplace_back();
  Break(Plan);
  auto Plans = resolvePlan(vectorWorkload(), Plan, {});
  return Plans ? "" : messageOf(Plans.takeError());
}

TEST(ResolvePlan, RefusesNamingTheField) {
  auto Names = [](const std::string &Message, const char *Field) {
    return Message.find(Field) != std::string::npos;
  };
  EXPECT_PRED2(Names,
               planError([](LaunchPlan &P) { P.Launches[0].Grid[0] = "0"; }),
               "plan: launches[0].grid[0]");
  EXPECT_PRED2(Names,
               planError([](LaunchPlan &P) { P.Launches[0].Grid[0] = "-1"; }),
               "plan: launches[0].grid[0]");
  EXPECT_PRED2(Names, planError([](LaunchPlan &P) {
                 P.Launches[0].Grid[0] = "5000000000";
               }),
               "plan: launches[0].grid[0]");
  EXPECT_PRED2(
      Names, planError([](LaunchPlan &P) { P.Launches[0].Block[1] = "n / 0"; }),
      "plan: launches[0].block[1]");
  EXPECT_PRED2(
      Names, planError([](LaunchPlan &P) { P.Launches[0].Block[0] = "WHAT"; }),
      "plan: launches[0].block[0]");
  EXPECT_PRED2(
      Names, planError([](LaunchPlan &P) { P.Launches[0].Arguments = {"zz"}; }),
      "plan: launches[0].arguments[0]");
  EXPECT_PRED2(Names, planError([](LaunchPlan &P) {
                 P.Scratch = {{"s", "float", "0"}};
               }),
               "plan: scratch[0].bytes");
}

TEST(Scale, KeepsProportionsAndFixedDimensions) {
  Workload W = vectorWorkload();
  W.Dimensions.push_back({"M", 500, false, false, ""});
  W.Buffers[0].Extent = "N * M";
  W.Arguments[0].Parts[0].BufferOffset = "0";
  W.Shapes = {{"base", {}}};
  Workload Scaled = scaledWorkload(W, 16, uint64_t(1) << 40);
  EXPECT_NEAR(double(Scaled.Dimensions[0].Value), 4000, 200);
  EXPECT_NEAR(double(Scaled.Dimensions[2].Value), 2000, 100);
  EXPECT_EQ(Scaled.Dimensions[1].Value, 256);
}

TEST(Scale, UnchangedWhenNothingIsFreeOrTooLarge) {
  Workload W = vectorWorkload();
  EXPECT_EQ(scaledWorkload(W, 8, 1000).Dimensions[0].Value, 1000);
  W.Dimensions[0].Fixed = true;
  EXPECT_EQ(scaledWorkload(W, 8, uint64_t(1) << 40).Dimensions[0].Value, 1000);
}

} // namespace
