#include "mep/Model/Candidate.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"
#include <nlohmann/json.hpp>

using namespace mep;

bool PlannedLaunch::sameGeometry() const {
  PlannedLaunch Original;
  return Grid == Original.Grid && Block == Original.Block &&
         SharedBytes == Original.SharedBytes;
}

bool LaunchPlan::isOriginal() const {
  if (Launches.empty())
    return true;
  return Launches.size() == 1 && Scratch.empty() &&
         Launches[0].sameGeometry() && Launches[0].Arguments.empty();
}

std::vector<std::string> LaunchPlan::tunableNames() const {
  std::vector<std::string> Names;
  for (const Tunable &T : Tunables)
    Names.push_back(T.Name);
  return Names;
}

Json mep::toJson(const LaunchPlan &Plan) {
  Json Launches = Json::array(), Scratch = Json::array(), Tune = Json::object();
  for (const PlannedLaunch &L : Plan.Launches) {
    Json Launch = {{"kernel", L.Kernel},
                   {"grid", L.Grid},
                   {"block", L.Block},
                   {"shared_bytes", L.SharedBytes}};
    if (!L.Arguments.empty())
      Launch["arguments"] = L.Arguments;
    Launches.push_back(std::move(Launch));
  }
  for (const ScratchBuffer &S : Plan.Scratch)
    Scratch.push_back({{"name", S.Name}, {"type", S.Type}, {"bytes", S.Bytes}});
  for (const Tunable &T : Plan.Tunables)
    Tune[T.Name] = T.Values;
  return {{"launches", Launches}, {"scratch", Scratch}, {"tune", Tune}};
}

namespace {
/// One to three expressions; a missing one is 1.
void readExtent(JsonReader &R, llvm::StringRef Key,
                std::array<std::string, 3> &Out) {
  if (!R.has(Key))
    return;
  const Json &Value = R.value()[Key.str()];
  if (!Value.is_array() || Value.empty() || Value.size() > 3)
    return R.fail(Key, "expected one to three expressions");
  Out = {"1", "1", "1"};
  for (size_t I = 0; I < Value.size(); ++I) {
    if (Value[I].is_string())
      Out[I] = Value[I].get<std::string>();
    else if (Value[I].is_number_integer())
      Out[I] = Value[I].dump();
    else
      return R.fail(Key, "expected expressions (strings or integers)");
  }
}

/// Names and types become part of what is compiled and, spliced, of the
/// application: they may not be more than names and types.
void checkWritten(JsonReader &R, llvm::StringRef Key, llvm::StringRef Text,
                  const char *Pattern, const char *Wanted) {
  if (!R.failed() && !llvm::Regex(Pattern).match(Text))
    R.fail(Key, llvm::Twine("expected ") + Wanted);
}
constexpr const char *Identifier = "^[A-Za-z_][A-Za-z_0-9]*$";
constexpr const char *KernelName =
    "^(::)?[A-Za-z_][A-Za-z_0-9]*(::[A-Za-z_][A-Za-z_0-9]*)*"
    "(<[A-Za-z_0-9:<>, *&-]*>)?$";
constexpr const char *TypeName = "^[A-Za-z_0-9:<>, *]*$";

PlannedLaunch readLaunch(JsonReader &R) {
  PlannedLaunch L;
  R.rejectUnknown({"kernel", "grid", "block", "shared_bytes", "arguments"});
  R.read("kernel", L.Kernel);
  checkWritten(R, "kernel", L.Kernel, KernelName, "the name of a kernel");
  readExtent(R, "grid", L.Grid);
  readExtent(R, "block", L.Block);
  if (R.has("shared_bytes"))
    R.readExpression("shared_bytes", L.SharedBytes);
  R.readIf("arguments", L.Arguments);
  return L;
}

void readPlan(JsonReader &R, LaunchPlan &Plan) {
  R.rejectUnknown({"launches", "scratch", "tune"});
  R.objects("launches",
            [&](JsonReader &L) { Plan.Launches.push_back(readLaunch(L)); });
  R.objects("scratch", [&](JsonReader &S) {
    ScratchBuffer B;
    S.rejectUnknown({"name", "type", "bytes"});
    S.read("name", B.Name);
    checkWritten(S, "name", B.Name, Identifier, "an identifier");
    S.readIf("type", B.Type);
    checkWritten(S, "type", B.Type, TypeName, "the name of a type");
    S.readExpression("bytes", B.Bytes);
    Plan.Scratch.push_back(std::move(B));
  });
  R.object("tune", [&](JsonReader &T) {
    T.members([&](llvm::StringRef Name, const Json &) {
      Tunable Tune;
      Tune.Name = Name.str();
      checkWritten(T, Name, Name, Identifier, "an identifier for its name");
      T.read(Name, Tune.Values);
      if (!T.failed() && Tune.Values.empty())
        T.fail(Name, "needs at least one value");
      Plan.Tunables.push_back(std::move(Tune));
    });
  });
}
} // namespace

llvm::Expected<LaunchPlan> mep::launchPlanFromJson(const Json &Value,
                                                   llvm::StringRef Where) {
  LaunchPlan Plan;
  JsonReader R(Value, Where.str());
  readPlan(R, Plan);
  if (llvm::Error E = R.takeError())
    return E;
  return Plan;
}

std::string Candidate::changes(llvm::StringRef Separator) const {
  return Moves.empty() ? Origin : llvm::join(Moves, Separator);
}

Json mep::toJson(const Candidate &C) {
  return {{"id", C.Id},
          {"parent", C.Parent},
          {"proposer", C.Proposer},
          {"origin", C.Origin},
          {"problem", C.Problem},
          {"moves", C.Moves},
          {"summary", C.Summary},
          {"device_text", C.DeviceText},
          {"plan", toJson(C.Plan)}};
}

llvm::Expected<Candidate> mep::candidateFromJson(const Json &Value,
                                                 llvm::StringRef Where) {
  Candidate C;
  JsonReader R(Value, Where.str());
  R.read("id", C.Id);
  R.readIf("parent", C.Parent);
  R.readIf("proposer", C.Proposer);
  R.readIf("origin", C.Origin);
  R.readIf("problem", C.Problem);
  R.readIf("moves", C.Moves);
  R.readIf("summary", C.Summary);
  R.read("device_text", C.DeviceText);
  R.object("plan", [&](JsonReader &P) { readPlan(P, C.Plan); });
  if (llvm::Error E = R.takeError())
    return E;
  return C;
}

Json mep::toJson(const ResolvedPlan &Plan) {
  Json Launches = Json::array(), Scratch = Json::array();
  for (const ResolvedLaunch &L : Plan.Launches) {
    Json Launch = toJson(L.Geometry);
    Launch["kernel"] = L.Kernel;
    Launch["arguments"] = L.Arguments;
    Launches.push_back(std::move(Launch));
  }
  for (const auto &[Name, Bytes] : Plan.Scratch)
    Scratch.push_back({{"name", Name}, {"bytes", Bytes}});
  return {{"launches", Launches}, {"scratch", Scratch}};
}
