/// \file
/// Clang types as machine layouts: elements of buffers, scalars of arguments.

#ifndef MEP_LIB_WORKLOAD_ELEMENTTYPES_H
#define MEP_LIB_WORKLOAD_ELEMENTTYPES_H

#include "mep/Closure/ElementLayout.h"
#include "clang/AST/ASTContext.h"
#include "llvm/Support/Error.h"

namespace mep {

/// The kind of a scalar type; nothing for pointers, records and other types.
std::optional<ScalarKind> scalarKind(clang::QualType T,
                                     const clang::ASTContext &Context);

/// C++ spelling without typedefs, as device code can name it.
std::string typeSpelling(clang::QualType T, const clang::ASTContext &Context);

/// Layout of \p T and, in \p Pointers, the data pointers in it. Error
/// (Unsupported) at \p Where for pointers to code, virtual tables, pointers in
/// unions and incomplete types; `void` is taken as bytes.
llvm::Expected<ElementType> elementType(clang::QualType T,
                                        const clang::ASTContext &Context,
                                        llvm::StringRef Where,
                                        std::vector<PointerField> &Pointers);

} // namespace mep

#endif // MEP_LIB_WORKLOAD_ELEMENTTYPES_H
