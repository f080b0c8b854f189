#include "mep/Model/Evaluation.h"
#include <nlohmann/json.hpp>

using namespace mep;

namespace {
constexpr const char *StatusNames[] = {
    "rejected",       "compile-error", "compile-limit",    "resource-limit",
    "launch-failed",  "crashed",       "timed-out",        "mismatch",
    "input-changed",  "out-of-bounds", "nondeterministic", "not-finite",
    "writes-nothing", "self-test",     "below-floor",      "pruned",
    "slower",         "same",          "undecided",        "faster"};
} // namespace

const char *mep::name(Status S) { return StatusNames[unsigned(S)]; }

std::optional<Status> mep::statusFromName(llvm::StringRef Name) {
  for (unsigned I = 0; I < std::size(StatusNames); ++I)
    if (Name == StatusNames[I])
      return Status(I);
  return std::nullopt;
}

bool mep::isCorrect(Status S) { return S >= Status::Slower; }

Json mep::toJson(const LaunchTimes &L) {
  Json Value = {
      {"shape", L.Shape}, {"weight", L.Weight}, {"time_ns", L.TimeNs}};
  if (L.Ratio > 0) {
    Value["baseline_ns"] = L.BaselineNs;
    Value["ratio"] = L.Ratio;
    Value["low"] = L.Low;
    Value["high"] = L.High;
  } else {
    Value["floor_ns"] = L.FloorNs;
    Value["batch"] = L.Batch;
  }
  return Value;
}

std::vector<LaunchTimes> mep::readLaunches(JsonReader &R) {
  std::vector<LaunchTimes> Launches;
  R.objects("launches", [&](JsonReader &Each) {
    LaunchTimes L;
    Each.read("shape", L.Shape);
    Each.readIf("weight", L.Weight);
    Each.read("time_ns", L.TimeNs);
    Each.readIf("baseline_ns", L.BaselineNs);
    Each.readIf("ratio", L.Ratio);
    Each.readIf("low", L.Low);
    Each.readIf("high", L.High);
    Each.readIf("floor_ns", L.FloorNs);
    Each.readIf("batch", L.Batch);
    Launches.push_back(std::move(L));
  });
  return Launches;
}

Json mep::toJson(const Evaluation &E) {
  Json Tune = Json::object();
  for (const auto &[Name, Value] : E.Tune)
    Tune[Name] = Value;
  Json Value = {{"candidate", E.Candidate},
                {"tune", Tune},
                {"status", name(E.Outcome)},
                {"message", E.Message},
                {"time_ns", E.TimeNs},
                {"baseline_ns", E.BaselineNs},
                {"ratio", E.Ratio},
                {"low", E.Low},
                {"high", E.High},
                {"noise", E.Noise},
                {"samples", E.Samples},
                {"worst_error", E.WorstError},
                {"tolerance", E.Tolerance},
                {"registers", E.Registers},
                {"shared_bytes", E.SharedBytes},
                {"local_bytes", E.LocalBytes},
                {"compile_ms", E.CompileMs},
                {"overhead_ms", E.OverheadMs}};
  for (const LaunchTimes &L : E.Launches)
    Value["launches"].push_back(toJson(L));
  return Value;
}

llvm::Expected<Evaluation> mep::evaluationFromJson(const Json &Value,
                                                   llvm::StringRef Where) {
  Evaluation E;
  JsonReader R(Value, Where.str());
  std::string Outcome;
  R.readIf("candidate", E.Candidate);
  R.object("tune", [&](JsonReader &Tune) {
    Tune.members([&](llvm::StringRef Name, const Json &) {
      Tune.read(Name, E.Tune[Name.str()]);
    });
  });
  R.read("status", Outcome);
  R.readIf("message", E.Message);
  R.readIf("time_ns", E.TimeNs);
  R.readIf("baseline_ns", E.BaselineNs);
  R.readIf("ratio", E.Ratio);
  R.readIf("low", E.Low);
  R.readIf("high", E.High);
  R.readIf("noise", E.Noise);
  R.readIf("samples", E.Samples);
  R.readIf("worst_error", E.WorstError);
  R.readIf("tolerance", E.Tolerance);
  R.readIf("registers", E.Registers);
  R.readIf("shared_bytes", E.SharedBytes);
  R.readIf("local_bytes", E.LocalBytes);
  R.readIf("compile_ms", E.CompileMs);
  R.readIf("overhead_ms", E.OverheadMs);
  E.Launches = readLaunches(R);
  std::optional<Status> Known = statusFromName(Outcome);
  if (!R.failed() && !Known)
    R.fail("status", "unknown status '" + Outcome + "'");
  if (llvm::Error Problem = R.takeError())
    return Problem;
  E.Outcome = *Known;
  return E;
}
