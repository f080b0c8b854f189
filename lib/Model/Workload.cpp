#include "mep/Model/Workload.h"
#include "mep/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <nlohmann/json.hpp>

using namespace mep;
using llvm::StringRef;

const char *mep::name(Role R) {
  switch (R) {
  case Role::In:
    return "in";
  case Role::Out:
    return "out";
  case Role::InOut:
    return "inout";
  }
  return "";
}

// ---- symbolic --------------------------------------------------------------

std::vector<double> mep::weightsOf(const std::vector<Shape> &Shapes) {
  std::vector<double> Weights;
  for (const Shape &S : Shapes)
    Weights.push_back(S.Weight);
  if (!Weights.empty() && !(Weights.front() > 0))
    Weights.front() = 1;
  if (llvm::count_if(Weights, [](double W) { return W > 0; }) == 1)
    Weights.front() = 1;
  return Weights;
}

void mep::keepBaseShape(Workload &W, StringRef Why) {
  std::string Timed;
  for (size_t I = 1; I < W.Shapes.size(); ++I)
    if (W.Shapes[I].Weight > 0)
      Timed += (Timed.empty() ? "" : ", ") + W.Shapes[I].Name;
  W.Shapes.resize(std::min<size_t>(W.Shapes.size(), 1));
  if (!Timed.empty())
    W.Notes.push_back("not timed any more: " + Timed + ": " + Why.str());
}

namespace {

Json toJson(const Dimension &D) {
  Json Value = {{"name", D.Name}, {"value", D.Value}, {"macro", D.IsMacro}};
  if (D.Fixed)
    Value["fixed"] = true;
  if (!D.Source.empty())
    Value["source"] = D.Source;
  return Value;
}

Json toJson(const ElementPointer &P) {
  Json Value = {{"name", P.Name}, {"offset", P.Offset}, {"buffer", P.Buffer}};
  if (P.Count != 1)
    Value["count"] = P.Count;
  if (P.BufferOffset != "0")
    Value["buffer_offset"] = P.BufferOffset;
  if (P.Stride != "0")
    Value["stride"] = P.Stride;
  if (!P.Source.empty())
    Value["source"] = P.Source;
  return Value;
}

/// How `iota` counts, of a rule (expressions) or resolved (numbers).
template <typename Counted> void addCounting(Json &To, const Counted &From) {
  To["step"] = From.Step;
  To["each"] = From.Each;
  To["period"] = From.Period;
  To["modulus"] = From.Modulus;
}

Json toJson(const Buffer &B) {
  auto Rule = [](const FillRule &F) {
    Json R = {
        {"rule", F.Rule}, {"low", F.Low}, {"high", F.High}, {"given", F.Given}};
    if (F.counts())
      addCounting(R, F);
    if (!F.Table.empty())
      R["table"] = F.Table;
    return R;
  };
  Json Value = {{"name", B.Name},
                {"element", mep::toJson(B.Element)},
                {"extent", B.Extent},
                {"role", name(B.Use)},
                {"fill", Rule(B.Fill)}};
  if (!B.Symbol.empty())
    Value["symbol"] = B.Symbol;
  if (B.SetTo >= 0)
    Value["set_to"] = B.SetTo;
  if (!B.HostFill.Rule.empty())
    Value["host_fill"] = Rule(B.HostFill);
  if (!B.Subscripts.Rule.empty())
    Value["subscripts"] = Rule(B.Subscripts);
  if (!B.Source.empty())
    Value["source"] = B.Source;
  for (const ElementPointer &P : B.Pointers)
    Value["pointers"].push_back(toJson(P));
  for (const ElementValue &V : B.Values)
    Value["values"].push_back({{"name", V.Name},
                               {"offset", V.Offset},
                               {"kind", name(V.Kind)},
                               {"value", V.Value}});
  return Value;
}

Json toJson(const ArgumentPart &P) {
  Json Value = {{"name", P.Name}, {"offset", P.Offset}, {"type", P.Type}};
  if (P.Buffer.empty()) {
    Value["kind"] = name(P.Kind);
    Value["value"] = P.Value;
  } else {
    Value["buffer"] = P.Buffer;
    if (P.BufferOffset != "0")
      Value["buffer_offset"] = P.BufferOffset;
  }
  if (!P.Source.empty())
    Value["source"] = P.Source;
  return Value;
}

Json toJson(const Argument &A) {
  Json Parts = Json::array();
  for (const ArgumentPart &P : A.Parts)
    Parts.push_back(toJson(P));
  return {
      {"name", A.Name}, {"type", A.Type}, {"bytes", A.Bytes}, {"parts", Parts}};
}

Dimension readDimension(JsonReader &R) {
  Dimension D;
  R.rejectUnknown({"name", "value", "macro", "fixed", "source"});
  R.read("name", D.Name);
  R.read("value", D.Value);
  R.readIf("macro", D.IsMacro);
  R.readIf("fixed", D.Fixed);
  R.readIf("source", D.Source);
  return D;
}

void readRole(JsonReader &R, Role &Out) {
  std::string Name;
  R.read("role", Name);
  if (R.failed())
    return;
  if (Name == "in")
    Out = Role::In;
  else if (Name == "out")
    Out = Role::Out;
  else if (Name == "inout")
    Out = Role::InOut;
  else
    R.fail("role", "expected in, out or inout");
}

void readFill(JsonReader &R, FillRule &Fill) {
  static const StringRef Rules[] = {"uniform", "zero",        "constant",
                                    "index",   "iota",        "permutation",
                                    "offsets", "initializer", "table"};
  R.rejectUnknown({"rule", "low", "high", "given", "step", "each", "period",
                   "modulus", "table"});
  R.read("rule", Fill.Rule);
  if (!R.failed() && !llvm::is_contained(Rules, Fill.Rule))
    R.fail("rule", "unknown rule; known are " +
                       llvm::join(llvm::ArrayRef<StringRef>(Rules), ", "));
  if (R.has("low"))
    R.readExpression("low", Fill.Low);
  if (R.has("high"))
    R.readExpression("high", Fill.High);
  R.readIf("given", Fill.Given);
  auto Read = [&](const char *Name, std::string &To) {
    if (R.has(Name))
      R.readExpression(Name, To);
  };
  Read("step", Fill.Step);
  Read("each", Fill.Each);
  Read("period", Fill.Period);
  Read("modulus", Fill.Modulus);
  R.readIf("table", Fill.Table);
  // Counted from 0 where nothing else is said.
  if (!R.has("low") && (Fill.Rule == "iota" || Fill.Rule == "permutation" ||
                        Fill.Rule == "offsets"))
    Fill.Low = "0";
}

ElementPointer readElementPointer(JsonReader &R, const ElementType &In) {
  ElementPointer P;
  R.rejectUnknown({"name", "offset", "count", "buffer", "buffer_offset",
                   "stride", "source"});
  R.read("name", P.Name);
  R.readIf("offset", P.Offset);
  R.readIf("count", P.Count);
  R.read("buffer", P.Buffer);
  if (R.has("buffer_offset"))
    R.readExpression("buffer_offset", P.BufferOffset);
  if (R.has("stride"))
    R.readExpression("stride", P.Stride);
  R.readIf("source", P.Source);
  if (!R.failed() && (P.Count == 0 || P.Offset > In.Bytes ||
                      P.Count > (In.Bytes - P.Offset) / 8))
    R.fail("offset", "the pointer lies outside the element");
  return P;
}

ElementValue readElementValue(JsonReader &R, const ElementType &In) {
  ElementValue V;
  std::string Kind;
  R.rejectUnknown({"name", "offset", "kind", "value"});
  R.readIf("name", V.Name);
  R.read("offset", V.Offset);
  R.read("kind", Kind);
  R.readExpression("value", V.Value);
  auto Known = scalarKindFromName(Kind);
  if (!R.failed() && !Known)
    R.fail("kind", "unknown scalar kind '" + Kind + "'");
  if (R.failed())
    return V;
  V.Kind = *Known;
  if (V.Offset > In.Bytes || byteSize(V.Kind) > In.Bytes - V.Offset)
    R.fail("offset", "the value lies outside the element");
  return V;
}

Buffer readBuffer(JsonReader &R) {
  Buffer B;
  R.rejectUnknown({"name", "element", "extent", "role", "fill", "symbol",
                   "source", "set_to", "host_fill", "subscripts", "pointers",
                   "values"});
  R.read("name", B.Name);
  if (!R.has("element"))
    R.fail("element", "missing; expected an object");
  R.object("element",
           [&](JsonReader &E) { B.Element = elementTypeFromJson(E); });
  R.readExpression("extent", B.Extent);
  readRole(R, B.Use);
  R.object("fill", [&](JsonReader &F) { readFill(F, B.Fill); });
  R.object("host_fill", [&](JsonReader &F) { readFill(F, B.HostFill); });
  R.object("subscripts", [&](JsonReader &F) { readFill(F, B.Subscripts); });
  R.readIf("symbol", B.Symbol);
  int64_t SetTo = B.SetTo;
  R.readIf("set_to", SetTo);
  B.SetTo = int(SetTo);
  R.readIf("source", B.Source);
  R.objects("pointers", [&](JsonReader &P) {
    B.Pointers.push_back(readElementPointer(P, B.Element));
  });
  R.objects("values", [&](JsonReader &V) {
    B.Values.push_back(readElementValue(V, B.Element));
  });
  return B;
}

ArgumentPart readPart(JsonReader &R) {
  ArgumentPart P;
  R.rejectUnknown({"name", "offset", "type", "kind", "value", "buffer",
                   "buffer_offset", "source"});
  R.read("name", P.Name);
  R.readIf("offset", P.Offset);
  R.readIf("type", P.Type);
  if (R.has("buffer")) {
    R.read("buffer", P.Buffer);
    if (R.has("buffer_offset"))
      R.readExpression("buffer_offset", P.BufferOffset);
  } else {
    std::string Kind;
    R.read("kind", Kind);
    R.readExpression("value", P.Value);
    auto Known = scalarKindFromName(Kind);
    if (!R.failed() && !Known)
      R.fail("kind", "unknown scalar kind '" + Kind + "'");
    if (Known)
      P.Kind = *Known;
  }
  R.readIf("source", P.Source);
  return P;
}

Argument readArgument(JsonReader &R) {
  Argument A;
  R.rejectUnknown({"name", "type", "bytes", "parts"});
  R.read("name", A.Name);
  R.readIf("type", A.Type);
  R.read("bytes", A.Bytes);
  R.objects("parts", [&](JsonReader &P) { A.Parts.push_back(readPart(P)); });
  return A;
}

void readExtent(JsonReader &R, StringRef Key, std::array<std::string, 3> &Out) {
  if (!R.has(Key))
    return R.fail(Key, "missing; expected one to three expressions");
  const Json &Value = R.value()[Key.str()];
  if (!Value.is_array() || Value.empty() || Value.size() > 3)
    return R.fail(Key, "expected one to three expressions");
  Out = {"1", "1", "1"};
  for (size_t I = 0; I < Value.size(); ++I) {
    if (!Value[I].is_string() && !Value[I].is_number_integer())
      return R.fail(Key, "expected expressions (strings or integers)");
    Out[I] =
        Value[I].is_string() ? Value[I].get<std::string>() : Value[I].dump();
  }
}

constexpr const char *AssumptionNames[] = {"dimension", "scalar", "block",
                                           "grid"};

Json toJson(const Assumption &A) {
  Json Value = {{"what", AssumptionNames[A.What]}, {"text", A.Text}};
  if (!A.Name.empty())
    Value["name"] = A.Name;
  return Value;
}

Assumption readAssumption(JsonReader &R) {
  Assumption A;
  std::string What;
  R.rejectUnknown({"what", "name", "text"});
  R.read("what", What);
  R.readIf("name", A.Name);
  R.read("text", A.Text);
  auto It = llvm::find(AssumptionNames, What);
  if (!R.failed() && It == std::end(AssumptionNames))
    R.fail("what", "expected dimension, scalar, block or grid");
  A.What = Assumption::Kind(It - std::begin(AssumptionNames));
  return A;
}

Json toJson(const Shape &S) {
  Json Values = Json::object();
  for (const auto &[Name, Value] : S.Dimensions)
    Values[Name] = Value;
  return {{"name", S.Name}, {"dimensions", Values}};
}

/// Whole weights are written as what they are.
Json weightJson(double Weight) {
  return Weight == std::floor(Weight) && Weight < 1e15 ? Json(int64_t(Weight))
                                                       : Json(Weight);
}

/// Weights only where more than one shape is timed.
Json shapesJson(const std::vector<Shape> &Shapes) {
  Json List = Json::array();
  std::vector<double> Weights = weightsOf(Shapes);
  bool Several = llvm::count_if(Weights, [](double W) { return W > 0; }) > 1;
  for (size_t I = 0; I < Shapes.size(); ++I) {
    List.push_back(toJson(Shapes[I]));
    if (Several && Weights[I] > 0)
      List.back()["weight"] = weightJson(Weights[I]);
  }
  return List;
}

void readWeight(JsonReader &R, bool IsFirst, Shape &S) {
  S.Weight = IsFirst ? 1 : 0;
  R.readIf("weight", S.Weight);
  if (!R.failed() && !(S.Weight >= 0 && S.Weight < 1e15))
    R.fail("weight", "expected how often the launch runs: 0 (verified, not "
                     "timed) or more");
  if (!R.failed() && IsFirst && S.Weight == 0)
    R.fail("weight", "the first shape is always timed: put another one first, "
                     "or give it a weight above 0");
}

Shape readShape(JsonReader &R, bool IsFirst) {
  Shape S;
  R.rejectUnknown({"name", "dimensions", "weight"});
  R.read("name", S.Name);
  readWeight(R, IsFirst, S);
  R.object("dimensions", [&](JsonReader &D) {
    D.members([&](StringRef Name, const Json &) {
      D.read(Name, S.Dimensions[Name.str()]);
    });
  });
  return S;
}

} // namespace

Json mep::toJson(const Workload &W) {
  Json Dimensions = Json::array(), Buffers = Json::array(),
       Arguments = Json::array(), Assumptions = Json::array();
  for (const Dimension &D : W.Dimensions)
    Dimensions.push_back(::toJson(D));
  for (const Buffer &B : W.Buffers)
    Buffers.push_back(::toJson(B));
  for (const Argument &A : W.Arguments)
    Arguments.push_back(::toJson(A));
  for (const Assumption &A : W.Assumptions)
    Assumptions.push_back(::toJson(A));
  return {
      {"schema", Workload::Schema},
      {"kernel", W.Kernel},
      {"dimensions", Dimensions},
      {"arguments", Arguments},
      {"buffers", Buffers},
      {"launch",
       {{"grid", W.Launch.Grid},
        {"block", W.Launch.Block},
        {"shared_bytes", W.Launch.SharedBytes}}},
      {"shapes", shapesJson(W.Shapes)},
      {"tolerance",
       {{"relative", W.RelativeTolerance}, {"absolute", W.AbsoluteTolerance}}},
      {"assumptions", Assumptions},
      {"notes", W.Notes}};
}

llvm::Expected<Workload> mep::workloadFromJson(const Json &Value,
                                               StringRef Where) {
  Workload W;
  JsonReader R(Value, Where.str());
  std::string Schema;
  R.rejectUnknown({"schema", "kernel", "dimensions", "arguments", "buffers",
                   "launch", "shapes", "tolerance", "assumptions", "notes"});
  R.read("schema", Schema);
  if (!R.failed() && Schema != Workload::Schema)
    R.fail("schema", llvm::Twine("this tool reads ") + Workload::Schema);
  R.read("kernel", W.Kernel);
  R.objects("dimensions",
            [&](JsonReader &D) { W.Dimensions.push_back(readDimension(D)); });
  R.objects("arguments",
            [&](JsonReader &A) { W.Arguments.push_back(readArgument(A)); });
  R.objects("buffers",
            [&](JsonReader &B) { W.Buffers.push_back(readBuffer(B)); });
  R.object("launch", [&](JsonReader &L) {
    L.rejectUnknown({"grid", "block", "shared_bytes"});
    readExtent(L, "grid", W.Launch.Grid);
    readExtent(L, "block", W.Launch.Block);
    if (L.has("shared_bytes"))
      L.readExpression("shared_bytes", W.Launch.SharedBytes);
  });
  R.objects("shapes", [&](JsonReader &S) {
    W.Shapes.push_back(readShape(S, W.Shapes.empty()));
  });
  R.object("tolerance", [&](JsonReader &T) {
    T.rejectUnknown({"relative", "absolute"});
    T.readIf("relative", W.RelativeTolerance);
    T.readIf("absolute", W.AbsoluteTolerance);
  });
  R.objects("assumptions",
            [&](JsonReader &A) { W.Assumptions.push_back(readAssumption(A)); });
  R.readIf("notes", W.Notes);
  if (!R.failed() && W.Shapes.empty())
    W.Shapes.push_back({"base", {}, 1});
  if (llvm::Error E = R.takeError())
    return E;
  return W;
}

// ---- resolved --------------------------------------------------------------

uint64_t ResolvedShape::totalBytes() const {
  uint64_t Total = 0;
  for (const ResolvedBuffer &B : Buffers)
    Total += B.Count * B.Element.Bytes;
  return Total;
}

Json mep::toJson(const ResolvedGeometry &G) {
  return {
      {"grid", G.Grid}, {"block", G.Block}, {"shared_bytes", G.SharedBytes}};
}

static Json toJson(const ResolvedBuffer &B) {
  Json Value = {{"name", B.Name},   {"symbol", B.Symbol},
                {"count", B.Count}, {"element", mep::toJson(B.Element)},
                {"rule", B.Rule},   {"role", name(B.Use)},
                {"low", B.Low},     {"high", B.High}};
  if (B.Rule == "iota")
    addCounting(Value, B);
  if (!B.Table.empty())
    Value["table"] = B.Table;
  for (const ResolvedPointer &P : B.Pointers)
    Value["pointers"].push_back({{"offset", P.Offset},
                                 {"count", P.Count},
                                 {"buffer", P.Buffer},
                                 {"byte_offset", P.ByteOffset},
                                 {"byte_stride", P.ByteStride}});
  for (const ResolvedValue &V : B.Values)
    Value["values"].push_back(
        {{"offset", V.Offset},
         {"bytes", llvm::toHex(V.Bytes, /*LowerCase=*/true)}});
  return Value;
}

Json mep::toJson(const ResolvedShape &S) {
  Json Buffers = Json::array(), Arguments = Json::array();
  for (const ResolvedBuffer &B : S.Buffers)
    Buffers.push_back(::toJson(B));
  for (const ResolvedArgument &A : S.Arguments) {
    Json Pointers = Json::array();
    for (const PointerPatch &P : A.Pointers)
      Pointers.push_back({{"offset", P.Offset},
                          {"buffer", P.Buffer},
                          {"byte_offset", P.ByteOffset}});
    Arguments.push_back({{"name", A.Name},
                         {"bytes", llvm::toHex(A.Bytes, /*LowerCase=*/true)},
                         {"pointers", Pointers}});
  }
  return {{"name", S.Name},         {"weight", weightJson(S.Weight)},
          {"defines", S.Defines},   {"buffers", Buffers},
          {"arguments", Arguments}, {"launch", toJson(S.Launch)}};
}
