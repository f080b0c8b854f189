/// \file
/// Third step of the walk: the machine layout of a C++ type, as the workload
/// fills and compares it.

#ifndef MEP_CLOSURE_ELEMENTLAYOUT_H
#define MEP_CLOSURE_ELEMENTLAYOUT_H

#include "mep/Model/ElementType.h"
#include "clang/AST/TypeBase.h"
#include <optional>

namespace mep {

/// The scalars of one \p Type, by Clang's record layout. Components are in
/// offset order; neighbours of one kind are merged. nullopt when a part has no
/// machine kind (a pointer, a bit-field, a union of different layouts) or the
/// type is incomplete.
std::optional<ElementType> describeElement(const clang::ASTContext &Context,
                                           clang::QualType Type);

} // namespace mep

#endif // MEP_CLOSURE_ELEMENTLAYOUT_H
