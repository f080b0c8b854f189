/// \file
/// The judgement over outputs of which the host sees a piece at a time: the
/// same verdict and words wherever the pieces are cut, and no right answer on
/// the device while a candidate runs.

#include "Verify.h"
#include "Answer.h"
#include "HostDevice.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mepworker;
using mep_fill::Rule;

namespace {

constexpr uint64_t Count = 1003;
constexpr uint64_t SmallPiece = 40; ///< Ten floats.

void twice(const std::vector<void *> &Arguments) {
  float *Y = pointer<float>(Arguments, 0);
  const float *X = pointer<float>(Arguments, 1);
  for (uint64_t I = 0; I < Count; ++I)
    Y[I] = 2 * X[I];
}

/// y = 2 x, prepared; x is 0, 1, 2, … and never turned.
class Bench {
public:
  explicit Bench(uint64_t PieceBytes = SmallPiece,
                 HostDevice::Kernel Original = twice)
      : Code(programOf(std::move(Original))),
        Run(Device, Dog, /*HangSeconds=*/60, PieceBytes),
        Data(Device, Run.host(), shape(), {}), Baseline(bind(Code)) {
    Data.fill(1);
    Known = studyBaseline(Run, Data, Baseline, Options());
  }

  /// The status of a candidate and the message; `right` for none.
  std::string verdict(HostDevice::Kernel Candidate) {
    Program Other = programOf(std::move(Candidate));
    Binding Bound = bind(Other);
    return told([&] {
      verifyOnReference(Run, Data, Baseline, Bound, Known, "run", Worst);
    });
  }
  std::string verdictOnFreshData(HostDevice::Kernel Candidate) {
    Program Other = programOf(std::move(Candidate));
    Binding Bound = bind(Other);
    return told([&] {
      compareRuns(Run, Data, Baseline, Bound, Known, PoisonOther, "run", Worst);
    });
  }

  HostDevice Device;
  Watchdog Dog;
  Program Code;
  Runner Run;
  ShapeData Data;
  Binding Baseline;
  Expectation Known;
  WorstError Worst;

private:
  static ShapeSpec shape() {
    BufferSpec X = bufferSpec("x", Role::In, Count);
    X.Rule = Rule::Iota;
    X.Low = 0;
    return shapeOf({bufferSpec("y", Role::Out, Count), X});
  }
  Binding bind(Program &Of) {
    return Binding(Device, Of, Data, originalPlan(Data.spec()), "k", "");
  }
  std::string told(const std::function<void()> &Judge) {
    try {
      Judge();
    } catch (const Failure &Wrong) {
      return std::string(Wrong.Status) + (Wrong.Fatal ? " (fatal): " : ": ") +
             Wrong.what();
    }
    return "right";
  }
};

/// `twice` with one element changed.
HostDevice::Kernel changedAt(uint64_t Element,
                             std::function<float(float)> Change) {
  return [=](auto &Arguments) {
    twice(Arguments);
    float &Own = pointer<float>(Arguments, 0)[Element];
    Own = Change(Own);
  };
}

TEST(Verify, TheSameIsRight) {
  Bench B;
  EXPECT_EQ(B.verdict(twice), "right");
  EXPECT_EQ(B.verdictOnFreshData(twice), "right");
}

TEST(Verify, OneWrongElementIsFoundInWhateverPieceItLies) {
  Bench B;
  for (uint64_t At : {uint64_t(1), uint64_t(9), uint64_t(10), Count - 1}) {
    auto Wrong = changedAt(At, [](float V) { return V + 5; });
    std::string Words = "mismatch: y[" + std::to_string(At) + "]: expected " +
                        std::to_string(2 * At) + ", got " +
                        std::to_string(2 * At + 5) + "; 1 of " +
                        std::to_string(Count) + " elements are wrong (run)";
    EXPECT_EQ(B.verdict(Wrong), Words);
    EXPECT_EQ(B.verdictOnFreshData(Wrong), Words);
  }
}

TEST(Verify, PiecesMakeNoDifferenceToVerdictsAndErrors) {
  std::vector<HostDevice::Kernel> Candidates{
      twice,
      changedAt(7, [](float V) { return V * (1 + 3e-6f); }), // Within.
      changedAt(30, [](float) { return NAN; }),
      changedAt(30, [](float) { return INFINITY; }),
      [](auto &Arguments) { // Only the first half is written.
        const float *X = pointer<float>(Arguments, 1);
        for (uint64_t I = 0; I < Count / 2; ++I)
          pointer<float>(Arguments, 0)[I] = 2 * X[I];
      },
      [](auto &) {}};
  Bench Small(SmallPiece), Whole(Staging::DefaultBytes);
  EXPECT_EQ(Small.Known.Checksum, Whole.Known.Checksum);
  EXPECT_EQ(Small.Known.WrittenBytes, Count * 4);
  EXPECT_EQ(Small.Known.Allowed[0].Relative, Whole.Known.Allowed[0].Relative);
  for (size_t I = 0; I < Candidates.size(); ++I) {
    Small.Worst = Whole.Worst = {};
    EXPECT_EQ(Small.verdict(Candidates[I]), Whole.verdict(Candidates[I])) << I;
    EXPECT_EQ(Small.verdict(Candidates[I]) == "right", I < 2) << I;
    EXPECT_EQ(Small.Worst.Error, Whole.Worst.Error) << I;
    EXPECT_EQ(Small.Worst.Tolerance, Whole.Worst.Tolerance) << I;
  }
}

TEST(Verify, RunsThatDifferAreFoundWhateverTheFirstOneMade) {
  // The first run is the reference: its bytes are there again.
  Bench B;
  int Runs = 0;
  auto Small = [&](float V) { return V * (1 + (Runs++ & 1) * 1e-6f); };
  std::string Words = B.verdict(changedAt(500, Small));
  EXPECT_NE(Words.find("nondeterministic: two runs on the same inputs differ "
                       "where the baseline repeats itself bit for bit: y[500]: "
                       "expected 1000, got 1000.00098"),
            std::string::npos)
      << Words;
  // The first run is within the tolerance: only its hashes are left.
  Runs = 1;
  EXPECT_EQ(B.verdict(changedAt(500, Small)),
            "nondeterministic: two runs on the same inputs differ where the "
            "baseline repeats itself bit for bit: among y[0] to y[1002] (run)");
}

TEST(Verify, RunsThatDifferInNoValueAreTheSame) {
  // Zeros of both signs, in either run, beside a value within the tolerance.
  for (int First : {0, 1}) {
    Bench B;
    int Runs = First;
    EXPECT_EQ(B.verdict([&](auto &Arguments) {
      twice(Arguments);
      pointer<float>(Arguments, 0)[0] = Runs++ & 1 ? -0.0f : 0.0f;
      pointer<float>(Arguments, 0)[9] *= 1 + First * 1e-6f;
    }),
              "right");
    EXPECT_EQ(Runs, First + 2);
  }
}

TEST(Verify, TheRightAnswerIsNowhereWhileACandidateRuns) {
  // Input that is the same in every run, so that whatever is left is right.
  Bench B;
  std::vector<float> Answer;
  for (uint64_t I = 1; I < 50; ++I)
    Answer.push_back(float(2 * I));
  auto Look = [&](auto &Arguments) {
    float *Y = pointer<float>(Arguments, 0);
    EXPECT_FALSE(B.Device.holds(Answer, nullptr));
    twice(Arguments);
    Y[900] *= 1 + 1e-6f; // Not the same bytes: the reference is wanted.
  };
  for (int Again = 0; Again < 2; ++Again) {
    EXPECT_EQ(B.verdict(Look), "right");
    EXPECT_EQ(B.verdictOnFreshData(Look), "right");
    EXPECT_EQ(B.verdictOnFreshData(changedAt(3, [](float) { return 0; }))
                  .substr(0, 8),
              "mismatch");
  }
}

TEST(Verify, ABaselineThatACandidateChangesIsNoReference) {
  float Factor = 2;
  Bench B(SmallPiece, [&](auto &Arguments) {
    for (uint64_t I = 0; I < Count; ++I)
      pointer<float>(Arguments, 0)[I] =
          Factor * pointer<float>(Arguments, 1)[I];
  });
  std::string Words = B.verdict([&](auto &Arguments) {
    Factor = 3;
    for (uint64_t I = 0; I < Count; ++I)
      pointer<float>(Arguments, 0)[I] = 3 * pointer<float>(Arguments, 1)[I];
  });
  EXPECT_NE(Words.find("nondeterministic (fatal): after it the baseline no "
                       "longer writes to 'y' what it wrote before"),
            std::string::npos)
      << Words;
}

TEST(Verify, AnOutputThatIsReadBecomesAnInputInPieces) {
  Bench B(SmallPiece, [](auto &Arguments) {
    for (uint64_t I = 0; I < Count; ++I)
      pointer<float>(Arguments, 0)[I] =
          2 * pointer<float>(Arguments, 0)[I] + pointer<float>(Arguments, 1)[I];
  });
  EXPECT_EQ(B.Data.spec().Buffers[0].Use, Role::InOut);
}

TEST(Verify, ABaselineThatWritesNoNumbersIsRefused) {
  try {
    Bench B(SmallPiece, [](auto &Arguments) {
      twice(Arguments);
      for (uint64_t I = 700; I < Count; ++I)
        pointer<float>(Arguments, 0)[I] = INFINITY;
    });
    ADD_FAILURE();
  } catch (const BaselineError &Wrong) {
    EXPECT_EQ(std::string(Wrong.what()),
              "its output 'y' is not finite: 303 of 1003 values, first element "
              "700");
  }
}

} // namespace
