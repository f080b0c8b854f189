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

namespace {

class LayoutWalk {
public:
  LayoutWalk(const ASTContext &Context, std::vector<PointerField> *Pointers)
      : Context(Context), Pointers(Pointers) {}

  bool type(QualType T, uint64_t Offset);
  std::vector<Component> Components;

private:
  bool record(const clang::RecordDecl *Record, uint64_t Offset);
  bool bases(const clang::CXXRecordDecl *Class,
             const clang::ASTRecordLayout &Layout, uint64_t Offset);
  bool oneOf(const clang::RecordDecl *Union, uint64_t Offset);
  bool pointer(QualType T, uint64_t Offset);
  void bits(const clang::FieldDecl *Field, uint64_t Bit, uint64_t Offset,
            uint64_t &End);

  const ASTContext &Context;
  std::vector<PointerField> *Pointers;
  std::vector<const clang::FieldDecl *> Path;
};

/// Neighbouring pointers of one member are an array of them.
bool LayoutWalk::pointer(QualType T, uint64_t Offset) {
  if (!Pointers || T->getPointeeType()->isFunctionType())
    return false;
  PointerField *Last = Pointers->empty() ? nullptr : &Pointers->back();
  if (Last && Last->Path == Path && Last->Offset + Last->Count * 8 == Offset) {
    ++Last->Count;
    return true;
  }
  // Members of an array of structures have one name and several places.
  for (const PointerField &Other : *Pointers)
    if (Other.Path == Path)
      return false;
  Pointers->push_back({Offset, 1, Path, T});
  return true;
}

/// The bytes of bit-field \p Field that the one before, which ends at byte
/// \p End, has not taken.
void LayoutWalk::bits(const clang::FieldDecl *Field, uint64_t Bit,
                      uint64_t Offset, uint64_t &End) {
  uint64_t Width = Field->getBitWidthValue();
  if (Width == 0 || Field->isUnnamedBitField())
    return;
  uint64_t First = std::max(Bit / 8, End), Last = (Bit + Width + 7) / 8;
  if (First < Last)
    append(Components, {ScalarKind::U8, Offset + First, Last - First});
  End = std::max(End, Last);
}

bool LayoutWalk::bases(const clang::CXXRecordDecl *Class,
                       const clang::ASTRecordLayout &Layout, uint64_t Offset) {
  if (Class->isPolymorphic() || Class->getNumVBases())
    return false;
  for (const clang::CXXBaseSpecifier &B : Class->bases()) {
    const clang::CXXRecordDecl *Base = B.getType()->getAsCXXRecordDecl();
    uint64_t At = Layout.getBaseClassOffset(Base).getQuantity();
    if (!record(Base, Offset + At))
      return false;
  }
  return true;
}

ScalarKind asInteger(ScalarKind Kind) {
  if (!isFloating(Kind))
    return Kind;
  unsigned Bytes = byteSize(Kind);
  return Bytes == 2   ? ScalarKind::U16
         : Bytes == 4 ? ScalarKind::U32
                      : ScalarKind::U64;
}

bool sameLayout(const std::vector<Component> &A,
                const std::vector<Component> &B) {
  return llvm::equal(A, B, [](const Component &X, const Component &Y) {
    return X.Kind == Y.Kind && X.Offset == Y.Offset && X.Count == Y.Count;
  });
}

bool LayoutWalk::oneOf(const clang::RecordDecl *Union, uint64_t Offset) {
  std::vector<Component> Largest;
  uint64_t Most = 0;
  bool Alike = true;
  for (const clang::FieldDecl *Field : Union->fields()) {
    LayoutWalk Member(Context, nullptr);
    uint64_t End = 0, Bytes = 0;
    if (Field->isBitField()) {
      Member.bits(Field, 0, Offset, End);
      Bytes = End;
    } else {
      if (!Member.type(Field->getType(), Offset))
        return false;
      Bytes = Context.getTypeSizeInChars(Field->getType()).getQuantity();
    }
    if (llvm::any_of(Member.Components, [](const Component &C) {
          return C.Kind == ScalarKind::Bool;
        }))
      return false;
    Alike &= Most == 0 || sameLayout(Largest, Member.Components);
    if (Bytes > Most) {
      Most = Bytes;
      Largest = std::move(Member.Components);
    }
  }
  for (Component &C : Largest) {
    if (!Alike)
      C.Kind = asInteger(C.Kind);
    append(Components, C);
  }
  return Most != 0;
}

bool LayoutWalk::record(const clang::RecordDecl *Record, uint64_t Offset) {
  Record = Record->getDefinition();
  if (!Record || Record->isInvalidDecl() || Record->isDependentType())
    return false;
  if (Record->isUnion())
    return oneOf(Record, Offset);
  const clang::ASTRecordLayout &Layout = Context.getASTRecordLayout(Record);
  if (const auto *Class = clang::dyn_cast<clang::CXXRecordDecl>(Record))
    if (!bases(Class, Layout, Offset))
      return false;
  uint64_t BitsEnd = 0;
  for (const clang::FieldDecl *Field : Record->fields()) {
    uint64_t Bit = Layout.getFieldOffset(Field->getFieldIndex());
    if (Field->isBitField()) {
      bits(Field, Bit, Offset, BitsEnd);
      continue;
    }
    Path.push_back(Field);
    bool Known = type(Field->getType(), Offset + Bit / 8);
    Path.pop_back();
    if (!Known)
      return false;
  }
  return true;
}

bool LayoutWalk::type(QualType T, uint64_t Offset) {
  T = T.getCanonicalType();
  if (T->isIncompleteType() || T->isDependentType())
    return false;
  if (const auto *Array = Context.getAsConstantArrayType(T)) {
    QualType Inner = Array->getElementType();
    uint64_t Bytes = Context.getTypeSizeInChars(Inner).getQuantity();
    for (uint64_t I = 0, N = Array->getSize().getZExtValue(); I != N; ++I)
      if (!type(Inner, Offset + I * Bytes))
        return false;
    return true;
  }
  if (T->isPointerType())
    return pointer(T, Offset);
  if (const clang::RecordDecl *Record = T->getAsRecordDecl()) {
    if (auto Kind = kindOfRecord(Record->getName())) {
      append(Components, {*Kind, Offset, 1});
      return true;
    }
    return record(Record, Offset);
  }
  auto Kind = kindOf(Context, T);
  if (Kind)
    append(Components, {*Kind, Offset, 1});
  return Kind.has_value();
}

} // namespace

std::optional<ElementType>
mep::describeElement(const ASTContext &Context, QualType Type,
                     std::vector<PointerField> *Pointers) {
  Type = Type.getUnqualifiedType();
  LayoutWalk Walk(Context, Pointers);
  if (Type->isIncompleteType() || !Walk.type(Type, 0))
    return std::nullopt;
  ElementType Result;
  Result.Components = std::move(Walk.Components);
  clang::PrintingPolicy Policy(Context.getPrintingPolicy());
  Policy.SuppressUnwrittenScope = true;
  Result.Name = Type.getAsString(Policy);
  Result.Bytes = Context.getTypeSizeInChars(Type).getQuantity();
  return Result;
}
