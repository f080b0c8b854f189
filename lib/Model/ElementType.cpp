#include "mep/Model/ElementType.h"
#include "llvm/ADT/STLExtras.h"
#include <nlohmann/json.hpp>

using namespace mep;

namespace {
struct KindInfo {
  ScalarKind Kind;
  const char *Name;
  unsigned Bytes;
  bool Floating;
};
constexpr KindInfo Kinds[] = {
    {ScalarKind::F16, "f16", 2, true},   {ScalarKind::BF16, "bf16", 2, true},
    {ScalarKind::F32, "f32", 4, true},   {ScalarKind::F64, "f64", 8, true},
    {ScalarKind::I8, "i8", 1, false},    {ScalarKind::I16, "i16", 2, false},
    {ScalarKind::I32, "i32", 4, false},  {ScalarKind::I64, "i64", 8, false},
    {ScalarKind::U8, "u8", 1, false},    {ScalarKind::U16, "u16", 2, false},
    {ScalarKind::U32, "u32", 4, false},  {ScalarKind::U64, "u64", 8, false},
    {ScalarKind::Bool, "bool", 1, false}};

const KindInfo &info(ScalarKind Kind) { return Kinds[unsigned(Kind)]; }
} // namespace

const char *mep::name(ScalarKind Kind) { return info(Kind).Name; }
unsigned mep::byteSize(ScalarKind Kind) { return info(Kind).Bytes; }
bool mep::isFloating(ScalarKind Kind) { return info(Kind).Floating; }

std::optional<ScalarKind> mep::scalarKindFromName(llvm::StringRef Name) {
  for (const KindInfo &K : Kinds)
    if (Name == K.Name)
      return K.Kind;
  return std::nullopt;
}

Json mep::toJson(const ElementType &Type) {
  Json Components = Json::array();
  for (const Component &C : Type.Components)
    Components.push_back(
        {{"kind", name(C.Kind)}, {"offset", C.Offset}, {"count", C.Count}});
  return {
      {"name", Type.Name}, {"bytes", Type.Bytes}, {"components", Components}};
}

ElementType mep::elementTypeFromJson(JsonReader &Reader) {
  ElementType Type;
  Reader.rejectUnknown({"name", "bytes", "components"});
  Reader.read("name", Type.Name);
  Reader.read("bytes", Type.Bytes);
  if (!Reader.failed() && Type.Bytes == 0)
    Reader.fail("bytes", "must not be zero");
  Reader.objects("components", [&](JsonReader &R) {
    Component C;
    std::string Kind;
    R.rejectUnknown({"kind", "offset", "count"});
    R.read("kind", Kind);
    R.readIf("offset", C.Offset);
    R.readIf("count", C.Count);
    if (R.failed())
      return;
    auto Known = scalarKindFromName(Kind);
    if (!Known)
      return R.fail("kind", "unknown scalar kind '" + Kind + "'");
    C.Kind = *Known;
    if (C.Offset > Type.Bytes ||
        C.Count > (Type.Bytes - C.Offset) / byteSize(C.Kind))
      return R.fail("offset", "component lies outside the element");
    Type.Components.push_back(C);
  });
  return Type;
}
