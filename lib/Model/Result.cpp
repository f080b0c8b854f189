#include "mep/Model/Result.h"
#include <nlohmann/json.hpp>

using namespace mep;

const Evaluation *Trial::best() const {
  const Evaluation *Best = nullptr;
  for (const Evaluation &E : Evaluations)
    if (isCorrect(E.Outcome) && (!Best || E.Low > Best->Low))
      Best = &E;
  return Best;
}

const Trial *KernelResult::winner() const {
  return BestTrial < 0 ? nullptr : &Trials[BestTrial];
}

const Evaluation *KernelResult::winning() const {
  return BestTrial < 0 || BestEvaluation < 0
             ? nullptr
             : &Trials[BestTrial].Evaluations[BestEvaluation];
}

double Baseline::meanNs() const {
  double Weights = 0;
  for (const LaunchTimes &L : Launches)
    Weights += L.Weight;
  return Weights > 0 ? TimeNs / Weights : TimeNs;
}

double Baseline::roundNs() const {
  double Sum = 0;
  for (const LaunchTimes &L : Launches)
    Sum += L.TimeNs;
  return Launches.empty() ? TimeNs : Sum;
}

Json mep::toJson(const Baseline &B) {
  Json Value = {
      {"time_ns", B.TimeNs},         {"noise", B.Noise},
      {"samples", B.Samples},        {"batch", B.Batch},
      {"floor_ns", B.FloorNs},       {"compulsory_bytes", B.CompulsoryBytes},
      {"registers", B.Registers},    {"shared_bytes", B.SharedBytes},
      {"local_bytes", B.LocalBytes}, {"checksum", B.Checksum},
      {"shapes", B.Shapes},          {"dropped_shapes", B.DroppedShapes},
      {"compiler", B.Compiler}};
  for (const LaunchTimes &L : B.Launches)
    Value["launches"].push_back(toJson(L));
  return Value;
}

llvm::Expected<Baseline> mep::baselineFromJson(const Json &Value,
                                               llvm::StringRef Where) {
  Baseline B;
  JsonReader R(Value, Where.str());
  R.read("time_ns", B.TimeNs);
  R.readIf("noise", B.Noise);
  R.readIf("samples", B.Samples);
  R.readIf("batch", B.Batch);
  R.readIf("floor_ns", B.FloorNs);
  R.readIf("compulsory_bytes", B.CompulsoryBytes);
  R.readIf("registers", B.Registers);
  R.readIf("shared_bytes", B.SharedBytes);
  R.readIf("local_bytes", B.LocalBytes);
  R.readIf("checksum", B.Checksum);
  R.readIf("shapes", B.Shapes);
  R.readIf("dropped_shapes", B.DroppedShapes);
  R.readIf("compiler", B.Compiler);
  B.Launches = readLaunches(R);
  if (llvm::Error E = R.takeError())
    return E;
  return B;
}

Json mep::toJson(const KernelResult &R) {
  Json Trials = Json::array();
  for (const Trial &T : R.Trials) {
    Json Evaluations = Json::array();
    for (const Evaluation &E : T.Evaluations)
      Evaluations.push_back(toJson(E));
    Json Value = toJson(T.Proposal);
    Value["round"] = T.Round;
    Value["evaluations"] = std::move(Evaluations);
    Trials.push_back(std::move(Value));
  }
  Json Value = {{"kernel", toJson(R.Site)},
                {"outcome", R.Outcome},
                {"error", R.Error},
                {"stage", R.Stage},
                {"splice_rehearsal", R.Rehearsal},
                {"grown", R.Grown},
                {"folder", R.Folder},
                {"seconds", R.Seconds},
                {"whole_unit", R.WholeUnit},
                {"fidelity", toJson(R.Proof)},
                {"baseline", nullptr},
                {"workload", nullptr},
                {"probe", nullptr},
                {"access_check", nullptr},
                {"best", nullptr},
                {"candidates", std::move(Trials)}};
  if (R.Base)
    Value["baseline"] = toJson(*R.Base);
  if (R.Data)
    Value["workload"] = toJson(*R.Data);
  if (R.Probe)
    Value["probe"] = toJson(*R.Probe);
  if (R.Accesses)
    Value["access_check"] = toJson(*R.Accesses);
  if (const Evaluation *Best = R.winning()) {
    Value["best"] = toJson(*Best);
    Value["best"]["moves"] = R.winner()->Proposal.Moves;
    Value["best"]["summary"] = R.winner()->Proposal.Summary;
    if (R.Sanitizer)
      Value["best"]["sanitizer"] = {{"shape", R.Sanitizer->Shape},
                                    {"text", R.Sanitizer->Text}};
  }
  return Value;
}

Json mep::toJson(const RunResult &R) {
  Json Kernels = Json::array();
  for (const KernelResult &K : R.Kernels)
    Kernels.push_back(toJson(K));
  return {{"schema", RunResult::Schema},
          {"version", R.Version},
          {"command", R.CommandLine},
          {"started", R.Started},
          {"interrupted", R.Interrupted},
          {"device", R.On ? toJson(*R.On) : Json(nullptr)},
          {"kernels", std::move(Kernels)},
          {"patches", R.Patches}};
}
