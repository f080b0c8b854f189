#include "Protocol.h"
#include "mep/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include <nlohmann/json.hpp>

using namespace mep;
using llvm::StringRef;

// ---- requests --------------------------------------------------------------

/// True if \p Source may hold a barrier or a warp operation. A candidate can
/// add what the closure lacks; too often true only costs the CPU platform time.
static bool needsFibers(StringRef Source) {
  for (StringRef Sign :
       {"__sync", "__shfl", "__ballot", "__any", "__all", "__activemask",
        "__match_", "__reduce_", "cooperative_groups", "barrier"})
    if (Source.contains(Sign))
      return true;
  return false;
}

static Json tuneJson(const std::map<std::string, int64_t> &Tune) {
  Json Values = Json::object();
  // What the source knows them by.
  for (const auto &[Name, Value] : Tune)
    Values[tunableMacro(Name)] = Value;
  return Values;
}

Json mep::helloRequest() { return {{"op", "hello"}}; }

Json mep::prepareRequest(const Closure &C,
                         const std::vector<ResolvedShape> &Shapes,
                         const EvaluateOptions &Options) {
  Json List = Json::array();
  for (const ResolvedShape &S : Shapes)
    List.push_back(toJson(S));
  return {{"op", "prepare"},
          {"source", C.Text},
          {"flags", C.Flags},
          {"kernel", C.NameExpression},
          {"needs_fibers", C.UsesBarrier || needsFibers(C.Text)},
          {"shapes", std::move(List)},
          {"tolerance",
           {{"relative", Options.RelativeTolerance},
            {"absolute", Options.AbsoluteTolerance}}},
          {"options",
           {{"repeat", Options.Repeat},
            {"trim_percent", Options.TrimPercent},
            {"t_min_us", Options.TMinUs},
            {"t_max_ms", Options.TMaxMs},
            {"seed", Options.Seed}}}};
}

Json mep::evaluateRequest(const Candidate &C, const std::string &Source,
                          const std::vector<ResolvedPlan> &Plans,
                          const std::map<std::string, int64_t> &Tune,
                          double Beat) {
  Json List = Json::array();
  for (const ResolvedPlan &P : Plans)
    List.push_back(toJson(P));
  return {{"op", "evaluate"},
          {"candidate", C.Id},
          {"source", Source},
          {"tune", tuneJson(Tune)},
          {"needs_fibers", needsFibers(Source)},
          {"plans", std::move(List)},
          {"beat", Beat}};
}

Json mep::announceRequest(const std::vector<Announced> &Variants) {
  Json Sources = Json::array();
  for (const Announced &Each : Variants) {
    Json Tunes = Json::array();
    for (const auto &Tune : Each.Tunes)
      Tunes.push_back(tuneJson(Tune));
    Sources.push_back({{"source", Each.Source},
                       {"needs_fibers", needsFibers(Each.Source)},
                       {"kernels", Each.Kernels},
                       {"tunes", std::move(Tunes)}});
  }
  return {{"op", "announce"}, {"sources", std::move(Sources)}};
}

Json mep::probeRequest(const Closure &C, const ResolvedShape &Shape,
                       const ProbeLimits &Limits) {
  return {{"op", "probe"},
          {"source", C.Text},
          {"flags", C.Flags},
          {"kernel", C.NameExpression},
          {"needs_fibers", C.UsesBarrier || needsFibers(C.Text)},
          {"shape", toJson(Shape)},
          {"limits",
           {{"seconds", Limits.Seconds},
            {"memory_bytes", Limits.MemoryBytes},
            {"seeds", Limits.Seeds}}}};
}

void mep::askForHazards(Json &Probe, const ProbedVariant *Variant) {
  Probe["hazards"] = true;
  if (!Variant)
    return;
  Probe["source"] = Variant->Source;
  Probe["needs_fibers"] = needsFibers(Variant->Source);
  Probe["plan"] = toJson(Variant->Plan);
  Probe["tune"] = tuneJson(Variant->Tune);
}

std::string mep::withId(Json Request, int64_t Id) {
  Request["id"] = Id;
  return printJson(Request);
}

void mep::removeShape(Json &Prepare, StringRef Name) {
  Json Kept = Json::array();
  for (Json &Shape : Prepare["shapes"])
    if (Shape["name"].get<std::string>() != Name)
      Kept.push_back(std::move(Shape));
  Prepare["shapes"] = std::move(Kept);
}

// ---- answers ---------------------------------------------------------------

std::string mep::textOf(llvm::Error E) { return llvm::toString(std::move(E)); }

llvm::Expected<Answer> mep::parseAnswer(StringRef Line, int64_t Id) {
  auto Body = parseJson(Line, "worker's answer");
  if (!Body)
    return Body.takeError();
  Answer A;
  JsonReader R(*Body, "worker's answer");
  R.read("ok", A.Ok);
  R.readIf("fatal", A.Fatal);
  R.readIf("error", A.Error);
  R.readIf("kind", A.Kind);
  R.readIf("shape", A.Shape);
  std::string Why;
  R.readIf("status", Why);
  A.Why = statusFromName(Why);
  if (!Why.empty() && !A.Why)
    R.fail("status", "unknown status '" + Why + "'");
  // A worker that cannot start answers whatever it is asked, with no id.
  int64_t Echoed = Id;
  if (R.has("id") && !R.value()["id"].is_null())
    R.read("id", Echoed);
  if (!R.failed() && Echoed != Id)
    R.fail("id", "answer to request " + llvm::Twine(Echoed) + " where one to " +
                     llvm::Twine(Id) + " was due");
  if (!R.failed() && !A.Ok && A.Error.empty())
    R.fail("error", "a refusal without a reason");
  if (llvm::Error E = R.takeError())
    return E;
  A.Body = std::make_shared<const Json>(std::move(*Body));
  return A;
}

/// The object member \p Key of an answer.
static llvm::Expected<const Json *> member(const Answer &A, const char *Key) {
  auto It = A.Body->find(Key);
  if (It == A.Body->end() || !It->is_object())
    return makeError(Failure::General, "missing; expected an object",
                     std::string("worker's answer.") + Key);
  return &*It;
}

llvm::Expected<Device> mep::readHello(const Answer &A) {
  int64_t Protocol = 0;
  JsonReader R(*A.Body, "worker's answer");
  R.readIf("protocol", Protocol);
  if (llvm::Error E = R.takeError())
    return E;
  if (Protocol != ProtocolVersion)
    return makeError(Failure::Toolchain,
                     "the worker speaks protocol " + std::to_string(Protocol) +
                         ", this tool " + std::to_string(ProtocolVersion),
                     "", "use the mep-worker of the same release");
  auto Body = member(A, "device");
  if (!Body)
    return Body.takeError();
  return deviceFromJson(**Body, "worker's answer.device");
}

llvm::Expected<Baseline> mep::readBaseline(const Answer &A) {
  auto Body = member(A, "baseline");
  if (!Body)
    return Body.takeError();
  return baselineFromJson(**Body, "worker's answer.baseline");
}

llvm::Expected<Evaluation> mep::readEvaluation(const Answer &A) {
  auto Body = member(A, "evaluation");
  if (!Body)
    return Body.takeError();
  return evaluationFromJson(**Body, "worker's answer.evaluation");
}

llvm::Expected<ProbeReport> mep::readProbe(const Answer &A) {
  auto Body = member(A, "probe");
  if (!Body)
    return Body.takeError();
  return probeFromJson(**Body, "worker's answer.probe");
}
