/// \file
/// Paired, interleaved, checked samples.

#include "Timing.h"
#include "Answer.h"
#include "Statistics.h"
#include <algorithm>
#include <cmath>

using namespace mepworker;
using Clock = std::chrono::steady_clock;

namespace {

bool changesItsInputs(const ShapeSpec &Shape) {
  return std::any_of(
      Shape.Buffers.begin(), Shape.Buffers.end(),
      [](const BufferSpec &Buffer) { return Buffer.Use == Role::InOut; });
}

/// Enough pairs for a verdict when they agree this well, …
constexpr double Steady = 0.02;
/// … there are so many of them, and they took this long.
constexpr struct {
  size_t Pairs;
  double Seconds;
} EnoughWhen[] = {{2, 0.5}, {5, 0.2}};

bool isEnough(const Samples &Taken, double Seconds) {
  if (relativeDeviation(Taken.Baseline) > Steady ||
      relativeDeviation(Taken.Candidate) > Steady)
    return false;
  for (auto &Each : EnoughWhen)
    if (Taken.Baseline.size() >= Each.Pairs && Seconds > Each.Seconds)
      return true;
  return false;
}

double sample(Runner &Run, ShapeData &Data, Binding &Side, unsigned Batch,
              uint8_t Poison) {
  Side.patch(Data);
  Data.restore(Side.globals(), Poison);
  Side.poisonScratch(Poison);
  return Run.time(Side, Batch, /*Flush=*/true);
}

enum class Check { None, Outputs, All };
/// Shorter samples are disturbed by the checks between the two of a pair: they
/// are checked, but do not count.
constexpr double CheckedCountsNs = 1e6;

/// In random order; with a check the candidate first, so that the right answer
/// is nowhere on the device while it runs.
void pair(Runner &Run, const TimedPair &Sides, unsigned Batch, Check What,
          std::mt19937_64 &Random, Samples &Taken, WorstError &Worst) {
  ShapeData &Data = Sides.Data;
  Data.turn(Random);
  Data.move(Random() % GuardedBuffer::Places);
  uint8_t Poison = Random() & 1 ? PoisonNaN : PoisonOther;
  double Before = 0;
  bool BaselineFirst = What == Check::None && (Random() & 1);
  if (BaselineFirst)
    Before = sample(Run, Data, Sides.Baseline, Batch, Poison);
  double After = sample(Run, Data, Sides.Candidate, Batch, Poison);
  Fingerprint Got;
  if (What != Check::None) {
    Data.checkZones();
    Sides.Candidate.checkScratch();
    Got = Data.fingerprint(Sides.Candidate.globals());
    Data.setAside(Sides.Candidate.globals());
  }
  if (What == Check::All)
    Data.checkInputs(Sides.Candidate.globals());
  if (!BaselineFirst)
    Before = sample(Run, Data, Sides.Baseline, Batch, Poison);
  if (What != Check::None)
    compareAside(Data, Sides.Baseline, Got, Sides.Known, Poison,
                 "shape " + Data.spec().Name + ", a timed run", Worst);
  if (What != Check::None && Before < CheckedCountsNs)
    return;
  Taken.Baseline.push_back(Before);
  Taken.Candidate.push_back(After);
}

} // namespace

unsigned mepworker::batchFor(const ShapeSpec &Shape, double Ns, double TMinUs) {
  double Wanted = std::ceil(TMinUs * 1000 / std::max(Ns, 1.0));
  return unsigned(
      std::clamp(Wanted, 1.0, changesItsInputs(Shape) ? 64.0 : 1000.0));
}

void mepworker::takePairs(Runner &Run, const TimedPair &Sides, unsigned Count,
                          double MostSeconds, std::mt19937_64 &Random,
                          Samples &Taken, WorstError &Worst, bool Checked) {
  const bool Comparable =
      Sides.Batch == 1 || !changesItsInputs(Sides.Data.spec());
  const unsigned Drawn = Count ? Random() % Count : 0;
  auto Start = Clock::now();
  for (unsigned I = 0; I < Count; ++I) {
    double Seconds =
        std::chrono::duration<double>(Clock::now() - Start).count();
    if (isEnough(Taken, Seconds) ||
        (Taken.Baseline.size() >= 3 && Seconds > MostSeconds))
      break;
    size_t Before = Taken.Baseline.size();
    if (Checked && Comparable && I == Drawn)
      pair(Run, Sides, Sides.Batch, Check::Outputs, Random, Taken, Worst);
    if (Taken.Baseline.size() == Before)
      pair(Run, Sides, Sides.Batch, Check::None, Random, Taken, Worst);
  }
}

void mepworker::checkTimedRun(Runner &Run, const TimedPair &Sides,
                              std::mt19937_64 &Random, Samples &Taken,
                              WorstError &Worst) {
  Samples Unused;
  pair(Run, Sides, 1, Check::All, Random, Sides.Batch == 1 ? Taken : Unused,
       Worst);
  Sides.Data.checkMasters();
}
