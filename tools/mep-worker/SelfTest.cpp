/// \file
/// The evaluator tested on the kernel it is about to judge others by.

#include "SelfTest.h"
#include "Contents.h"
#include "Statistics.h"
#include <algorithm>
#include <cmath>
#include <deque>

using namespace mepworker;

namespace {

/// A busy machine may spoil a short measurement, hardly six of growing length.
constexpr unsigned Attempts = 6, LongestAttempt = 4;
constexpr double NearOne = 0.05;
/// Pairs of samples that show two launches to be slower than one: at least and
/// at most.
constexpr unsigned FewRounds = 3, SlowRounds = 40;
/// One pair is enough when a sample takes this long.
constexpr double LongNs = 50e6;

[[noreturn]] void failed(const std::string &Why,
                         const char *Status = status::SelfTest) {
  throw BaselineError(Status, "self-test: " + Why);
}

/// True when the baseline against itself reads 1.
bool readsOne(const Samples &Taken, const Options &Settings) {
  RatioInterval Interval = ratioInterval(Taken.Baseline, Taken.Candidate,
                                         Settings.TrimPercent, Settings.Seed);
  return Interval.Low <= 1 + NearOne && Interval.High >= 1 - NearOne;
}

/// The reference against what is wrong; one is aside, the other in place.
void expectMismatch(const PreparedShape &Base, bool AsideIsExpected,
                    const std::string &What, const char *Status) {
  WorstError Unused;
  try {
    checkOutputs(*Base.Data, Base.Known,
                 {.Globals = Base.Bound->globals(),
                  .Same = std::vector<bool>(Base.Data->spec().Buffers.size()),
                  .Which = "self-test",
                  .AsideIsExpected = AsideIsExpected,
                  .IsReference = true},
                 Unused);
  } catch (const Failure &) {
    return;
  }
  failed(What + " passes as correct", Status);
}

/// Turns the sign and exponent around of one written element of the outputs in
/// place: the largest in magnitude, as a small element's change may lie within
/// a tolerance that large ones make. False when nothing is written.
bool tamper(PreparedShape &Base) {
  ShapeData &Data = *Base.Data;
  for (unsigned I = 0; I < Data.spec().Buffers.size(); ++I) {
    const BufferSpec &Buffer = Data.spec().Buffers[I];
    if (!Data.hasOutput(Base.Bound->globals(), I) || Buffer.Components.empty())
      continue;
    LargestWritten Most =
        largestWritten(Data.host(), Buffer, Data.before(I, PoisonNaN),
                       Data.inPlace(Base.Bound->globals(), I));
    if (!Most.IsAny)
      continue;
    const mep_fill::Component &Part = Buffer.Components.front();
    // Zero with another sign and a small exponent is next to zero.
    Data.flip(Base.Bound->globals(), I,
              Most.Element * Buffer.ElementBytes + Part.Offset +
                  mep_fill::byteSize(Part.Scalar) - 1,
              Most.Magnitude == 0 ? 0xc1 : 0x81);
    return true;
  }
  return false;
}

void expectWrongFound(Runner &Run, PreparedShape &Base,
                      const std::string &Kernel) {
  ShapeData &Data = *Base.Data;
  Data.reset();
  // What depends on where the buffers lie is not reproducible either.
  Data.move(GuardedBuffer::Places - 1);
  Binding Nothing(Run.device(), *Base.Code, Data, Plan{}, Kernel, "");
  Run.runInPlace(Data, Nothing, PoisonNaN);
  Data.setAside(Nothing.globals());
  for (unsigned I : runReference(Run, Data, *Base.Bound, Base.Known))
    Base.Known.Reproducible[I] = false; // Nothing but it has run yet.
  expectMismatch(Base, /*AsideIsExpected=*/false,
                 "a kernel that is never launched", status::WritesNothing);
  Data.setAside(Base.Bound->globals());
  if (tamper(Base))
    expectMismatch(Base, /*AsideIsExpected=*/true, "a changed element",
                   status::SelfTest);
  Data.forgetAside();
}

/// The same launches twice must take longer.
void expectSlowFound(Runner &Run, PreparedShape &Base,
                     const std::string &Kernel, std::mt19937_64 &Random) {
  Plan Twice = originalPlan(Base.Data->spec());
  Twice.Launches.push_back(Twice.Launches.front());
  Binding Slow(Run.device(), *Base.Code, *Base.Data, Twice, Kernel, "");
  // The least disturbed samples: on a busy machine a mean says nothing.
  double Once = HUGE_VAL, Both = HUGE_VAL;
  for (unsigned Round = 0; Round < SlowRounds; ++Round) {
    Base.Data->turn(Random);
    for (Binding *Side : {Base.Bound.get(), &Slow}) {
      Side->patch(*Base.Data);
      Base.Data->restore(Side->globals(), PoisonNaN);
      double &Least = Side == &Slow ? Both : Once;
      Least = std::min(Least, Run.time(*Side, Base.Batch, /*Flush=*/true));
    }
    if ((Round + 1 >= FewRounds || Once > LongNs) && Both > 1.05 * Once)
      return;
  }
  failed("two launches (" + std::to_string(Both) +
         " ns) take no longer than "
         "one (" +
         std::to_string(Once) + " ns)");
}

/// \p Shape's baseline against itself; \p Same keeps the other side.
TimedPair unchanged(Runner &Run, PreparedShape &Shape,
                    const std::string &Kernel, std::deque<Binding> &Same) {
  Same.emplace_back(Run.device(), *Shape.Code, *Shape.Data,
                    originalPlan(Shape.Data->spec()), Kernel, "");
  return {*Shape.Data, *Shape.Bound, Same.back(),
          Shape.Known, Shape.Batch,  Shape.Weight};
}

} // namespace

Samples mepworker::selfTest(Runner &Run,
                            const std::vector<PreparedShape *> &Timed,
                            const std::string &Kernel, const Options &Settings,
                            std::mt19937_64 &Random) {
  PreparedShape &Base = *Timed.front();
  std::deque<Binding> Same;
  TimedPairs Sides;
  for (PreparedShape *Shape : Timed)
    Sides.push_back(unchanged(Run, *Shape, Kernel, Same));
  Samples Taken;
  for (unsigned Attempt = 0;; ++Attempt) {
    Taken = Samples();
    WorstError Worst;
    try {
      takePairs(Run, Sides,
                Settings.Repeat * std::min(Attempt + 1, LongestAttempt),
                Settings.TMaxMs / 1e3, Random, Taken, Worst);
      checkTimedRun(Run, Sides, Random, Taken, Worst);
    } catch (const Failure &Wrong) {
      if (Wrong.Fatal)
        throw;
      failed(std::string("the unchanged kernel fails: ") + Wrong.what(),
             status::Nondeterministic);
    }
    if (readsOne(Taken, Settings))
      break;
    if (Attempt + 1 == Attempts)
      failed("the unchanged kernel does not measure equal to itself; the "
             "machine is too busy or its clocks change");
  }
  expectWrongFound(Run, Base, Kernel);
  expectSlowFound(Run, Base, Kernel, Random);
  return Taken;
}

void mepworker::selfTestShape(Runner &Run, PreparedShape &Shape,
                              const std::string &Kernel,
                              std::mt19937_64 &Random) {
  std::deque<Binding> Same;
  Samples Unused;
  WorstError Worst;
  checkTimedRun(Run, {unchanged(Run, Shape, Kernel, Same)}, Random, Unused,
                Worst);
  expectWrongFound(Run, Shape, Kernel);
  expectSlowFound(Run, Shape, Kernel, Random);
}
