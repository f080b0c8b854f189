/// \file
/// The evaluator tested on the kernel it is about to judge others by.

#include "SelfTest.h"
#include "Statistics.h"
#include <algorithm>
#include <cmath>
#include <cstring>

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

void expectMismatch(const PreparedShape &Base, const Contents &Got,
                    const std::string &What, const char *Status) {
  WorstError Unused;
  try {
    checkOutputs(Base.Data->spec(), Base.Known, Base.Known.Reference, Got,
                 PoisonNaN, "self-test", Unused);
  } catch (const Failure &) {
    return;
  }
  failed(What + " passes as correct", Status);
}

/// Element of \p Buffer that was written and is the largest in magnitude of its
/// first component; Count when nothing was written. A small element's change
/// may lie within a tolerance that large ones make.
uint64_t largestWritten(const BufferSpec &Buffer,
                        const std::vector<uint8_t> &Before,
                        const std::vector<uint8_t> &After, double &Largest) {
  const mep_fill::Component &Part = Buffer.Components.front();
  uint64_t Size = mep_fill::byteSize(Part.Scalar), Found = Buffer.Count;
  Largest = -1;
  for (uint64_t E = 0; E < Buffer.Count; ++E) {
    uint64_t At = E * Buffer.ElementBytes + Part.Offset;
    if (!std::memcmp(&Before[At], &After[At], Size))
      continue;
    double Magnitude = std::fabs(scalarValue(Part.Scalar, &After[At]));
    if (std::isfinite(Magnitude) && Magnitude > Largest) {
      Largest = Magnitude;
      Found = E;
    }
  }
  return Found;
}

/// The reference with the sign and exponent of one written element turned
/// around.
Contents tampered(const PreparedShape &Base) {
  Contents Wrong = Base.Known.Reference;
  for (size_t I = 0; I < Wrong.size(); ++I) {
    const BufferSpec &Buffer = Base.Data->spec().Buffers[I];
    if (Wrong[I].empty() || Buffer.Components.empty())
      continue;
    double Largest = 0;
    uint64_t E = largestWritten(Buffer, Base.Data->before(I, PoisonNaN),
                                Wrong[I], Largest);
    if (E == Buffer.Count)
      continue;
    const mep_fill::Component &Part = Buffer.Components.front();
    uint64_t Last = E * Buffer.ElementBytes + Part.Offset +
                    mep_fill::byteSize(Part.Scalar) - 1;
    // Zero with another sign and a small exponent is next to zero.
    Wrong[I][Last] ^= Largest == 0 ? 0xc1 : 0x81;
    return Wrong;
  }
  return Wrong;
}

void expectWrongFound(Runner &Run, PreparedShape &Base,
                      const std::string &Kernel) {
  Base.Data->reset();
  Binding Nothing(Run.device(), *Base.Code, *Base.Data, Plan{}, Kernel, "");
  expectMismatch(Base, Run.run(*Base.Data, Nothing, PoisonNaN),
                 "a kernel that is never launched", status::WritesNothing);
  Contents Wrong = tampered(Base);
  if (Wrong != Base.Known.Reference)
    expectMismatch(Base, Wrong, "a changed element", status::SelfTest);
}

/// The same launches twice must take longer.
void expectSlowFound(Runner &Run, PreparedShape &Base,
                     const std::string &Kernel, unsigned Batch,
                     std::mt19937_64 &Random) {
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
      Least = std::min(Least, Run.time(*Side, Batch, /*Flush=*/true));
    }
    if ((Round + 1 >= FewRounds || Once > LongNs) && Both > 1.05 * Once)
      return;
  }
  failed("two launches (" + std::to_string(Both) +
         " ns) take no longer than "
         "one (" +
         std::to_string(Once) + " ns)");
}

} // namespace

Samples mepworker::selfTest(Runner &Run, PreparedShape &Base,
                            const std::string &Kernel, unsigned Batch,
                            const Options &Settings, std::mt19937_64 &Random) {
  Binding Same(Run.device(), *Base.Code, *Base.Data,
               originalPlan(Base.Data->spec()), Kernel, "");
  const TimedPair Sides{*Base.Data, *Base.Bound, Same, Base.Known, Batch};
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
  expectSlowFound(Run, Base, Kernel, Batch, Random);
  return Taken;
}
