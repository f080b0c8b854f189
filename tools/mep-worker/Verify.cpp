/// \file
/// The study of the baseline's outputs and the judgement over another's.

#include "Verify.h"
#include "Answer.h"
#include <algorithm>
#include <cmath>

using namespace mepworker;

namespace {

/// More non-finite values than this make verification say too little.
constexpr double MostNotFinite = 0.1;

BufferTolerance uniformTolerance(const BufferSpec &Buffer, double Relative) {
  return {std::vector<double>(Buffer.Components.size(), Relative), 0};
}

/// An output that depends on what lay in it before the launch is an input too.
/// Returns whether there was one.
bool promoteReadOutputs(ShapeData &Data, const Contents &First,
                        const Contents &Other) {
  bool Any = false;
  for (size_t I = 0; I < First.size(); ++I) {
    const BufferSpec &Buffer = Data.spec().Buffers[I];
    if (Buffer.Use != Role::Out || First[I] == Other[I])
      continue;
    std::vector<uint8_t> A = First[I], B = Other[I];
    for (size_t At = 0; At < A.size(); ++At)
      if (A[At] == PoisonNaN && B[At] == PoisonOther)
        A[At] = B[At] = 0;
    if (compare(Buffer, A, B, uniformTolerance(Buffer, 1e-2), 0).Wrong == 0)
      continue;
    Data.treatAsInput(I);
    Any = true;
  }
  return Any;
}

/// An output that holds exactly the poison after the launch shows that it was
/// written only over other values: such outputs start from their fill. Returns
/// whether there was one.
bool promotePoisonLike(ShapeData &Data, const Contents &First,
                       const Contents &Other) {
  auto Written = [&](size_t I, const Contents &Outputs, uint8_t Poison) {
    return !Outputs[I].empty() &&
           count(Data.spec().Buffers[I], Data.before(I, Poison), Outputs[I])
                   .WrittenBytes != 0;
  };
  std::vector<unsigned> Hidden;
  for (size_t I = 0; I < First.size(); ++I) {
    if (Written(I, First, PoisonNaN))
      return false;
    if (Data.spec().Buffers[I].Use == Role::Out &&
        Written(I, Other, PoisonOther))
      Hidden.push_back(I);
  }
  for (unsigned I : Hidden)
    Data.treatAsInput(I);
  return !Hidden.empty();
}

/// Throws BaselineError unless the outputs say enough; adds up what was
/// written.
void checkUseful(const ShapeData &Data, const Contents &Outputs,
                 Expectation &Known) {
  for (size_t I = 0; I < Outputs.size(); ++I) {
    const BufferSpec &Buffer = Data.spec().Buffers[I];
    if (Outputs[I].empty())
      continue;
    Census Seen = count(Buffer, Data.before(I, PoisonNaN), Outputs[I]);
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

/// Raises \p Spread to the differences of two runs on the same data.
void measureSpread(const ShapeSpec &Shape, const Contents &First,
                   const Contents &Second, Expectation &Known,
                   std::vector<std::vector<double>> &Spread) {
  for (size_t I = 0; I < First.size(); ++I) {
    if (First[I] == Second[I])
      continue;
    Known.Reproducible[I] = false;
    const BufferSpec &Buffer = Shape.Buffers[I];
    Difference Found = compare(Buffer, First[I], Second[I],
                               uniformTolerance(Buffer, 0), PoisonNaN);
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

Contents runNudged(Runner &Run, ShapeData &Data, Binding &Baseline) {
  Baseline.patch(Data);
  Data.restore(Baseline.globals(), PoisonNaN);
  for (size_t I = 0; I < Data.spec().Buffers.size(); ++I) {
    const BufferSpec &Buffer = Data.spec().Buffers[I];
    if (!Buffer.isInput())
      continue;
    std::vector<uint8_t> Moved = Data.before(I, PoisonNaN);
    nudge(Buffer, Moved);
    Data.overwrite(Baseline.globals(), I, Moved);
  }
  Run.launch(Baseline);
  return Data.outputs(Baseline.globals());
}

uint64_t longestInput(const ShapeSpec &Shape) {
  uint64_t Longest = 1;
  for (const BufferSpec &Buffer : Shape.Buffers)
    if (Buffer.isInput())
      Longest = std::max(Longest, Buffer.Count);
  return Longest;
}

void setTolerances(const ShapeSpec &Shape, const Contents &Nudged,
                   const std::vector<std::vector<double>> &Spread,
                   const Options &Settings, Expectation &Known) {
  for (size_t I = 0; I < Shape.Buffers.size(); ++I) {
    const BufferSpec &Buffer = Shape.Buffers[I];
    BufferTolerance Allowed = uniformTolerance(Buffer, 0);
    Allowed.Absolute = Settings.AbsoluteTolerance;
    Difference Response;
    Response.WorstOf.resize(Buffer.Components.size());
    if (!Nudged[I].empty())
      Response =
          compare(Buffer, Known.Reference[I], Nudged[I], Allowed, PoisonNaN);
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

/// No error was seen; what would have been allowed is still told.
void noteExact(const Expectation &Known, WorstError &Worst) {
  if (Worst.Tolerance > 0)
    return;
  for (const BufferTolerance &Each : Known.Allowed)
    for (double Relative : Each.Relative)
      Worst.Tolerance = std::max(Worst.Tolerance, Relative);
}

} // namespace

Expectation mepworker::studyBaseline(Runner &Run, ShapeData &Data,
                                     Binding &Baseline,
                                     const Options &Settings) {
  Expectation Known;
  Contents UnderOther = Run.run(Data, Baseline, PoisonOther);
  Known.Reference = Run.run(Data, Baseline, PoisonNaN);
  if (promoteReadOutputs(Data, Known.Reference, UnderOther) ||
      promotePoisonLike(Data, Known.Reference, UnderOther))
    Known.Reference = Run.run(Data, Baseline, PoisonNaN);
  Known.ReferencePrint = Data.fingerprint(Baseline.globals());
  checkUseful(Data, Known.Reference, Known);

  const ShapeSpec &Shape = Data.spec();
  Known.Reproducible.assign(Shape.Buffers.size(), true);
  std::vector<std::vector<double>> Spread;
  for (const BufferSpec &Buffer : Shape.Buffers)
    Spread.emplace_back(Buffer.Components.size());
  for (unsigned Again = 0; Again < 2; ++Again)
    measureSpread(Shape, Known.Reference, Run.run(Data, Baseline, PoisonNaN),
                  Known, Spread);
  setTolerances(Shape, runNudged(Run, Data, Baseline), Spread, Settings, Known);
  return Known;
}

void mepworker::checkOutputs(const ShapeSpec &Shape, const Expectation &Known,
                             const Contents &Expected, const Contents &Got,
                             uint8_t Poison, const std::string &Which,
                             WorstError &Worst) {
  for (size_t I = 0; I < Expected.size(); ++I) {
    const BufferSpec &Buffer = Shape.Buffers[I];
    if (Expected[I].size() != Got[I].size())
      throw Failure(status::Mismatch, "the device global " + Buffer.Symbol +
                                          " is missing, which the baseline "
                                          "writes (" +
                                          Which + ")");
    Difference Found =
        compare(Buffer, Expected[I], Got[I], Known.Allowed[I], Poison);
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
                        Which + ")");
  }
}

void mepworker::checkReproducible(const ShapeSpec &Shape,
                                  const Expectation &Known,
                                  const Contents &First, const Contents &Second,
                                  const std::string &Which) {
  for (size_t I = 0; I < First.size(); ++I) {
    if (!Known.Reproducible[I] || First[I] == Second[I])
      continue;
    Difference Found =
        compare(Shape.Buffers[I], First[I], Second[I],
                uniformTolerance(Shape.Buffers[I], 0), PoisonNaN);
    if (Found.Wrong)
      throw Failure(status::Nondeterministic,
                    "two runs on the same inputs differ where the baseline "
                    "repeats itself bit for bit: " +
                        Found.First + " (" + Which + ")");
  }
}

void mepworker::verifyOnReference(Runner &Run, ShapeData &Data,
                                  Binding &Candidate, const Expectation &Known,
                                  const std::string &Which, WorstError &Worst) {
  Run.runInPlace(Data, Candidate, PoisonNaN);
  const Fingerprint First = Data.fingerprint(Candidate.globals());
  const bool Equal = First == Known.ReferencePrint;
  Contents Got;
  if (Equal)
    noteExact(Known, Worst);
  else
    checkOutputs(Data.spec(), Known, Known.Reference,
                 Got = Data.outputs(Candidate.globals()), PoisonNaN, Which,
                 Worst);
  Run.runInPlace(Data, Candidate, PoisonNaN, /*InputsToo=*/false);
  if (Data.fingerprint(Candidate.globals()) != First)
    checkReproducible(Data.spec(), Known, Equal ? Known.Reference : Got,
                      Data.outputs(Candidate.globals()), Which);
}

void mepworker::compareAside(const ShapeData &Data, const Binding &Baseline,
                             const Fingerprint &Candidate,
                             const Expectation &Known, uint8_t Poison,
                             const std::string &Which, WorstError &Worst) {
  if (Data.fingerprint(Baseline.globals()) == Candidate)
    return noteExact(Known, Worst);
  checkOutputs(Data.spec(), Known, Data.outputs(Baseline.globals()),
               Data.takeAside(), Poison, Which, Worst);
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

std::string mepworker::checksum(const ShapeSpec &Shape,
                                const Contents &Outputs) {
  uint64_t State = mep_fill::ChecksumStart;
  for (size_t I = 0; I < Outputs.size(); ++I)
    if (Shape.Buffers[I].isOutput())
      State = mep_fill::checksum(
          State, Outputs[I].data(), Shape.Buffers[I].ElementBytes,
          Shape.Buffers[I].Components.data(),
          Shape.Buffers[I].Components.size(), Shape.Buffers[I].Count);
  return mep_fill::checksumText(State);
}
