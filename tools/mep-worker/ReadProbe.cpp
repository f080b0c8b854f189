/// \file
/// The probe: halves of halves of each input, filled from another seed.

#include "ReadProbe.h"
#include <algorithm>

using namespace mepworker;

namespace {

/// Slower baselines are not held up by memory, and the probe would take long.
constexpr double SlowNs = 5e6;
constexpr unsigned Parts = 16;
constexpr uint64_t LeastPart = 64; ///< Elements.
constexpr unsigned MostRuns = 96;  ///< Of one buffer.

class Probe {
public:
  Probe(Runner &Run, ShapeData &Data, Binding &Baseline)
      : Run(Run), Data(Data), Baseline(Baseline) {}

  uint64_t readBytes(unsigned Buffer) {
    const BufferSpec &Spec = Data.spec().Buffers[Buffer];
    Data.prepareOther(Buffer);
    Run.runInPlace(Data, Baseline, PoisonNaN, /*InputsToo=*/false);
    Data.setAside(Baseline.globals());
    Expected = Data.fingerprint(Baseline.globals());
    RunsLeft = MostRuns;
    uint64_t Elements = readIn(Buffer, 0, Spec.Count);
    Data.dropOther(Buffer);
    return Elements * Spec.ElementBytes;
  }

private:
  /// Elements read in a range that is known to be read from. Where few parts
  /// are, they are looked at more closely.
  uint64_t readIn(unsigned Buffer, uint64_t Begin, uint64_t End) {
    uint64_t Step = (End - Begin + Parts - 1) / Parts;
    if (Step < LeastPart || RunsLeft < Parts)
      return End - Begin;
    std::vector<std::pair<uint64_t, uint64_t>> Read;
    uint64_t Elements = 0;
    for (uint64_t At = Begin; At < End; At += Step) {
      uint64_t To = std::min(At + Step, End);
      --RunsLeft;
      if (!isRead(Buffer, At, To))
        continue;
      Read.push_back({At, To});
      Elements += To - At;
    }
    if (Read.size() > Parts / 4)
      return Elements;
    Elements = 0;
    for (auto [From, To] : Read)
      Elements += readIn(Buffer, From, To);
    return Elements;
  }

  bool isRead(unsigned Buffer, uint64_t Begin, uint64_t End) {
    Baseline.patch(Data);
    Data.restore(Baseline.globals(), PoisonNaN);
    Data.overwriteFromOther(Baseline.globals(), Buffer, Begin, End);
    Run.launch(Baseline);
    Fingerprint Got = Data.fingerprint(Baseline.globals());
    for (unsigned I = 0; I < Got.size(); ++I)
      if (I != Buffer && Got[I] != Expected[I])
        return true;
    return Data.dependsOnOther(Baseline.globals(), Buffer, Begin, End,
                               Got[Buffer], Expected[Buffer]);
  }

  Runner &Run;
  ShapeData &Data;
  Binding &Baseline;
  Fingerprint Expected;
  unsigned RunsLeft = 0;
};

bool canTell(const BufferSpec &Buffer) {
  return !Buffer.KeepsInitializer && Buffer.Count >= Parts * LeastPart &&
         (Buffer.Rule == mep_fill::Rule::Uniform ||
          Buffer.Rule == mep_fill::Rule::Index);
}

} // namespace

uint64_t mepworker::observeReadBytes(Runner &Run, ShapeData &Data,
                                     Binding &Baseline,
                                     const Expectation &Known,
                                     double BaselineNs) {
  const auto &Buffers = Data.spec().Buffers;
  const bool Usable = BaselineNs < SlowNs &&
                      std::all_of(
                          Known.Reproducible.begin(), Known.Reproducible.end(),
                          [](bool Each) { return Each; });
  uint64_t Total = 0;
  Data.reset();
  Probe Look(Run, Data, Baseline);
  for (unsigned I = 0; I < Buffers.size(); ++I)
    if (Buffers[I].isInput())
      Total += Usable && canTell(Buffers[I]) ? Look.readBytes(I)
                                             : Buffers[I].bytes();
  return Total;
}
