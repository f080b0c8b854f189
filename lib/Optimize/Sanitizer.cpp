#include "Sanitizer.h"
#include "mep/Support/Error.h"
#include "mep/Workload/Resolve.h"
#include <algorithm>

using namespace mep;
using llvm::Error;
using llvm::Expected;

namespace {

constexpr double MostSeconds = 10;
constexpr uint64_t MostTouched = uint64_t(64) << 20;

/// One thing that is wrong; \c Where tells whether the original does it too.
struct Observed {
  std::string Where;
  Sanitizer::Finding What;
};

std::vector<Observed> observe(const ProbeReport &Seen) {
  std::vector<Observed> All;
  for (const ProbedBuffer &B : Seen.Buffers)
    if (B.Outside)
      All.push_back(
          {"outside " + B.Name,
           {Status::OutOfBounds, B.Outside->str(B.Name) + ", which has " +
                                     std::to_string(B.Count) + " elements"}});
  if (Seen.Outcome == ProbeReport::Wild)
    All.push_back({"wild", {Status::OutOfBounds, Seen.endingText()}});
  if (Seen.Outcome == ProbeReport::Crashed)
    All.push_back({"crashed", {Status::Crashed, Seen.endingText()}});
  for (const ProbedHazard &H : Seen.Hazards)
    All.push_back(
        {(H.How == ProbedHazard::Race ? "race " : "uninitialised ") + H.Buffer,
         {Status::Nondeterministic, H.str()}});
  return All;
}

std::string firstLine(const std::string &Text) {
  return Text.substr(0, Text.find('\n'));
}

} // namespace

/// The smallest shape, once.
Error Sanitizer::prepare() {
  if (Shape)
    return Error::success();
  auto Shapes = resolveShapes(Data);
  if (!Shapes)
    return Shapes.takeError();
  auto Least =
      std::min_element(Shapes->begin(), Shapes->end(),
                       [](const ResolvedShape &A, const ResolvedShape &B) {
                         return A.totalBytes() < B.totalBytes();
                       });
  ShapeNumber = size_t(Least - Shapes->begin());
  Shape = std::move(*Least);
  return Error::success();
}

Expected<ProbeReport> Sanitizer::run(const ProbedVariant *Variant) {
  auto On = Prober();
  if (!On)
    return On.takeError();
  ProbeLimits Limits;
  Limits.Seconds = MostSeconds;
  Limits.MemoryBytes = MostTouched;
  return (*On)->probeHazards(C, *Shape, Variant, Limits);
}

Expected<Sanitizer::Verdict>
Sanitizer::judge(const Candidate &Proposal, const std::string &Source,
                 const std::map<std::string, int64_t> &Tune) {
  Verdict Result;
  // Without it a winner is what the worker says, and the report says so.
  auto NotRun = [&](Error E) -> Expected<Verdict> {
    if (failureOf(E) == Failure::Interrupted)
      return std::move(E);
    Result.Report.Text = "not run: " + firstLine(llvm::toString(std::move(E)));
    return Result;
  };
  if (Error E = prepare())
    return NotRun(std::move(E));
  if (!Original) {
    auto Seen = run(nullptr);
    if (!Seen)
      return NotRun(Seen.takeError());
    Original = std::move(*Seen);
  }
  auto Plans = resolvePlan(Data, Proposal.Plan, Tune);
  if (!Plans)
    return NotRun(Plans.takeError());
  ProbedVariant Variant{Source, (*Plans)[ShapeNumber], Tune};
  auto Seen = run(&Variant);
  if (!Seen)
    return NotRun(Seen.takeError());

  Result.Report.Shape = Shape->Name;
  Result.Report.Text =
      "no access outside its buffers, no data race, nothing uninitialised used";
  if (!Seen->isFinished())
    Result.Report.Text += "; only in part: " + Seen->endingText();
  const std::vector<Observed> Known = observe(*Original);
  for (const Observed &Each : observe(*Seen)) {
    bool IsTheOriginals =
        std::any_of(Known.begin(), Known.end(),
                    [&](const Observed &Of) { return Of.Where == Each.Where; });
    if (IsTheOriginals)
      Result.Report.Text =
          "nothing that the original does not do: " + Each.What.Text;
    else if (!Result.Wrong)
      Result.Wrong = {Each.What.Outcome, Each.What.Text +
                                             " (sanitizer, shape " +
                                             Shape->Name + ")"};
  }
  return Result;
}
