/// \file
/// The probe: parts of parts of each input, filled from another seed.

#include "ReadProbe.h"
#include "Answer.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <random>

using namespace mepworker;
using Clock = std::chrono::steady_clock;

namespace {

/// Slower baselines are not held up by memory, and the probe would take long.
constexpr double SlowNs = 5e6;
constexpr unsigned Parts = 16;
constexpr uint64_t LeastPart = 64; ///< Elements.
constexpr unsigned MostRuns = 96;  ///< Of one buffer, in looking for parts.
/// The smallest piece that memory moves: a sector of NVIDIA's caches.
constexpr uint64_t SectorBytes = 32;
/// Random sectors that are changed together, at most (as a power of two), so
/// many times each.
constexpr unsigned MostTogetherLog = 10, Draws = 8;

double secondsUntil(Clock::time_point Then) {
  return std::chrono::duration<double>(Then - Clock::now()).count();
}

Clock::time_point inSeconds(double Seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(Seconds));
}

class Probe {
public:
  Probe(Runner &Run, ShapeData &Data, Binding &Baseline)
      : Run(Run), Data(Data), Baseline(Baseline) {}

  uint64_t readBytes(unsigned Buffer, double Seconds) {
    const BufferSpec &Spec = Data.spec().Buffers[Buffer];
    Deadline = inSeconds(Seconds);
    try {
      Data.prepareOther(Buffer);
    } catch (const DeviceError &) {
      return Spec.bytes(); // No room for another filling.
    }
    Run.runInPlace(Data, Baseline, PoisonNaN, /*InputsToo=*/false);
    Data.setAside(Baseline.globals());
    Expected = Data.fingerprint(Baseline.globals());
    RunsLeft = MostRuns;
    uint64_t Elements = readIn(Buffer, 0, Spec.Count);
    Data.dropOther(Buffer);
    Data.forgetAside();
    return Elements * Spec.ElementBytes;
  }

private:
  uint64_t sectorElements(unsigned Buffer) const {
    return std::max<uint64_t>(1, SectorBytes /
                                     Data.spec().Buffers[Buffer].ElementBytes);
  }

  bool isLate() const { return Clock::now() > Deadline; }

  /// Elements read in a range that is known to be read from. Where few parts
  /// are, they are looked at more closely; else it is estimated how many of
  /// the sectors are. When time is up, what was seen to be read is all that
  /// counts: a floor that is too high would end a search too early.
  uint64_t readIn(unsigned Buffer, uint64_t Begin, uint64_t End) {
    uint64_t Step = (End - Begin + Parts - 1) / Parts;
    if (Step < LeastPart || RunsLeft < Parts)
      return End - Begin;
    std::vector<ElementRange> Read;
    uint64_t Elements = 0;
    for (uint64_t At = Begin; At < End && !isLate(); At += Step) {
      ElementRange Part{At, std::min(At + Step, End)};
      --RunsLeft;
      if (!isRead(Buffer, {Part}))
        continue;
      Read.push_back(Part);
      Elements += Part.End - Part.Begin;
    }
    if (isLate())
      return std::max<uint64_t>(Read.size(), 1) * sectorElements(Buffer);
    if (Read.size() > Parts / 4)
      return uint64_t(double(Elements) * density(Buffer, Read));
    Elements = 0;
    for (auto [From, To] : Read)
      Elements += readIn(Buffer, From, To);
    return Elements;
  }

  /// How many of the draws of \p Together sectors of \p Ranges are read; fewer
  /// than half of them are not counted to the end.
  unsigned hits(unsigned Buffer, const std::vector<ElementRange> &Ranges,
                unsigned Together) {
    unsigned Hits = 0;
    for (unsigned Draw = 0; Draw < Draws; ++Draw) {
      Hits += isRead(Buffer, drawn(Ranges, sectorElements(Buffer), Together));
      if (2 * (Hits + Draws - Draw - 1) < Draws)
        break;
    }
    return Hits;
  }

  /// The fraction of the sectors of \p Ranges that is read: so many sectors are
  /// changed together that half of the draws change the outputs; of a fraction
  /// d, that is 1 - (1 - d)^k for k sectors. The least power of two is looked
  /// for, one sector first, as most kernels read all.
  double density(unsigned Buffer, const std::vector<ElementRange> &Ranges) {
    unsigned Hits = hits(Buffer, Ranges, 1);
    if (2 * Hits >= Draws)
      return fractionFrom(Hits, 1);
    // Of 2^Few sectors fewer than half of the draws are hits; 2^Enough are as
    // many as half of them need, or as are looked at.
    unsigned Few = 0, Enough = MostTogetherLog;
    std::optional<unsigned> Known;
    while (Enough - Few > 1 && !isLate()) {
      const unsigned Middle = (Few + Enough) / 2;
      Hits = hits(Buffer, Ranges, 1u << Middle);
      if (2 * Hits < Draws) {
        Few = Middle;
      } else {
        Enough = Middle;
        Known = Hits;
      }
    }
    if (!Known)
      Known = isLate() ? 1 : hits(Buffer, Ranges, 1u << Enough);
    return fractionFrom(*Known, 1u << Enough);
  }

  static double fractionFrom(unsigned Hits, unsigned Together) {
    const double Share = double(std::max(Hits, 1u)) / Draws;
    return Share == 1 && Together == 1
               ? 1
               : 1 - std::pow(1 - std::min(Share, 1 - 0.5 / Draws),
                              1.0 / Together);
  }

  std::vector<ElementRange> drawn(const std::vector<ElementRange> &Ranges,
                                  uint64_t Sector, unsigned Count) {
    std::vector<ElementRange> Drawn;
    for (unsigned I = 0; I < Count; ++I) {
      const ElementRange &From = Ranges[Random() % Ranges.size()];
      uint64_t Begin = From.Begin + Random() % (From.End - From.Begin);
      Begin = Begin / Sector * Sector;
      Drawn.push_back({Begin, std::min(Begin + Sector, From.End)});
    }
    // Each once: what lies in none is told by the hashes of all.
    std::sort(Drawn.begin(), Drawn.end(),
              [](auto &A, auto &B) { return A.Begin < B.Begin; });
    Drawn.erase(
        std::unique(Drawn.begin(), Drawn.end(),
                    [](auto &A, auto &B) { return A.Begin == B.Begin; }),
        Drawn.end());
    return Drawn;
  }

  bool isRead(unsigned Buffer, const std::vector<ElementRange> &Changed) {
    Baseline.patch(Data);
    Data.restore(Baseline.globals(), PoisonNaN);
    Data.overwriteFromOther(Baseline.globals(), Buffer, Changed);
    Run.launch(Baseline);
    Fingerprint Got = Data.fingerprint(Baseline.globals());
    for (unsigned I = 0; I < Got.size(); ++I)
      if (I != Buffer && Got[I] != Expected[I])
        return true;
    return Data.dependsOnOther(Baseline.globals(), Buffer, Changed, Got[Buffer],
                               Expected[Buffer]);
  }

  Runner &Run;
  ShapeData &Data;
  Binding &Baseline;
  Fingerprint Expected;
  unsigned RunsLeft = 0;
  Clock::time_point Deadline;
  std::mt19937_64 Random{1};
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
                                     double BaselineNs, double Seconds) {
  const auto &Buffers = Data.spec().Buffers;
  const bool Usable = BaselineNs < SlowNs &&
                      std::all_of(
                          Known.Reproducible.begin(), Known.Reproducible.end(),
                          [](bool Each) { return Each; });
  auto isLookedAt = [&](const BufferSpec &Buffer) {
    return Usable && Buffer.isInput() && canTell(Buffer);
  };
  auto Left = std::count_if(Buffers.begin(), Buffers.end(), isLookedAt);
  const Clock::time_point End = inSeconds(Seconds);
  uint64_t Total = 0;
  Data.reset();
  Probe Look(Run, Data, Baseline);
  for (unsigned I = 0; I < Buffers.size(); ++I) {
    if (isLookedAt(Buffers[I]))
      Total += Look.readBytes(I, secondsUntil(End) / double(Left--));
    else if (Buffers[I].isInput())
      Total += Buffers[I].bytes();
  }
  return Total;
}
