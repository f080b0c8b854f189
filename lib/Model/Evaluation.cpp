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

Json mep::toJson(const Evaluation &E) {
  Json Tune = Json::object();
  for (const auto &[Name, Value] : E.Tune)
    Tune[Name] = Value;
  return {{"candidate", E.Candidate},
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
  std::optional<Status> Known = statusFromName(Outcome);
  if (!R.failed() && !Known)
    R.fail("status", "unknown status '" + Outcome + "'");
  if (llvm::Error Problem = R.takeError())
    return Problem;
  E.Outcome = *Known;
  return E;
}
