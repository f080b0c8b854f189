/// \file
/// Writing answers, one JSON object a line.

#include "Protocol.h"
#include <nlohmann/json.hpp>

using namespace mepworker;
using Json = nlohmann::ordered_json;

namespace {

std::string print(const Json &Answer) {
  return Answer.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json start(const std::string &Id, bool Ok) {
  return {{"id", Json::parse(Id, nullptr, false)}, {"ok", Ok}};
}

/// One line; terminals and logs get no control characters.
std::string oneLine(std::string Text) {
  for (char &C : Text)
    if (static_cast<unsigned char>(C) < 0x20)
      C = ' ';
  return Text;
}

} // namespace

std::string mepworker::helloAnswer(const std::string &Id,
                                   const DeviceFacts &Facts, double Bandwidth,
                                   const std::vector<std::string> &Sandbox) {
  Json Answer = start(Id, true);
  Answer["protocol"] = 1;
  Answer["device"] = {{"platform", Facts.Platform},
                      {"name", Facts.Name},
                      {"arch", Facts.Arch},
                      {"toolkit", Facts.Toolkit},
                      {"multiprocessors", Facts.Multiprocessors},
                      {"warp_size", Facts.WarpSize},
                      {"max_threads_per_block", Facts.MaxThreadsPerBlock},
                      {"shared_bytes_per_block", Facts.SharedBytesPerBlock},
                      {"memory_bytes", Facts.MemoryBytes},
                      {"l2_bytes", Facts.L2Bytes},
                      {"bandwidth_bytes_per_s", Bandwidth},
                      {"sandbox", Sandbox}};
  return print(Answer);
}

std::string mepworker::compileAnswer(const std::string &Id,
                                     const std::string &Compiler) {
  Json Answer = start(Id, true);
  Answer["compiler"] = Compiler;
  return print(Answer);
}

std::string mepworker::plainAnswer(const std::string &Id) {
  return print(start(Id, true));
}

std::string mepworker::baselineAnswer(const std::string &Id,
                                      const BaselineAnswer &B) {
  Json Answer = start(Id, true);
  Answer["baseline"] = {
      {"time_ns", B.TimeNs},         {"noise", B.Noise},
      {"samples", B.Samples},        {"batch", B.Batch},
      {"floor_ns", B.FloorNs},       {"compulsory_bytes", B.CompulsoryBytes},
      {"registers", B.Registers},    {"shared_bytes", B.SharedBytes},
      {"local_bytes", B.LocalBytes}, {"checksum", B.Checksum},
      {"shapes", B.Shapes},          {"dropped_shapes", B.DroppedShapes},
      {"compiler", B.Compiler}};
  for (const ShapeTimes &L : B.Launches)
    Answer["baseline"]["launches"].push_back({{"shape", L.Shape},
                                              {"weight", L.Weight},
                                              {"time_ns", L.TimeNs},
                                              {"floor_ns", L.FloorNs},
                                              {"batch", L.Batch}});
  return print(Answer);
}

std::string mepworker::evaluationAnswer(const std::string &Id,
                                        const EvaluationAnswer &E) {
  Json Tune = Json::object();
  for (const auto &[Name, Value] : E.Tune)
    Tune[Name] = Value;
  Json Answer = start(Id, true);
  if (E.Fatal)
    Answer["fatal"] = true;
  Answer["evaluation"] = {{"candidate", E.Candidate},
                          {"tune", Tune},
                          {"status", E.Status},
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
  for (const ShapeTimes &L : E.Launches)
    Answer["evaluation"]["launches"].push_back({{"shape", L.Shape},
                                                {"weight", L.Weight},
                                                {"time_ns", L.TimeNs},
                                                {"baseline_ns", L.BaselineNs},
                                                {"ratio", L.Ratio},
                                                {"low", L.Low},
                                                {"high", L.High}});
  return print(Answer);
}

static Json elementsJson(const TouchedElements &T) {
  Json Value = {{"elements", T.Elements}, {"bytes", T.Bytes}};
  if (T.Elements) {
    Value["first"] = T.First;
    Value["last"] = T.Last;
  }
  return Value;
}

/// Block as x, y, z. \p ElementBytes: 0 leaves the element out.
static Json placeJson(const TouchPlace &P, const ProbeAnswer &In,
                      uint64_t ElementBytes) {
  const std::array<uint64_t, 3> &Grid = In.Grids.at(P.Launch);
  Json Value = {{"write", P.Write},
                {"block",
                 {P.Block % Grid[0], P.Block / Grid[0] % Grid[1],
                  P.Block / Grid[0] / Grid[1]}},
                {"thread", P.Thread}};
  if (In.Grids.size() > 1)
    Value["launch"] = P.Launch;
  if (ElementBytes) {
    int64_t Size = int64_t(ElementBytes);
    Value["element"] = (P.Offset < 0 ? P.Offset - Size + 1 : P.Offset) / Size;
  }
  return Value;
}

std::string mepworker::probeAnswer(const std::string &Id,
                                   const ProbeAnswer &P) {
  Json Buffers = Json::array();
  for (const ProbeAnswer::Buffer &B : P.Buffers) {
    const RegionTouches &T = B.Touched;
    Json Value = {{"name", B.Name},
                  {"count", B.Count},
                  {"element_bytes", B.ElementBytes},
                  {"reads", elementsJson(T.Reads)},
                  {"writes", elementsJson(T.Writes)},
                  {"read_first", elementsJson(T.ReadFirst)},
                  {"outside_bytes", T.OutsideBytes},
                  {"alignment", T.Alignment},
                  {"widest", T.Widest}};
    if (T.Outside.Known)
      Value["outside"] = placeJson(T.Outside, P, B.ElementBytes);
    Buffers.push_back(std::move(Value));
  }
  Json Answer = start(Id, true);
  Answer["probe"] = {{"outcome", P.Outcome},   {"message", oneLine(P.Message)},
                     {"blocks", P.Blocks},     {"blocks_begun", P.BlocksBegun},
                     {"accesses", P.Accesses}, {"unseen", P.Unseen},
                     {"compiler", P.Compiler}, {"compile_ms", P.CompileMs},
                     {"run_ms", P.RunMs},      {"buffers", std::move(Buffers)}};
  if (P.Outcome != "finished" && P.Place.Known)
    Answer["probe"]["place"] = placeJson(P.Place, P, 0);
  for (const ProbeAnswer::Conflict &C : P.Conflicts) {
    Json Value = {{"kind", C.Kind}, {"second", placeJson(C.Second, P, 0)}};
    if (C.First.Known)
      Value["first"] = placeJson(C.First, P, 0);
    if (!C.Memory.empty()) {
      Value["buffer"] = C.Memory;
      Value["element"] = C.Element;
    }
    Answer["probe"]["hazards"].push_back(std::move(Value));
  }
  return print(Answer);
}

static Json errorBody(const std::string &Id, const std::string &Kind,
                      const std::string &Message, bool Fatal) {
  Json Answer = start(Id, false);
  Answer["error"] = oneLine(Message);
  Answer["kind"] = Kind;
  if (Fatal)
    Answer["fatal"] = true;
  return Answer;
}

std::string mepworker::errorAnswer(const std::string &Id,
                                   const std::string &Kind,
                                   const std::string &Message, bool Fatal) {
  return print(errorBody(Id, Kind, Message, Fatal));
}

std::string mepworker::refusedAnswer(const std::string &Id,
                                     const std::string &Status,
                                     const std::string &Message, bool Fatal,
                                     const std::string &Shape) {
  Json Answer = errorBody(Id, "baseline", Message, Fatal);
  Answer["status"] = Status;
  if (!Shape.empty())
    Answer["shape"] = Shape;
  return print(Answer);
}
