/// What a workload file may override, and what it may not say.
#include "../../../lib/Workload/UserFile.h"
#include "gtest/gtest.h"
#include <nlohmann/json.hpp>

using namespace mep;

namespace {

Workload inferred() {
  Workload W;
  W.Kernel = "k";
  W.Dimensions = {{"n", 64, false, false, ""}};
  Buffer A;
  A.Name = "a";
  A.Element = {"float", 4, {{ScalarKind::F32, 0, 1}}};
  A.Extent = "n";
  W.Buffers = {A};
  ArgumentPart Pointer, Count, Member;
  Pointer.Name = "a";
  Pointer.Buffer = "a";
  Count.Name = "count";
  Count.Value = "n";
  Member.Name = "p.n";
  Member.Value = "n";
  W.Arguments = {{"a", "float *", 8, {Pointer}},
                 {"count", "int", 4, {Count}},
                 {"p", "P", 4, {Member}}};
  W.Shapes = {{"base", {}}};
  return W;
}

llvm::Expected<Workload> merged(const char *Text) {
  auto File = parseJson(Text, "w.json");
  if (!File)
    return File.takeError();
  return mergeUserFile(inferred(), *File, "w.json");
}

TEST(UserFile, OverridesByName) {
  auto W = merged(R"({
    "dimensions": [{"name": "n", "value": 100}],
    "arguments": [{"name": "count", "value": 7}, {"name": "p.n", "value": "n+1"}],
    "buffers": [{"name": "a", "extent": "n * n", "role": "out",
                 "fill": {"rule": "zero"}}],
    "launch": {"grid": ["n", 2]},
    "tolerance": {"relative": 1e-3}})");
  ASSERT_TRUE(bool(W)) << llvm::toString(W.takeError());
  EXPECT_EQ(W->Dimensions[0].Value, 100);
  EXPECT_EQ(W->Arguments[1].Parts[0].Value, "7");
  EXPECT_EQ(W->Arguments[2].Parts[0].Value, "n+1");
  EXPECT_EQ(W->Buffers[0].Extent, "n * n");
  EXPECT_EQ(W->Buffers[0].Use, Role::Out);
  EXPECT_EQ(W->Buffers[0].Fill.Rule, "zero");
  EXPECT_EQ(W->Buffers[0].Fill.Low, "-1");
  EXPECT_TRUE(W->Buffers[0].Fill.Given);
  EXPECT_EQ(W->Launch.Grid[1], "2");
  EXPECT_EQ(W->Launch.Grid[2], "1");
  EXPECT_EQ(W->RelativeTolerance, 1e-3);
}

TEST(UserFile, ShapesKeepTheBaseFirst) {
  auto W = merged(R"({"shapes": [{"name": "tiny", "dimensions": {"n": 3}}]})");
  ASSERT_TRUE(bool(W)) << llvm::toString(W.takeError());
  ASSERT_EQ(W->Shapes.size(), 2u);
  EXPECT_EQ(W->Shapes[0].Name, "base");
  EXPECT_EQ(W->Shapes[1].Dimensions.at("n"), 3);
}

TEST(UserFile, AWholeWorkloadReadsBack) {
  std::string Text = printJson(toJson(inferred()), true);
  auto W = merged(Text.c_str());
  ASSERT_TRUE(bool(W)) << llvm::toString(W.takeError());
  EXPECT_EQ(printJson(toJson(*W)), printJson(toJson(inferred())));
}

TEST(UserFile, AnEditedFillIsGiven) {
  Json File = toJson(inferred());
  File["buffers"][0]["fill"]["high"] = "9";
  auto W = mergeUserFile(inferred(), File, "w.json");
  ASSERT_TRUE(bool(W)) << llvm::toString(W.takeError());
  EXPECT_TRUE(W->Buffers[0].Fill.Given);
}

/// What counts begins at its low, whatever file that comes from, and at 0 where
/// the file says none: not at what the inferred rule had there.
TEST(UserFile, WhatCountsBeginsAtItsLow) {
  for (std::string Rule : {"iota", "permutation", "offsets"}) {
    auto Low = [&](const std::string &More) -> std::string {
      auto W = merged((R"({"buffers": [{"name": "a", "fill": {"rule": ")" +
                       Rule + '"' + More + "}}]}")
                          .c_str());
      return W ? W->Buffers[0].Fill.Low : llvm::toString(W.takeError());
    };
    EXPECT_EQ(Low(""), "0") << Rule;
    EXPECT_EQ(Low(R"(, "low": -1)"), "-1") << Rule;
    EXPECT_EQ(Low(R"(, "low": "n")"), "n") << Rule;
  }
}

std::string problem(const char *Text) {
  auto W = merged(Text);
  return W ? "" : llvm::toString(W.takeError());
}

TEST(UserFile, RefusesUnknownNamesWithTheirPath) {
  EXPECT_NE(problem(R"({"buffers": [{"name": "b", "extent": 1}]})")
                .find("buffers[0].name: the kernel's workload has no 'b'"),
            std::string::npos);
  EXPECT_NE(problem(R"({"arguments": [{"name": "q", "value": 1}]})")
                .find("it has a, count, p"),
            std::string::npos);
  EXPECT_NE(problem(R"({"buffer": []})").find("buffer"), std::string::npos);
  EXPECT_NE(
      problem(R"({"buffers": [{"name": "a", "exent": 1}]})").find("exent"),
      std::string::npos);
  EXPECT_NE(problem(R"({"kernel": "other"})").find("'other'"),
            std::string::npos);
  EXPECT_NE(problem(R"({"launch": {"gird": [1]}})").find("gird"),
            std::string::npos);
  EXPECT_NE(
      problem(R"({"buffers": [{"name": "a", "role": "input"}]})").find("role"),
      std::string::npos);
  EXPECT_NE(problem("[]").find("w.json"), std::string::npos);
}

TEST(UserFile, GivenDimensionsWantNumbers) {
  auto File =
      parseJson(R"({"dimensions": [{"name": "n", "value": "x"}]})", "w");
  ASSERT_TRUE(bool(File));
  auto Given = givenDimensions(*File, "w");
  ASSERT_FALSE(bool(Given));
  EXPECT_NE(llvm::toString(Given.takeError()).find("dimensions[0].value"),
            std::string::npos);
}

/// Shapes of further launches bring dimensions of their own.
TEST(UserFile, NewDimensionsAreWhatExpressionsUse) {
  auto W = merged(R"({
    "dimensions": [{"name": "flag", "value": 0}],
    "arguments": [{"name": "count", "value": "flag ? n / 2 : n"}],
    "shapes": [{"name": "base", "weight": 2},
               {"name": "half", "weight": 1, "dimensions": {"flag": 1}}]})");
  ASSERT_TRUE(bool(W)) << llvm::toString(W.takeError());
  ASSERT_EQ(W->Dimensions.size(), 2u);
  EXPECT_EQ(W->Dimensions[1].Name, "flag");
  EXPECT_EQ(weightsOf(W->Shapes), (std::vector<double>{2, 1}));
}

/// A name that nothing uses is a slip of the pen, even if a parameter has it.
TEST(UserFile, NewDimensionsThatNothingUsesAreRefused) {
  for (const char *Name : {"m", "count"}) {
    auto W = merged((R"({"dimensions": [{"name": ")" + std::string(Name) +
                     R"(", "value": 3}]})")
                        .c_str());
    ASSERT_FALSE(bool(W)) << Name;
    EXPECT_NE(llvm::toString(W.takeError())
                  .find("w.json.dimensions[0].name: the kernel's workload has "
                        "no '" +
                        std::string(Name) + "' here"),
              std::string::npos);
  }
}

} // namespace
