/// \file
/// Host pointers to device allocations: through casts, arithmetic, copies,
/// wrappers, members and callers, to the call that allocates.

#include "HostProgram.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mep;
using namespace clang;
using llvm::dyn_cast;
using llvm::isa;
using llvm::StringRef;

namespace {
/// Functions that put an allocation where their argument Pointer points.
struct Allocator {
  const char *Name;
  unsigned Pointer, Bytes;
};
constexpr Allocator Allocators[] = {
    {"cudaMalloc", 0, 1},       {"cudaMallocManaged", 0, 1},
    {"cudaMallocHost", 0, 1},   {"cudaHostAlloc", 0, 1},
    {"cudaMallocAsync", 0, 1},  {"hipMalloc", 0, 1},
    {"hipMallocManaged", 0, 1}, {"hipHostMalloc", 0, 1},
    {"hipMallocHost", 0, 1},    {"hipMallocAsync", 0, 1},
    {"cuMemAlloc", 0, 1},       {"posix_memalign", 0, 2}};

const Allocator *allocator(const Expr *Call) {
  StringRef Name = calledName(Call);
  for (const Allocator &A : Allocators)
    if (Name == A.Name)
      return &A;
  return nullptr;
}

bool isPitched(StringRef Name) {
  return Name == "cudaMallocPitch" || Name == "hipMallocPitch";
}
} // namespace

static uint64_t pointeeBytes(const ASTContext &Context, QualType Pointer) {
  QualType T = Pointer->getPointeeType();
  if (T.isNull())
    if (auto *A = Context.getAsArrayType(Pointer))
      T = A->getElementType();
  if (T.isNull() || T->isVoidType() || T->isIncompleteType() ||
      T->isFunctionType())
    return 1;
  return Context.getTypeSizeInChars(T).getQuantity();
}

/// An allocating expression and the calls that lead to it: a wrapper called
/// twice makes two allocations.
static std::string identity(const void *Node, const Point &P) {
  std::string Id = std::to_string(reinterpret_cast<uintptr_t>(Node));
  for (FrameRef F = P.In; F && F->Call; F = F->Caller.In)
    Id += "<" + std::to_string(reinterpret_cast<uintptr_t>(F->Call));
  return Id;
}

PointerValue HostValues::allocated(const Expr *Call, unsigned Argument,
                                   const Point &P) {
  PointerValue V;
  V.Id = identity(Call, P);
  V.Where = placeOf(Call->getExprLoc());
  StringRef Name = calledName(Call);
  if (const Allocator *A = allocator(Call); A && A->Pointer == Argument) {
    V.What = PointerValue::Memory;
    V.Bytes = value(callArgument(Call, A->Bytes), P);
    return V;
  }
  if (isPitched(Name) && Argument == 0) {
    V.What = PointerValue::Memory;
    Definition Pitch;
    Pitch.Call = Call;
    Pitch.Argument = 1;
    V.Bytes = binaryTerm("*", passed(nullptr, Pitch, P),
                         value(callArgument(Call, 3), P));
    return V;
  }
  if (Name == "cudaGetSymbolAddress" || Name == "hipGetSymbolAddress") {
    const Expr *Symbol = callArgument(Call, 1);
    if (auto *U = dyn_cast<UnaryOperator>(bare(Symbol)))
      Symbol = U->getSubExpr();
    if (auto *R = dyn_cast<DeclRefExpr>(bare(Symbol))) {
      V.What = PointerValue::Symbol;
      V.Id = identity(R->getDecl()->getCanonicalDecl(), {});
      V.Name = R->getDecl()->getQualifiedNameAsString();
    }
    return V;
  }
  if (Name == "cudaHostGetDevicePointer" || Name == "hipHostGetDevicePointer")
    return pointer(callArgument(Call, 1), P);
  // A wrapper of the unit: follow its parameter.
  const FunctionDecl *F = calledFunction(Call);
  if (F && F->hasBody() && Argument < F->getNumParams() &&
      !Host.isSystem(F->getLocation()))
    return pointerVariable(F->getParamDecl(Argument), nullptr,
                           Flow.inside(F, Call, P));
  return {};
}

PointerValue HostValues::shifted(PointerValue V, const Expr *By,
                                 QualType Pointer, bool Minus, const Point &P) {
  if (V.What != PointerValue::Memory && V.What != PointerValue::Symbol)
    return V;
  TermRef Bytes =
      binaryTerm("*", value(By, P),
                 integerTerm(int64_t(pointeeBytes(Host.context(), Pointer))));
  V.OffsetBytes = binaryTerm(Minus ? "-" : "+", V.OffsetBytes, Bytes);
  return V;
}

/// Elements of a thrust or std vector: from its constructor or `resize`.
TermRef HostValues::containerSize(const Expr *E, const Point &P) {
  auto *R = dyn_cast<DeclRefExpr>(bare(E));
  if (!R)
    return nullptr;
  auto Known = [&](const Expr *C, const Point &At) { return decide(C, At); };
  Reach From = Flow.find(R->getDecl(), nullptr, P, Known);
  if (From.What == Reach::Parameter)
    return containerSize(From.Argument, From.Place);
  if (From.What == Reach::Nothing) {
    TermRef Size;
    fromCaller(R->getDecl(),
               [&](HostValues &Other, const Expr *Given, const Point &At) {
                 Size = Other.containerSize(Given, At);
               });
    return Size;
  }
  const Expr *Count = nullptr;
  if (From.Source->How == Definition::Passed &&
      From.Source->Argument == Definition::ThisArgument)
    Count = callArgument(From.Source->Call, 0);
  else if (From.Source->Value)
    if (auto *C = dyn_cast<CXXConstructExpr>(bare(From.Source->Value)))
      Count = callArgument(C, 0);
  if (!Count)
    return nullptr;
  if (!Count->getType()->isIntegerType())
    return containerSize(Count, From.Place);
  return value(Count, From.Place);
}

PointerValue HostValues::container(const Expr *E, const Point &P) {
  auto *Class = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      E->getType().getNonReferenceType()->getAsCXXRecordDecl());
  if (!Class || Class->getTemplateArgs().size() == 0 ||
      Class->getTemplateArgs()[0].getKind() != TemplateArgument::Type)
    return {};
  TermRef Count = containerSize(E, P);
  auto *R = dyn_cast<DeclRefExpr>(bare(E));
  if (!R)
    return {};
  PointerValue V;
  V.What = PointerValue::Memory;
  V.Id = identity(R->getDecl()->getCanonicalDecl(), {});
  V.Where = placeOf(E->getExprLoc());
  V.Bytes =
      binaryTerm("*", Count,
                 integerTerm(Host.context()
                                 .getTypeSizeInChars(
                                     Class->getTemplateArgs()[0].getAsType())
                                 .getQuantity()));
  return V;
}

PointerValue HostValues::pointerCall(const CallExpr *C, const Point &P) {
  StringRef Name = calledName(C);
  PointerValue V;
  V.Id = identity(C, P);
  V.Where = placeOf(C->getExprLoc());
  if (Name == "malloc" || Name == "aligned_alloc" || Name == "calloc") {
    V.What = PointerValue::Memory;
    V.Bytes = Name == "malloc"   ? value(C->getArg(0), P)
              : Name == "calloc" ? binaryTerm("*", value(C->getArg(0), P),
                                              value(C->getArg(1), P))
                                 : value(C->getArg(1), P);
    return V;
  }
  if (Name == "raw_pointer_cast" && C->getNumArgs() == 1)
    return pointer(C->getArg(0), P);
  if (auto *M = dyn_cast<CXXMemberCallExpr>(C)) {
    const Expr *Object = M->getImplicitObjectArgument();
    if (Name == "data" || Name == "begin")
      return container(Object, P);
    if (Name == "get")
      return pointer(Object, P);
  }
  const FunctionDecl *F = calledFunction(C);
  if (!F || !F->hasBody() || Host.isSystem(F->getLocation()))
    return {};
  Point Inside;
  const Expr *R = returned(F, C, P, Inside);
  return R ? pointer(R, Inside) : PointerValue();
}

PointerValue HostValues::definedPointer(const Definition &D, const Point &P) {
  switch (D.How) {
  case Definition::Passed:
    return allocated(D.Call, D.Argument, P);
  case Definition::Compound:
    return {};
  default:
    return pointer(D.Value, P);
  }
}

static bool isAllocation(const Definition &D) {
  if (D.How != Definition::Passed)
    return false;
  const Allocator *A = allocator(D.Call);
  return (A && A->Pointer == D.Argument) ||
         (isPitched(calledName(D.Call)) && D.Argument == 0);
}

/// What \p Key was allocated as. Its own allocation counts before any pointer
/// it is later set to, so that buffers that are swapped in a loop stay two.
PointerValue HostValues::pointerVariable(const ValueDecl *Key,
                                         const ValueDecl *Base, const Point &P,
                                         bool Elements) {
  llvm::SaveAndRestore Deeper(Depth, Depth + 1);
  if (Depth > 48)
    return {};
  std::vector<const Definition *> Order;
  for (bool Allocating : {true, false})
    for (bool Before : {true, false})
      for (const Definition &D : llvm::reverse(Index.definitions(Key))) {
        bool Here = P.In && D.In == P.In->Function && D.Order < P.Order;
        if (isAllocation(D) == Allocating && Here == Before &&
            (Elements || !D.Subscript) &&
            (!Base || D.Base == Base->getCanonicalDecl()))
          Order.push_back(&D);
      }
  PointerValue Null;
  for (const Definition *D : Order) {
    if (isa<ParmVarDecl>(Key) && (!P.In || D->In != P.In->Function))
      continue;
    PointerValue V = definedPointer(*D, Flow.pointOf(*D, P));
    if (isAllocation(*D))
      V.IsRepeated =
          llvm::any_of(D->Under, [](const Guard &G) { return G.isLoop(); });
    if (V.What == PointerValue::Memory || V.What == PointerValue::Symbol)
      return V;
    if (V.What == PointerValue::Null)
      Null = V;
  }
  auto Unknown = [](const Expr *, const Point &) {
    return std::optional<bool>();
  };
  if (isa<ParmVarDecl>(Key)) {
    Reach R = Flow.find(Key, nullptr, {P.In, 0, {}}, Unknown);
    if (R.What == Reach::Parameter)
      return pointer(R.Argument, R.Place);
  }
  if (Null.What == PointerValue::Null)
    return Null;
  PointerValue Found;
  if (!Base &&
      !fromCaller(Key, [&](HostValues &Other, const Expr *E, const Point &At) {
        Found = Other.pointer(E, At);
      }))
    fromDefinition(Key, [&](HostValues &Other, const ValueDecl *Same) {
      Found = Other.pointerVariable(Same, nullptr, {});
    });
  return Found;
}

PointerValue HostValues::pointerMember(const Expr *E, const FieldPath &Path,
                                       const Point &P) {
  llvm::SaveAndRestore Deeper(Depth, Depth + 1);
  if (Depth > 48)
    return {};
  Origin O = memberOrigin(E, Path, P);
  PointerValue V;
  if (O.Direct)
    V.What = PointerValue::Null;
  else if (O.Via.What == Reach::Defined)
    V = definedPointer(*O.Via.Source, O.Place);
  else if (O.Value)
    V = pointer(O.Value, O.Place);
  if (V.What == PointerValue::Memory || V.What == PointerValue::Symbol)
    return O.IsOfAny ? ofObject(V, E, P) : V;
  PointerValue Any = ofObject(pointerVariable(Path.back(), nullptr, P), E, P);
  if (Any.What == PointerValue::Unknown)
    Any = pointerElsewhere(E, Path);
  return Any.What == PointerValue::Unknown ? V : Any;
}

/// `u[i]` of an array or container of pointers.
static bool isPointerElement(const Expr *E) {
  auto *O = dyn_cast<CXXOperatorCallExpr>(E);
  return (isa<ArraySubscriptExpr>(E) ||
          (O && O->getOperator() == OO_Subscript)) &&
         E->getType().getNonReferenceType()->isPointerType();
}

PointerValue HostValues::pointer(const Expr *E, const Point &P) {
  llvm::SaveAndRestore Deeper(Depth, Depth + 1);
  if (!E || Depth > 48 || Program.isExhausted())
    return {};
  PointerValue Null;
  Null.What = PointerValue::Null;
  if (E->isNullPointerConstant(const_cast<ASTContext &>(Host.context()),
                               Expr::NPC_ValueDependentIsNotNull))
    return Null;
  E = bare(E);
  if (auto *I = dyn_cast<IntegerLiteral>(E); I && I->getValue().isZero())
    return Null;
  if (isa<CXXNullPtrLiteralExpr>(E) || isa<GNUNullExpr>(E))
    return Null;
  if (auto *R = dyn_cast<DeclRefExpr>(E))
    return pointerVariable(R->getDecl(), nullptr, P);
  if (auto *M = dyn_cast<MemberExpr>(E)) {
    if (auto *F = dyn_cast<FieldDecl>(M->getMemberDecl()))
      return pointerMember(M->getBase(), {F}, P);
    return pointerVariable(M->getMemberDecl(), nullptr, P);
  }
  if (isPointerElement(E))
    return elementOfArray(E, P);
  if (auto *S = dyn_cast<ArraySubscriptExpr>(E)) {
    if (auto *R = dyn_cast<DeclRefExpr>(bare(S->getBase())))
      return pointerVariable(R->getDecl(), nullptr, P, /*Elements=*/true);
    return pointer(S->getBase(), P);
  }
  if (auto *B = dyn_cast<BinaryOperator>(E); B && B->isAdditiveOp()) {
    bool Swapped = !B->getLHS()->getType()->isPointerType();
    const Expr *Base = Swapped ? B->getRHS() : B->getLHS();
    return shifted(pointer(Base, P), Swapped ? B->getLHS() : B->getRHS(),
                   Base->getType(), B->getOpcode() == BO_Sub, P);
  }
  if (auto *U = dyn_cast<UnaryOperator>(E)) {
    const Expr *Inner = bare(U->getSubExpr());
    if (U->getOpcode() == UO_AddrOf)
      if (auto *S = dyn_cast<ArraySubscriptExpr>(Inner))
        return shifted(pointer(S->getBase(), P), S->getIdx(),
                       S->getBase()->getType(), false, P);
    return pointer(Inner, P);
  }
  if (auto *C = dyn_cast<ConditionalOperator>(E)) {
    auto Known = decide(C->getCond(), P);
    return pointer(!Known || *Known ? C->getTrueExpr() : C->getFalseExpr(), P);
  }
  if (auto *O = dyn_cast<CXXOperatorCallExpr>(E);
      O && O->getOperator() == OO_Subscript) {
    return container(O->getArg(0), P);
  }
  if (auto *C = dyn_cast<CallExpr>(E))
    return pointerCall(C, P);
  if (auto *C = dyn_cast<CXXConstructExpr>(E); C && C->getNumArgs() == 1)
    return pointer(C->getArg(0), P);
  if (auto *N = dyn_cast<CXXNewExpr>(E); N && N->isArray()) {
    PointerValue V;
    V.What = PointerValue::Memory;
    V.Id = identity(N, P);
    V.Where = placeOf(N->getExprLoc());
    V.Bytes =
        binaryTerm("*", value(*N->getArraySize(), P),
                   integerTerm(Host.context()
                                   .getTypeSizeInChars(N->getAllocatedType())
                                   .getQuantity()));
    return V;
  }
  return {};
}
