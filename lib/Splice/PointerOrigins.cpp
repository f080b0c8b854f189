#include "PointerOrigins.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mep;
using namespace clang;
using llvm::dyn_cast;
using llvm::dyn_cast_or_null;
using llvm::isa;
using llvm::StringRef;

/// Of one question; code that takes more is said to be too involved.
constexpr unsigned MostSteps = 20000, MostDepth = 6;

// ---- places ----------------------------------------------------------------

const ValueDecl *PointerCell::last() const {
  return Fields.empty() ? static_cast<const ValueDecl *>(Root) : Fields.back();
}

std::string PointerCell::name() const {
  std::string Name = Root ? Root->getNameAsString() : "";
  for (const FieldDecl *F : Fields)
    Name += (Name.empty() ? "" : ".") + F->getNameAsString();
  return Name + StringRef(Path).split('*').first.str();
}

/// True if \p A begins like \p B, or the other way round where \p Whole is not
/// asked for.
static bool pathsMatch(StringRef A, StringRef B, bool Whole) {
  while (!A.empty() && !B.empty()) {
    if (A.front() != B.front())
      return false;
    if (A.front() == '[') {
      StringRef I = A.take_until([](char C) { return C == ']'; }),
                J = B.take_until([](char C) { return C == ']'; });
      if (I != J && I != "[" && J != "[")
        return false;
      A = A.drop_front(I.size() + 1);
      B = B.drop_front(J.size() + 1);
    } else {
      A = A.drop_front();
      B = B.drop_front();
    }
  }
  return Whole ? A.empty() && B.empty() : A.empty();
}

bool mep::mayBeSame(const PointerCell &A, const PointerCell &B) {
  if (!A.last() || A.last() != B.last() || !pathsMatch(A.Path, B.Path, true))
    return false;
  return !A.Root || !B.Root || (A.Root == B.Root && A.Fields == B.Fields);
}

bool mep::mayBeSame(const PointerOrigin &A, const PointerOrigin &B) {
  if (A.Kind != B.Kind || A.Made != B.Made)
    return false;
  if (A.Made)
    return true;
  if (A.Kind != PointerOrigin::Object)
    return mayBeSame(A.Where, B.Where);
  // An element lies in its array, a member in its object.
  PointerCell X = A.Where, Y = B.Where;
  X.Path = Y.Path = "";
  if (!X.Root || !Y.Root)
    return llvm::is_contained(X.Fields, Y.last()) ||
           llvm::is_contained(Y.Fields, X.last()) || !X.last() || !Y.last();
  size_t Common = std::min(X.Fields.size(), Y.Fields.size());
  return X.Root == Y.Root &&
         std::equal(X.Fields.begin(), X.Fields.begin() + Common,
                    Y.Fields.begin());
}

static QualType withoutArrays(QualType T) {
  T = T.getNonReferenceType().getCanonicalType();
  while (T->isArrayType())
    T = T->castAsArrayTypeUnsafe()->getElementType();
  return T.getUnqualifiedType();
}

/// True if an object of type \p T holds \p D, or is one like it.
static bool recordHolds(QualType T, const ValueDecl *D, unsigned Level = 0) {
  auto *R = withoutArrays(T)->getAsCXXRecordDecl();
  auto *F = dyn_cast<FieldDecl>(D);
  if (!R || Level > 5)
    return false;
  if (withoutArrays(D->getType()) == withoutArrays(T))
    return true;
  if (!F)
    return false;
  if (!R->hasDefinition())
    return true;
  auto *Parent = dyn_cast<CXXRecordDecl>(F->getParent());
  if (Parent && (R->getCanonicalDecl() == Parent->getCanonicalDecl() ||
                 R->isDerivedFrom(Parent)))
    return true;
  for (const FieldDecl *Own : R->fields())
    if (Own->getType()->isRecordType() || Own->getType()->isArrayType())
      if (recordHolds(Own->getType(), D, Level + 1))
        return true;
  return false;
}

/// Pointers until something else; nothing where that is `void`, which stands
/// for any.
static std::optional<unsigned> pointerDepth(QualType T) {
  T = withoutArrays(T);
  unsigned Depth = 0;
  while (T->isPointerType()) {
    ++Depth;
    T = withoutArrays(T->getPointeeType());
  }
  return T->isVoidType() ? std::nullopt : std::optional(Depth);
}

/// What \p C holds: elements of containers have the containers' paths.
QualType mep::typeAt(const PointerCell &C) {
  QualType T = C.last()->getType().getNonReferenceType();
  for (char Step : C.Path) {
    if (Step != '[')
      continue;
    if (QualType Of = ownedType(T); !Of.isNull())
      T = Of;
    else if (T->isArrayType())
      T = T->castAsArrayTypeUnsafe()->getElementType();
  }
  return T;
}

// ---- what hits a place -----------------------------------------------------

BindingRef PointerOrigins::bindingOf(const HostStore &S, const PointerCell &C,
                                     const BindingRef &At) const {
  bool IsOwn = At && At->Function == S.In && C.Root &&
               C.Root->hasLocalStorage() && C.Root->getDeclContext() == S.In &&
               !StringRef(C.Path).contains('*') && !Stores.isRecursive(S.In);
  return IsOwn ? At : nullptr;
}

PointerOrigins::Cells PointerOrigins::storeCells(const HostStore &S,
                                                 const BindingRef &At) {
  Cells Found;
  if (S.Declared) {
    PointerCell C;
    if (auto *F = dyn_cast<FieldDecl>(S.Declared))
      C.Fields = {F};
    else
      C.Root = cast<VarDecl>(S.Declared);
    Found = {C};
  } else {
    Found = S.Through ? pointees(S.Target, "[]", At) : cells(S.Target, At);
  }
  if (Found && S.ToElement)
    for (PointerCell &C : *Found)
      C.Path += "[]";
  return Found;
}

/// \p C is \p Holder or lies in it.
static bool isWithin(const PointerCell &C, const PointerCell &Holder,
                     QualType HolderType) {
  if (C.Root && Holder.Root) {
    if (C.Root != Holder.Root || Holder.Fields.size() > C.Fields.size() ||
        !std::equal(Holder.Fields.begin(), Holder.Fields.end(),
                    C.Fields.begin()))
      return false;
    return Holder.Fields.size() < C.Fields.size() ||
           pathsMatch(Holder.Path, C.Path, false);
  }
  if (C.last() == Holder.last())
    return pathsMatch(Holder.Path, C.Path, false);
  return isa<FieldDecl>(C.last()) && recordHolds(HolderType, C.last()) &&
         (!Holder.Root || !C.Root);
}

bool PointerOrigins::hits(const HostStore &S, const PointerCell &C,
                          const BindingRef &At, bool &Known) {
  Known = true;
  QualType T = S.type();
  bool OfRecord = withoutArrays(T)->isRecordType() && !S.ToElement;
  if (OfRecord && !recordHolds(T, C.last()) &&
      !(C.Root && recordHolds(T, C.Root)))
    return false;
  if (!Open.insert(&S).second) {
    Known = false;
    return true;
  }
  Cells Places = storeCells(S, bindingOf(S, C, At));
  Open.erase(&S);
  // A pointer that is put where a record lies: by a cast, into which member is
  // not seen.
  auto IsCast = [&](const PointerCell &Holder) {
    QualType Own = withoutArrays(typeAt(Holder));
    return !OfRecord && !S.ToElement && Own->isRecordType() && !isOwner(Own) &&
           recordHolds(Own, C.last());
  };
  Known = Places.has_value() && llvm::none_of(*Places, IsCast);
  return !Known || llvm::any_of(*Places, [&](const PointerCell &Holder) {
    return isWithin(C, Holder, T);
  });
}

std::vector<const HostStore *>
PointerOrigins::candidates(const PointerCell &C) const {
  std::vector<const HostStore *> Found = Stores.direct(C.last());
  auto AddNew = [&](const HostStore *S) {
    if (!llvm::is_contained(Found, S))
      Found.push_back(S);
  };
  if (!C.Fields.empty() || !C.Path.empty() ||
      withoutArrays(C.last()->getType())->isRecordType())
    for (const HostStore *S : Stores.records())
      AddNew(S);
  bool IsArray = C.last()->getType()->isArrayType();
  if (!Stores.isReachable(C.last()) && C.Path.empty() && !IsArray)
    return Found;
  auto Own = pointerDepth(typeAt(C));
  // Of what lies behind the place there is no type to go by.
  bool Behind = StringRef(C.Path).contains('*');
  for (const HostStore *S : Stores.indirect()) {
    auto Depth = pointerDepth(S->type());
    if (S->ToElement || Behind || !Own || !Depth || *Own == *Depth)
      AddNew(S);
  }
  return Found;
}

// ---- places of expressions -------------------------------------------------

/// `[3]`, or `[]` where the number is not constant.
static std::string elementPath(const Expr *Index, ASTContext &Context) {
  Expr::EvalResult Value;
  if (Index && !Index->isValueDependent() &&
      Index->EvaluateAsInt(Value, Context))
    return "[" + llvm::toString(Value.Val.getInt(), 10) + "]";
  return "[]";
}

PointerOrigins::Cells PointerOrigins::pointees(const Expr *Pointer,
                                               const std::string &Index,
                                               const BindingRef &At) {
  Pointer = bareExpression(Pointer);
  if (Pointer->getType()->isArrayType()) {
    Cells Found = cells(Pointer, At);
    for (size_t I = 0; Found && I < Found->size(); ++I)
      (*Found)[I].Path += Index;
    return Found;
  }
  if (Depth >= MostDepth)
    return std::nullopt;
  PointerOrigins Inner(Stores, Depth + 1);
  Inner.Open = Open;
  Inner.Steps = Steps;
  OriginSet To = Inner.of(Pointer, At);
  if (!To.Unknown.empty())
    return std::nullopt;
  std::vector<PointerCell> Found;
  for (const PointerOrigin &O : To.All) {
    if (O.Made)
      return std::nullopt;
    PointerCell C = O.Where;
    if (O.Kind != PointerOrigin::Object)
      C.Path += "*[]";
    else if (StringRef(C.Path).ends_with("]") && Index != "[0]")
      C.Path = StringRef(C.Path).rsplit('[').first.str() + "[]";
    Found.push_back(std::move(C));
  }
  return Found;
}

PointerOrigins::Cells PointerOrigins::referenced(const VarDecl *V,
                                                 const BindingRef &At) {
  auto *P = dyn_cast<ParmVarDecl>(V);
  if (!P)
    return V->getInit() ? cells(V->getInit(), At) : std::nullopt;
  auto *F = dyn_cast<FunctionDecl>(P->getDeclContext());
  unsigned Index = P->getFunctionScopeIndex();
  if (At && At->Function == F && At->Call) {
    const Expr *Argument = argumentOf(At->Call, Index);
    return Argument ? cells(Argument, At->Caller) : std::nullopt;
  }
  std::vector<PointerCell> All;
  if (F && Stores.escapes(F))
    return std::nullopt;
  const auto &Callers = F ? Stores.callers(F) : std::vector<HostCallSite>();
  for (const HostCallSite &C : Callers) {
    const Expr *Argument = argumentOf(C.Call, Index);
    if (++*Steps > MostSteps || !Argument)
      return std::nullopt;
    Cells Some = cells(Argument, nullptr);
    if (!Some)
      return std::nullopt;
    llvm::append_range(All, *Some);
  }
  if (Callers.empty())
    All.push_back({P, {}, ""});
  return All;
}

PointerOrigins::Cells PointerOrigins::memberCells(const Expr *E,
                                                  const BindingRef &At) {
  auto *M = cast<MemberExpr>(E);
  if (auto *Static = dyn_cast<VarDecl>(M->getMemberDecl()))
    return std::vector{PointerCell{Static->getCanonicalDecl(), {}, ""}};
  auto *Field = dyn_cast<FieldDecl>(M->getMemberDecl());
  if (!Field || Field->getType()->isReferenceType())
    return std::nullopt;
  Field = Field->getCanonicalDecl();
  const Expr *Base = bareExpression(M->getBase());
  Cells Holders;
  if (isa<CXXThisExpr>(Base)) {
    auto *Call = At ? dyn_cast_or_null<CXXMemberCallExpr>(At->Call) : nullptr;
    const Expr *Object = Call ? Call->getImplicitObjectArgument() : nullptr;
    auto *Method = At ? dyn_cast<CXXMethodDecl>(At->Function) : nullptr;
    if (Object && Method &&
        recordHolds(Object->getType()->isPointerType()
                        ? Object->getType()->getPointeeType()
                        : Object->getType(),
                    Field))
      Holders = Object->getType()->isPointerType()
                    ? pointees(Object, "[0]", At->Caller)
                    : cells(Object, At->Caller);
  } else {
    Holders = M->isArrow() ? pointees(Base, "[0]", At) : cells(Base, At);
  }
  std::vector<PointerCell> Found;
  for (const PointerCell &H : Holders.value_or(std::vector{PointerCell()})) {
    PointerCell C;
    if (H.Root && H.Path.empty()) {
      C = H;
    } else {
      C.Root = nullptr;
    }
    C.Fields.push_back(Field);
    Found.push_back(std::move(C));
  }
  return Found;
}

PointerOrigins::Cells PointerOrigins::cells(const Expr *E,
                                            const BindingRef &At) {
  E = bareExpression(E);
  if (++*Steps > MostSteps)
    return std::nullopt;
  ASTContext &Context = Stores.Unit.context();
  auto Both = [&](const Expr *A, const Expr *B) -> Cells {
    Cells First = cells(A, At), Second = cells(B, At);
    if (!First || !Second)
      return std::nullopt;
    llvm::append_range(*First, *Second);
    return First;
  };
  if (auto *R = dyn_cast<DeclRefExpr>(E)) {
    if (auto *B = dyn_cast<BindingDecl>(R->getDecl()))
      return B->getBinding() ? cells(B->getBinding(), At) : std::nullopt;
    auto *V = dyn_cast<VarDecl>(R->getDecl());
    if (!V)
      return std::nullopt;
    if (V->getType()->isReferenceType())
      return referenced(V, At);
    return std::vector{PointerCell{V->getCanonicalDecl(), {}, ""}};
  }
  if (isa<MemberExpr>(E))
    return memberCells(E, At);
  if (auto *S = dyn_cast<ArraySubscriptExpr>(E))
    return pointees(S->getBase(), elementPath(S->getIdx(), Context), At);
  if (auto *U = dyn_cast<UnaryOperator>(E)) {
    if (U->getOpcode() == UO_Deref)
      return pointees(U->getSubExpr(), "[0]", At);
    if (U->isIncrementDecrementOp() || U->getOpcode() == UO_Extension)
      return cells(U->getSubExpr(), At);
    return std::nullopt;
  }
  if (auto *C = dyn_cast<AbstractConditionalOperator>(E))
    return Both(C->getTrueExpr(), C->getFalseExpr());
  if (auto *B = dyn_cast<BinaryOperator>(E)) {
    if (B->getOpcode() == BO_Comma)
      return cells(B->getRHS(), At);
    return B->isAssignmentOp() ? cells(B->getLHS(), At) : std::nullopt;
  }
  if (auto *O = dyn_cast<CXXOperatorCallExpr>(E);
      O && isOwner(O->getArg(0)->getType())) {
    Cells Found = cells(O->getArg(0), At);
    std::string Index = O->getOperator() == OO_Subscript
                            ? elementPath(O->getArg(1), Context)
                            : "[]";
    for (size_t I = 0; Found && I < Found->size(); ++I)
      (*Found)[I].Path += Index;
    return Found;
  }
  auto *Call = dyn_cast<CallExpr>(E);
  if (!Call)
    return std::nullopt;
  const FunctionDecl *Callee = Call->getDirectCallee();
  const FunctionDecl *Body = Stores.body(Call);
  if (Body && Depth < MostDepth && Callee->getReturnType()->isReferenceType()) {
    auto Inside = std::make_shared<CallBinding>(CallBinding{Body, Call, At});
    Kept.push_back(Inside);
    std::vector<PointerCell> All;
    llvm::SaveAndRestore Deeper(Depth, Depth + 1);
    for (const Expr *Result : Stores.returns(Callee)) {
      Cells Some = cells(Result, Inside);
      if (!Some)
        return std::nullopt;
      llvm::append_range(All, *Some);
    }
    return All;
  }
  if (Callee && Stores.Unit.isSystem(Callee->getLocation()) &&
      passesPointerOn(calledName(Call))) {
    if (auto *Member = dyn_cast<CXXMemberCallExpr>(Call)) {
      const Expr *Object = bareExpression(Member->getImplicitObjectArgument());
      if (!isOwner(Object->getType()))
        return std::nullopt;
      Cells Found = cells(Object, At);
      for (size_t I = 0; Found && I < Found->size(); ++I)
        (*Found)[I].Path += "[]";
      return Found;
    }
    if (Call->getNumArgs() == 1)
      return cells(Call->getArg(0), At);
  }
  return std::nullopt;
}

// ---- values ----------------------------------------------------------------

void PointerOrigins::unknown(const std::string &Why) {
  if (Out.Unknown.empty())
    Out.Unknown = Why;
}

void PointerOrigins::object(PointerCell C) {
  if (Shifted && StringRef(C.Path).ends_with("]"))
    C.Path = StringRef(C.Path).rsplit('[').first.str() + "[]";
  Out.All.insert({PointerOrigin::Object, std::move(C), nullptr});
}

OriginSet PointerOrigins::of(const Expr *E, const BindingRef &At) {
  values(E, At);
  return Out;
}

bool PointerOrigins::isFresh(const Expr *E, const CompoundStmt *Once,
                             unsigned Level) const {
  E = bareExpression(E);
  if (isa<CXXNewExpr>(E))
    return cast<CXXNewExpr>(E)->getNumPlacementArgs() == 0;
  if (auto *Call = dyn_cast<CallExpr>(E)) {
    const FunctionDecl *Callee = Call->getDirectCallee();
    if (!Stores.body(Call))
      return Callee && Stores.Unit.isSystem(Callee->getLocation()) &&
             returnsFreshMemory(calledName(Call));
    const auto &Results = Stores.returns(Callee);
    return !Results.empty() && Level < MostDepth &&
           llvm::all_of(
               Results,
               [&](const Expr *Result) {
                 return isFresh(Result, nullptr, Level + 1);
               });
  }
  auto *R = dyn_cast<DeclRefExpr>(E);
  auto *V = R ? dyn_cast<VarDecl>(R->getDecl()) : nullptr;
  if (!V || isa<ParmVarDecl>(V) || !V->hasLocalStorage() ||
      V->getType()->isReferenceType() ||
      Stores.isReachable(V->getCanonicalDecl()) || Stores.copies(V) != 1 ||
      Level >= MostDepth || (Level == 0 && !(Once && isDeclaredIn(V, Once))))
    return false;
  bool Any = false;
  for (const HostStore *S : Stores.direct(V)) {
    bool IsNull = S->How == HostStore::Value &&
                  S->From->isNullPointerConstant(
                      Stores.Unit.context(), Expr::NPC_ValueDependentIsNotNull);
    bool IsNew =
        S->How == HostStore::Fresh ||
        (S->How == HostStore::Value && isFresh(S->From, nullptr, Level + 1));
    if (!IsNull && !IsNew)
      return false;
    Any |= IsNew;
  }
  return Any;
}

/// The memory of a container, and of those that it may have been exchanged
/// with or moved from.
void PointerOrigins::owners(const PointerCell &C, const BindingRef &At) {
  PointerCell Data = C;
  Data.Path += "[]";
  if (!Out.All.insert({PointerOrigin::Object, Data, nullptr}).second)
    return;
  for (const HostStore *S : Stores.records()) {
    bool Known = true;
    if (S->How == HostStore::Fresh || S->How == HostStore::Unseen ||
        !hits(*S, C, At, Known))
      continue;
    std::vector<const Expr *> From = S->Partners;
    const Expr *Made = S->From ? bareExpression(S->From) : nullptr;
    if (auto *Copy = dyn_cast_or_null<CXXConstructExpr>(Made);
        Copy && Copy->getNumArgs() > 0 &&
        (Copy->getNumArgs() == 1 || isTaker(S->type())))
      Made = bareExpression(Copy->getArg(0));
    auto *Move = dyn_cast_or_null<CallExpr>(Made);
    if (Move && calledName(Move) == "move" && Move->getNumArgs() == 1)
      From.push_back(Move->getArg(0));
    // `unique_ptr<T> u(p)`
    if (Made && isTaker(S->type()) && Made->getType()->isPointerType() &&
        !isFresh(Made, S->Block))
      values(Made, bindingOf(*S, C, At));
    for (const Expr *E : From) {
      Cells Others = cells(E, bindingOf(*S, C, At));
      if (!Others)
        return unknown("'" + C.name() + "' is exchanged with something");
      for (const PointerCell &Other : *Others)
        owners(Other, nullptr);
    }
  }
}

void PointerOrigins::callValues(const CallExpr *Call, const BindingRef &At) {
  std::string Name = calledName(Call);
  const FunctionDecl *Callee = Call->getDirectCallee();
  const FunctionDecl *Body = Stores.body(Call);
  bool PassesOn = Callee && Stores.Unit.isSystem(Callee->getLocation()) &&
                  passesPointerOn(Name);
  if (Body && Depth < MostDepth) {
    auto Inside = std::make_shared<CallBinding>(CallBinding{Body, Call, At});
    Kept.push_back(Inside);
    llvm::SaveAndRestore Deeper(Depth, Depth + 1);
    for (const Expr *Result : Stores.returns(Callee))
      values(Result, Inside);
    if (Stores.returns(Callee).empty())
      unknown("it is not seen what '" + Name + "' returns");
    return;
  }
  const Expr *Object = nullptr;
  if (auto *Member = dyn_cast<CXXMemberCallExpr>(Call))
    Object = bareExpression(Member->getImplicitObjectArgument());
  else if (isa<CXXOperatorCallExpr>(Call) ||
           (PassesOn && Call->getNumArgs() == 1))
    Object = bareExpression(Call->getArg(0));
  if (Object && isOwner(Object->getType())) {
    Cells Containers = cells(Object, At);
    if (!Containers)
      return unknown("it is not seen which container '" + Name + "' is of");
    for (const PointerCell &C : *Containers)
      owners(C, At);
    return;
  }
  // `p + n` and `&p[n]` of a library's pointers.
  auto *Operator = dyn_cast<CXXOperatorCallExpr>(Call);
  bool Moves = Operator && Callee &&
               Stores.Unit.isSystem(Callee->getLocation()) &&
               (Operator->getOperator() == OO_Plus ||
                Operator->getOperator() == OO_Minus ||
                Operator->getOperator() == OO_Amp);
  if (Object && (PassesOn || Moves))
    return values(Object, At);
  unknown("'" + Stores.Unit.text(Call->getSourceRange()).str() +
          "' gives a pointer, and where to is not seen");
}

void PointerOrigins::values(const Expr *E, const BindingRef &At) {
  E = bareExpression(E);
  ASTContext &Context = Stores.Unit.context();
  if (++*Steps > MostSteps)
    return unknown("where it points is too involved to follow");
  if (E->isValueDependent() || isa<ImplicitValueInitExpr>(E) ||
      isa<CXXScalarValueInitExpr>(E) || isa<StringLiteral>(E) ||
      E->isNullPointerConstant(Context, Expr::NPC_ValueDependentIsNotNull)) {
    if (E->isValueDependent())
      unknown("it depends on a template's arguments");
    return;
  }
  if (!E->getType()->isPointerType() && !E->getType()->isArrayType() &&
      !E->getType()->isRecordType() && !isa<InitListExpr>(E))
    return unknown("it is made from a number");
  if (isFresh(E)) {
    Out.All.insert({PointerOrigin::Fresh, {}, E});
    return;
  }
  // `list[i]` of a container of pointers is a place, `list.data()` is none.
  bool IsPlace = E->isGLValue() && E->getType()->isPointerType();
  if (auto *Call = dyn_cast<CallExpr>(E); Call && !IsPlace)
    return callValues(Call, At);
  if (auto *C = dyn_cast<AbstractConditionalOperator>(E)) {
    values(C->getTrueExpr(), At);
    return values(C->getFalseExpr(), At);
  }
  if (auto *B = dyn_cast<BinaryOperator>(E)) {
    if (B->getOpcode() == BO_Comma || B->getOpcode() == BO_Assign)
      return values(B->getRHS(), At);
    llvm::SaveAndRestore Moved(Shifted, true);
    for (const Expr *Side : {B->getLHS(), B->getRHS()})
      if (Side->getType()->isPointerType() || Side->getType()->isArrayType())
        values(Side, At);
    if (!B->getType()->isPointerType())
      unknown("it is made from a number");
    return;
  }
  if (auto *U = dyn_cast<UnaryOperator>(E)) {
    if (U->getOpcode() == UO_AddrOf) {
      const Expr *Sub = bareExpression(U->getSubExpr());
      auto *S = dyn_cast<ArraySubscriptExpr>(Sub);
      auto *D = dyn_cast<UnaryOperator>(Sub);
      const Expr *Pointer = S ? bareExpression(S->getBase())
                            : D && D->getOpcode() == UO_Deref
                                ? bareExpression(D->getSubExpr())
                                : nullptr;
      if (Pointer && !Pointer->getType()->isArrayType()) {
        llvm::SaveAndRestore Moved(Shifted, true);
        return values(Pointer, At);
      }
      Cells Places = cells(Sub, At);
      if (!Places)
        return unknown("it is not seen what '" +
                       Stores.Unit.text(Sub->getSourceRange()).str() + "' is");
      for (PointerCell &C : *Places) {
        // `&v[i]` of a container points into its memory.
        auto *O = dyn_cast<CXXOperatorCallExpr>(Sub);
        if (O && isOwner(O->getArg(0)->getType()) &&
            !Sub->getType()->isPointerType()) {
          C.Path = StringRef(C.Path).rsplit('[').first.str();
          owners(C, At);
        } else {
          object(C);
        }
      }
      return;
    }
    if (U->isIncrementDecrementOp()) {
      llvm::SaveAndRestore Moved(Shifted, true);
      return values(U->getSubExpr(), At);
    }
  }
  if (auto *Made = dyn_cast<CXXConstructExpr>(E);
      Made && Made->getNumArgs() == 1)
    return values(Made->getArg(0), At);
  if (auto *List = dyn_cast<InitListExpr>(E)) {
    for (const Expr *Each : List->inits())
      values(Each, At);
    return;
  }
  if (!E->isLValue() && !E->isXValue())
    return unknown(isa<CXXThisExpr>(E) ? "it is 'this'"
                                       : "it is made from a number");
  Cells Places = cells(E, At);
  if (!Places)
    return unknown("it is not seen what '" +
                   Stores.Unit.text(E->getSourceRange()).str() + "' is");
  for (PointerCell &C : *Places) {
    if (E->getType()->isArrayType()) {
      C.Path += "[0]";
      object(C);
    } else {
      contents(C, At);
    }
  }
}

// ---- contents of places ----------------------------------------------------

void PointerOrigins::part(const Expr *E, const PointerCell &Holder,
                          const PointerCell &C, const BindingRef &At) {
  std::vector<const FieldDecl *> Below;
  if (C.Root && Holder.Root)
    Below.assign(C.Fields.begin() + Holder.Fields.size(), C.Fields.end());
  else if (C.last() != Holder.last())
    Below = {C.Fields.back()};
  std::string Path =
      !Below.empty() || Holder.Path.empty() ? C.Path : std::string();
  E = bareExpression(E);
  if (Below.empty() && Path.empty())
    return values(E, At);
  if (E->getType()->isArithmeticType() || E->getType()->isEnumeralType())
    return; // One of several values of an aggregate; it holds no pointer.
  if (++*Steps > MostSteps)
    return unknown("where it points is too involved to follow");
  if (auto *Cond = dyn_cast<AbstractConditionalOperator>(E)) {
    part(Cond->getTrueExpr(), Holder, C, At);
    return part(Cond->getFalseExpr(), Holder, C, At);
  }
  if (auto *List = dyn_cast<InitListExpr>(E)) {
    unsigned Index = 0;
    bool One = false;
    PointerCell Inner = Holder;
    if (!Below.empty()) {
      One = C.Root && Holder.Root && List->getType()->isRecordType();
      Index = Below.front()->getFieldIndex();
      if (One)
        Inner.Fields.push_back(Below.front());
    } else {
      StringRef Number = StringRef(Path).drop_front().take_until(
          [](char Each) { return Each == ']'; });
      One = !Number.getAsInteger(10, Index);
      Inner.Path = C.Path;
    }
    for (unsigned I = 0; I < List->getNumInits(); ++I)
      if (!One || I == Index)
        One || !Below.empty() ? part(List->getInit(I), Inner, C, At)
                              : values(List->getInit(I), At);
    return;
  }
  if (auto *Made = dyn_cast<CXXConstructExpr>(E)) {
    if (Made->getConstructor()->isCopyOrMoveConstructor() &&
        Made->getNumArgs() == 1)
      return part(Made->getArg(0), Holder, C, At);
    for (const Expr *Argument : Made->arguments()) {
      auto *Listed =
          dyn_cast<CXXStdInitializerListExpr>(bareExpression(Argument));
      if (Listed)
        values(Listed->getSubExpr(), At);
      else if (Stores.Unit.isSystem(Made->getConstructor()->getLocation()) &&
               Argument->getType()->isPointerType())
        values(Argument, At);
    }
    return;
  }
  if (auto *Call = dyn_cast<CallExpr>(E)) {
    const FunctionDecl *Callee = Call->getDirectCallee();
    const FunctionDecl *Body = Stores.body(Call);
    if (Body && Depth < MostDepth) {
      auto Inside = std::make_shared<CallBinding>(CallBinding{Body, Call, At});
      Kept.push_back(Inside);
      llvm::SaveAndRestore Deeper(Depth, Depth + 1);
      for (const Expr *Result : Stores.returns(Callee))
        part(Result, Holder, C, Inside);
      return;
    }
    if (Callee && Stores.Unit.isSystem(Callee->getLocation()) &&
        passesPointerOn(calledName(Call)) && Call->getNumArgs() == 1 &&
        !isa<CXXMemberCallExpr>(Call))
      return part(Call->getArg(0), Holder, C, At);
  }
  Cells Places = E->isLValue() || E->isXValue() ? cells(E, At) : std::nullopt;
  if (isa<CXXScalarValueInitExpr>(E) || isa<ImplicitValueInitExpr>(E))
    return;
  if (!Places)
    return unknown("it is not seen what '" +
                   Stores.Unit.text(E->getSourceRange()).str() + "' holds");
  for (PointerCell &From : *Places) {
    if (Below.empty()) {
      From.Path += Path;
    } else if (From.Root && From.Path.empty()) {
      llvm::append_range(From.Fields, Below);
      From.Path = Path;
    } else {
      From = {nullptr, {Below.back()}, Path};
    }
    contents(From, At);
  }
}

void PointerOrigins::addStore(const HostStore &S, const PointerCell &C,
                              const BindingRef &At) {
  BindingRef There = bindingOf(S, C, At);
  if (S.How == HostStore::Unseen)
    return unknown(S.Why);
  if (S.How == HostStore::Fresh ||
      (S.How == HostStore::Value && isFresh(S.From, S.Block))) {
    Out.All.insert({PointerOrigin::Fresh, C, nullptr});
    return;
  }
  Cells Holders = storeCells(S, There);
  for (const PointerCell &Holder : Holders.value_or(std::vector{C})) {
    if (!isWithin(C, Holder, S.type()))
      continue;
    if (S.How == HostStore::Value)
      part(S.From, Holder, C, There);
    for (const Expr *Partner : S.Partners)
      part(Partner, Holder, C, There);
  }
}

void PointerOrigins::parameter(const ParmVarDecl *P, const PointerCell &C,
                               const BindingRef &At) {
  auto *F = dyn_cast<FunctionDecl>(P->getDeclContext());
  unsigned Index = P->getFunctionScopeIndex();
  PointerCell Holder{P, {}, ""};
  // Of a recursive one's variables it is not seen which call's they are.
  bool ByName = At && At->Function == F && !Stores.isRecursive(F);
  if (ByName && At->Call) {
    if (const Expr *Argument = argumentOf(At->Call, Index))
      return part(Argument, Holder, C, At->Caller);
    return unknown("it is not seen what is passed for '" + C.name() + "'");
  }
  bool Any = false;
  if (F && !ByName && Stores.escapes(F))
    return unknown("'" + C.name() + "' is a parameter of '" +
                   F->getNameAsString() + "', which others may call too");
  if (F && !ByName)
    for (const HostCallSite &Caller : Stores.callers(F))
      if (const Expr *Argument = argumentOf(Caller.Call, Index)) {
        Any = true;
        part(Argument, Holder, C, nullptr);
      }
  if (!Any)
    Out.All.insert({PointerOrigin::Given, C, nullptr});
}

/// The method of \p F's class that may set it and is not seen; null: none.
static const CXXMethodDecl *unseenMethod(const FieldDecl *F,
                                         const HostStores &Stores) {
  auto *R = dyn_cast<CXXRecordDecl>(F->getParent());
  if (!R || Stores.Unit.isSystem(R->getLocation()))
    return nullptr;
  for (const CXXMethodDecl *M : R->methods())
    if (M->isUserProvided() && !M->isConst() && !M->isStatic() &&
        !M->isPureVirtual() && !isa<CXXDestructorDecl>(M) && !M->isDeleted() &&
        !Stores.seen(M) && !M->getTemplateInstantiationPattern() &&
        !M->isDependentContext())
      return M;
  return nullptr;
}

std::string mep::setElsewhere(const PointerCell &C, const HostStores &Stores) {
  auto *Field = dyn_cast<FieldDecl>(C.last());
  if (Field && Field->getParent()->isUnion())
    return "'" + C.name() + "' is a member of a union";
  if (const CXXMethodDecl *M = Field ? unseenMethod(Field, Stores) : nullptr)
    return "'" + C.name() + "' may be set by '" +
           M->getQualifiedNameAsString() + "', which is not seen";
  if (C.Root && C.Root->hasGlobalStorage() &&
      !StringRef(C.Path).contains('*') &&
      llvm::any_of(C.Root->redecls(),
                   [](const VarDecl *D) { return D->hasExternalStorage(); }))
    return "'" + C.name() + "' may be set in other units";
  return "";
}

void PointerOrigins::contents(const PointerCell &C, const BindingRef &At) {
  if (!Seen.insert({C, At.get()}).second)
    return;
  llvm::SaveAndRestore Moved(Shifted, true);
  if (std::string Why = setElsewhere(C, Stores); !Why.empty())
    return unknown(Why);
  auto *Field = dyn_cast<FieldDecl>(C.last());
  bool Behind = StringRef(C.Path).contains('*');
  bool Any = false;
  for (const HostStore *S : candidates(C)) {
    bool Known = true;
    if (!hits(*S, C, At, Known))
      continue;
    Any = true;
    if (Known)
      addStore(*S, C, At);
    else if (S->How == HostStore::Fresh)
      Out.All.insert({PointerOrigin::Fresh, C, nullptr});
    else
      unknown("'" + C.name() +
              "' may be set through a pointer that is not "
              "followed, at " +
              Stores.Unit.span(S->Target->getSourceRange()).str());
  }
  if (Field && Field->hasInClassInitializer() &&
      Field->getInClassInitializer() && C.Path.empty())
    values(Field->getInClassInitializer(), nullptr);
  auto *P = dyn_cast_or_null<ParmVarDecl>(C.Root);
  if (P && !Behind)
    return parameter(P, C, At);
  if (Any)
    return;
  if (C.Root && !Behind)
    unknown("it is not seen what '" + C.name() + "' is set to");
  else
    Out.All.insert({PointerOrigin::Given, C, nullptr});
}
