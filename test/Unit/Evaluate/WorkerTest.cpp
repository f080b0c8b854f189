/// The tool's side of a worker against a process that misbehaves on purpose.

#include "mep/Evaluate/Worker.h"
#include "mep/Support/Error.h"
#include "mep/Support/Files.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"
#include <chrono>
#include <thread>

using namespace mep;
using llvm::StringRef;

namespace {

class WorkerTest : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> Path;
    ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("mep-worker", "log", Path));
    LogFile = Path.str().str();
    Worker::Interrupted = false;
  }
  void TearDown() override {
    Worker::Interrupted = false;
    llvm::sys::fs::remove(LogFile);
  }

  llvm::Expected<std::unique_ptr<Worker>> start(const std::string &Behaviour) {
    Options.Command = "/bin/sh '" MEP_TEST_SOURCE_DIR
                      "/Evaluate/FakeWorker.sh' " +
                      Behaviour + " '" + LogFile + "'";
    return Worker::start(Options);
  }
  std::unique_ptr<Worker> started(const std::string &Behaviour) {
    auto W = start(Behaviour);
    if (!W) {
      ADD_FAILURE() << llvm::toString(W.takeError());
      return nullptr;
    }
    return std::move(*W);
  }
  std::unique_ptr<Worker> prepared(const std::string &Behaviour) {
    auto W = started(Behaviour);
    if (!W)
      return nullptr;
    auto B = W->prepare(Closure(), {shape("base")}, {});
    if (!B) {
      ADD_FAILURE() << llvm::toString(B.takeError());
      return nullptr;
    }
    return W;
  }
  static ResolvedShape shape(const std::string &Name) {
    ResolvedShape S;
    S.Name = Name;
    return S;
  }
  static llvm::Expected<Evaluation> evaluate(Worker &W, size_t Plans = 1) {
    Candidate C;
    C.Id = "c1";
    return W.evaluate(C, "source", std::vector<ResolvedPlan>(Plans),
                      {{"TILE", 16}});
  }
  /// How often the fake noted \p What.
  size_t noted(StringRef What) {
    auto Text = readFile(LogFile);
    return Text ? StringRef(*Text).count(What) : 0;
  }

  WorkerOptions Options{"", "cpu", "", 0, 20};
  std::string LogFile;
};

/// Checks failure class and message of what was expected to fail.
template <typename T>
void expectFailure(llvm::Expected<T> Result, Failure Kind, StringRef Part) {
  ASSERT_FALSE(bool(Result));
  llvm::Error E = Result.takeError();
  EXPECT_EQ(failureOf(E), Kind);
  std::string Text = llvm::toString(std::move(E));
  EXPECT_TRUE(StringRef(Text).contains(Part)) << Text;
}

TEST_F(WorkerTest, EvaluatesAndNamesTheCandidate) {
  auto W = prepared("good");
  ASSERT_TRUE(W);
  EXPECT_EQ(W->device().Platform, "fake");
  auto E = evaluate(*W);
  ASSERT_TRUE(bool(E));
  EXPECT_EQ(E->Outcome, Status::Faster);
  EXPECT_EQ(E->Candidate, "c1");
  EXPECT_EQ(E->Tune.at("TILE"), 16);
  EXPECT_EQ(noted("start"), 1u);
}

TEST_F(WorkerTest, PassesItsFlagsToTheCommand) {
  Options.DeviceIndex = 3;
  Options.ToolkitPath = "/opt/kit";
  ASSERT_TRUE(started("good"));
  EXPECT_EQ(noted("start --platform=cpu --device=3 --cuda-path=/opt/kit"), 1u);
}

TEST_F(WorkerTest, AutoFallsBackToTheCpu) {
  Options.Platform = "auto";
  testing::internal::CaptureStderr();
  auto W = started("cpu-only");
  std::string Said = testing::internal::GetCapturedStderr();
  ASSERT_TRUE(W);
  EXPECT_EQ(noted("start --platform=cuda"), 1u);
  EXPECT_EQ(noted("start --platform=cpu"), 1u);
  EXPECT_TRUE(StringRef(Said).contains("CPU")) << Said;
  EXPECT_TRUE(StringRef(Said).contains("no driver")) << Said;
}

TEST_F(WorkerTest, NamedPlatformDoesNotFallBack) {
  Options.Platform = "cuda";
  expectFailure(start("cpu-only"), Failure::Toolchain, "no driver");
}

TEST_F(WorkerTest, MissingWorkerIsAnError) {
  Options.Command = "/nonexistent/mep-worker";
  expectFailure(Worker::start(Options), Failure::Toolchain,
                "/nonexistent/mep-worker");
}

TEST_F(WorkerTest, DeathAtStartTellsItsLastWords) {
  expectFailure(start("dies-at-start"), Failure::Toolchain, "no such luck");
}

TEST_F(WorkerTest, OtherProtocolIsAnError) {
  expectFailure(start("other-protocol"), Failure::Toolchain, "protocol 9");
}

TEST_F(WorkerTest, BaselineRefusalIsAnError) {
  auto W = started("refuses");
  ASSERT_TRUE(W);
  expectFailure(W->prepare(Closure(), {shape("base")}, {}), Failure::Workload,
                "c[3] is NaN");
  llvm::Error Why = W->prepare(Closure(), {shape("base")}, {}).takeError();
  EXPECT_EQ(refusalOf(Why), Status::NotFinite);
  llvm::consumeError(std::move(Why));
}

TEST_F(WorkerTest, RepeatedDeathAtPrepareIsAnError) {
  auto W = started("dies-at-prepare");
  ASSERT_TRUE(W);
  expectFailure(W->prepare(Closure(), {shape("base")}, {}), Failure::Toolchain,
                "exit code 9");
  EXPECT_EQ(noted("prepare"), 3u);
}

TEST_F(WorkerTest, ShapeThatKillsTheWorkerIsDropped) {
  auto W = started("dies-on-odd");
  ASSERT_TRUE(W);
  auto B = W->prepare(Closure(), {shape("base"), shape("odd")}, {});
  ASSERT_TRUE(bool(B));
  ASSERT_EQ(B->DroppedShapes.size(), 1u);
  EXPECT_EQ(B->DroppedShapes[0], "odd: SIGSEGV");
  auto E = evaluate(*W, /*Plans=*/2);
  ASSERT_TRUE(bool(E));
  EXPECT_EQ(noted("\"launches\""), 1u); // of the base shape alone
}

TEST_F(WorkerTest, CrashIsAnEvaluationAndTheNextGoesOn) {
  auto W = prepared("dies-once");
  ASSERT_TRUE(W);
  auto E = evaluate(*W);
  ASSERT_TRUE(bool(E));
  EXPECT_EQ(E->Outcome, Status::Crashed);
  EXPECT_TRUE(StringRef(E->Message).contains("signal 11")) << E->Message;
  EXPECT_EQ(E->Candidate, "c1");
  auto Next = evaluate(*W);
  ASSERT_TRUE(bool(Next));
  EXPECT_EQ(Next->Outcome, Status::Faster);
  EXPECT_EQ(noted("prepare"), 2u);
}

TEST_F(WorkerTest, FatalAnswerCountsAndTheNextGoesOn) {
  auto W = prepared("fatal-once");
  ASSERT_TRUE(W);
  auto E = evaluate(*W);
  ASSERT_TRUE(bool(E));
  EXPECT_EQ(E->Outcome, Status::Crashed);
  EXPECT_EQ(E->Message, "illegal address");
  auto Next = evaluate(*W);
  ASSERT_TRUE(bool(Next));
  EXPECT_EQ(Next->Outcome, Status::Faster);
}

TEST_F(WorkerTest, SilenceIsATimeOut) {
  Options.TimeoutS = 1;
  auto W = prepared("hangs-once");
  ASSERT_TRUE(W);
  auto E = evaluate(*W);
  ASSERT_TRUE(bool(E));
  EXPECT_EQ(E->Outcome, Status::TimedOut);
  auto Next = evaluate(*W);
  ASSERT_TRUE(bool(Next));
  EXPECT_EQ(Next->Outcome, Status::Faster);
}

TEST_F(WorkerTest, AnswersThatAreNoneAreCrashes) {
  for (const char *Behaviour : {"garbage", "other-id", "no-evaluation"}) {
    auto W = prepared(Behaviour);
    ASSERT_TRUE(W);
    auto E = evaluate(*W);
    ASSERT_TRUE(bool(E));
    EXPECT_EQ(E->Outcome, Status::Crashed) << Behaviour;
    EXPECT_FALSE(E->Message.empty());
  }
}

TEST_F(WorkerTest, WrongPlanIsRejectedAndTheWorkerLives) {
  auto W = prepared("rejects");
  ASSERT_TRUE(W);
  auto E = evaluate(*W);
  ASSERT_TRUE(bool(E));
  EXPECT_EQ(E->Outcome, Status::Rejected);
  EXPECT_EQ(E->Message, "plans[0]: no kernel k2");
  ASSERT_TRUE(bool(evaluate(*W)));
  EXPECT_EQ(noted("start"), 1u);
}

TEST_F(WorkerTest, MuchStderrDoesNotBlock) {
  auto W = prepared("chatty");
  ASSERT_TRUE(W);
  auto E = evaluate(*W);
  ASSERT_TRUE(bool(E));
  EXPECT_EQ(E->Outcome, Status::Faster);
}

TEST_F(WorkerTest, LargeRequestsGoThrough) {
  auto W = started("good");
  ASSERT_TRUE(W);
  Closure C;
  C.Text.assign(1 << 20, ' ');
  auto B = W->prepare(C, {shape("base")}, {});
  ASSERT_TRUE(bool(B));
  EXPECT_EQ(B->TimeNs, 1000);
}

TEST_F(WorkerTest, InterruptEndsAWaitingCall) {
  auto W = prepared("hangs-once");
  ASSERT_TRUE(W);
  std::thread CtrlC([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    Worker::Interrupted = true;
  });
  auto E = evaluate(*W);
  CtrlC.join();
  expectFailure(std::move(E), Failure::Interrupted, "interrupted");
}

TEST_F(WorkerTest, ProbesWithoutPreparing) {
  auto W = started("good");
  ASSERT_TRUE(W);
  ResolvedShape Shape = shape("base");
  Shape.Dimensions = {{"N", 8}};
  ProbeLimits Limits;
  Limits.Seeds = {5};
  auto Seen = W->probe(Closure(), Shape, Limits);
  ASSERT_TRUE(bool(Seen)) << llvm::toString(Seen.takeError());
  EXPECT_TRUE(Seen->isFinished());
  EXPECT_EQ(Seen->find("x")->end(), 5u);
  EXPECT_EQ(Seen->Dimensions.at("N"), 8);
  EXPECT_EQ(noted("\"seeds\":[5]"), 1u);
}

TEST_F(WorkerTest, AWorkerThatCannotProbeSaysSo) {
  auto W = started("no-probe");
  ASSERT_TRUE(W);
  expectFailure(W->probe(Closure(), shape("base"), {}), Failure::General,
                "CPU platform");
}

TEST_F(WorkerTest, ADeathDuringAProbeIsAnErrorAndTheNextOneRuns) {
  auto W = started("dies-once");
  ASSERT_TRUE(W);
  expectFailure(W->probe(Closure(), shape("base"), {}), Failure::Toolchain,
                "ended during the probe");
  auto Again = W->probe(Closure(), shape("base"), {});
  ASSERT_TRUE(bool(Again)) << llvm::toString(Again.takeError());
}

} // namespace
