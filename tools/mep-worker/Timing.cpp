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
PairTimes pair(Runner &Run, const TimedPair &Sides, unsigned Batch, Check What,
               std::mt19937_64 &Random, WorstError &Worst) {
  ShapeData &Data = Sides.Data;
  Data.turn(Random);
  Run.device().place(Random());
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
  return {Before, After, What == Check::None || Before >= CheckedCountsNs};
}

/// One pair of a round; a checked one that does not count is taken again.
PairTimes countedPair(Runner &Run, const TimedPair &Sides, bool Checked,
                      std::mt19937_64 &Random, WorstError &Worst) {
  const bool Comparable =
      Sides.Batch == 1 || !changesItsInputs(Sides.Data.spec());
  if (Checked && Comparable)
    if (PairTimes Times =
            pair(Run, Sides, Sides.Batch, Check::Outputs, Random, Worst);
        Times.Counts)
      return Times;
  return pair(Run, Sides, Sides.Batch, Check::None, Random, Worst);
}

std::vector<double> weightsOf(const TimedPairs &Sides) {
  std::vector<double> Weights;
  for (const TimedPair &Each : Sides)
    Weights.push_back(Each.Weight);
  return Weights;
}

} // namespace

void mepworker::addRound(const std::vector<double> &Weights,
                         const std::vector<PairTimes> &Times, Samples &Taken) {
  double Baseline = 0, Candidate = 0;
  for (size_t I = 0; I < Times.size(); ++I) {
    Baseline += Weights[I] * Times[I].BaselineNs;
    Candidate += Weights[I] * Times[I].CandidateNs;
  }
  Taken.Baseline.push_back(Baseline);
  Taken.Candidate.push_back(Candidate);
  if (Times.size() < 2)
    return;
  Taken.OfShapes.resize(Times.size());
  for (size_t I = 0; I < Times.size(); ++I) {
    Taken.OfShapes[I].Baseline.push_back(Times[I].BaselineNs);
    Taken.OfShapes[I].Candidate.push_back(Times[I].CandidateNs);
  }
}

unsigned mepworker::batchFor(const ShapeSpec &Shape, double Ns, double TMinUs) {
  double Wanted = std::ceil(TMinUs * 1000 / std::max(Ns, 1.0));
  return unsigned(
      std::clamp(Wanted, 1.0, changesItsInputs(Shape) ? 64.0 : 1000.0));
}

void mepworker::takePairs(Runner &Run, const TimedPairs &Sides, unsigned Count,
                          double MostSeconds, std::mt19937_64 &Random,
                          Samples &Taken, WorstError &Worst, bool Checked) {
  const std::vector<double> Weights = weightsOf(Sides);
  const unsigned Drawn = Count ? Random() % Count : 0;
  auto Start = Clock::now();
  for (unsigned I = 0; I < Count; ++I) {
    double Seconds =
        std::chrono::duration<double>(Clock::now() - Start).count();
    if (isEnough(Taken, Seconds) ||
        (Taken.Baseline.size() >= 3 && Seconds > MostSeconds))
      break;
    std::vector<PairTimes> Times;
    for (const TimedPair &Each : Sides)
      Times.push_back(
          countedPair(Run, Each, Checked && I == Drawn, Random, Worst));
    addRound(Weights, Times, Taken);
  }
}

void mepworker::checkTimedRun(Runner &Run, const TimedPairs &Sides,
                              std::mt19937_64 &Random, Samples &Taken,
                              WorstError &Worst) {
  std::vector<PairTimes> Times;
  bool Counts = true;
  for (const TimedPair &Each : Sides) {
    Times.push_back(pair(Run, Each, 1, Check::All, Random, Worst));
    Counts &= Times.back().Counts && Each.Batch == 1;
    Each.Data.checkMasters();
  }
  if (Counts)
    addRound(weightsOf(Sides), Times, Taken);
}
