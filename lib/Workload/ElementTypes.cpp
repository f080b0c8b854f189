/// \file
/// Layouts with the reason where there is none.

#include "ElementTypes.h"
#include "mep/Closure/ElementLayout.h"
#include "mep/Support/Error.h"

using namespace mep;
using namespace clang;

std::optional<ScalarKind> mep::scalarKind(QualType T,
                                          const ASTContext &Context) {
  T = T.getCanonicalType();
  if (T->isPointerType() || T->isArrayType() || T->isIncompleteType())
    return std::nullopt;
  auto Layout = describeElement(Context, T);
  if (!Layout || Layout->Components.size() != 1)
    return std::nullopt;
  const Component &C = Layout->Components.front();
  bool Whole = C.Count == 1 && byteSize(C.Kind) == Layout->Bytes;
  bool Record = T->isRecordType() && C.Kind != ScalarKind::F16 &&
                C.Kind != ScalarKind::BF16;
  return Whole && !Record ? std::optional(C.Kind) : std::nullopt;
}

std::string mep::typeSpelling(QualType T, const ASTContext &Context) {
  PrintingPolicy Policy(Context.getLangOpts());
  Policy.SuppressTagKeyword = true;
  Policy.adjustForCPlusPlus();
  return T.getCanonicalType().getUnqualifiedType().getAsString(Policy);
}

/// Why there is no layout for \p T.
static const char *obstacle(QualType T) {
  if (T->isFunctionType() || T->isFunctionPointerType())
    return "are code";
  if (T->isIncompleteType())
    return "have no known layout";
  return "hold a pointer to code, a virtual table, or a pointer or bool in a "
         "union";
}

llvm::Expected<ElementType>
mep::elementType(QualType T, const ASTContext &Context, llvm::StringRef Where,
                 std::vector<PointerField> &Pointers) {
  if (T->isVoidType())
    return ElementType{"unsigned char", 1, {{ScalarKind::U8, 0, 1}}};
  auto Layout = describeElement(Context, T.getCanonicalType(), &Pointers);
  if (!Layout)
    return makeError(Failure::Unsupported,
                     "elements of type '" + typeSpelling(T, Context) + "' " +
                         obstacle(T) + ", which no fill rule can make",
                     Where.str());
  Layout->Name = typeSpelling(T, Context);
  return std::move(*Layout);
}
