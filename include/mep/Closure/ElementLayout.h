/// \file
/// Third step of the walk: the machine layout of a C++ type, as the workload
/// fills and compares it.

#ifndef MEP_CLOSURE_ELEMENTLAYOUT_H
#define MEP_CLOSURE_ELEMENTLAYOUT_H

#include "mep/Model/ElementType.h"
#include "clang/AST/TypeBase.h"
#include <optional>
#include <vector>

namespace clang {
class FieldDecl;
} // namespace clang

namespace mep {

/// \c Count pointers of one element, one after another from byte \c Offset.
struct PointerField {
  uint64_t Offset = 0, Count = 1;
  /// Members that lead to them, outermost first; empty: the element itself.
  std::vector<const clang::FieldDecl *> Path;
  clang::QualType Type;
};

/// The scalars of one \p Type, by Clang's record layout. Components are in
/// offset order; neighbours of one kind are merged. Bit-fields are the bytes
/// they lie in. A union is what its largest member is, as integers where its
/// members are of several kinds: every pattern of bits is one of its values.
/// With \p Pointers, data pointers go there and no component covers them.
/// nullopt when a part has no machine kind (a pointer to code, a pointer or
/// bool in a union, without \p Pointers any pointer) or the type is incomplete.
std::optional<ElementType>
describeElement(const clang::ASTContext &Context, clang::QualType Type,
                std::vector<PointerField> *Pointers = nullptr);

} // namespace mep

#endif // MEP_CLOSURE_ELEMENTLAYOUT_H
