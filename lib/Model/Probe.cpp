#include "mep/Model/Probe.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <nlohmann/json.hpp>

using namespace mep;
using llvm::StringRef;

namespace {
constexpr const char *EndingNames[] = {"finished", "time", "memory", "wild",
                                       "crashed"};

std::string text(const std::array<int64_t, 3> &V) {
  return "(" + std::to_string(V[0]) + ", " + std::to_string(V[1]) + ", " +
         std::to_string(V[2]) + ")";
}

std::string threadText(const TouchPlace &P) {
  return (P.Launch ? "launch " + std::to_string(P.Launch + 1) + ", " : "") +
         "block " + text(P.Block) + ", thread " + text(P.Thread);
}
} // namespace

const char *mep::name(ProbeReport::Ending E) { return EndingNames[E]; }

std::string TouchPlace::str(StringRef Buffer) const {
  return std::string(Write ? "writes" : "reads") + " element " +
         std::to_string(Element) + " of '" + Buffer.str() + "' in " +
         threadText(*this);
}

std::string ProbedHazard::str() const {
  const std::string Memory =
      Buffer.empty()
          ? "shared memory"
          : "element " + std::to_string(Element) + " of '" + Buffer + "'";
  if (How == Uninitialised)
    return "the results depend on " + Memory + ", which " +
           (Second ? threadText(*Second) + " reads before anything is" : "is") +
           (Second ? " written there" : " read before anything is written");
  std::string Text = "data race: " + Memory + " is";
  auto Say = [&](const TouchPlace &P) {
    Text +=
        std::string(P.Write ? " written" : " read") + " by " + threadText(P);
  };
  if (First)
    Say(*First);
  Text += " and";
  if (Second)
    Say(*Second);
  return Text + ", and nothing orders the two";
}

uint64_t ProbedBuffer::end() const {
  int64_t Last = -1;
  for (const ProbedElements *T : {&Reads, &Writes})
    if (T->Elements)
      Last = std::max(Last, T->Last);
  return uint64_t(Last + 1);
}

const ProbedBuffer *ProbeReport::find(StringRef Name) const {
  auto It = llvm::find_if(
      Buffers, [&](const ProbedBuffer &B) { return B.Name == Name; });
  return It == Buffers.end() ? nullptr : &*It;
}

const ProbedBuffer *ProbeReport::outside() const {
  auto It = llvm::find_if(
      Buffers, [](const ProbedBuffer &B) { return B.Outside.has_value(); });
  return It == Buffers.end() ? nullptr : &*It;
}

std::string ProbeReport::endingText() const {
  std::string Text = Message;
  if (Place)
    Text += " in " + threadText(*Place);
  if (BlocksBegun < Blocks)
    Text += " (block " + std::to_string(BlocksBegun) + " of " +
            std::to_string(Blocks) + ")";
  return Text;
}

// ---- JSON ------------------------------------------------------------------

namespace {

Json touchedJson(const ProbedElements &T) {
  Json Value = {{"elements", T.Elements}, {"bytes", T.Bytes}};
  if (T.Elements) {
    Value["first"] = T.First;
    Value["last"] = T.Last;
  }
  return Value;
}

ProbedElements readTouched(JsonReader &From, StringRef Key) {
  ProbedElements T;
  From.object(Key, [&](JsonReader &R) {
    R.read("elements", T.Elements);
    R.readIf("bytes", T.Bytes);
    if (T.Elements) {
      R.read("first", T.First);
      R.read("last", T.Last);
    }
  });
  return T;
}

Json placeJson(const TouchPlace &P, bool WithElement) {
  Json Value = {{"write", P.Write}, {"block", P.Block}, {"thread", P.Thread}};
  if (WithElement)
    Value["element"] = P.Element;
  if (P.Launch)
    Value["launch"] = P.Launch;
  return Value;
}

void readIndex(JsonReader &R, StringRef Key, std::array<int64_t, 3> &Out) {
  std::vector<int64_t> Values;
  R.read(Key, Values);
  if (!R.failed() && Values.size() != 3)
    return R.fail(Key, "expected three numbers");
  std::copy(Values.begin(), Values.end(), Out.begin());
}

std::optional<TouchPlace> readPlace(JsonReader &From, StringRef Key) {
  std::optional<TouchPlace> Found;
  From.object(Key, [&](JsonReader &R) {
    TouchPlace &P = Found.emplace();
    R.readIf("write", P.Write);
    R.readIf("element", P.Element);
    R.readIf("launch", P.Launch);
    readIndex(R, "block", P.Block);
    readIndex(R, "thread", P.Thread);
  });
  return Found;
}

constexpr const char *HazardNames[] = {"race", "uninitialised"};

Json hazardJson(const ProbedHazard &H) {
  Json Value = {{"kind", HazardNames[H.How]}};
  if (!H.Buffer.empty()) {
    Value["buffer"] = H.Buffer;
    Value["element"] = H.Element;
  }
  if (H.First)
    Value["first"] = placeJson(*H.First, false);
  if (H.Second)
    Value["second"] = placeJson(*H.Second, false);
  return Value;
}

ProbedHazard readHazard(JsonReader &R) {
  ProbedHazard H;
  std::string Kind;
  R.read("kind", Kind);
  const auto *Known = llvm::find(HazardNames, StringRef(Kind));
  if (Known != std::end(HazardNames))
    H.How = ProbedHazard::Kind(Known - HazardNames);
  else
    R.fail("kind", "unknown hazard '" + Kind + "'");
  R.readIf("buffer", H.Buffer);
  R.readIf("element", H.Element);
  H.First = readPlace(R, "first");
  H.Second = readPlace(R, "second");
  return H;
}

Json bufferJson(const ProbedBuffer &B) {
  Json Value = {{"name", B.Name},
                {"count", B.Count},
                {"element_bytes", B.ElementBytes},
                {"reads", touchedJson(B.Reads)},
                {"writes", touchedJson(B.Writes)},
                {"read_first", touchedJson(B.ReadFirst)},
                {"outside_bytes", B.OutsideBytes},
                {"alignment", B.Alignment},
                {"widest", B.Widest}};
  if (B.Outside)
    Value["outside"] = placeJson(*B.Outside, true);
  return Value;
}

ProbedBuffer readBuffer(JsonReader &R) {
  ProbedBuffer B;
  R.read("name", B.Name);
  R.read("count", B.Count);
  R.read("element_bytes", B.ElementBytes);
  B.Reads = readTouched(R, "reads");
  B.Writes = readTouched(R, "writes");
  B.ReadFirst = readTouched(R, "read_first");
  R.readIf("outside_bytes", B.OutsideBytes);
  R.readIf("alignment", B.Alignment);
  R.readIf("widest", B.Widest);
  B.Outside = readPlace(R, "outside");
  return B;
}

} // namespace

Json mep::toJson(const ProbeReport &P) {
  Json Buffers = Json::array();
  for (const ProbedBuffer &B : P.Buffers)
    Buffers.push_back(bufferJson(B));
  Json Dimensions = Json::object();
  for (const auto &[Name, Value] : P.Dimensions)
    Dimensions[Name] = Value;
  Json Value = {{"outcome", name(P.Outcome)},
                {"message", P.Message},
                {"dimensions", std::move(Dimensions)},
                {"blocks", P.Blocks},
                {"blocks_begun", P.BlocksBegun},
                {"accesses", P.Accesses},
                {"unseen", P.Unseen},
                {"compiler", P.Compiler},
                {"compile_ms", P.CompileMs},
                {"run_ms", P.RunMs},
                {"buffers", std::move(Buffers)}};
  for (const ProbedHazard &H : P.Hazards)
    Value["hazards"].push_back(hazardJson(H));
  if (P.Place)
    Value["place"] = placeJson(*P.Place, false);
  return Value;
}

llvm::Expected<ProbeReport> mep::probeFromJson(const Json &Value,
                                               StringRef Where) {
  ProbeReport P;
  JsonReader R(Value, Where.str());
  std::string Outcome;
  R.read("outcome", Outcome);
  const auto *Known = llvm::find(EndingNames, StringRef(Outcome));
  if (Known != std::end(EndingNames))
    P.Outcome = ProbeReport::Ending(Known - EndingNames);
  else
    R.fail("outcome", "unknown outcome '" + Outcome + "'");
  R.readIf("message", P.Message);
  R.object("dimensions", [&](JsonReader &D) {
    D.members([&](StringRef Name, const Json &) {
      D.read(Name, P.Dimensions[Name.str()]);
    });
  });
  P.Place = readPlace(R, "place");
  R.read("blocks", P.Blocks);
  R.read("blocks_begun", P.BlocksBegun);
  R.readIf("accesses", P.Accesses);
  R.readIf("unseen", P.Unseen);
  R.readIf("compiler", P.Compiler);
  R.readIf("compile_ms", P.CompileMs);
  R.readIf("run_ms", P.RunMs);
  R.objects("buffers",
            [&](JsonReader &B) { P.Buffers.push_back(readBuffer(B)); });
  if (R.has("hazards"))
    R.objects("hazards",
              [&](JsonReader &H) { P.Hazards.push_back(readHazard(H)); });
  if (llvm::Error E = R.takeError())
    return E;
  return P;
}
