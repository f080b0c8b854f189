/// \file
/// Requests that are wrong name the wrong member; launch names are resolved.

#include "Protocol.h"
#include "Program.h"
#include "gtest/gtest.h"

using namespace mepworker;

namespace {

std::string problem(const std::string &Line) {
  std::string Id = "null";
  try {
    parseRequest(Line, Id);
  } catch (const RequestError &Wrong) {
    return Wrong.what();
  }
  return "";
}

TEST(Protocol, HelloAndQuit) {
  std::string Id = "null";
  Request R = parseRequest(R"({"id":7,"op":"hello"})", Id);
  EXPECT_TRUE(std::holds_alternative<HelloRequest>(R.Op));
  EXPECT_EQ(R.Id, "7");
  R = parseRequest(R"({"id":"x","op":"quit"})", Id);
  EXPECT_TRUE(std::holds_alternative<QuitRequest>(R.Op));
  EXPECT_EQ(R.Id, "\"x\"");
}

TEST(Protocol, EvaluateReadsPlansInOrder) {
  std::string Id;
  Request R = parseRequest(
      R"({"op":"evaluate","candidate":"c","source":"s","tune":{"T":-3},
          "plans":[{"launches":[{"kernel":"k","arguments":["a"],"grid":[4,2],
          "block":[32],"shared_bytes":8}],
          "scratch":[{"name":"t","bytes":16}]}]})",
      Id);
  const auto &E = std::get<EvaluateRequest>(R.Op);
  EXPECT_EQ(E.Tune.at("T"), -3);
  ASSERT_EQ(E.Plans.size(), 1u);
  const PlannedLaunch &L = E.Plans[0].Launches.at(0);
  EXPECT_EQ(L.Shape.Grid, (std::array<uint64_t, 3>{4, 2, 1}));
  EXPECT_EQ(L.Shape.Block, (std::array<uint64_t, 3>{32, 1, 1}));
  EXPECT_EQ(L.Shape.SharedBytes, 8u);
  EXPECT_EQ(E.Plans[0].Scratch[0].second, 16u);
}

TEST(Protocol, WrongMembersAreNamed) {
  EXPECT_EQ(problem("{"), "request: not JSON");
  EXPECT_EQ(problem(R"({"op":"evaluate","source":1})"),
            "source: expected a string");
  EXPECT_EQ(problem(R"({"op":"evaluate","source":"",
                        "plans":[{"launches":[]}]})"),
            "plans[0].launches: needs at least one launch");
  EXPECT_EQ(problem(R"({"op":"evaluate","source":"","plans":[{"launches":[
                        {"grid":[1,1,1,1],"block":[1]}]}]})"),
            "plans[0].launches[0].grid: expected one to three numbers");
  EXPECT_EQ(problem(R"({"op":"evaluate","source":"","plans":[{"launches":[
                        {"grid":[1],"block":[-1]}]}]})"),
            "plans[0].launches[0].block[0]: expected a whole number, not "
            "negative");
}

TEST(Protocol, ErrorsStayOnOneLine) {
  EXPECT_EQ(
      errorAnswer("3", "device", "a\nb\x1b", true),
      R"({"id":3,"ok":false,"error":"a b ","kind":"device","fatal":true})");
}

TEST(Protocol, ProbeReadsOneShapeAndItsLimits) {
  const std::string Shape =
      R"({"name":"base","buffers":[{"name":"x","element":{"bytes":4},
          "count":0,"role":"in"}],"arguments":[],
          "launch":{"grid":[2],"block":[32]}})";
  const std::string Start =
      R"({"op":"probe","source":"s","kernel":"k","shape":)" + Shape;
  std::string Id;
  Request R = parseRequest(
      Start + R"(,"limits":{"seconds":0.5,"memory_bytes":4096,"seeds":[3,4]}})",
      Id);
  const auto &P = std::get<ProbeRequest>(R.Op);
  EXPECT_EQ(P.Shape.Buffers.at(0).Count, 0u);
  EXPECT_EQ(P.Seconds, 0.5);
  EXPECT_EQ(P.MemoryBytes, 4096u);
  EXPECT_EQ(P.Seeds, (std::vector<uint64_t>{3, 4}));
  EXPECT_EQ(problem(Start + R"(,"limits":{"seeds":[]}})"),
            "limits.seeds: expected one to 4 numbers");
  EXPECT_EQ(problem(R"({"op":"probe","source":"s","kernel":"k"})"),
            "shape: missing");
}

BufferSpec probedBuffer(const std::string &Members) {
  std::string Id;
  Request R = parseRequest(
      R"({"op":"probe","source":"s","kernel":"k","shape":{"name":"base",
          "buffers":[{"name":"x","element":{"bytes":4},"count":8,"role":"in",)" +
          Members + R"(}],"arguments":[],
          "launch":{"grid":[2],"block":[32]}}})",
      Id);
  return std::get<ProbeRequest>(R.Op).Shape.Buffers.at(0);
}

TEST(Protocol, WhatCountsBeginsAtZeroUnlessItIsSaid) {
  for (const char *Rule : {"iota", "permutation", "offsets"}) {
    const std::string Name = std::string(R"("rule":")") + Rule + '"';
    EXPECT_EQ(probedBuffer(Name).Low, 0) << Rule;
    EXPECT_EQ(probedBuffer(Name + R"(,"low":1)").Low, 1) << Rule;
  }
  EXPECT_EQ(probedBuffer(R"("rule":"uniform")").Low, -1);
}

TEST(Protocol, ReadsHowABufferCountsAndWhatItLists) {
  BufferSpec B = probedBuffer(
      R"("rule":"iota","step":-2,"each":3,"period":4,"modulus":5)");
  EXPECT_EQ(B.Counts.Step, -2);
  EXPECT_EQ(B.Counts.Each, 3);
  EXPECT_EQ(B.Counts.Period, 4);
  EXPECT_EQ(B.Counts.Modulus, 5);
  EXPECT_EQ(probedBuffer(R"("rule":"table","table":[1,-0.5])").Table,
            (std::vector<double>{1, -0.5}));
  EXPECT_NE(problem(R"({"op":"probe","source":"s","kernel":"k","shape":{
      "name":"base","buffers":[{"name":"x","element":{"bytes":4},"count":8,
      "role":"in","rule":"iota","each":0}],"arguments":[],
      "launch":{"grid":[2],"block":[32]}}})")
                .find("each: is out of range"),
            std::string::npos);
}

TEST(Protocol, ProbeAnswersInElementsAndBlocks) {
  ProbeAnswer P;
  P.Outcome = "finished";
  P.Grids = {{4, 3, 2}};
  P.Blocks = P.BlocksBegun = 24;
  ProbeAnswer::Buffer B;
  B.Name = "x";
  B.Count = 10;
  B.ElementBytes = 8;
  B.Touched.Reads = {2, 16, -1, 9};
  B.Touched.Outside = {true, true, -3, 4, 4 * 3 + 2 * 4 + 1, 0, {5, 0, 0}};
  P.Buffers.push_back(B);
  std::string Text = probeAnswer("1", P);
  EXPECT_NE(Text.find(R"("reads":{"elements":2,"bytes":16,"first":-1,)"
                      R"("last":9},"writes":{"elements":0,"bytes":0})"),
            std::string::npos)
      << Text;
  EXPECT_NE(Text.find(R"("outside":{"write":true,"block":[1,2,1],)"
                      R"("thread":[5,0,0],"element":-1})"),
            std::string::npos)
      << Text;
}

TEST(Program, KernelNamesMeanThoseOfThePreparedScope) {
  EXPECT_EQ(kernelExpression("ns::k<float, 16>", ""), "ns::k<float, 16>");
  EXPECT_EQ(kernelExpression("ns::k<float, 16>", "k"), "ns::k<float, 16>");
  EXPECT_EQ(kernelExpression("ns::k<float, 16>", "ns::k"), "ns::k<float, 16>");
  EXPECT_EQ(kernelExpression("ns::k<float>", "k<double>"), "ns::k<double>");
  EXPECT_EQ(kernelExpression("ns::k<float>", "first"), "ns::first");
  EXPECT_EQ(kernelExpression("k", "other::k"), "other::k");
  EXPECT_EQ(kernelExpression("k", "k2"), "k2");
}

} // namespace
