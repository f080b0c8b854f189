/// \file
/// Calls: what the device library does to memory, functions of the program
/// walked in place, and what cannot be seen.

#include "BodyWalk.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mep;
using namespace clang;
using llvm::StringRef;
using llvm::Twine;

namespace {

constexpr unsigned MaxDepth = 10;

/// Loads through a pointer: `__ldg` and the cache hints.
bool isLoadName(StringRef Name) {
  return llvm::is_contained(
      {"__ldg", "__ldcg", "__ldca", "__ldcs", "__ldlu", "__ldcv"}, Name);
}

bool isStoreName(StringRef Name) {
  return llvm::is_contained({"__stwb", "__stcg", "__stcs", "__stwt"}, Name);
}

std::optional<IndexOp> extremum(StringRef Name) {
  return llvm::StringSwitch<std::optional<IndexOp>>(Name)
      .Cases({"min", "umin", "llmin", "ullmin"}, IndexOp::Min)
      .Cases({"max", "umax", "llmax", "ullmax"}, IndexOp::Max)
      .Default(std::nullopt);
}

/// Functions of the standard library that the compiler knows without a body.
bool isIdentity(StringRef Name) {
  return llvm::is_contained({"move", "forward", "as_const", "addressof",
                             "__addressof", "forward_like"},
                            Name);
}

/// Touches no memory of the program although it has pointer parameters or no
/// body: `printf`, barriers, assertions.
bool isHarmless(StringRef Name) {
  return Name == "printf" || Name == "vprintf" || Name == "__assertfail" ||
         Name == "__assert_fail" || Name == "clock" || Name == "clock64" ||
         Name.starts_with("__sync") || Name.starts_with("__threadfence") ||
         Name.starts_with("__builtin_assume");
}

} // namespace

/// What is known of \p P is no longer so.
void BodyWalk::forget(const Place &P, const Twine &Why, const Expr *At) {
  if (P.Is != Place::Variable && P.Is != Place::Temporary)
    return;
  if (Value *V = findValue(P, true)) {
    bool Pointer = V->Is == Value::Pointer;
    *V = opaque(Pointer ? Unit.context().VoidPtrTy : Unit.context().IntTy, Why,
                At);
  }
}

// ---- the device library ----------------------------------------------------

std::optional<Value> BodyWalk::intrinsic(const CallExpr *C, StringRef Name) {
  unsigned N = C->getNumArgs();
  auto Argument = [&](unsigned I) {
    const Expr *A = C->getArg(I);
    return A->isGLValue() ? load(place(A), A->getType(), A) : eval(A);
  };
  auto Pointee = [&](unsigned I) {
    QualType T = C->getArg(I)->getType();
    return T->isPointerType() ? T->getPointeeType() : T;
  };
  bool IsAtomic = Name.starts_with("atomic") && N >= 1 &&
                  C->getArg(0)->getType()->isPointerType();
  if (IsAtomic || (isLoadName(Name) && N == 1) ||
      (isStoreName(Name) && N == 2)) {
    Value Pointer = eval(C->getArg(0));
    for (unsigned I = 1; I < N; ++I)
      Argument(I);
    Place P = pointee(Pointer, C);
    AccessKind Kind = IsAtomic           ? AccessKind::Update
                      : isLoadName(Name) ? AccessKind::Read
                                         : AccessKind::Write;
    note(P, Kind, Pointee(0), C, IsAtomic);
    if (Kind == AccessKind::Read && P.Is == Place::Variable)
      return load(P, C->getType(), C);
    if (Kind != AccessKind::Read)
      forget(P, "changed by '" + Name + "'", C);
    return opaque(C->getType(),
                  P.Is == Place::Memory
                      ? "element of '" + Model.Buffers[P.Buffer].Name + "'"
                      : Twine("value of '" + Name + "'").str(),
                  C);
  }
  QualType T = C->getType();
  bool IsInteger = T->isIntegralOrEnumerationType();
  if (auto Op = extremum(Name); Op && N == 2) {
    Value A = Argument(0), B = Argument(1);
    if (!IsInteger)
      return opaque(T, "'" + text(C) + "' is no integer", C);
    Index L = asInteger(A, C), R = asInteger(B, C);
    for (const Index &I : {L, R})
      if (I->Op == IndexOp::Unknown)
        return Value::of(I);
    return Value::of(binary(*Op, L, R));
  }
  if ((Name == "abs" || Name == "llabs" || Name == "labs") && N == 1) {
    Index A = asInteger(Argument(0), C);
    if (!IsInteger || A->Op == IndexOp::Unknown)
      return opaque(T, "'" + text(C) + "' is no integer", C);
    return Value::of(binary(IndexOp::Max, A, multiply(number(-1), A)));
  }
  if ((Name == "__mul24" || Name == "__umul24") && N == 2) {
    Value A = Argument(0), B = Argument(1);
    return Value::of(
        arithmetic(BO_Mul, asInteger(A, C), asInteger(B, C), T, C));
  }
  if (Name == "__builtin_expect" && N == 2) {
    Value A = Argument(0);
    Argument(1);
    return A;
  }
  if (isHarmless(Name) || Name == "__cvta_generic_to_shared" ||
      Name == "__cvta_generic_to_global") {
    for (unsigned I = 0; I < N; ++I)
      Argument(I);
    return opaque(T, "value of '" + Name + "'", C);
  }
  return std::nullopt;
}

// ---- functions walked in place ---------------------------------------------

/// All arguments have their values before the first parameter gets one: an
/// argument may call the same function.
void BodyWalk::bindParameters(const FunctionDecl *F,
                              const std::vector<const Expr *> &Arguments) {
  std::vector<std::pair<const ParmVarDecl *, Value>> Values;
  std::vector<std::pair<const ParmVarDecl *, Place>> Places;
  for (size_t I = 0; I < Arguments.size(); ++I) {
    const Expr *A = Arguments[I];
    const ParmVarDecl *P =
        I < F->getNumParams() ? F->getParamDecl(unsigned(I)) : nullptr;
    if (P && P->getType()->isReferenceType()) {
      Places.emplace_back(P, place(A));
      continue;
    }
    Value V = A->isGLValue() ? load(place(A), A->getType(), A) : eval(A);
    if (P)
      Values.emplace_back(P, std::move(V));
  }
  for (auto &[P, V] : Values)
    Locals[P] = std::move(V);
  for (auto &[P, At] : Places)
    References[P] = std::move(At);
}

void BodyWalk::initialise(const CXXConstructorDecl *C, const Place &Object) {
  for (const CXXCtorInitializer *I : C->inits()) {
    const Expr *E = I->getInit();
    if (!E)
      continue;
    const FieldDecl *F = I->getMember();
    if (F && F->getType()->isReferenceType()) {
      place(E);
      continue;
    }
    Value V = E->isGLValue() ? load(place(E), E->getType(), E) : eval(E);
    if (F)
      store(member(Object, F), std::move(V), F->getType(), E);
    else if (V.Is == Value::Record) // Of a base class.
      for (auto &[Name, Field] : V.Fields) {
        Place To = Object;
        if (To.Is == Place::Variable || To.Is == Place::Temporary) {
          To.Path.push_back(Name);
          store(To, Field, E->getType(), E);
        }
      }
  }
}

/// \p A where \p If holds, else \p B: what \p F returns a reference to. One
/// that nothing is written through is as good as the value, as of `std::max`.
Place BodyWalk::joined(const Index &If, const Place &A, const Place &B,
                       const FunctionDecl *F, const Expr *At) {
  auto IsLocal = [](const Place &P) {
    return P.Is == Place::Variable || P.Is == Place::Temporary;
  };
  QualType T = F->getReturnType()->getPointeeType();
  if (!T.isConstQualified() || !IsLocal(A) || !IsLocal(B))
    return pointee(merged(If, addressOf(A, At), addressOf(B, At), At), At);
  Place Chosen;
  Chosen.Is = Place::Temporary;
  Chosen.IsSnapshot = true;
  Chosen.Held =
      std::make_shared<Value>(merged(If, load(A, T, At), load(B, T, At), At));
  return Chosen;
}

BodyWalk::Returned BodyWalk::enter(const FunctionDecl *F,
                                   const std::vector<const Expr *> &Arguments,
                                   std::optional<Place> This, const Expr *At) {
  noteNumbersOf(F);
  bindParameters(F, Arguments);
  Frame Inner;
  Inner.Function = F;
  Inner.This = This;
  Inner.GuardsBefore = Guards.size();
  Inner.ReturnsReference = F->getReturnType()->isReferenceType();
  Frames.push_back(std::move(Inner));
  size_t FirstExit = Exits.size();
  if (auto *C = dyn_cast<CXXConstructorDecl>(F); C && This)
    initialise(C, *This);
  walk(F->getBody());
  Exits.resize(FirstExit);
  Guards.resize(Frames.back().GuardsBefore);
  auto Results = std::move(Frames.back().Results);
  bool Reference = Frames.back().ReturnsReference;
  Frames.pop_back();
  Returned R;
  R.Result =
      opaque(F->getReturnType(), "'" + text(At) + "' returns no value", At);
  R.Where = Place::lost("'" + text(At) + "' returns no reference", where(At));
  for (size_t I = Results.size(); I > 0; --I) {
    auto &[If, Answer] = Results[I - 1];
    if (I == Results.size())
      R = std::move(Answer);
    else if (Reference)
      R.Where = joined(If, Answer.Where, R.Where, F, At);
    else
      R.Result = merged(If, Answer.Result, R.Result, At);
  }
  return R;
}

// ---- what cannot be seen ---------------------------------------------------

/// Memory that \p F gets a pointer or reference to may be touched anywhere.
Value BodyWalk::passUnseen(const FunctionDecl *F,
                           const std::vector<const Expr *> &Arguments,
                           const CallExpr *C) {
  std::string Name = F ? F->getNameAsString() : "a function";
  std::string Reason = "passed to '" + Name + "', whose body is not here";
  for (size_t I = 0; I < Arguments.size(); ++I) {
    const Expr *A = Arguments[I];
    QualType T = F && I < F->getNumParams() ? F->getParamDecl(I)->getType()
                                            : A->getType();
    if (T->isReferenceType() && A->isGLValue()) {
      Place P = place(A);
      bool Const = T->getPointeeType().isConstQualified();
      note(P, Const ? AccessKind::Read : AccessKind::Update, A->getType(), A);
      if (!Const)
        forget(P, "set by '" + Name + "'", A);
      continue;
    }
    Value V = A->isGLValue() ? load(place(A), A->getType(), A) : eval(A);
    if (!T->isPointerType())
      continue;
    bool Const = T->getPointeeType().isConstQualified();
    noteLost(V, Const ? AccessKind::Read : AccessKind::Update, Reason, A);
    if (V.Target && !Const)
      forget(*V.Target, "set by '" + Name + "'", A);
  }
  return opaque(C->getType(), "value of '" + Name + "'", C);
}

bool BodyWalk::isTrivialAssignment(const CallExpr *C) const {
  auto *M = dyn_cast_or_null<CXXMethodDecl>(C->getDirectCallee());
  return M && isa<CXXOperatorCallExpr>(C) && C->getNumArgs() == 2 &&
         (M->isCopyAssignmentOperator() || M->isMoveAssignmentOperator()) &&
         (M->isDefaulted() || M->isTrivial());
}

BodyWalk::Returned BodyWalk::call(const CallExpr *C) {
  Returned R;
  const FunctionDecl *F = C->getDirectCallee();
  StringRef Name = F && F->getDeclName().isIdentifier() ? F->getName() : "";
  if (isTrivialAssignment(C)) {
    const Expr *From = C->getArg(1);
    QualType T = C->getArg(0)->getType();
    R.Result = From->isGLValue() ? load(place(From), T, From) : eval(From);
    R.Where = place(C->getArg(0));
    store(R.Where, R.Result, T, C->getArg(0));
    return R;
  }
  if (auto V = groupCall(C)) {
    R.Result = std::move(*V);
    return R;
  }
  if (!isa<CXXMemberCallExpr>(C) && !Name.empty())
    if (auto V = intrinsic(C, Name)) {
      R.Result = std::move(*V);
      R.Where.Is = Place::Temporary;
      R.Where.Held = std::make_shared<Value>(R.Result);
      return R;
    }
  if (isIdentity(Name) && C->getNumArgs() == 1 && C->getArg(0)->isGLValue()) {
    R.Where = place(C->getArg(0));
    if (Name.ends_with("addressof"))
      R.Result = addressOf(R.Where, C);
    return R;
  }
  std::vector<const Expr *> Arguments(C->arg_begin(), C->arg_end());
  std::optional<Place> This;
  if (auto *M = dyn_cast<CXXMemberCallExpr>(C)) {
    const Expr *Object = M->getImplicitObjectArgument();
    This = Object->getType()->isPointerType() ? pointee(eval(Object), Object)
                                              : place(Object);
  } else if (auto *Method = dyn_cast_or_null<CXXMethodDecl>(F);
             Method && isa<CXXOperatorCallExpr>(C) && Method->isInstance()) {
    This = place(Arguments.front());
    Arguments.erase(Arguments.begin());
  }
  // `uint3 t = threadIdx;` converts the record to itself.
  if (This && isa_and_nonnull<CXXConversionDecl>(F) &&
      This->Is == Place::Temporary && This->Held->Fields.count("x") &&
      F->getReturnType()->isRecordType()) {
    R.Result = *This->Held;
    return R;
  }
  const FunctionDecl *Body = nullptr;
  bool Recursive =
      F && llvm::any_of(Frames, [&](const Frame &Outer) {
        return Outer.Function &&
               Outer.Function->getCanonicalDecl() == F->getCanonicalDecl();
      });
  if (F && F->hasBody(Body) && !Recursive && Frames.size() < MaxDepth) {
    // By-copy captures of a lambda hide the variables they were made from.
    std::vector<std::pair<const VarDecl *, Value>> Hidden;
    if (auto *M = dyn_cast<CXXMethodDecl>(F);
        M && M->getParent()->isLambda() && This)
      if (Value *Closure = findValue(*This, false))
        for (const LambdaCapture &Capture : M->getParent()->captures())
          if (Capture.capturesVariable())
            if (auto *V = dyn_cast<VarDecl>(Capture.getCapturedVar()))
              if (auto Held = Closure->Fields.find(V->getNameAsString());
                  Held != Closure->Fields.end()) {
                Hidden.emplace_back(V, Locals[V]);
                Locals[V] = Held->second;
              }
    R = enter(Body, Arguments, This, C);
    for (auto &[V, Old] : Hidden)
      Locals[V] = Old;
    return R;
  }
  if (!F) { // Through a pointer, or of a type that is not known.
    Value Callee = eval(C->getCallee());
    (void)Callee;
  }
  if (This && (This->Is == Place::Memory || This->Is == Place::Lost))
    note(*This, AccessKind::Update, C->getType(), C);
  else if (This)
    forget(*This, "changed by '" + Name + "'", C);
  R.Result = passUnseen(F, Arguments, C);
  R.Where = Place::lost("reference returned by '" + Name.str() + "'", where(C));
  return R;
}
