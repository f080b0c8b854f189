/// \file
/// The layout of one element of a device buffer or of a scalar argument.

#ifndef MEP_MODEL_ELEMENTTYPE_H
#define MEP_MODEL_ELEMENTTYPE_H

#include "mep/Support/Json.h"
#include <optional>
#include <string>
#include <vector>

namespace mep {

/// Machine kinds a buffer is filled and compared by. The names in JSON are
/// `f16 bf16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool`.
enum class ScalarKind {
  F16,
  BF16,
  F32,
  F64,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  Bool
};

const char *name(ScalarKind Kind);
std::optional<ScalarKind> scalarKindFromName(llvm::StringRef Name);
unsigned byteSize(ScalarKind Kind);
bool isFloating(ScalarKind Kind);

/// \p Count scalars of one kind, one after another, at byte \p Offset of the
/// element.
struct Component {
  ScalarKind Kind = ScalarKind::F32;
  uint64_t Offset = 0, Count = 1;
};

/// An element: its C++ spelling and size, and the scalars in it; bytes that no
/// component covers are padding. `float` has one component, `float4` one of
/// count 4, a structure one per member.
struct ElementType {
  std::string Name;
  uint64_t Bytes = 0;
  std::vector<Component> Components;
};

Json toJson(const ElementType &Type);
ElementType elementTypeFromJson(JsonReader &Reader);

} // namespace mep

#endif // MEP_MODEL_ELEMENTTYPE_H
