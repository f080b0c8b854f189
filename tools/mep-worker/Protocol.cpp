/// \file
/// Reading requests with checks. This file and Answers.cpp alone know JSON.

#include "Protocol.h"
#include <algorithm>
#include <nlohmann/json.hpp>

using namespace mepworker;
using Json = nlohmann::ordered_json;

namespace {

/// The largest buffer or argument anyone can mean; keeps sums from wrapping.
constexpr uint64_t MostBytes = uint64_t(1) << 46;

/// A JSON value and the path to it.
class Node {
public:
  Node(const Json &Value, std::string Path)
      : Value(Value), Path(std::move(Path)) {}

  [[noreturn]] void fail(const std::string &Why) const {
    throw RequestError((Path.empty() ? "request" : Path) + ": " + Why);
  }
  bool has(const char *Key) const {
    return Value.contains(Key) && !Value[Key].is_null();
  }
  Node operator[](const char *Key) const {
    if (!Value.is_object())
      fail("expected an object");
    if (!has(Key))
      throw RequestError(pathOf(Key) + ": missing");
    return {Value[Key], pathOf(Key)};
  }
  std::string text() const {
    if (!Value.is_string())
      fail("expected a string");
    return Value.get<std::string>();
  }
  uint64_t whole(uint64_t Most = UINT64_MAX) const {
    if (!Value.is_number_unsigned())
      fail("expected a whole number, not negative");
    uint64_t Number = Value.get<uint64_t>();
    if (Number > Most)
      fail("is larger than " + std::to_string(Most));
    return Number;
  }
  int64_t integer() const {
    if (!Value.is_number_integer())
      fail("expected an integer");
    return Value.get<int64_t>();
  }
  double number() const {
    if (!Value.is_number())
      fail("expected a number");
    return Value.get<double>();
  }
  bool truth() const {
    if (!Value.is_boolean())
      fail("expected true or false");
    return Value.get<bool>();
  }
  std::vector<Node> items() const {
    if (!Value.is_array())
      fail("expected an array");
    std::vector<Node> All;
    for (size_t I = 0; I < Value.size(); ++I)
      All.push_back({Value[I], Path + "[" + std::to_string(I) + "]"});
    return All;
  }
  std::vector<std::string> texts() const {
    std::vector<std::string> All;
    for (const Node &Each : items())
      All.push_back(Each.text());
    return All;
  }
  const Json &json() const { return Value; }
  const std::string &path() const { return Path; }

private:
  std::string pathOf(const char *Key) const {
    return Path.empty() ? Key : Path + "." + Key;
  }
  const Json &Value;
  std::string Path;
};

// ---- requests ---------------------------------------------------------------

std::array<uint64_t, 3> readExtent(const Node &From) {
  std::vector<Node> Items = From.items();
  if (Items.empty() || Items.size() > 3)
    From.fail("expected one to three numbers");
  std::array<uint64_t, 3> Extent{1, 1, 1};
  for (size_t I = 0; I < Items.size(); ++I)
    Extent[I] = Items[I].whole();
  return Extent;
}

Geometry readGeometry(const Node &From) {
  Geometry Result;
  Result.Grid = readExtent(From["grid"]);
  Result.Block = readExtent(From["block"]);
  if (From.has("shared_bytes"))
    Result.SharedBytes = From["shared_bytes"].whole(MostBytes);
  return Result;
}

void readElement(const Node &From, BufferSpec &Into) {
  Into.ElementBytes = From["bytes"].whole(1 << 20);
  if (Into.ElementBytes == 0)
    From["bytes"].fail("must not be zero");
  if (From.has("components"))
    for (const Node &Each : From["components"].items()) {
      mep_fill::Component Part;
      if (!mep_fill::kindFromName(Each["kind"].text(), Part.Scalar))
        Each["kind"].fail("unknown kind");
      Part.Offset = Each["offset"].whole(Into.ElementBytes);
      Part.Count = Each["count"].whole(Into.ElementBytes);
      if (Part.Offset + Part.Count * mep_fill::byteSize(Part.Scalar) >
          Into.ElementBytes)
        Each.fail("reaches past the element");
      Into.Components.push_back(Part);
    }
}

/// Errors: a pointer outside the element. Whom it points at is checked when all
/// buffers are known.
void readElementPointers(const Node &From, BufferSpec &Into) {
  for (const Node &Each : From.items()) {
    ElementPointerSpec Pointer;
    Pointer.Offset = Each["offset"].whole(Into.ElementBytes);
    if (Each.has("count"))
      Pointer.Count = Each["count"].whole(Into.ElementBytes);
    if (Pointer.Offset + Pointer.Count * 8 > Into.ElementBytes)
      Each["offset"].fail("reaches past the element");
    Pointer.Buffer = Each["buffer"].text();
    if (Each.has("byte_offset"))
      Pointer.ByteOffset = Each["byte_offset"].whole(MostBytes);
    if (Each.has("byte_stride"))
      Pointer.ByteStride = Each["byte_stride"].whole(MostBytes);
    Into.Pointers.push_back(std::move(Pointer));
  }
}

void checkElementPointers(const ShapeSpec &Shape, const Node &From) {
  for (const BufferSpec &Holder : Shape.Buffers)
    for (const ElementPointerSpec &Pointer : Holder.Pointers)
      if (std::none_of(Shape.Buffers.begin(), Shape.Buffers.end(),
                       [&](const BufferSpec &B) {
                         return B.Name == Pointer.Buffer && B.Symbol.empty();
                       }))
        From.fail("an element of '" + Holder.Name + "' points at '" +
                  Pointer.Buffer + "', which is no buffer");
}

Role readRole(const Node &From) {
  std::string Name = From.text();
  if (Name == "in")
    return Role::In;
  if (Name == "out")
    return Role::Out;
  if (Name != "inout")
    From.fail("expected in, out or inout");
  return Role::InOut;
}

std::vector<uint8_t> readBytes(const Node &From) {
  std::string Text = From.text();
  std::vector<uint8_t> Bytes;
  auto Digit = [&](char C) -> uint8_t {
    if (C >= '0' && C <= '9')
      return C - '0';
    if (C >= 'a' && C <= 'f')
      return C - 'a' + 10;
    if (C >= 'A' && C <= 'F')
      return C - 'A' + 10;
    From.fail("expected hexadecimal digits");
  };
  if (Text.size() % 2)
    From.fail("expected two digits for each byte");
  for (size_t I = 0; I < Text.size(); I += 2)
    Bytes.push_back(Digit(Text[I]) << 4 | Digit(Text[I + 1]));
  return Bytes;
}

/// Errors: steps of no length.
void readCounting(const Node &From, mep_fill::Counting &Into) {
  auto Read = [&](const char *Name, int64_t &To, int64_t Least) {
    if (!From.has(Name))
      return;
    double Value = From[Name].number();
    if (!(Value >= double(Least)) || Value > double(MostBytes))
      From[Name].fail("is out of range");
    To = int64_t(Value);
  };
  Read("step", Into.Step, -int64_t(MostBytes));
  Read("each", Into.Each, 1);
  Read("period", Into.Period, 0);
  Read("modulus", Into.Modulus, 0);
}

BufferSpec readBuffer(const Node &From) {
  BufferSpec Result;
  Result.Name = From["name"].text();
  if (From.has("symbol"))
    Result.Symbol = From["symbol"].text();
  readElement(From["element"], Result);
  Result.Count = From["count"].whole(MostBytes / Result.ElementBytes);
  Result.Use = readRole(From["role"]);
  std::string Rule = From.has("rule") ? From["rule"].text() : "uniform";
  Result.KeepsInitializer = Rule == "initializer";
  if (Result.KeepsInitializer && Result.Symbol.empty())
    From["rule"].fail("only a device global has an initializer");
  if (!Result.KeepsInitializer && !mep_fill::ruleFromName(Rule, Result.Rule))
    From["rule"].fail("unknown rule '" + Rule + "'");
  // What counts, counts from 0 unless the request says otherwise.
  if (Rule == "iota" || Rule == "permutation" || Rule == "offsets")
    Result.Low = 0;
  if (From.has("low"))
    Result.Low = From["low"].number();
  if (From.has("high"))
    Result.High = From["high"].number();
  readCounting(From, Result.Counts);
  if (From.has("table"))
    for (const Node &Each : From["table"].items())
      Result.Table.push_back(Each.number());
  if (From.has("pointers"))
    readElementPointers(From["pointers"], Result);
  if (From.has("values"))
    for (const Node &Each : From["values"].items()) {
      ElementValueSpec Value{Each["offset"].whole(Result.ElementBytes),
                             readBytes(Each["bytes"])};
      if (Value.Offset + Value.Bytes.size() > Result.ElementBytes)
        Each["offset"].fail("reaches past the element");
      Result.Values.push_back(std::move(Value));
    }
  if (Result.Components.empty() && Result.Pointers.empty())
    Result.Components.push_back({mep_fill::Kind::U8, 0, Result.ElementBytes});
  return Result;
}

ArgumentSpec readArgument(const Node &From,
                          const std::vector<BufferSpec> &Buffers) {
  ArgumentSpec Result;
  Result.Name = From["name"].text();
  Result.Bytes = readBytes(From["bytes"]);
  if (!From.has("pointers"))
    return Result;
  for (const Node &Each : From["pointers"].items()) {
    PointerSpec Pointer;
    Pointer.Offset = Each["offset"].whole();
    Pointer.Buffer = Each["buffer"].text();
    if (Each.has("byte_offset"))
      Pointer.ByteOffset = Each["byte_offset"].whole(MostBytes);
    if (Result.Bytes.size() < 8 || Pointer.Offset > Result.Bytes.size() - 8)
      Each["offset"].fail("reaches past the argument's bytes");
    if (std::none_of(Buffers.begin(), Buffers.end(), [&](const BufferSpec &B) {
          return B.Name == Pointer.Buffer;
        }))
      Each["buffer"].fail("no buffer '" + Pointer.Buffer + "'");
    Result.Pointers.push_back(std::move(Pointer));
  }
  return Result;
}

void readRealIf(const Node &From, const char *Key, double &Into) {
  if (!From.has(Key))
    return;
  Into = From[Key].number();
  if (!(Into >= 0))
    From[Key].fail("must not be negative");
}

ShapeSpec readShape(const Node &From) {
  ShapeSpec Result;
  Result.Name = From["name"].text();
  readRealIf(From, "weight", Result.Weight);
  if (From.has("defines"))
    Result.Defines = From["defines"].texts();
  for (const Node &Each : From["buffers"].items())
    Result.Buffers.push_back(readBuffer(Each));
  checkElementPointers(Result, From["buffers"]);
  for (const Node &Each : From["arguments"].items())
    Result.Arguments.push_back(readArgument(Each, Result.Buffers));
  Result.Launch = readGeometry(From["launch"]);
  return Result;
}

template <typename T>
void readWholeIf(const Node &From, const char *Key, T &Into, uint64_t Most) {
  if (From.has(Key))
    Into = T(From[Key].whole(Most));
}

PrepareRequest readPrepare(const Node &From) {
  PrepareRequest Result;
  Result.Source = From["source"].text();
  if (From.has("flags"))
    Result.Flags = From["flags"].texts();
  Result.Kernel = From["kernel"].text();
  if (From.has("needs_fibers"))
    Result.NeedsFibers = From["needs_fibers"].truth();
  for (const Node &Each : From["shapes"].items())
    Result.Shapes.push_back(readShape(Each));
  if (Result.Shapes.empty())
    From["shapes"].fail("needs at least one shape");
  if (!(Result.Shapes.front().Weight > 0))
    Result.Shapes.front().Weight = 1;
  Options &Settings = Result.Settings;
  if (From.has("tolerance")) {
    readRealIf(From["tolerance"], "relative", Settings.RelativeTolerance);
    readRealIf(From["tolerance"], "absolute", Settings.AbsoluteTolerance);
  }
  if (From.has("options")) {
    Node Given = From["options"];
    readWholeIf(Given, "repeat", Settings.Repeat, 100000);
    Settings.Repeat = std::max(Settings.Repeat, 3u);
    readWholeIf(Given, "trim_percent", Settings.TrimPercent, 49);
    readRealIf(Given, "t_min_us", Settings.TMinUs);
    readRealIf(Given, "t_max_ms", Settings.TMaxMs);
    readWholeIf(Given, "seed", Settings.Seed, UINT64_MAX);
  }
  return Result;
}

Plan readPlan(const Node &From) {
  Plan Result;
  for (const Node &Each : From["launches"].items()) {
    PlannedLaunch Launch;
    if (Each.has("kernel"))
      Launch.Kernel = Each["kernel"].text();
    if (Each.has("arguments"))
      Launch.Arguments = Each["arguments"].texts();
    Launch.Shape = readGeometry(Each);
    Result.Launches.push_back(std::move(Launch));
  }
  if (Result.Launches.empty())
    From["launches"].fail("needs at least one launch");
  if (From.has("scratch"))
    for (const Node &Each : From["scratch"].items())
      Result.Scratch.emplace_back(Each["name"].text(),
                                  Each["bytes"].whole(MostBytes));
  return Result;
}

std::map<std::string, int64_t> readTune(const Node &From) {
  if (!From.json().is_object())
    From.fail("expected an object");
  std::map<std::string, int64_t> Result;
  for (const auto &[Name, Value] : From.json().items())
    Result[Name] = Node(Value, From.path() + "." + Name).integer();
  return Result;
}

EvaluateRequest readEvaluate(const Node &From) {
  EvaluateRequest Result;
  if (From.has("candidate"))
    Result.Candidate = From["candidate"].text();
  Result.Source = From["source"].text();
  if (From.has("needs_fibers"))
    Result.NeedsFibers = From["needs_fibers"].truth();
  if (From.has("tune"))
    Result.Tune = readTune(From["tune"]);
  for (const Node &Each : From["plans"].items())
    Result.Plans.push_back(readPlan(Each));
  readRealIf(From, "beat", Result.Beat);
  if (From.has("control"))
    Result.IsControl = From["control"].truth();
  return Result;
}

AnnouncedSource readAnnounced(const Node &From) {
  AnnouncedSource Result;
  Result.Source = From["source"].text();
  if (From.has("needs_fibers"))
    Result.NeedsFibers = From["needs_fibers"].truth();
  Result.Kernels = From["kernels"].texts();
  for (const Node &Each : From["tunes"].items())
    Result.Tunes.push_back(readTune(Each));
  return Result;
}

AnnounceRequest readAnnounce(const Node &From) {
  AnnounceRequest Result;
  for (const Node &Each : From["sources"].items())
    Result.Sources.push_back(readAnnounced(Each));
  return Result;
}

CompileCheck readCompile(const Node &From) {
  CompileCheck Result;
  Result.Source = From["source"].text();
  if (From.has("flags"))
    Result.Flags = From["flags"].texts();
  Result.Kernel = From["kernel"].text();
  return Result;
}

ProbeRequest readProbe(const Node &From) {
  ProbeRequest Result;
  Result.Source = From["source"].text();
  if (From.has("flags"))
    Result.Flags = From["flags"].texts();
  Result.Kernel = From["kernel"].text();
  if (From.has("needs_fibers"))
    Result.NeedsFibers = From["needs_fibers"].truth();
  Result.Shape = readShape(From["shape"]);
  if (From.has("tune"))
    Result.Tune = readTune(From["tune"]);
  if (From.has("plan"))
    Result.Launches = readPlan(From["plan"]);
  if (From.has("hazards"))
    Result.Hazards = From["hazards"].truth();
  if (!From.has("limits"))
    return Result;
  Node Limits = From["limits"];
  readRealIf(Limits, "seconds", Result.Seconds);
  readWholeIf(Limits, "memory_bytes", Result.MemoryBytes, MostBytes);
  if (Limits.has("seeds")) {
    Result.Seeds.clear();
    for (const Node &Each : Limits["seeds"].items())
      Result.Seeds.push_back(Each.whole());
    if (Result.Seeds.empty() || Result.Seeds.size() > ProbeRequest::MostSeeds)
      Limits["seeds"].fail("expected one to " +
                           std::to_string(ProbeRequest::MostSeeds) +
                           " numbers");
  }
  return Result;
}

} // namespace

Request mepworker::parseRequest(const std::string &Line, std::string &Id) {
  Json Value = Json::parse(Line, nullptr, false);
  if (Value.is_discarded())
    throw RequestError("request: not JSON");
  Node From(Value, "");
  if (!Value.is_object())
    From.fail("expected an object");
  if (From.has("id"))
    Id = Value["id"].dump(-1, ' ', false, Json::error_handler_t::replace);
  Request Result;
  Result.Id = Id;
  std::string Op = From["op"].text();
  if (Op == "hello")
    Result.Op = HelloRequest();
  else if (Op == "prepare")
    Result.Op = readPrepare(From);
  else if (Op == "evaluate")
    Result.Op = readEvaluate(From);
  else if (Op == "announce")
    Result.Op = readAnnounce(From);
  else if (Op == "compile")
    Result.Op = readCompile(From);
  else if (Op == "probe")
    Result.Op = readProbe(From);
  else if (Op == "quit")
    Result.Op = QuitRequest();
  else
    From["op"].fail(
        "unknown; known are hello, prepare, evaluate, announce, compile, "
        "probe, quit");
  return Result;
}
