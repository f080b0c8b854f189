#include "mep/Closure/ElementLayout.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/PrettyPrinter.h"
#include "clang/AST/RecordLayout.h"

using namespace mep;
using clang::ASTContext;
using clang::QualType;

/// Half types are structures in the toolkit's headers.
static std::optional<ScalarKind> kindOfRecord(llvm::StringRef Name) {
  if (Name == "__half" || Name == "half")
    return ScalarKind::F16;
  if (Name == "__nv_bfloat16" || Name == "nv_bfloat16")
    return ScalarKind::BF16;
  return std::nullopt;
}

static std::optional<ScalarKind> kindOf(const ASTContext &Context, QualType T) {
  if (T->isBooleanType())
    return ScalarKind::Bool;
  if (T->isFloat16Type() || T->isHalfType())
    return ScalarKind::F16;
  if (T->isBFloat16Type())
    return ScalarKind::BF16;
  uint64_t Bits = Context.getTypeSize(T);
  if (T->isRealFloatingType())
    return Bits == 32   ? std::optional(ScalarKind::F32)
           : Bits == 64 ? std::optional(ScalarKind::F64)
                        : std::nullopt;
  if (!T->isIntegralOrEnumerationType())
    return std::nullopt;
  bool Signed = T->isSignedIntegerOrEnumerationType();
  switch (Bits) {
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

static void append(std::vector<Component> &Out, Component C) {
  if (!Out.empty() && Out.back().Kind == C.Kind &&
      Out.back().Offset + Out.back().Count * byteSize(C.Kind) == C.Offset)
    Out.back().Count += C.Count;
  else
    Out.push_back(C);
}

static bool collect(const ASTContext &Context, QualType T, uint64_t Offset,
                    std::vector<Component> &Out);

static bool collectRecord(const ASTContext &Context,
                          const clang::RecordDecl *Record, uint64_t Offset,
                          std::vector<Component> &Out) {
  Record = Record->getDefinition();
  if (!Record || Record->isUnion() || Record->isInvalidDecl() ||
      Record->isDependentType())
    return false;
  const clang::ASTRecordLayout &Layout = Context.getASTRecordLayout(Record);
  if (const auto *Class = clang::dyn_cast<clang::CXXRecordDecl>(Record)) {
    if (Class->isPolymorphic() || Class->getNumVBases())
      return false;
    for (const clang::CXXBaseSpecifier &B : Class->bases()) {
      const clang::CXXRecordDecl *Base = B.getType()->getAsCXXRecordDecl();
      uint64_t At = Layout.getBaseClassOffset(Base).getQuantity();
      if (!collectRecord(Context, Base, Offset + At, Out))
        return false;
    }
  }
  for (const clang::FieldDecl *Field : Record->fields()) {
    uint64_t At = Layout.getFieldOffset(Field->getFieldIndex()) / 8;
    if (Field->isBitField() ||
        !collect(Context, Field->getType(), Offset + At, Out))
      return false;
  }
  return true;
}

static bool collect(const ASTContext &Context, QualType T, uint64_t Offset,
                    std::vector<Component> &Out) {
  T = T.getCanonicalType();
  if (T->isIncompleteType() || T->isDependentType())
    return false;
  if (const auto *Array = Context.getAsConstantArrayType(T)) {
    QualType Inner = Array->getElementType();
    uint64_t Bytes = Context.getTypeSizeInChars(Inner).getQuantity();
    for (uint64_t I = 0, N = Array->getSize().getZExtValue(); I != N; ++I)
      if (!collect(Context, Inner, Offset + I * Bytes, Out))
        return false;
    return true;
  }
  if (const clang::RecordDecl *Record = T->getAsRecordDecl()) {
    if (auto Kind = kindOfRecord(Record->getName())) {
      append(Out, {*Kind, Offset, 1});
      return true;
    }
    return collectRecord(Context, Record, Offset, Out);
  }
  auto Kind = kindOf(Context, T);
  if (Kind)
    append(Out, {*Kind, Offset, 1});
  return Kind.has_value();
}

std::optional<ElementType> mep::describeElement(const ASTContext &Context,
                                                QualType Type) {
  Type = Type.getUnqualifiedType();
  ElementType Result;
  if (Type->isIncompleteType() || !collect(Context, Type, 0, Result.Components))
    return std::nullopt;
  clang::PrintingPolicy Policy(Context.getPrintingPolicy());
  Policy.SuppressUnwrittenScope = true;
  Result.Name = Type.getAsString(Policy);
  Result.Bytes = Context.getTypeSizeInChars(Type).getQuantity();
  return Result;
}
