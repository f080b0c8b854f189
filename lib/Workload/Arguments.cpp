/// \file
/// The kernel's arguments: scalars as expressions, structures member by member,
/// pointers as buffers.

#include "BufferTable.h"
#include "WorkloadDraft.h"
#include "mep/Support/Error.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/RecordLayout.h"

using namespace mep;
using namespace clang;

namespace {

class ArgumentInference {
public:
  ArgumentInference(const Point &At, HostValues &Values, BufferTable &Buffers,
                    WorkloadDraft &Out)
      : At(At), Values(Values), Context(Values.host().context()),
        Buffers(Buffers), Out(Out) {}

  llvm::Error add(const KernelParameter &Parameter, QualType T, const Expr *E);

private:
  /// A member \c Path of argument \c E, or all of it when the path is empty.
  struct Place {
    const Expr *E;
    FieldPath Path;
    std::string Name;
    uint64_t Offset;
  };
  llvm::Error part(QualType T, const Place &P);
  void scalar(QualType T, ScalarKind Kind, const Place &P);
  llvm::Error pointer(QualType T, const Place &P);
  llvm::Error record(const RecordDecl *R, const Place &P);
  llvm::Error lambda(const CXXRecordDecl *L, const Place &P);
  llvm::Error array(const ConstantArrayType *A, const Place &P);

  const Point &At;
  HostValues &Values;
  const ASTContext &Context;
  BufferTable &Buffers;
  WorkloadDraft &Out;
  Argument Current;
};

llvm::Error ArgumentInference::add(const KernelParameter &Parameter, QualType T,
                                   const Expr *E) {
  T = T.getCanonicalType();
  Current = Argument();
  Current.Name = Parameter.Name;
  Current.Type = typeSpelling(T, Context);
  Current.Bytes = Context.getTypeSizeInChars(T).getQuantity();
  if (llvm::Error Problem = part(T, {E, {}, Parameter.Name, 0}))
    return Problem;
  Out.Data.Arguments.push_back(std::move(Current));
  return llvm::Error::success();
}

llvm::Error ArgumentInference::part(QualType T, const Place &P) {
  if (auto Kind = scalarKind(T, Context)) {
    scalar(T, *Kind, P);
    return llvm::Error::success();
  }
  T = T.getCanonicalType();
  if (T->isPointerType())
    return pointer(T, P);
  if (const ConstantArrayType *A = Context.getAsConstantArrayType(T))
    return array(A, P);
  if (const RecordDecl *R = T->getAsRecordDecl(); R && R->getDefinition())
    return record(R->getDefinition(), P);
  return makeError(Failure::Unsupported,
                   "parameter '" + P.Name + "' of type '" +
                       typeSpelling(T, Context) +
                       "' cannot be part of a workload",
                   Values.placeOf(P.E->getExprLoc()));
}

void ArgumentInference::scalar(QualType T, ScalarKind Kind, const Place &P) {
  ArgumentPart New;
  New.Name = P.Name;
  New.Offset = P.Offset;
  New.Type = typeSpelling(T, Context);
  New.Kind = Kind;
  New.Source = Values.placeOf(P.E->getExprLoc());
  Values.forget();
  TermRef V =
      P.Path.empty() ? Values.value(P.E, At) : Values.member(P.E, P.Path, At);
  New.Value = print(V);
  Out.Scalars[New.Name] = V;
  if (!V)
    Out.Missing.push_back(
        {MissingMember::Value, P.Name, Values.why(), Values.where()});
  Current.Parts.push_back(std::move(New));
}

llvm::Error ArgumentInference::pointer(QualType T, const Place &P) {
  if (T->getPointeeType()->isFunctionType())
    return makeError(Failure::Unsupported,
                     "parameter '" + P.Name + "' is a pointer to a function",
                     Values.placeOf(P.E->getExprLoc()));
  Values.forget();
  PointerValue V = P.Path.empty() ? Values.pointer(P.E, At)
                                  : Values.pointerMember(P.E, P.Path, At);
  ArgumentPart New;
  New.Name = P.Name;
  New.Offset = P.Offset;
  New.Type = typeSpelling(T, Context);
  New.Source = V.Where;
  if (V.What == PointerValue::Null) {
    New.Kind = ScalarKind::U64;
    New.Type = "unsigned long long";
    New.Value = "0";
    Current.Parts.push_back(std::move(New));
    return llvm::Error::success();
  }
  if (V.What == PointerValue::Symbol) {
    New.Buffer = V.Name;
    New.BufferOffset = "0";
    Current.Parts.push_back(std::move(New));
    return llvm::Error::success();
  }
  auto Index = Buffers.buffer(V, T->getPointeeType(),
                              {P.Name, P.Path.empty() ? P.E : nullptr, At,
                               Values.placeOf(P.E->getExprLoc())});
  if (!Index)
    return Index.takeError();
  const Buffer &B = Out.Data.Buffers[*Index];
  New.Buffer = B.Name;
  New.BufferOffset = print(dividedBy(V.OffsetBytes, int64_t(B.Element.Bytes)));
  if (New.BufferOffset.empty()) {
    New.BufferOffset = "0";
    Values.note("'" + P.Name + "': its offset into the allocation is not " +
                "known (" + Values.why() + "); 0 is taken");
  }
  Current.Parts.push_back(std::move(New));
  return llvm::Error::success();
}

llvm::Error ArgumentInference::array(const ConstantArrayType *A,
                                     const Place &P) {
  QualType Inner = A->getElementType();
  uint64_t Size = Context.getTypeSizeInChars(Inner).getQuantity();
  for (uint64_t I = 0, N = A->getSize().getZExtValue(); I < N; ++I) {
    Place Each = P;
    Each.Name = P.Name + "[" + std::to_string(I) + "]";
    Each.Offset = P.Offset + I * Size;
    auto Kind = scalarKind(Inner, Context);
    if (!Kind) {
      if (llvm::Error E = part(Inner, Each))
        return E;
      continue;
    }
    ArgumentPart New;
    New.Name = Each.Name;
    New.Offset = Each.Offset;
    New.Type = typeSpelling(Inner, Context);
    New.Kind = *Kind;
    Out.Missing.push_back({MissingMember::Value, Each.Name,
                           "elements of arrays are not followed",
                           Values.placeOf(P.E->getExprLoc())});
    Current.Parts.push_back(std::move(New));
  }
  return llvm::Error::success();
}

/// What a lambda captures, named like the variables.
llvm::Error ArgumentInference::lambda(const CXXRecordDecl *L, const Place &P) {
  const ASTRecordLayout &Layout = Context.getASTRecordLayout(L);
  auto Field = L->field_begin();
  for (const LambdaCapture &C : L->captures()) {
    const FieldDecl *F = *Field++;
    if (!C.capturesVariable() || C.getCaptureKind() != LCK_ByCopy)
      return makeError(Failure::Unsupported,
                       "'" + P.Name +
                           "' is a lambda that captures by reference",
                       Values.placeOf(P.E->getExprLoc()));
    Place Inner = P;
    Inner.Path.push_back(F);
    Inner.Name += "." + C.getCapturedVar()->getNameAsString();
    Inner.Offset += Layout.getFieldOffset(F->getFieldIndex()) / 8;
    if (llvm::Error E = part(F->getType(), Inner))
      return E;
  }
  return llvm::Error::success();
}

llvm::Error ArgumentInference::record(const RecordDecl *R, const Place &P) {
  std::string Where = Values.placeOf(P.E->getExprLoc());
  // One member at a time counts; which one is not known, so the first.
  if (R->isUnion() && !R->field_empty()) {
    const FieldDecl *First = *R->field_begin();
    Place Inner = P;
    Inner.Path.push_back(First);
    Inner.Name += "." + First->getNameAsString();
    Values.note("'" + P.Name + "' is a union: its first member '" +
                First->getNameAsString() + "' is taken");
    return part(First->getType(), Inner);
  }
  const ASTRecordLayout &Layout = Context.getASTRecordLayout(R);
  if (const auto *C = llvm::dyn_cast<CXXRecordDecl>(R)) {
    if (C->isLambda())
      return lambda(C, P);
    for (const CXXBaseSpecifier &B : C->bases()) {
      const CXXRecordDecl *Base = B.getType()->getAsCXXRecordDecl();
      Place Inner = P;
      Inner.Offset += Layout.getBaseClassOffset(Base).getQuantity();
      if (!Base->isEmpty())
        if (llvm::Error E = record(Base, Inner))
          return E;
    }
  }
  for (const FieldDecl *F : R->fields()) {
    if (F->isBitField())
      return makeError(Failure::Unsupported,
                       "'" + P.Name + "." + F->getNameAsString() +
                           "' is a bit-field",
                       Where);
    Place Inner = P;
    Inner.Path.push_back(F);
    Inner.Name += "." + F->getNameAsString();
    Inner.Offset += Layout.getFieldOffset(F->getFieldIndex()) / 8;
    if (llvm::Error E = part(F->getType(), Inner))
      return E;
  }
  return llvm::Error::success();
}

} // namespace

llvm::Error mep::inferArguments(const LaunchCall &Call, const KernelSite &Site,
                                const Point &At, HostValues &Values,
                                BufferTable &Buffers, WorkloadDraft &Out) {
  ArgumentInference Inference(At, Values, Buffers, Out);
  for (unsigned I = 0; I < Call.Kernel->getNumParams(); ++I) {
    KernelParameter Parameter;
    Parameter.Name = "arg" + std::to_string(I);
    if (I < Site.Parameters.size())
      Parameter = Site.Parameters[I];
    if (I >= Call.Arguments.size())
      return makeError(Failure::Workload,
                       "the launch gives no value for '" + Parameter.Name + "'",
                       Values.placeOf(Call.Place->Call->getExprLoc()));
    if (llvm::Error E =
            Inference.add(Parameter, Call.Kernel->getParamDecl(I)->getType(),
                          Call.Arguments[I]))
      return E;
  }
  return llvm::Error::success();
}
