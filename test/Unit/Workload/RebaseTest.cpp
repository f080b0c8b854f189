/// \file
/// Another launch as the base: what the shapes are stays, what they are called
/// changes.

#include "mep/Workload/Rebase.h"
#include "mep/Workload/Resolve.h"
#include "gtest/gtest.h"

using namespace mep;

namespace {

/// `k(a, t)` launched with t = 4 (the base), 1 and 9, the last on 500 elements.
Workload example() {
  Workload W;
  W.Kernel = "k";
  W.Dimensions = {{"n", 1000, false, false, ""}, {"t", 4, false, true, ""}};
  Buffer A;
  A.Name = "a";
  A.Element = {"float", 4, {{ScalarKind::F32, 0, 1}}};
  A.Extent = "n";
  W.Buffers = {A};
  ArgumentPart Pointer, Times;
  Pointer.Name = Pointer.Buffer = "a";
  Times.Name = Times.Value = "t";
  W.Arguments = {{"a", "float *", 8, {Pointer}}, {"t", "int", 4, {Times}}};
  W.Launch.Grid[0] = "(n + 255) / 256";
  W.Launch.Block[0] = "256";
  W.Shapes = {{"base", {}, 2},
              {"launch2", {{"t", 1}}, 1},
              {"launch3", {{"n", 500}, {"t", 9}}, 3},
              {"odd", {{"n", 241}}},
              {"launch3_odd", {{"n", 113}, {"t", 9}}}};
  W.Notes = {"shape base is the launch at a.cu:1", "'n': seen",
             "shape launch3 is the launch at a.cu:2"};
  return W;
}

std::vector<ResolvedShape> resolved(const Workload &W) {
  auto All = resolveShapes(W);
  if (All)
    return *All;
  ADD_FAILURE() << llvm::toString(All.takeError());
  return {};
}

TEST(Rebase, EveryShapeKeepsItsNumbers) {
  auto Before = resolved(example()),
       After = resolved(rebasedWorkload(example(), 2));
  ASSERT_EQ(Before.size(), After.size());
  const size_t Was[] = {2, 1, 0, 3, 4};
  const char *Name[] = {"base", "launch2", "launch3", "launch3_odd", "odd"};
  for (size_t I = 0; I < After.size(); ++I) {
    EXPECT_EQ(After[I].Name, Name[I]);
    EXPECT_EQ(After[I].Weight, Before[Was[I]].Weight);
    EXPECT_EQ(After[I].Dimensions, Before[Was[I]].Dimensions);
    EXPECT_EQ(After[I].Launch.Grid, Before[Was[I]].Launch.Grid);
    EXPECT_EQ(After[I].Buffers[0].Count, Before[Was[I]].Buffers[0].Count);
    EXPECT_EQ(After[I].Arguments[1].Bytes, Before[Was[I]].Arguments[1].Bytes);
  }
}

TEST(Rebase, NotesFollowTheNames) {
  Workload W = rebasedWorkload(example(), 2);
  EXPECT_EQ(W.Notes[0], "shape launch3 is the launch at a.cu:1");
  EXPECT_EQ(W.Notes[1], "'n': seen");
  EXPECT_EQ(W.Notes[2], "shape base is the launch at a.cu:2");
}

TEST(Rebase, TwiceIsWhatItWas) {
  Workload W = rebasedWorkload(rebasedWorkload(example(), 2), 2);
  for (size_t I = 0; I < W.Shapes.size(); ++I) {
    EXPECT_EQ(W.Shapes[I].Name, example().Shapes[I].Name);
    EXPECT_EQ(W.Shapes[I].Dimensions, example().Shapes[I].Dimensions);
  }
  EXPECT_EQ(W.Dimensions[0].Value, 1000);
}

} // namespace
