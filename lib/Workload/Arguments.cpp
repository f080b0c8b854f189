/// \file
/// The kernel's arguments: scalars as expressions, structures member by member,
/// pointers as buffers.

#include "ElementTypes.h"
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
  ArgumentInference(const Point &At, HostValues &Values, WorkloadDraft &Out)
      : At(At), Values(Values), Context(Values.host().context()), Out(Out) {}

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
  llvm::Error array(const ConstantArrayType *A, const Place &P);
  llvm::Expected<size_t> buffer(const PointerValue &V, QualType T,
                                const Place &P);
  int setTo(const PointerValue &V);

  const Point &At;
  HostValues &Values;
  const ASTContext &Context;
  WorkloadDraft &Out;
  Argument Current;
  std::vector<std::pair<std::string, size_t>> Allocations;
  /// Bytes that allocations are set to, once asked for.
  std::optional<std::map<std::string, int>> Sets;
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

/// The byte that a call of cudaMemset sets \p V to, -1 without one.
int ArgumentInference::setTo(const PointerValue &V) {
  if (!Sets) {
    Sets.emplace();
    for (const CallPlace &Set : Values.index().memorySets()) {
      Point There = Values.flow().pointOf(Set);
      PointerValue Of = Values.pointer(callArgument(Set.Call, 0), There);
      TermRef Byte = Values.value(callArgument(Set.Call, 1), There);
      if (!Of.Id.empty() && Byte && Byte->What == Term::Integer)
        Sets->try_emplace(Of.Id, int(Byte->Int & 0xff));
    }
    Values.forget();
  }
  auto Found = Sets->find(V.Id);
  return Found == Sets->end() ? -1 : Found->second;
}

llvm::Expected<size_t> ArgumentInference::buffer(const PointerValue &V,
                                                 QualType T, const Place &P) {
  for (const auto &[Id, Index] : Allocations)
    if (!V.Id.empty() && Id == V.Id)
      return Index;
  std::string Where = Values.placeOf(P.E->getExprLoc());
  auto Element = elementType(T->getPointeeType(), Context, Where);
  if (!Element)
    return Element.takeError();
  Buffer B;
  B.Name = P.Name;
  B.Element = std::move(*Element);
  TermRef Extent = dividedBy(V.Bytes, int64_t(B.Element.Bytes));
  Out.Extents[B.Name] = Extent;
  B.Extent = print(Extent);
  B.Source = V.Where.empty() ? Where : V.Where;
  B.SetTo = setTo(V);
  if (B.Extent.empty()) {
    std::string Why = V.What == PointerValue::Unknown
                          ? "no allocation of '" + P.Name + "' is found"
                          : Values.why();
    Out.Missing.push_back({MissingMember::Extent, P.Name, Why,
                           Values.where().empty() ? Where : Values.where()});
  }
  Out.Data.Buffers.push_back(std::move(B));
  Allocations.emplace_back(V.Id, Out.Data.Buffers.size() - 1);
  return Out.Data.Buffers.size() - 1;
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
  auto Index = buffer(V, T, P);
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
      return makeError(Failure::Unsupported,
                       "'" + P.Name + "' is a lambda passed to a kernel",
                       Where);
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
                                WorkloadDraft &Out) {
  ArgumentInference Inference(At, Values, Out);
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

// ---- globals ---------------------------------------------------------------

/// The host variable that `cudaMemcpyToSymbol` copies into the global \p Name.
static TermRef copiedValue(llvm::StringRef Name, const HostIndex &Index,
                           HostValues &Values) {
  for (const CallPlace &Copy : Index.symbolCopies()) {
    const Expr *Symbol = bare(callArgument(Copy.Call, 0));
    if (auto *U = llvm::dyn_cast<UnaryOperator>(Symbol))
      Symbol = bare(U->getSubExpr());
    auto *R = llvm::dyn_cast<DeclRefExpr>(Symbol);
    if (!R || R->getDecl()->getQualifiedNameAsString() != Name)
      continue;
    auto *From =
        llvm::dyn_cast<UnaryOperator>(bare(callArgument(Copy.Call, 1)));
    if (!From || From->getOpcode() != UO_AddrOf)
      continue;
    Values.forget();
    return Values.value(From->getSubExpr(), Values.flow().pointOf(Copy));
  }
  return nullptr;
}

void mep::inferGlobals(const Closure &C, const HostIndex &Index,
                       HostValues &Values, WorkloadDraft &Out) {
  for (const DeviceGlobal &G : C.Globals) {
    Buffer B;
    B.Name = G.Name;
    B.Symbol = G.Symbol;
    B.Element = G.Element;
    B.Extent = G.Extent.empty() ? "1" : G.Extent;
    if (G.HasInitializer) {
      B.Fill = {"initializer", "0", "0", /*Given=*/true};
    } else if (B.Extent == "1" && G.Element.Components.size() == 1 &&
               G.Element.Components[0].Count == 1) {
      if (TermRef V = copiedValue(G.Name, Index, Values))
        B.Fill = {"constant", print(V), print(V), /*Given=*/true};
      else
        Values.note("'" + G.Name + "': its value is not known; a random one " +
                    "is taken");
    }
    Out.Data.Buffers.push_back(std::move(B));
  }
}
