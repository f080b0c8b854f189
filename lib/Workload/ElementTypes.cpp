/// \file
/// Layouts from ASTContext's record layouts.

#include "ElementTypes.h"
#include "mep/Support/Error.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/RecordLayout.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mep;
using namespace clang;

/// Number formats that are classes in the toolkit's headers.
static std::optional<ScalarKind> classKind(const RecordDecl *R) {
  return llvm::StringSwitch<std::optional<ScalarKind>>(R->getName())
      .Cases({"__half", "half"}, ScalarKind::F16)
      .Cases({"__nv_bfloat16", "__hip_bfloat16", "hip_bfloat16"},
             ScalarKind::BF16)
      .Default(std::nullopt);
}

std::optional<ScalarKind> mep::scalarKind(QualType T,
                                          const ASTContext &Context) {
  T = T.getCanonicalType().getUnqualifiedType();
  if (const RecordDecl *R = T->getAsRecordDecl())
    return classKind(R);
  if (T->isBooleanType())
    return ScalarKind::Bool;
  if (T->isHalfType() || T->isFloat16Type())
    return ScalarKind::F16;
  if (T->isBFloat16Type())
    return ScalarKind::BF16;
  if (T->isRealFloatingType()) {
    uint64_t Bits = Context.getTypeSize(T);
    if (Bits == 32)
      return ScalarKind::F32;
    return Bits == 64 ? std::optional(ScalarKind::F64) : std::nullopt;
  }
  if (!T->isIntegralOrEnumerationType())
    return std::nullopt;
  bool Signed = T->isSignedIntegerOrEnumerationType();
  switch (Context.getTypeSize(T)) {
  case 8:
    return Signed ? ScalarKind::I8 : ScalarKind::U8;
  case 16:
    return Signed ? ScalarKind::I16 : ScalarKind::U16;
  case 32:
    return Signed ? ScalarKind::I32 : ScalarKind::U32;
  case 64:
    return Signed ? ScalarKind::I64 : ScalarKind::U64;
  default:
    return std::nullopt;
  }
}

std::string mep::typeSpelling(QualType T, const ASTContext &Context) {
  PrintingPolicy Policy(Context.getLangOpts());
  Policy.SuppressTagKeyword = true;
  Policy.adjustForCPlusPlus();
  return T.getCanonicalType().getUnqualifiedType().getAsString(Policy);
}

namespace {

class Flattener {
public:
  Flattener(const ASTContext &Context, llvm::StringRef Where)
      : Context(Context), Where(Where) {}

  llvm::Error add(QualType T, uint64_t Offset);
  std::vector<Component> take() { return std::move(Components); }

private:
  llvm::Error record(const RecordDecl *R, uint64_t Offset);
  llvm::Error refuse(QualType T, const char *What) {
    return makeError(Failure::Unsupported,
                     "elements of type '" + typeSpelling(T, Context) + "' " +
                         What + ", which no fill rule can make",
                     Where.str());
  }
  void append(ScalarKind Kind, uint64_t Offset) {
    if (!Components.empty()) {
      Component &Last = Components.back();
      if (Last.Kind == Kind &&
          Last.Offset + Last.Count * byteSize(Kind) == Offset) {
        ++Last.Count;
        return;
      }
    }
    Components.push_back({Kind, Offset, 1});
  }

  const ASTContext &Context;
  llvm::StringRef Where;
  std::vector<Component> Components;
};

llvm::Error Flattener::add(QualType T, uint64_t Offset) {
  T = T.getCanonicalType();
  if (auto Kind = scalarKind(T, Context)) {
    append(*Kind, Offset);
    return llvm::Error::success();
  }
  QualType Inner;
  uint64_t Count = 0;
  if (const auto *A = Context.getAsConstantArrayType(T)) {
    Inner = A->getElementType();
    Count = A->getSize().getZExtValue();
  } else if (const auto *V = T->getAs<VectorType>()) {
    Inner = V->getElementType();
    Count = V->getNumElements();
  } else if (const auto *C = T->getAs<ComplexType>()) {
    Inner = C->getElementType();
    Count = 2;
  }
  if (!Inner.isNull()) {
    uint64_t Size = Context.getTypeSizeInChars(Inner).getQuantity();
    if (Count > 1 << 16)
      return refuse(T, "are too large");
    for (uint64_t I = 0; I < Count; ++I)
      if (llvm::Error E = add(Inner, Offset + I * Size))
        return E;
    return llvm::Error::success();
  }
  if (T->isPointerType())
    return refuse(T, "are pointers");
  const RecordDecl *R = T->getAsRecordDecl();
  if (!R || !R->getDefinition())
    return refuse(T, "have no known layout");
  return record(R->getDefinition(), Offset);
}

llvm::Error Flattener::record(const RecordDecl *R, uint64_t Offset) {
  const ASTRecordLayout &Layout = Context.getASTRecordLayout(R);
  if (const auto *C = llvm::dyn_cast<CXXRecordDecl>(R)) {
    if (C->isPolymorphic())
      return refuse(Context.getCanonicalTagType(R), "have virtual functions");
    for (const CXXBaseSpecifier &B : C->bases()) {
      const CXXRecordDecl *Base = B.getType()->getAsCXXRecordDecl();
      if (Base->isEmpty())
        continue;
      if (llvm::Error E =
              record(Base, Offset + Layout.getBaseClassOffset(Base)
                                        .getQuantity()))
        return E;
    }
  }
  for (const FieldDecl *F : R->fields()) {
    if (F->isBitField())
      return refuse(Context.getCanonicalTagType(R), "have bit-fields");
    uint64_t At = Layout.getFieldOffset(F->getFieldIndex()) / 8;
    if (llvm::Error E = add(F->getType(), Offset + At))
      return E;
    // Of a union the first member stands for all.
    if (R->isUnion())
      break;
  }
  return llvm::Error::success();
}

} // namespace

llvm::Expected<ElementType> mep::elementType(QualType T,
                                             const ASTContext &Context,
                                             llvm::StringRef Where) {
  ElementType E;
  if (T->isVoidType()) {
    E.Name = "unsigned char";
    E.Bytes = 1;
    E.Components.push_back({ScalarKind::U8, 0, 1});
    return E;
  }
  Flattener F(Context, Where);
  if (llvm::Error Problem = F.add(T, 0))
    return Problem;
  E.Name = typeSpelling(T, Context);
  E.Bytes = Context.getTypeSizeInChars(T.getCanonicalType()).getQuantity();
  E.Components = F.take();
  return E;
}
