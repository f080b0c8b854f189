/// \file
/// Which data is tried in place of what a kernel does not run on, and how it is
/// searched: no kernel is run.

#include "../../../lib/Pipeline/DataSearch.h"
#include "gtest/gtest.h"

using namespace mep;

namespace {

Buffer buffer(const char *Name, ScalarKind Kind, const char *Extent) {
  Buffer B;
  B.Name = Name;
  B.Element.Bytes = 4;
  B.Element.Components = {{Kind, 0, 1}};
  B.Extent = Extent;
  B.Use = Role::In;
  B.Fill = {"uniform", "0", "15"};
  return B;
}

/// `k(const int *index, const float *x, float factor)` with the assumed size
/// `n` and factor, which the user gave no value.
Workload example() {
  Workload W;
  W.Dimensions = {{"n", 1024, false, false, ""},
                  {"known", 64, false, false, ""}};
  W.Buffers = {buffer("index", ScalarKind::I32, "n"),
               buffer("x", ScalarKind::F32, "known")};
  ArgumentPart Factor;
  Factor.Name = "factor";
  Factor.Value = "1";
  W.Arguments = {{"factor", "float", 4, {Factor}}};
  W.Shapes = {{"base", {}}, {"odd", {{"n", 31}}}};
  W.Assumptions = {{Assumption::Dimension, "n", "'n' is 1024"},
                   {Assumption::Scalar, "factor", "'factor' is 1"}};
  return W;
}

constexpr Trouble Every[] = {Trouble::Astray, Trouble::Endless,
                             Trouble::NotFinite, Trouble::WritesNothing,
                             Trouble::NotReproducible};

TEST(DataChoices, EachIsNoted) {
  for (Trouble T : Every)
    for (const Workload &W : dataChoices(example(), T)) {
      ASSERT_EQ(W.Notes.size(), 1u);
      EXPECT_NE(W.Notes[0].find("on the values taken before"),
                std::string::npos);
    }
}

TEST(DataChoices, OnlyWhatIsAssumedOrOursChanges) {
  Workload Given = example();
  for (Buffer &B : Given.Buffers)
    B.Fill.Given = true;
  Given.Assumptions.clear();
  for (Trouble T : Every)
    EXPECT_TRUE(dataChoices(Given, T).empty());
  for (Trouble T : Every)
    for (const Workload &W : dataChoices(example(), T))
      EXPECT_EQ(W.Dimensions[1].Value, 64);
}

TEST(DataChoices, AssumedSizesThatChangeLeaveTheBaseShapeAlone) {
  bool Any = false;
  for (const Workload &W : dataChoices(example(), Trouble::Astray)) {
    if (W.Dimensions[0].Value == 1024)
      continue;
    Any = true;
    EXPECT_EQ(W.Shapes.size(), 1u);
    EXPECT_TRUE(W.Dimensions[0].Fixed);
  }
  EXPECT_TRUE(Any);
}

TEST(DataChoices, WhatTheHostPutsThereComesFirst) {
  Workload Known = example();
  Known.Buffers[0].HostFill = {"uniform", "0", "known - 1"};
  Known.Buffers[1].SetTo = 0;
  for (Trouble T : Every) {
    Workload First = dataChoices(Known, T).front();
    EXPECT_EQ(First.Buffers[0].Fill.High, "known - 1");
    EXPECT_EQ(First.Buffers[1].Fill.Rule, "zero");
    EXPECT_NE(First.Notes[0].find("values in 'index', 'x' are what the host"),
              std::string::npos);
  }
  Known.Buffers[0].Fill.Given = Known.Buffers[1].Fill.Given = true;
  for (const Workload &W : dataChoices(Known, Trouble::Astray))
    EXPECT_EQ(W.Buffers[0].Fill.High, "15");
}

TEST(DataChoices, WhatTheHostCopiesIsTriedBesideWhatItSets) {
  Workload Known = example();
  Known.Buffers[1].SetTo = 0;
  Known.Buffers[1].HostFill = {"constant", "-1", "-1"};
  std::vector<Workload> All = dataChoices(Known, Trouble::NotFinite);
  EXPECT_EQ(All[0].Buffers[1].Fill.Rule, "zero");
  EXPECT_EQ(All[1].Buffers[1].Fill.Rule, "constant");
  EXPECT_NE(All[1].Notes[0].find("what the host code copies there"),
            std::string::npos);
  // What it only sets is not tried twice.
  Known.Buffers[1].HostFill.Rule.clear();
  EXPECT_EQ(dataChoices(Known, Trouble::NotFinite).size(), All.size() - 1);
}

TEST(DataChoices, AnotherLaunchBecomesTheBase) {
  Workload Launched = example();
  Launched.Shapes[0].Weight = 3;
  Launched.Shapes.insert(Launched.Shapes.begin() + 1,
                         {"launch2", {{"known", 8}}, 2});
  for (Trouble T : Every) {
    unsigned Found = 0;
    for (const Workload &W : dataChoices(Launched, T)) {
      if (W.Dimensions[1].Value == 64)
        continue;
      ++Found;
      EXPECT_EQ(W.Dimensions[1].Value, 8);
      EXPECT_EQ(W.Shapes[0].Weight, 2);
      EXPECT_EQ(W.Shapes[1].Dimensions.at("known"), 64);
      EXPECT_NE(W.Notes.back().find("until now shape 'launch2'"),
                std::string::npos);
    }
    EXPECT_EQ(Found,
              T == Trouble::NotFinite || T == Trouble::Endless ? 1u : 0u);
  }
}

TEST(DataChoices, SubscriptsThatCollideBecomeAPermutation) {
  Workload Second = dataChoices(example(), Trouble::NotReproducible)[1];
  EXPECT_EQ(Second.Buffers[0].Fill.Rule, "permutation");
  EXPECT_EQ(Second.Buffers[1].Fill.Rule, "uniform");
}

TEST(DataChoices, StatusesThatNoDataMends) {
  EXPECT_FALSE(troubleOf(Status::CompileError));
  EXPECT_FALSE(troubleOf(Status::SelfTest));
  EXPECT_EQ(troubleOf(Status::NotFinite), Trouble::NotFinite);
}

TEST(DataSearch, TakesTheFirstThatRuns) {
  Workload W = example();
  unsigned Tries = 0;
  auto Found = searchData(
      W, Trouble::NotFinite, {},
      [](Workload &Data) -> llvm::Expected<std::optional<Trouble>> {
        if (Data.Buffers[1].Fill.High == "-0.1")
          return std::nullopt;
        return Trouble::NotFinite;
      },
      Tries);
  ASSERT_TRUE(Found && *Found);
  EXPECT_EQ(W.Buffers[1].Fill.Low, "-1");
  EXPECT_EQ(W.Notes.size(), 1u);
  EXPECT_EQ(Tries, 2u);
}

TEST(DataSearch, GoesOnFromWhatLeadsToAnotherTrouble) {
  Workload W = example();
  unsigned Tries = 0;
  auto Found = searchData(
      W, Trouble::NotFinite, {/*Tries=*/100, /*Seconds=*/1e9},
      [](Workload &Data) -> llvm::Expected<std::optional<Trouble>> {
        if (Data.Buffers[1].Fill.Low != "0.1")
          return Trouble::NotFinite;
        if (Data.Arguments[0].Parts[0].Value == "1")
          return Trouble::WritesNothing;
        return std::nullopt;
      },
      Tries);
  ASSERT_TRUE(Found && *Found);
  EXPECT_EQ(W.Notes.size(), 2u);
}

TEST(DataSearch, EndsAndLeavesTheDataAlone) {
  Workload W = example();
  unsigned Tries = 0;
  auto Found = searchData(
      W, Trouble::Astray, {/*Tries=*/3, /*Seconds=*/1e9},
      [](Workload &) -> llvm::Expected<std::optional<Trouble>> {
        return Trouble::Astray;
      },
      Tries);
  ASSERT_TRUE(bool(Found));
  EXPECT_FALSE(*Found);
  EXPECT_EQ(Tries, 3u);
  EXPECT_TRUE(W.Notes.empty());
}

} // namespace
