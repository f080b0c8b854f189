/// \file
/// Value types survive JSON, and wrong JSON names the member.

#include "mep/Model/Closure.h"
#include "mep/Model/Result.h"
#include "mep/Support/Error.h"
#include "gtest/gtest.h"
#include <nlohmann/json.hpp>

using namespace mep;

namespace {

Workload sample() {
  Workload W;
  W.Kernel = "ns::scale";
  W.Dimensions = {{"N", 1024, true, false, "a.cu:3"}};
  W.Buffers = {{"x",
                {"float", 4, {{ScalarKind::F32, 0, 1}}},
                "N",
                Role::InOut,
                {"uniform", "0", "N"},
                "",
                "a.cu:9",
                -1,
                {},
                {}}};
  Buffer Holder;
  Holder.Name = "p";
  Holder.Element = {"S", 24, {{ScalarKind::I32, 16, 1}}};
  Holder.Extent = "1";
  Holder.Pointers = {{"p->a", 0, 2, "x", "4", "N", "a.cu:7"}};
  Holder.Values = {{"p->n", 16, ScalarKind::I32, "N"}};
  W.Buffers.push_back(Holder);
  ArgumentPart Pointer{"x", 0, "float *", ScalarKind::I32, "", "x", "4", ""};
  ArgumentPart Size{"n", 0, "int", ScalarKind::I32, "N", "", "0", ""};
  W.Arguments = {{"x", "float *", 8, {Pointer}}, {"n", "int", 4, {Size}}};
  W.Launch.Grid = {"(N+255)/256", "1", "1"};
  W.Launch.Block = {"256", "1", "1"};
  W.Shapes = {{"base", {}}, {"odd", {{"N", 251}}}};
  W.Buffers[0].Fill.Given = true;
  W.Buffers[0].SetTo = 255;
  W.Buffers[0].HostFill = {"uniform", "0", "N - 1"};
  W.Buffers[0].Subscripts = {"index", "1", "N + 1"};
  FillRule &Count = W.Buffers[1].Fill;
  Count = {"iota", "1", "1"};
  Count.Period = "N";
  Count.Table = {0.5, -3};
  W.Assumptions = {{Assumption::Scalar, "n", "'n' is 1"},
                   {Assumption::Grid, "", "the launch's grid is 4"}};
  return W;
}

TEST(RoundTrip, Workload) {
  Json First = toJson(sample());
  auto Back = workloadFromJson(First, "w.json");
  ASSERT_TRUE(bool(Back)) << llvm::toString(Back.takeError());
  EXPECT_EQ(First, toJson(*Back));
  EXPECT_EQ(Back->Arguments[0].Parts[0].BufferOffset, "4");
  EXPECT_EQ(Back->Shapes[1].Dimensions.at("N"), 251);
  EXPECT_TRUE(Back->Buffers[0].Fill.Given);
  EXPECT_EQ(Back->Buffers[0].SetTo, 255);
  EXPECT_EQ(Back->Buffers[0].HostFill.High, "N - 1");
  EXPECT_EQ(Back->Buffers[0].Subscripts.Low, "1");
  EXPECT_TRUE(Back->Buffers[1].Fill == sample().Buffers[1].Fill);
  ASSERT_EQ(Back->Assumptions.size(), 2u);
  EXPECT_EQ(Back->Assumptions[1].What, Assumption::Grid);
  EXPECT_EQ(Back->Buffers[1].Pointers[0].Stride, "N");
  EXPECT_EQ(Back->Buffers[1].Values[0].Value, "N");
}

/// A file without `low` counts from 0, one that has it begins there, below 0
/// too; counting by ones is what `iota` does without being told how.
TEST(RoundTrip, CountingBeginsAtItsLow) {
  for (const char *Rule : {"iota", "permutation", "offsets"}) {
    Json Value = toJson(sample());
    Value["buffers"][1]["fill"] = {{"rule", Rule}};
    auto Without = workloadFromJson(Value, "w.json");
    ASSERT_TRUE(bool(Without)) << llvm::toString(Without.takeError());
    EXPECT_EQ(Without->Buffers[1].Fill.Low, "0") << Rule;
    EXPECT_FALSE(Without->Buffers[1].Fill.counts()) << Rule;
    Value["buffers"][1]["fill"]["low"] = -1;
    auto With = workloadFromJson(Value, "w.json");
    ASSERT_TRUE(bool(With)) << llvm::toString(With.takeError());
    EXPECT_EQ(With->Buffers[1].Fill.Low, "-1") << Rule;
    EXPECT_FALSE(toJson(*With)["buffers"][1]["fill"].contains("step")) << Rule;
  }
}

TEST(RoundTrip, PointersLieInTheirElement) {
  Json Value = toJson(sample());
  Value["buffers"][1]["pointers"][0]["offset"] = 16;
  auto Back = workloadFromJson(Value, "w.json");
  ASSERT_FALSE(bool(Back));
  EXPECT_NE(llvm::toString(Back.takeError()).find("outside the element"),
            std::string::npos);
}

TEST(RoundTrip, WeightsOfShapes) {
  Workload W = sample();
  W.Shapes = {{"base", {}, 3}, {"launch2", {{"N", 7}}, 1.5}, {"odd", {}, 0}};
  Json First = toJson(W);
  EXPECT_EQ(printJson(First["shapes"]),
            R"([{"name":"base","dimensions":{},"weight":3},)"
            R"({"name":"launch2","dimensions":{"N":7},"weight":1.5},)"
            R"({"name":"odd","dimensions":{}}])");
  auto Back = workloadFromJson(First, "w.json");
  ASSERT_TRUE(bool(Back)) << llvm::toString(Back.takeError());
  EXPECT_EQ(First, toJson(*Back));
  EXPECT_EQ(weightsOf(Back->Shapes), (std::vector<double>{3, 1.5, 0}));
}

/// A file from before there were weights times the first shape.
TEST(RoundTrip, ShapesWithoutWeights) {
  Json Value = toJson(sample());
  Value["shapes"] = {{{"name", "base"}}, {{"name", "odd"}}};
  auto Back = workloadFromJson(Value, "w.json");
  ASSERT_TRUE(bool(Back)) << llvm::toString(Back.takeError());
  EXPECT_EQ(weightsOf(Back->Shapes), (std::vector<double>{1, 0}));
  EXPECT_FALSE(toJson(*Back)["shapes"][0].contains("weight"));
}

TEST(RoundTrip, WrongWeightsAreRefused) {
  auto Refusal = [](Json First, Json Second) {
    Json Value = toJson(sample());
    Value["shapes"] = {{{"name", "base"}, {"weight", First}},
                       {{"name", "b"}, {"weight", Second}}};
    auto Back = workloadFromJson(Value, "w.json");
    return Back ? std::string() : llvm::toString(Back.takeError());
  };
  EXPECT_EQ(Refusal(1, 2), "");
  EXPECT_NE(Refusal(1, -1).find("w.json.shapes[1].weight"), std::string::npos);
  EXPECT_NE(Refusal(0, 1).find("the first shape is always timed"),
            std::string::npos);
}

/// One that counts alone counts once; the first counts always.
TEST(RoundTrip, WeightsOfOneTimedShape) {
  EXPECT_EQ(weightsOf({{"base", {}, 7}, {"odd", {}, 0}}),
            (std::vector<double>{1, 0}));
  EXPECT_EQ(weightsOf({{"base", {}}, {"b", {}, 2}}),
            (std::vector<double>{1, 2}));
}

TEST(RoundTrip, LaunchesOfAnEvaluation) {
  Evaluation E;
  E.Outcome = Status::Faster;
  LaunchTimes L;
  L.Shape = "launch2";
  L.Weight = 4;
  L.TimeNs = 20;
  L.BaselineNs = 10;
  L.Ratio = 0.5;
  L.Low = 0.4;
  L.High = 0.6;
  E.Launches = {L};
  auto Back = evaluationFromJson(toJson(E), "e");
  ASSERT_TRUE(bool(Back)) << llvm::toString(Back.takeError());
  EXPECT_EQ(toJson(*Back), toJson(E));
  ASSERT_EQ(Back->Launches.size(), 1u);
  EXPECT_EQ(Back->Launches[0].High, 0.6);

  Baseline B;
  B.TimeNs = 90;
  LaunchTimes First;
  First.Shape = "base";
  First.Weight = 5;
  First.TimeNs = 10;
  L.Ratio = 0;
  B.Launches = {First, L};
  auto Base = baselineFromJson(toJson(B), "b");
  ASSERT_TRUE(bool(Base)) << llvm::toString(Base.takeError());
  EXPECT_EQ(toJson(*Base), toJson(B));
  EXPECT_DOUBLE_EQ(Base->meanNs(), 10);
  EXPECT_DOUBLE_EQ(Base->roundNs(), 30);
}

TEST(RoundTrip, Probe) {
  ProbeReport P;
  P.Outcome = ProbeReport::Wild;
  P.Message = "reads at 0x10, which is in no buffer";
  P.Place = TouchPlace{false, 0, {3, 0, 0}, {31, 1, 0}};
  P.Dimensions = {{"N", 64}};
  P.Blocks = 8;
  P.BlocksBegun = 4;
  ProbedBuffer B;
  B.Name = "x";
  B.Count = 64;
  B.ElementBytes = 4;
  B.Reads = {10, 40, -2, 80};
  B.Outside = TouchPlace{true, 80, {1, 0, 0}, {2, 0, 0}};
  P.Buffers = {B};
  Json First = toJson(P);
  auto Back = probeFromJson(First, "p.json");
  ASSERT_TRUE(bool(Back)) << llvm::toString(Back.takeError());
  EXPECT_EQ(First, toJson(*Back));
  EXPECT_EQ(Back->endingText(),
            "reads at 0x10, which is in no buffer in block (3, 0, 0), thread "
            "(31, 1, 0) (block 4 of 8)");
  ASSERT_TRUE(Back->outside());
  EXPECT_EQ(Back->outside()->Outside->str("x"),
            "writes element 80 of 'x' in block (1, 0, 0), thread (2, 0, 0)");
  EXPECT_EQ(Back->find("x")->end(), 81u);
  EXPECT_EQ(Back->find("y"), nullptr);
}

TEST(RoundTrip, ProbeErrorNamesThePath) {
  ProbeReport P;
  P.Place.emplace();
  Json Value = toJson(P);
  Value["place"]["block"] = {1, 2};
  auto Back = probeFromJson(Value, "p.json");
  ASSERT_FALSE(bool(Back));
  EXPECT_EQ(llvm::toString(Back.takeError()),
            "p.json.place.block: expected three numbers");
}

TEST(RoundTrip, WorkloadErrorNamesThePath) {
  Json Value = toJson(sample());
  Value["buffers"][0]["role"] = "sideways";
  auto Back = workloadFromJson(Value, "w.json");
  ASSERT_FALSE(bool(Back));
  EXPECT_EQ(llvm::toString(Back.takeError()),
            "w.json.buffers[0].role: expected in, out or inout");
}

TEST(RoundTrip, ComponentOutsideItsElementIsRefused) {
  Json Value = toJson(sample());
  Value["buffers"][0]["element"]["components"][0]["count"] = 2;
  auto Back = workloadFromJson(Value, "w.json");
  ASSERT_FALSE(bool(Back));
  EXPECT_NE(llvm::toString(Back.takeError()).find("outside the element"),
            std::string::npos);
}

TEST(RoundTrip, Candidate) {
  Candidate C;
  C.Id = "1234";
  C.Moves = {"unroll", "block-shape"};
  C.DeviceText = "__global__ void k() {}\n";
  C.Plan.Launches = {
      {"k", {"x", "tmp"}, {"grid_x", "2", "1"}, {"32", "8", "1"}, "0"}};
  C.Plan.Scratch = {{"tmp", "float", "N * 4"}};
  C.Plan.Tunables = {{"U", {2, 4, 8}}};
  auto Back = candidateFromJson(toJson(C), "journal");
  ASSERT_TRUE(bool(Back)) << llvm::toString(Back.takeError());
  EXPECT_EQ(toJson(C), toJson(*Back));
  EXPECT_FALSE(Back->Plan.isOriginal());
}

TEST(RoundTrip, EveryStatusHasItsName) {
  for (unsigned S = 0; S <= unsigned(Status::Faster); ++S) {
    Evaluation E;
    E.Outcome = Status(S);
    E.Tune["TILE"] = 16;
    auto Back = evaluationFromJson(toJson(E), "e");
    ASSERT_TRUE(bool(Back)) << llvm::toString(Back.takeError());
    EXPECT_EQ(Back->Outcome, E.Outcome);
    EXPECT_EQ(Back->Tune, E.Tune);
  }
}

TEST(Closure, WithKernelReplacesOnlyTheKernelPiece) {
  Closure C;
  C.Text = "int a;\nKERNEL\nint b;\n";
  C.Pieces = {{PieceKind::Declaration, "a", 0, 6, {}, {}},
              {PieceKind::Kernel, "k", 7, 13, {}, {}}};
  EXPECT_EQ(C.kernelText(), "KERNEL");
  EXPECT_EQ(C.withKernel("NEW"), "int a;\nNEW\nint b;\n");
  const std::string Tuned = C.withKernel("N\nEW", {"T"});
  EXPECT_EQ(Tuned, "int a;\n\n#define T MEP_TUNE_T\n#line 2\nN\nEW\n#undef "
                   "T\n#line 3\n\nint b;\n");
  EXPECT_EQ(Tuned.substr(C.kernelOffset({"T"}), 4), "N\nEW");
}

TEST(Trial, BestIsTheHighestLowerBoundAmongTheCorrect) {
  Trial T;
  Evaluation Wrong, Wide, Narrow;
  Wrong.Outcome = Status::Mismatch;
  Wrong.Low = 9;
  Wide.Outcome = Status::Faster;
  Wide.Ratio = 3;
  Wide.Low = 1.1;
  Narrow.Outcome = Status::Faster;
  Narrow.Ratio = 2;
  Narrow.Low = 1.9;
  T.Evaluations = {Wrong, Wide, Narrow};
  EXPECT_EQ(T.best(), &T.Evaluations[2]);
}

} // namespace
