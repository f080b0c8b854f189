/// \file
/// The study of the baseline's outputs and the judgement over another's.

#include "Verify.h"
#include "Answer.h"
#include "Contents.h"
#include <algorithm>
#include <cmath>

using namespace mepworker;

namespace {

/// More non-finite values than this make verification say too little.
constexpr double MostNotFinite = 0.1;

BufferTolerance uniformTolerance(const BufferSpec &Buffer, double Relative) {
  return {std::vector<double>(Buffer.Components.size(), Relative), 0};
}

/// Bytes that hold the poison of both runs were written by neither.
void clearUnwritten(uint8_t *UnderNaN, uint8_t *UnderOther, uint64_t Bytes) {
  for (uint64_t At = 0; At < Bytes; ++At)
    if (UnderNaN[At] == PoisonNaN && UnderOther[At] == PoisonOther)
      UnderNaN[At] = UnderOther[At] = 0;
}

/// The baseline's outputs on the first data: those under PoisonNaN lie in
/// place, those under PoisonOther aside.
struct TwoPoisons {
  ShapeData &Data;
  const std::vector<void *> &Globals;
  Fingerprint UnderNaN, UnderOther;
};

/// An output that depends on what lay in it before the launch is an input too.
/// Returns whether there was one.
bool promoteReadOutputs(const TwoPoisons &Runs) {
  ShapeData &Data = Runs.Data;
  std::vector<unsigned> Read;
  for (unsigned I = 0; I < Data.spec().Buffers.size(); ++I) {
    const BufferSpec &Buffer = Data.spec().Buffers[I];
    if (Buffer.Use != Role::Out || !Data.isAside(I) ||
        Runs.UnderNaN[I] == Runs.UnderOther[I])
      continue;
    if (compareContents(Data.host(), Buffer, Data.inPlace(Runs.Globals, I),
                        Data.aside(I), uniformTolerance(Buffer, 1e-2),
                        {.Poison = 0, .Change = clearUnwritten})
            .Wrong)
      Read.push_back(I);
  }
  for (unsigned I : Read)
    Data.treatAsInput(I);
  return !Read.empty();
}

/// An output that holds exactly the poison after the launch shows that it was
/// written only over other values: such outputs start from their fill. Returns
/// whether there was one.
bool promotePoisonLike(const TwoPoisons &Runs) {
  ShapeData &Data = Runs.Data;
  auto Written = [&](unsigned I, const Staging::Read &After, uint8_t Poison) {
    return isWritten(Data.host(), Data.spec().Buffers[I],
                     Data.before(I, Poison), After);
  };
  std::vector<unsigned> Hidden;
  for (unsigned I = 0; I < Data.spec().Buffers.size(); ++I) {
    if (!Data.isAside(I))
      continue;
    if (Written(I, Data.inPlace(Runs.Globals, I), PoisonNaN))
      return false;
    if (Data.spec().Buffers[I].Use == Role::Out &&
        Written(I, Data.aside(I), PoisonOther))
      Hidden.push_back(I);
  }
  for (unsigned I : Hidden)
    Data.treatAsInput(I);
  return !Hidden.empty();
}

/// Throws BaselineError unless the outputs in place say enough; adds up what
/// was written.
void checkUseful(const ShapeData &Data, const std::vector<void *> &Globals,
                 Expectation &Known) {
  for (unsigned I = 0; I < Data.spec().Buffers.size(); ++I) {
    const BufferSpec &Buffer = Data.spec().Buffers[I];
    if (!Data.hasOutput(Globals, I))
      continue;
    Census Seen = censusOf(Data.host(), Buffer, Data.before(I, PoisonNaN),
                           Data.inPlace(Globals, I));
    Known.WrittenBytes += Seen.WrittenBytes;
    if (Seen.NotFinite > MostNotFinite * Seen.Floats)
      throw BaselineError(
          status::NotFinite,
          "its output '" + Buffer.Name +
              "' is not finite: " + std::to_string(Seen.NotFinite) + " of " +
              std::to_string(Seen.Floats) + " values, first element " +
              std::to_string(Seen.FirstNotFinite));
  }
  if (Known.WrittenBytes == 0)
    throw BaselineError(status::WritesNothing,
                        "it changes none of its output buffers");
}

/// Raises \p Spread to the differences of the reference, aside, and another run
/// on the same data, in place.
void measureSpread(const ShapeData &Data, const std::vector<void *> &Globals,
                   Expectation &Known,
                   std::vector<std::vector<double>> &Spread) {
  const Fingerprint Again = Data.fingerprint(Globals);
  for (unsigned I = 0; I < Again.size(); ++I) {
    if (Known.ReferencePrint[I] == Again[I])
      continue;
    Known.Reproducible[I] = false;
    const BufferSpec &Buffer = Data.spec().Buffers[I];
    Difference Found =
        compareContents(Data.host(), Buffer, Data.aside(I),
                        Data.inPlace(Globals, I), uniformTolerance(Buffer, 0),
                        {.Poison = PoisonNaN, .Scales = &Known.Scales[I]});
    for (size_t C = 0; C < Buffer.Components.size(); ++C) {
      Spread[I][C] = std::max(Spread[I][C], Found.WorstOf[C]);
      mep_fill::Kind K = Buffer.Components[C].Scalar;
      double Most = isFloating(K) ? toleranceCap(K) : 0;
      if (Found.WorstOf[C] > Most)
        throw BaselineError(status::Nondeterministic,
                            "it is not reproducible: two runs on the same "
                            "inputs differ in '" +
                                Buffer.Name + "' (" + Found.First + ")");
    }
  }
}

void runNudged(Runner &Run, ShapeData &Data, Binding &Baseline) {
  Baseline.patch(Data);
  Data.restore(Baseline.globals(), PoisonNaN);
  Data.nudgeInputs(Baseline.globals());
  Run.launch(Baseline);
}

uint64_t longestInput(const ShapeSpec &Shape) {
  uint64_t Longest = 1;
  for (const BufferSpec &Buffer : Shape.Buffers)
    if (Buffer.isInput())
      Longest = std::max(Longest, Buffer.Count);
  return Longest;
}

/// From the reference, aside, and the answer to nudged inputs, in place.
void setTolerances(const ShapeData &Data, const std::vector<void *> &Globals,
                   const std::vector<std::vector<double>> &Spread,
                   const Options &Settings, Expectation &Known) {
  const ShapeSpec &Shape = Data.spec();
  const Fingerprint Nudged = Data.fingerprint(Globals);
  for (unsigned I = 0; I < Shape.Buffers.size(); ++I) {
    const BufferSpec &Buffer = Shape.Buffers[I];
    BufferTolerance Allowed = uniformTolerance(Buffer, 0);
    Allowed.Absolute = Settings.AbsoluteTolerance;
    Difference Response;
    Response.WorstOf.resize(Buffer.Components.size());
    if (Nudged[I] != Known.ReferencePrint[I])
      Response = compareContents(
          Data.host(), Buffer, Data.aside(I), Data.inPlace(Globals, I), Allowed,
          {.Poison = PoisonNaN, .Scales = &Known.Scales[I]});
    for (size_t C = 0; C < Buffer.Components.size(); ++C)
      Allowed.Relative[C] =
          Settings.RelativeTolerance > 0
              ? Settings.RelativeTolerance
              : measuredTolerance(Buffer.Components[C].Scalar,
                                  Response.WorstOf[C], Spread[I][C],
                                  longestInput(Shape));
    Known.Allowed.push_back(std::move(Allowed));
  }
}

ScalarHashes hashes(const ShapeData &Data, unsigned Buffer,
                    const Staging::Read &Content) {
  return hashesOf(Data.host(), Data.spec().Buffers[Buffer], Content, PoisonNaN,
                  Data.key());
}

std::string checksum(const ShapeData &Data,
                     const std::vector<void *> &Globals) {
  uint64_t State = mep_fill::ChecksumStart;
  for (unsigned I = 0; I < Data.spec().Buffers.size(); ++I)
    if (Data.hasOutput(Globals, I))
      State = checksumOf(Data.host(), Data.spec().Buffers[I],
                         Data.inPlace(Globals, I), State);
  return mep_fill::checksumText(State);
}

/// No error was seen; what would have been allowed is still told.
void noteExact(const Expectation &Known, WorstError &Worst) {
  if (Worst.Tolerance > 0)
    return;
  for (const BufferTolerance &Each : Known.Allowed)
    for (double Relative : Each.Relative)
      Worst.Tolerance = std::max(Worst.Tolerance, Relative);
}

/// What was set aside is forgotten however a comparison ends.
struct AsideForgotten {
  ShapeData &Data;
  ~AsideForgotten() {
    try {
      Data.forgetAside();
    } catch (const DeviceError &) {
      // The device is lost; whatever it is asked next says so.
    }
  }
};

std::vector<bool> equalParts(const Fingerprint &A, const Fingerprint &B) {
  std::vector<bool> Same;
  for (size_t I = 0; I < A.size(); ++I)
    Same.push_back(A[I] == B[I]);
  return Same;
}

[[noreturn]] void failNondeterministic(const std::string &Where,
                                       const std::string &Which) {
  throw Failure(status::Nondeterministic,
                "two runs on the same inputs differ where the baseline repeats "
                "itself bit for bit: " +
                    Where + " (" + Which + ")");
}

/// What is known of a candidate's first run when its second is there.
struct FirstRun {
  Fingerprint Print;
  /// Of the outputs that were not the reference's bytes.
  std::map<unsigned, ScalarHashes> Hashes;
};

/// Throws Failure when the baseline no longer makes what it made before the
/// candidate ran: then its data or code have changed.
void runSameReference(Runner &Run, ShapeData &Data, Binding &Baseline,
                      const Expectation &Known) {
  const std::vector<unsigned> Other = runReference(Run, Data, Baseline, Known);
  if (Other.empty())
    return;
  Data.checkMasters();
  throw Failure(status::Nondeterministic,
                "after it the baseline no longer writes to '" +
                    Data.spec().Buffers[Other[0]].Name +
                    "' what it wrote before: its code or memory has been "
                    "changed, or it is not deterministic",
                /*Fatal=*/true);
}

/// Judges the first run, in place, unless it is the reference to the byte.
FirstRun judgeFirst(Runner &Run, ShapeData &Data, Binding &Baseline,
                    Binding &Candidate, const Expectation &Known,
                    const std::string &Which, WorstError &Worst) {
  FirstRun First{Data.fingerprint(Candidate.globals()), {}};
  if (First.Print == Known.ReferencePrint) {
    noteExact(Known, Worst);
    return First;
  }
  Data.setAside(Candidate.globals());
  AsideForgotten After{Data};
  runSameReference(Run, Data, Baseline, Known);
  checkOutputs(Data, Known,
               {.Globals = Baseline.globals(),
                .Same = equalParts(First.Print, Known.ReferencePrint),
                .Which = Which,
                .IsReference = true,
                .Hashes = &First.Hashes},
               Worst);
  return First;
}

/// Judges whether the second run, in place, made what the first one did. What
/// the first made is the reference, or known by its hashes.
void judgeSecond(Runner &Run, ShapeData &Data, Binding &Baseline,
                 Binding &Candidate, const Expectation &Known,
                 const FirstRun &First, const std::string &Which) {
  const Fingerprint Second = Data.fingerprint(Candidate.globals());
  std::vector<unsigned> Other;
  for (unsigned I = 0; I < Second.size(); ++I)
    if (Known.Reproducible[I] && First.Print[I] != Second[I])
      Other.push_back(I);
  if (Other.empty())
    return;
  Data.setAside(Candidate.globals());
  AsideForgotten After{Data};
  runSameReference(Run, Data, Baseline, Known);
  for (unsigned I : Other) {
    const BufferSpec &Buffer = Data.spec().Buffers[I];
    if (auto Own = First.Hashes.find(I); Own != First.Hashes.end()) {
      std::string Where =
          Own->second.difference(hashes(Data, I, Data.aside(I)));
      if (!Where.empty())
        failNondeterministic(Where, Which);
      continue;
    }
    Difference Found = compareContents(
        Data.host(), Buffer, Data.inPlace(Baseline.globals(), I), Data.aside(I),
        uniformTolerance(Buffer, 0), {.Poison = PoisonNaN});
    if (Found.Wrong)
      failNondeterministic(Found.First, Which);
  }
}

} // namespace

Expectation mepworker::studyBaseline(Runner &Run, ShapeData &Data,
                                     Binding &Baseline,
                                     const Options &Settings) {
  Expectation Known;
  const std::vector<void *> &Globals = Baseline.globals();
  AsideForgotten After{Data};
  Run.runInPlace(Data, Baseline, PoisonOther);
  const Fingerprint UnderOther = Data.fingerprint(Globals);
  Data.setAside(Globals);
  Run.runInPlace(Data, Baseline, PoisonNaN);
  const TwoPoisons Runs{Data, Globals, Data.fingerprint(Globals), UnderOther};
  if (promoteReadOutputs(Runs) || promotePoisonLike(Runs))
    Run.runInPlace(Data, Baseline, PoisonNaN);
  Known.ReferencePrint = Data.fingerprint(Globals);
  checkUseful(Data, Globals, Known);
  Known.Checksum = checksum(Data, Globals);
  for (unsigned I = 0; I < Data.spec().Buffers.size(); ++I)
    if (Data.hasOutput(Globals, I) && !Data.spec().Buffers[I].Pointers.empty())
      Known.ReferenceHashes.emplace(I,
                                    hashes(Data, I, Data.inPlace(Globals, I)));
  Data.setAside(Globals);

  const ShapeSpec &Shape = Data.spec();
  Known.Reproducible.assign(Shape.Buffers.size(), true);
  Known.Scales.resize(Shape.Buffers.size());
  std::vector<std::vector<double>> Spread;
  for (const BufferSpec &Buffer : Shape.Buffers)
    Spread.emplace_back(Buffer.Components.size());
  for (unsigned Again = 0; Again < 2; ++Again) {
    Run.runInPlace(Data, Baseline, PoisonNaN);
    measureSpread(Data, Globals, Known, Spread);
  }
  runNudged(Run, Data, Baseline);
  setTolerances(Data, Globals, Spread, Settings, Known);
  return Known;
}

static Difference compareOutput(const ShapeData &Data, const Expectation &Known,
                                const TwoOutputs &Both, unsigned I) {
  const BufferSpec &Buffer = Data.spec().Buffers[I];
  Staging::Read Want = Data.inPlace(Both.Globals, I), Have = Data.aside(I);
  if (Both.AsideIsExpected)
    std::swap(Want, Have);
  CompareOptions How{.Poison = Both.Poison};
  std::vector<double> Scales = Known.Scales[I];
  if (Both.IsReference && Known.Reproducible[I])
    How.Scales = &Scales;
  if (Both.Hashes) {
    auto &Hashes =
        Both.Hashes->emplace(I, ScalarHashes(Buffer, Both.Poison, Data.key()))
            .first->second;
    How.Also = [&](const uint8_t *Got, uint64_t Begin, uint64_t End) {
      Hashes.add(Got, Begin, End);
    };
  }
  return compareContents(Data.host(), Buffer, Want, Have, Known.Allowed[I],
                         How);
}

void mepworker::checkOutputs(const ShapeData &Data, const Expectation &Known,
                             const TwoOutputs &Both, WorstError &Worst) {
  for (unsigned I = 0; I < Data.spec().Buffers.size(); ++I) {
    const BufferSpec &Buffer = Data.spec().Buffers[I];
    if (Data.hasOutput(Both.Globals, I) != Data.isAside(I))
      throw Failure(status::Mismatch, "the device global " + Buffer.Symbol +
                                          " is missing, which the baseline "
                                          "writes (" +
                                          Both.Which + ")");
    Difference Found;
    if (Data.isAside(I) && !Both.Same[I])
      Found = compareOutput(Data, Known, Both, I);
    double Allowed = Known.Allowed[I].Relative.empty()
                         ? 0
                         : Known.Allowed[I].Relative[Found.WorstComponent];
    if (Worst.Tolerance == 0 ||
        Found.Worst * Worst.Tolerance > Worst.Error * Allowed)
      Worst = {std::isfinite(Found.Worst) ? Found.Worst : 0, Allowed};
    if (Found.Wrong)
      throw Failure(status::Mismatch,
                    Found.First + "; " + std::to_string(Found.Wrong) + " of " +
                        std::to_string(Buffer.Count) + " elements are wrong (" +
                        Both.Which + ")");
  }
}

std::vector<unsigned> mepworker::runReference(Runner &Run, ShapeData &Data,
                                              Binding &Baseline,
                                              const Expectation &Known) {
  Run.runInPlace(Data, Baseline, PoisonNaN, /*InputsToo=*/false);
  const Fingerprint Now = Data.fingerprint(Baseline.globals());
  std::vector<unsigned> Other;
  for (unsigned I = 0; I < Now.size(); ++I) {
    if (!Known.Reproducible[I] || Now[I] == Known.ReferencePrint[I])
      continue;
    auto Own = Known.ReferenceHashes.find(I);
    if (Own == Known.ReferenceHashes.end() ||
        !Own->second
             .difference(hashes(Data, I, Data.inPlace(Baseline.globals(), I)))
             .empty())
      Other.push_back(I);
  }
  return Other;
}

void mepworker::verifyOnReference(Runner &Run, ShapeData &Data,
                                  Binding &Baseline, Binding &Candidate,
                                  const Expectation &Known,
                                  const std::string &Which, WorstError &Worst) {
  Run.runInPlace(Data, Candidate, PoisonNaN);
  const FirstRun First =
      judgeFirst(Run, Data, Baseline, Candidate, Known, Which, Worst);
  Run.runAgainInPlace(Data, Candidate, PoisonNaN);
  judgeSecond(Run, Data, Baseline, Candidate, Known, First, Which);
}

void mepworker::compareAside(ShapeData &Data, const Binding &Baseline,
                             const Fingerprint &Candidate,
                             const Expectation &Known, uint8_t Poison,
                             const std::string &Which, WorstError &Worst) {
  AsideForgotten After{Data};
  const Fingerprint Wanted = Data.fingerprint(Baseline.globals());
  if (Wanted == Candidate)
    return noteExact(Known, Worst);
  checkOutputs(Data, Known,
               {.Globals = Baseline.globals(),
                .Same = equalParts(Wanted, Candidate),
                .Poison = Poison,
                .Which = Which},
               Worst);
}

void mepworker::compareRuns(Runner &Run, ShapeData &Data, Binding &Baseline,
                            Binding &Candidate, const Expectation &Known,
                            uint8_t Poison, const std::string &Which,
                            WorstError &Worst) {
  Run.runInPlace(Data, Candidate, Poison);
  const Fingerprint Got = Data.fingerprint(Candidate.globals());
  Data.setAside(Candidate.globals());
  Run.runInPlace(Data, Baseline, Poison, /*InputsToo=*/false);
  compareAside(Data, Baseline, Got, Known, Poison, Which, Worst);
}
