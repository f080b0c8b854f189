/// \file
/// Paired, interleaved, checked samples.

#include "Timing.h"
#include "Answer.h"
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

/// One sample; its outputs go to \p Out when that is given.
double sample(Runner &Run, ShapeData &Data, Binding &Side, unsigned Batch,
              uint8_t Poison, Contents *Out) {
  Side.patch(Data);
  Data.restore(Side.globals(), Poison);
  Side.poisonScratch(Poison);
  double Ns = Run.time(Side, Batch, /*Flush=*/true);
  if (Out) {
    Data.checkZones();
    Side.checkScratch();
    *Out = Data.outputs(Side.globals());
  }
  return Ns;
}

void pair(Runner &Run, const TimedPair &Sides, unsigned Batch, bool Checked,
          bool InputsToo, std::mt19937_64 &Random, Samples &Taken,
          WorstError &Worst) {
  Sides.Data.turn(Random);
  Sides.Data.move(Random() % GuardedBuffer::Places);
  uint8_t Poison = Random() & 1 ? PoisonNaN : PoisonOther;
  Contents Expected, Got;
  double Before = 0, After = 0;
  auto Baseline = [&] {
    Before = sample(Run, Sides.Data, Sides.Baseline, Batch, Poison,
                    Checked ? &Expected : nullptr);
  };
  bool First = Random() & 1;
  if (First)
    Baseline();
  After = sample(Run, Sides.Data, Sides.Candidate, Batch, Poison,
                 Checked ? &Got : nullptr);
  if (InputsToo)
    Sides.Data.checkInputs(Sides.Candidate.globals());
  if (!First)
    Baseline();
  if (Checked)
    checkOutputs(Sides.Data.spec(), Sides.Known, Expected, Got, Poison,
                 "shape " + Sides.Data.spec().Name + ", a timed run", Worst);
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
                          Clock::time_point Deadline, std::mt19937_64 &Random,
                          Samples &Taken, WorstError &Worst, bool Check) {
  const bool Comparable =
      Sides.Batch == 1 || !changesItsInputs(Sides.Data.spec());
  const unsigned Drawn = Count ? Random() % Count : 0;
  for (unsigned I = 0; I < Count; ++I) {
    if (Taken.Baseline.size() >= 3 && Clock::now() > Deadline)
      break;
    bool Checked = Check && Comparable && I == Drawn;
    pair(Run, Sides, Sides.Batch, Checked, /*InputsToo=*/false, Random, Taken,
         Worst);
  }
}

void mepworker::checkTimedRun(Runner &Run, const TimedPair &Sides,
                              std::mt19937_64 &Random, WorstError &Worst) {
  Samples Unused;
  pair(Run, Sides, 1, /*Checked=*/true, /*InputsToo=*/true, Random, Unused,
       Worst);
}
