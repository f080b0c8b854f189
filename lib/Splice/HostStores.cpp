#include "HostStores.h"
#include "SpliceText.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtCXX.h"
#include "clang/AST/StmtOpenMP.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mep;
using namespace clang;
using llvm::dyn_cast;
using llvm::dyn_cast_or_null;
using llvm::isa;
using llvm::StringRef;

// ---- what names mean -------------------------------------------------------

/// Functions that put new memory into what their first argument points to.
static bool putsFreshMemory(StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases({"cudaMalloc", "cudaMallocManaged", "cudaMallocHost",
              "cudaHostAlloc", "cudaMallocPitch", "cudaMallocAsync"},
             true)
      .Cases({"cudaMallocFromPoolAsync", "cuMemAlloc", "cuMemAlloc_v2",
              "cuMemAllocManaged", "cuMemAllocHost", "posix_memalign"},
             true)
      .Cases({"hipMalloc", "hipMallocManaged", "hipMallocHost", "hipHostMalloc",
              "hipMallocPitch", "hipMallocAsync", "hipHostAlloc"},
             true)
      .Default(false);
}

bool mep::returnsFreshMemory(StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases({"malloc", "calloc", "realloc", "aligned_alloc", "_mm_malloc",
              "memalign", "valloc", "strdup"},
             true)
      .Default(false);
}

bool mep::passesPointerOn(StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases({"move", "forward", "raw_pointer_cast", "device_pointer_cast",
              "addressof", "__addressof", "to_address", "launder", "get"},
             true)
      .Cases({"data", "begin", "end", "cbegin", "cend", "c_str", "front", "at"},
             true)
      .Default(false);
}

/// Functions of interfaces that change no pointer of the caller's, whatever
/// their parameters' types allow.
static bool changesNoPointer(StringRef Name) {
  return Name.contains_insensitive("free") ||
         Name.contains_insensitive("destroy") ||
         Name.contains("LaunchKernel") ||
         Name.contains("LaunchCooperativeKernel") ||
         llvm::StringSwitch<bool>(Name)
             .Cases({"memset", "printf", "fprintf", "assert", "move", "forward",
                     "raw_pointer_cast", "addressof"},
                    true)
             .Cases({"__addressof", "cudaMemset", "cudaMemsetAsync",
                     "hipMemset", "hipMemsetAsync", "min", "max"},
                    true)
             .Default(false);
}

/// A class of these names may be the application's own.
static bool isOfALibrary(const Decl *D) {
  const DeclContext *Outermost = nullptr;
  for (auto *C = D->getDeclContext(); !C->isTranslationUnit();
       C = C->getParent())
    Outermost = C;
  auto *N = llvm::dyn_cast_or_null<NamespaceDecl>(Outermost);
  return N && (N->getName() == "std" || N->getName() == "thrust");
}

bool mep::isOwner(QualType T) {
  auto *R = T.getNonReferenceType()->getAsCXXRecordDecl();
  return R && R->getIdentifier() && isOfALibrary(R) &&
         llvm::StringSwitch<bool>(R->getName())
             .Cases({"vector", "device_vector", "host_vector", "array",
                     "universal_vector", "unique_ptr", "basic_string",
                     "valarray"},
                    true)
             .Default(false);
}

bool mep::isTaker(QualType T) {
  return isOwner(T) &&
         T.getNonReferenceType()->getAsCXXRecordDecl()->getName() ==
             "unique_ptr";
}

QualType mep::ownedType(QualType T) {
  auto *R = isOwner(T) ? dyn_cast<ClassTemplateSpecializationDecl>(
                             T.getNonReferenceType()->getAsCXXRecordDecl())
                       : nullptr;
  if (!R || R->getTemplateArgs().size() == 0 ||
      R->getTemplateArgs()[0].getKind() != TemplateArgument::Type)
    return {};
  QualType Of = R->getTemplateArgs()[0].getAsType().getCanonicalType();
  while (Of->isArrayType()) // unique_ptr<T[]>
    Of = Of->castAsArrayTypeUnsafe()->getElementType();
  return Of;
}

const Expr *mep::bareExpression(const Expr *E) {
  for (const Expr *Before = nullptr; E && E != Before;) {
    Before = E;
    E = E->IgnoreParenCasts();
    if (auto *F = dyn_cast<FullExpr>(E))
      E = F->getSubExpr();
    else if (auto *T = dyn_cast<MaterializeTemporaryExpr>(E))
      E = T->getSubExpr();
    else if (auto *B = dyn_cast<CXXBindTemporaryExpr>(E))
      E = B->getSubExpr();
    else if (auto *D = dyn_cast<CXXDefaultArgExpr>(E))
      E = D->getExpr();
    else if (auto *D = dyn_cast<CXXDefaultInitExpr>(E))
      E = D->getExpr();
    else if (auto *S = dyn_cast<SubstNonTypeTemplateParmExpr>(E))
      E = S->getReplacement();
  }
  return E;
}

const Expr *mep::argumentOf(const Expr *Call, unsigned Parameter) {
  if (auto *Made = dyn_cast<CXXConstructExpr>(Call))
    return Parameter < Made->getNumArgs() ? Made->getArg(Parameter) : nullptr;
  auto *C = cast<CallExpr>(Call);
  // The object is an operator's first argument.
  auto *Method = dyn_cast_or_null<CXXMethodDecl>(C->getDirectCallee());
  unsigned I = Parameter +
               (isa<CXXOperatorCallExpr>(C) && Method && !Method->isStatic());
  return I < C->getNumArgs() ? C->getArg(I) : nullptr;
}

bool mep::isDeclaredIn(const VarDecl *V, const CompoundStmt *Block) {
  return V && V->hasLocalStorage() &&
         llvm::any_of(Block->body(), [&](const Stmt *S) {
           auto *D = dyn_cast<DeclStmt>(S);
           return D && llvm::any_of(D->decls(), [&](const Decl *Each) {
                    return Each->getCanonicalDecl() == V;
                  });
         });
}

std::string mep::calledName(const CallExpr *Call) {
  if (auto *F = Call->getDirectCallee())
    return F->getIdentifier() ? F->getName().str() : "";
  if (auto *O = dyn_cast<OverloadExpr>(Call->getCallee()->IgnoreParenCasts()))
    return O->getName().isIdentifier() ? O->getName().getAsString() : "";
  return "";
}

// ---- the walk --------------------------------------------------------------

QualType HostStore::type() const {
  QualType T = Target ? Target->getType() : Declared->getType();
  T = T.getNonReferenceType();
  if (Through && T->isPointerType())
    T = T->getPointeeType();
  else if (Through && T->isArrayType())
    T = T->castAsArrayTypeUnsafe()->getElementType();
  return T.getCanonicalType();
}

static bool isPointer(QualType T) {
  T = T.getNonReferenceType();
  while (T->isArrayType())
    T = T->castAsArrayTypeUnsafe()->getElementType();
  return T->isPointerType() && !T->isFunctionPointerType();
}

static bool mayHold(QualType T) {
  T = T.getNonReferenceType();
  while (T->isArrayType())
    T = T->castAsArrayTypeUnsafe()->getElementType();
  return isPointer(T) || T->isRecordType();
}

/// `x` of `&x`, else null.
static const Expr *addressed(const Expr *E) {
  auto *U = dyn_cast<UnaryOperator>(bareExpression(E));
  return U && U->getOpcode() == UO_AddrOf ? bareExpression(U->getSubExpr())
                                          : nullptr;
}

/// The variable or member that \p E names, of an array's elements too; null if
/// it is reached through a pointer or a reference.
static const ValueDecl *namedBy(const Expr *E) {
  E = bareExpression(E);
  if (auto *R = dyn_cast<DeclRefExpr>(E)) {
    auto *V = dyn_cast<VarDecl>(R->getDecl());
    return V && !V->getType()->isReferenceType()
               ? cast<ValueDecl>(V->getCanonicalDecl())
               : nullptr;
  }
  if (auto *M = dyn_cast<MemberExpr>(E)) {
    if (M->getMemberDecl()->getType()->isReferenceType())
      return nullptr;
    return cast<ValueDecl>(M->getMemberDecl()->getCanonicalDecl());
  }
  if (auto *S = dyn_cast<ArraySubscriptExpr>(E)) {
    const Expr *Base = bareExpression(S->getBase());
    return Base->getType()->isArrayType() ? namedBy(Base) : nullptr;
  }
  if (auto *O = dyn_cast<CXXOperatorCallExpr>(E);
      O && O->getOperator() == OO_Subscript && isOwner(O->getArg(0)->getType()))
    return namedBy(O->getArg(0));
  return nullptr;
}

namespace mep {

class StoreWalk {
public:
  explicit StoreWalk(HostStores &To) : Out(To), Unit(To.Unit) {}

  void function(const FunctionDecl *F);
  void variable(const VarDecl *V);
  /// What runs before main, or where a value is left out.
  void initializer(const Expr *E) {
    Here = {};
    walk(E);
  }

private:
  struct Place {
    const CompoundStmt *Block = nullptr;
    unsigned Position = 0;
  };

  void walk(const Stmt *S);
  void block(const CompoundStmt *B);
  void rotations(const CompoundStmt *B);
  void assign(const Expr *Target, const Expr *From);
  void call(const CallExpr *Call);
  void construct(const CXXConstructExpr *Made);
  void passed(const Expr *Argument, QualType To, const std::string &Name);
  void exchange(std::vector<const Expr *> Partners);
  bool methodOf(const CXXMemberCallExpr *Call, const std::string &Name);
  void countCopies(const Expr *E);
  void number(HostStore S);
  void reach(const Expr *E);
  void statement(const Stmt *S);
  void declared(const VarDecl *V, Place At);
  void lambda(const LambdaExpr *L);
  void region(const OMPExecutableDirective *Region);
  void assembly(const AsmStmt *S);
  void body(const Stmt *Body);
  void copied(const VarDecl *V, bool Changes, StringRef By);
  void ownerMethod(const CXXMemberCallExpr *Call, const Expr *Object,
                   const std::string &Name);
  void unseen(const Expr *Place, bool ToElement, const std::string &Why);
  void handOn(const Expr *E);
  void handOn(const FunctionDecl *Library);
  void escapes(const CXXRecordDecl *R, bool Constructors);
  void launch(const CallExpr *Call);
  void reinterpreted(const ExplicitCastExpr *Cast);
  void localClass(const CXXRecordDecl *R);
  HostStore make(HostStore::What How, const Expr *Target) const;

  HostStores &Out;
  const ParsedUnit &Unit;
  const FunctionDecl *In = nullptr;
  /// Labels let jumps run a statement again without those before it.
  bool HasLabels = false;
  Place Here;
  /// Assignments that are part of a rotation.
  std::map<const Stmt *, std::vector<const Expr *>> Rotated;
  /// `&p` that only an allocating function gets.
  std::set<const Stmt *> Allocating;
  /// `f` of `f(x)`, and `v.begin()` of `for (x : v)`.
  std::set<const Stmt *> Called, Iterating;
};

} // namespace mep

HostStore StoreWalk::make(HostStore::What How, const Expr *Target) const {
  HostStore S;
  S.How = How;
  S.Target = Target;
  S.In = In;
  S.Block = HasLabels ? nullptr : Here.Block;
  S.Position = Here.Position;
  return S;
}

/// A value that leaves the variables that it names.
void StoreWalk::countCopies(const Expr *E) {
  E = bareExpression(E);
  if (auto *R = dyn_cast<DeclRefExpr>(E)) {
    if (auto *V = dyn_cast<VarDecl>(R->getDecl()))
      ++Out.Copies[V->getCanonicalDecl()];
    return;
  }
  for (const Stmt *Child : E->children())
    if (auto *Sub = dyn_cast_or_null<Expr>(Child))
      countCopies(Sub);
}

/// Something keeps a pointer or reference to what \p E is.
void StoreWalk::reach(const Expr *E) {
  E = bareExpression(E);
  if (const ValueDecl *D = namedBy(E))
    Out.AddressTaken.insert(D);
  else if (auto *C = dyn_cast<AbstractConditionalOperator>(E))
    reach(C->getTrueExpr()), reach(C->getFalseExpr());
  else if (auto *B = dyn_cast<BinaryOperator>(E))
    reach(B->getOpcode() == BO_Comma ? B->getRHS() : B->getLHS());
  else if (auto *U = dyn_cast<UnaryOperator>(E);
           U && U->isIncrementDecrementOp())
    reach(U->getSubExpr());
}

void StoreWalk::number(HostStore S) {
  const ValueDecl *D = S.Declared ? S.Declared : namedBy(S.Target);
  if (!D)
    return reach(S.Target);
  if (isa<VarDecl>(D) && D->getType()->isIntegerType())
    Out.Numbers[D].push_back(std::move(S));
}

void StoreWalk::variable(const VarDecl *V) {
  if (V->getInit() && V->getType()->isIntegerType()) {
    HostStore S = make(HostStore::Value, nullptr);
    S.Declared = V->getCanonicalDecl();
    S.From = V->getInit();
    number(std::move(S));
  }
  if (V->getInit() && V->getType()->isReferenceType())
    reach(V->getInit());
  if (auto *Parts = dyn_cast<DecompositionDecl>(V);
      Parts && V->getType()->isReferenceType())
    for (const BindingDecl *Part : Parts->bindings())
      if (Part->getBinding())
        reach(Part->getBinding());
  if (!V->getInit() || !mayHold(V->getType()))
    return;
  if (V->getType()->isReferenceType())
    return;
  HostStore S = make(HostStore::Value, nullptr);
  S.Declared = V->getCanonicalDecl();
  S.From = V->getInit();
  countCopies(S.From);
  Out.add(std::move(S));
}

void StoreWalk::assign(const Expr *Target, const Expr *From) {
  HostStore Number = make(HostStore::Value, Target);
  Number.From = From;
  number(std::move(Number));
  if (!mayHold(Target->getType()))
    return;
  HostStore S = make(HostStore::Value, Target);
  S.From = From;
  countCopies(From);
  Out.add(std::move(S));
}

void StoreWalk::exchange(std::vector<const Expr *> Partners) {
  for (const Expr *E : Partners) {
    HostStore S = make(HostStore::Exchange, E);
    S.Partners = Partners;
    number(S);
    if (mayHold(E->getType()))
      Out.add(std::move(S));
  }
}

// ---- rotations -------------------------------------------------------------

namespace {

/// `a = b;` or `T *a = b;`, both plain places.
struct PlainCopy {
  std::string To, From;
  const Expr *Target = nullptr, *Source = nullptr;
};

bool isPlainPlace(const Expr *E, const ASTContext &Context) {
  E = bareExpression(E);
  if (auto *M = dyn_cast<MemberExpr>(E))
    return isPlainPlace(M->getBase(), Context);
  if (auto *S = dyn_cast<ArraySubscriptExpr>(E))
    return isPlainPlace(S->getBase(), Context) &&
           !S->getIdx()->HasSideEffects(Context);
  if (auto *U = dyn_cast<UnaryOperator>(E))
    return U->getOpcode() == UO_Deref && isPlainPlace(U->getSubExpr(), Context);
  return isa<DeclRefExpr>(E) || isa<CXXThisExpr>(E);
}

/// True if a place of type \p To holds just what \p From does: a pointer, or a
/// number of the same type.
bool keepsValue(QualType To, const Expr *From) {
  QualType Own = bareExpression(From)->getType();
  return isPointer(To) || (To->isIntegerType() &&
                           To.getCanonicalType().getUnqualifiedType() ==
                               Own.getCanonicalType().getUnqualifiedType());
}

PlainCopy plainCopy(const ParsedUnit &Unit, const Stmt *S) {
  PlainCopy Copy;
  auto Text = [&](const Expr *E) {
    return squeezed(Unit.text(E->getSourceRange()));
  };
  if (auto *D = dyn_cast_or_null<DeclStmt>(S)) {
    auto *V =
        D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl()) : nullptr;
    if (V && V->getInit() && !V->getType()->isReferenceType() &&
        keepsValue(V->getType(), V->getInit())) {
      Copy.To = V->getNameAsString();
      Copy.Source = bareExpression(V->getInit());
    }
  } else if (auto *E = dyn_cast_or_null<Expr>(S)) {
    auto *B = dyn_cast<BinaryOperator>(bareExpression(E));
    if (B && B->getOpcode() == BO_Assign &&
        keepsValue(B->getType(), B->getRHS())) {
      Copy.Target = bareExpression(B->getLHS());
      Copy.To = Text(Copy.Target);
      Copy.Source = bareExpression(B->getRHS());
    }
  }
  if (!Copy.Source || !isPlainPlace(Copy.Source, Unit.context()) ||
      (Copy.Target && !isPlainPlace(Copy.Target, Unit.context())))
    return {};
  Copy.From = Text(Copy.Source);
  return Copy;
}

} // namespace

/// `t = a; a = b; b = t;` and longer ones: each place gets another's pointer.
void StoreWalk::rotations(const CompoundStmt *B) {
  std::vector<const Stmt *> Children(B->body_begin(), B->body_end());
  std::vector<PlainCopy> Copies;
  for (const Stmt *S : Children)
    Copies.push_back(plainCopy(Unit, S));
  for (size_t I = 0; I < Copies.size(); ++I) {
    size_t J = I + 1;
    while (J < Copies.size() && Copies[J].Target && !Copies[I].To.empty() &&
           Copies[J].To == Copies[J - 1].From && Copies[J].From != Copies[I].To)
      ++J;
    if (J < I + 2 || J >= Copies.size() || !Copies[J].Target ||
        Copies[J].From != Copies[I].To || Copies[J].To != Copies[J - 1].From)
      continue;
    std::vector<const Expr *> Partners;
    for (size_t K = I + 1; K <= J; ++K)
      Partners.push_back(Copies[K].Target);
    // A place that is reached through one of the others is another one after
    // the first assignment.
    bool Nested = llvm::any_of(Partners, [&](const Expr *E) {
      return llvm::any_of(Partners, [&](const Expr *Other) {
        return E != Other && isa<DeclRefExpr>(Other) &&
               mentions(Unit.text(E->getSourceRange()),
                        Unit.text(Other->getSourceRange()));
      });
    });
    for (size_t K = I + 1; K <= J && !Nested; ++K)
      Rotated[bareExpression(cast<Expr>(Children[K]))] = Partners;
    I = Nested ? I : J;
  }
}

void StoreWalk::block(const CompoundStmt *B) {
  rotations(B);
  unsigned Position = 0;
  for (const Stmt *S : B->body()) {
    Here = {B, Position++};
    walk(S);
  }
  Here = {};
}

// ---- calls -----------------------------------------------------------------

/// \p Argument goes to a parameter of type \p To of what is not seen.
void StoreWalk::passed(const Expr *Argument, QualType To,
                       const std::string &Name) {
  const Expr *Place = addressed(Argument);
  bool ByReference = To->isReferenceType();
  QualType T = ByReference ? To->getPointeeType() : QualType();
  if (!ByReference) {
    const Expr *Bare = bareExpression(Argument);
    if (!isPointer(Bare->getType()) || !To->isPointerType() ||
        To->getPointeeType().isConstQualified())
      return;
    T = Place ? Place->getType() : Bare->getType();
    if (!Place)
      T = T->isArrayType() ? T->castAsArrayTypeUnsafe()->getElementType()
                           : T->getPointeeType();
  } else if (T.isConstQualified()) {
    return;
  } else {
    Place = bareExpression(Argument);
  }
  if (!mayHold(T) || (isOwner(T) && !ByReference))
    return;
  HostStore S = make(HostStore::Unseen, Place ? Place : Argument);
  S.Through = !Place;
  S.Why = "'" + Unit.text(Argument->getSourceRange()).str() +
          "' is handed to '" + (Name.empty() ? "a function" : Name) +
          "', which is not seen, at " +
          Unit.span(Argument->getSourceRange()).str();
  Out.add(std::move(S));
}

void StoreWalk::unseen(const Expr *Place, bool ToElement,
                       const std::string &Why) {
  HostStore S = make(HostStore::Unseen, Place);
  S.ToElement = ToElement;
  S.Why = Why;
  Out.add(std::move(S));
}

/// Methods that change which pointers an owner holds, or let others do so.
void StoreWalk::ownerMethod(const CXXMemberCallExpr *Call, const Expr *Object,
                            const std::string &Name) {
  QualType Of = ownedType(Object->getType());
  bool OfPointers = Of.isNull() || mayHold(Of);
  if (isTaker(Object->getType()) && Name == "reset" &&
      Call->getNumArgs() == 1 && !OfPointers)
    return assign(Object, Call->getArg(0));
  if (!OfPointers || Iterating.count(Call))
    return;
  bool Puts = Name == "push_back" || Name == "emplace_back";
  if (Puts && Call->getNumArgs() == 1) {
    HostStore S = make(HostStore::Value, Object);
    S.ToElement = true;
    S.From = Call->getArg(0);
    countCopies(S.From);
    return Out.add(std::move(S));
  }
  bool Harmless =
      llvm::StringSwitch<bool>(Name)
          .Cases({"data", "at", "front", "back", "get", "release"}, true)
          .Cases({"reserve", "clear", "pop_back", "shrink_to_fit"}, true)
          .Case("resize", Call->getNumArgs() == 1)
          .Default(false);
  if (!Harmless && !(Puts && Of->isRecordType() && !isOwner(Of)))
    unseen(Object, /*ToElement=*/true,
           "'" + Unit.text(Object->getSourceRange()).str() +
               "' gets pointers by '" + Name + "' at " +
               Unit.span(Call->getSourceRange()).str());
}

/// What methods of containers and records that are not seen do to the object.
/// True if that is all that the call does.
bool StoreWalk::methodOf(const CXXMemberCallExpr *Call,
                         const std::string &Name) {
  const Expr *Object = bareExpression(Call->getImplicitObjectArgument());
  auto *Method = Call->getMethodDecl();
  if (!Object || !Method)
    return false;
  if (Name == "swap" && Call->getNumArgs() == 1 &&
      Unit.isSystem(Method->getLocation())) {
    exchange({Object, bareExpression(Call->getArg(0))});
    return true;
  }
  if (Unit.isSystem(Method->getLocation())) {
    if (isOwner(Object->getType()) && !Method->isConst())
      ownerMethod(Call, Object, Name);
    return false;
  }
  if (Method->isConst() || Method->isStatic() || Out.seen(Method))
    return false;
  HostStore S = make(HostStore::Unseen, Object);
  S.Through = Object->getType()->isPointerType();
  S.Why = "'" + Method->getQualifiedNameAsString() +
          "' is called on it and not seen, at " +
          Unit.span(Call->getSourceRange()).str();
  Out.add(std::move(S));
  return false;
}

/// Whoever gets an object may call it.
void StoreWalk::handOn(const Expr *E) {
  QualType T = bareExpression(E)->getType();
  if (!T.isNull() && T->isPointerType())
    T = T->getPointeeType();
  if (auto *R =
          T.isNull() ? nullptr : T.getNonReferenceType()->getAsCXXRecordDecl())
    escapes(R, /*Constructors=*/false);
}

/// `std::make_unique<C>(a, b)` constructs a C.
void StoreWalk::handOn(const FunctionDecl *Library) {
  auto Each = [&](const TemplateArgumentList *Arguments) {
    for (unsigned I = 0; Arguments && I < Arguments->size(); ++I)
      if ((*Arguments)[I].getKind() == TemplateArgument::Type)
        if (auto *R = (*Arguments)[I].getAsType()->getAsCXXRecordDecl())
          escapes(R, /*Constructors=*/true);
  };
  Each(Library->getTemplateSpecializationArgs());
  if (auto *R =
          dyn_cast<ClassTemplateSpecializationDecl>(Library->getDeclContext()))
    Each(&R->getTemplateArgs());
}

void StoreWalk::escapes(const CXXRecordDecl *R, bool Constructors) {
  R = R->getDefinition();
  if (!R || Unit.isSystem(R->getLocation()))
    return;
  auto Add = [&](const FunctionDecl *F) {
    Out.Escaping.insert(F->getCanonicalDecl());
  };
  for (const Decl *D : R->decls()) {
    auto *Template = dyn_cast<FunctionTemplateDecl>(D);
    auto *M =
        dyn_cast<CXXMethodDecl>(Template ? Template->getTemplatedDecl() : D);
    auto *C = llvm::dyn_cast_or_null<CXXConstructorDecl>(M);
    bool IsCalled = M && M->getOverloadedOperator() == OO_Call;
    if (!IsCalled && !(C && Constructors && !C->isCopyOrMoveConstructor()))
      continue;
    Add(M);
    if (Template)
      for (const FunctionDecl *F : Template->specializations())
        Add(F);
  }
}

void StoreWalk::call(const CallExpr *Call) {
  std::string Name = calledName(Call);
  const FunctionDecl *Callee = Call->getDirectCallee();
  auto *Operator = dyn_cast<CXXOperatorCallExpr>(Call);
  if (Callee)
    Out.Callers[Callee->getCanonicalDecl()].push_back({Call, In});
  if (Operator && Operator->getOperator() == OO_Equal &&
      !(Callee && Out.seen(Callee) && Callee->isUserProvided()))
    return assign(Call->getArg(0), Call->getArg(1));
  if (auto *Member = dyn_cast<CXXMemberCallExpr>(Call);
      Member && methodOf(Member, Name))
    return;
  bool Seen = Callee && Out.seen(Callee);
  if (!Seen && !isa<CUDAKernelCallExpr>(Call))
    for (const Expr *E : Call->arguments())
      handOn(E);
  if (!Seen && Callee)
    handOn(Callee);
  bool IsKnown = putsFreshMemory(Name) || changesNoPointer(Name);
  if (Seen || (!IsKnown && !(Callee && Unit.isSystem(Callee->getLocation()))))
    for (const Expr *E : Call->arguments())
      countCopies(E);
  if (Seen) {
    for (unsigned I = 0; I < Callee->getNumParams(); ++I)
      if (Callee->getParamDecl(I)->getType()->isReferenceType())
        if (const Expr *Argument = argumentOf(Call, I))
          reach(Argument);
    return;
  }
  if (putsFreshMemory(Name) && Call->getNumArgs() > 0) {
    const Expr *Place = addressed(Call->getArg(0));
    HostStore S = make(HostStore::Fresh, Place ? Place : Call->getArg(0));
    S.Through = !Place;
    if (Place)
      Allocating.insert(bareExpression(Call->getArg(0)));
    return Out.add(std::move(S));
  }
  if (Name == "swap" && Call->getNumArgs() == 2 && !Operator &&
      (!Callee || Unit.isSystem(Callee->getLocation())))
    return exchange(
        {bareExpression(Call->getArg(0)), bareExpression(Call->getArg(1))});
  // Another name of the same memory.
  if ((StringRef(Name).ends_with("GetSymbolAddress") ||
       StringRef(Name).ends_with("HostGetDevicePointer")) &&
      Call->getNumArgs() > 1) {
    const Expr *Place = addressed(Call->getArg(0));
    HostStore S = make(HostStore::Value, Place ? Place : Call->getArg(0));
    S.Through = !Place;
    S.From = Call->getArg(1);
    countCopies(S.From);
    return Out.add(std::move(S));
  }
  for (unsigned I = 0; Callee && I < Callee->getNumParams(); ++I) {
    QualType To = Callee->getParamDecl(I)->getType();
    const Expr *Argument = argumentOf(Call, I);
    if (Argument && To->isReferenceType() &&
        !To->getPointeeType().isConstQualified())
      reach(Argument);
  }
  if (changesNoPointer(Name) || Operator || isa<CUDAKernelCallExpr>(Call))
    return;
  for (unsigned I = 0; I < Call->getNumArgs(); ++I) {
    QualType To = Callee && I < Callee->getNumParams()
                      ? Callee->getParamDecl(I)->getType()
                      : Call->getArg(I)->getType();
    if (!Callee && Call->getArg(I)->isLValue())
      reach(Call->getArg(I));
    // What an unresolved call takes by reference cannot be known.
    if (!Callee && Call->getArg(I)->isLValue() &&
        isPointer(Call->getArg(I)->getType()))
      To = Unit.context().getLValueReferenceType(Call->getArg(I)->getType());
    passed(Call->getArg(I), To, Name);
  }
}

/// True if \p E is an array, container of or pointer to pointers.
static bool viewsPointers(const Expr *E) {
  QualType T = bareExpression(E)->getType();
  QualType Of = ownedType(T);
  if (Of.isNull() && T->isArrayType())
    Of = T->castAsArrayTypeUnsafe()->getElementType();
  else if (Of.isNull() && T->isPointerType())
    Of = T->getPointeeType();
  return !Of.isNull() && isPointer(Of);
}

void StoreWalk::construct(const CXXConstructExpr *Made) {
  const CXXConstructorDecl *C = Made->getConstructor();
  Out.Callers[C->getCanonicalDecl()].push_back({Made, In});
  bool Seen = Out.seen(C) != nullptr;
  if (!Seen && !C->isCopyOrMoveConstructor()) {
    for (const Expr *E : Made->arguments())
      handOn(E);
    handOn(C);
  }
  if (!Unit.isSystem(C->getLocation()) && !C->isCopyOrMoveConstructor())
    for (const Expr *E : Made->arguments())
      countCopies(E);
  for (unsigned I = 0; I < C->getNumParams() && I < Made->getNumArgs(); ++I) {
    QualType To = C->getParamDecl(I)->getType();
    if (C->isCopyOrMoveConstructor())
      continue;
    if (To->isReferenceType())
      reach(Made->getArg(I));
    // A library's own objects only look at pointers to pointers if they are
    // views of them; an owner copies.
    bool IsView = Unit.isSystem(C->getLocation()) &&
                  !isOwner(Made->getType()) && viewsPointers(Made->getArg(I));
    if (!Seen && (IsView || !Unit.isSystem(C->getLocation())))
      passed(Made->getArg(I), To, C->getQualifiedNameAsString());
  }
}

// ---- statements ------------------------------------------------------------

static bool hasLabels(const Stmt *S) {
  return isa_and_nonnull<LabelStmt>(S) ||
         (S && llvm::any_of(S->children(), hasLabels));
}

void StoreWalk::body(const Stmt *Body) {
  llvm::SaveAndRestore Inner(HasLabels, hasLabels(Body));
  Here = {};
  walk(Body);
}

void StoreWalk::declared(const VarDecl *V, Place At) {
  // Its first value is put into a static one only once.
  Here = V->isStaticLocal() ? Place() : At;
  variable(V);
}

void StoreWalk::lambda(const LambdaExpr *L) {
  bool Changes = !L->getCallOperator()->isConst();
  for (const LambdaCapture &C : L->captures()) {
    auto *V =
        C.capturesVariable() ? dyn_cast<VarDecl>(C.getCapturedVar()) : nullptr;
    if (!V)
      continue;
    if (L->isInitCapture(&C))
      variable(V);
    else if (C.getCaptureKind() == LCK_ByCopy)
      copied(V, Changes, "a lambda that may change it");
  }
  if (auto *Generic = L->getDependentCallOperator()) {
    for (const FunctionDecl *F : Generic->specializations())
      if (F->hasBody())
        function(F);
    return;
  }
  // Taken as a plain function: by a conversion that no one else makes.
  for (const Decl *D : L->getLambdaClass()->decls())
    if (auto *C = dyn_cast<CXXConversionDecl>(D); C && C->isUsed())
      Out.Escaping.insert(L->getCallOperator()->getCanonicalDecl());
  function(L->getCallOperator());
}

/// Others run with a copy of \p V; what they put into it is not in \p V.
void StoreWalk::copied(const VarDecl *V, bool Changes, StringRef By) {
  Out.Copied.insert(V->getCanonicalDecl());
  if (!Changes || !mayHold(V->getType()))
    return;
  HostStore S = make(HostStore::Unseen, nullptr);
  S.Declared = V->getCanonicalDecl();
  S.Why = "'" + V->getNameAsString() + "' is copied into " + By.str();
  Out.add(std::move(S));
}

/// Threads of a parallel region have copies of what its clauses name.
void StoreWalk::region(const OMPExecutableDirective *Region) {
  for (const OMPClause *Clause : Region->clauses())
    for (const Stmt *Child : const_cast<OMPClause *>(Clause)->children())
      if (auto *R = dyn_cast_or_null<DeclRefExpr>(Child);
          R && Clause->getClauseKind() != llvm::omp::OMPC_shared)
        if (auto *V = dyn_cast<VarDecl>(R->getDecl()))
          copied(V, /*Changes=*/true, "a parallel region");
}

void StoreWalk::assembly(const AsmStmt *S) {
  auto *Code = dyn_cast<GCCAsmStmt>(S);
  for (unsigned I = 0; Code && I < Code->getNumOutputs(); ++I) {
    const Expr *E = Code->getOutputExpr(I);
    reach(E);
    passed(E, Unit.context().getLValueReferenceType(E->getType()), "asm");
  }
}

/// `(float **)&record` leads to its members without naming them.
void StoreWalk::reinterpreted(const ExplicitCastExpr *Cast) {
  QualType From = bareExpression(Cast)->getType(), To = Cast->getType();
  if (From.isNull() || !From->isPointerType() || !To->isPointerType() ||
      To->getPointeeType()->isRecordType())
    return;
  std::vector<const RecordDecl *> Open{
      From->getPointeeType()->getAsRecordDecl()};
  while (!Open.empty()) {
    const RecordDecl *R = Open.back();
    Open.pop_back();
    if (!R)
      continue;
    for (const FieldDecl *F : R->fields()) {
      Out.AddressTaken.insert(F->getCanonicalDecl());
      Open.push_back(F->getType()->getAsRecordDecl());
    }
  }
}

void StoreWalk::walk(const Stmt *S) {
  if (!S)
    return;
  if (auto *B = dyn_cast<CompoundStmt>(S))
    return block(B);
  if (auto *L = dyn_cast<LambdaExpr>(S)) {
    Here = {};
    return lambda(L);
  }
  if (isa<FullExpr, ParenExpr, CastExpr>(S)) {
    if (auto *Cast = dyn_cast<ExplicitCastExpr>(S))
      reinterpreted(Cast);
    for (const Stmt *Child : S->children())
      walk(Child);
    return;
  }
  statement(S);
  for (const Stmt *Child : S->children()) {
    Here = {};
    walk(Child);
  }
  Here = {};
}

void StoreWalk::launch(const CallExpr *Call) {
  Called.insert(Call->getCallee()->IgnoreParenImpCasts());
  if (!isa<CUDAKernelCallExpr>(Call) &&
      !StringRef(calledName(Call)).contains("Launch"))
    return;
  SourceSpan At = Unit.span(Call->getSourceRange());
  Out.Launches[{At.File, At.Begin}].push_back({Call, In});
}

void StoreWalk::localClass(const CXXRecordDecl *R) {
  llvm::SaveAndRestore Around(Here);
  for (const CXXMethodDecl *M : R->methods())
    if (M->isThisDeclarationADefinition() && M->hasBody() &&
        !M->isDependentContext())
      function(M);
}

/// What \p S itself does; its parts follow.
void StoreWalk::statement(const Stmt *S) {
  Place Mine = Here;
  auto *Binary = dyn_cast<BinaryOperator>(S);
  bool IsAssignment = Binary && Binary->getOpcode() == BO_Assign;
  if (!IsAssignment && !isa<DeclStmt, CallExpr, CompoundAssignOperator>(S))
    Here = {};
  if (auto *D = dyn_cast<DeclStmt>(S)) {
    for (const Decl *Each : D->decls())
      if (auto *V = dyn_cast<VarDecl>(Each))
        declared(V, Mine);
      else if (auto *R = dyn_cast<CXXRecordDecl>(Each))
        localClass(R);
  } else if (IsAssignment) {
    if (auto It = Rotated.find(S); It != Rotated.end()) {
      HostStore Part =
          make(HostStore::Exchange, bareExpression(Binary->getLHS()));
      Part.Partners = It->second;
      number(Part);
      if (mayHold(Part.Target->getType()))
        Out.add(std::move(Part));
    } else {
      assign(Binary->getLHS(), Binary->getRHS());
    }
  } else if (auto *Call = dyn_cast<CallExpr>(S)) {
    launch(Call);
    call(Call);
  } else if (auto *Made = dyn_cast<CXXConstructExpr>(S)) {
    construct(Made);
  } else if (auto *Broken = dyn_cast<RecoveryExpr>(S)) {
    for (const Expr *E : Broken->subExpressions()) {
      if (E->getType().isNull())
        continue;
      reach(E);
      if (E->isLValue() && mayHold(E->getType()))
        passed(E, Unit.context().getLValueReferenceType(E->getType()),
               "code that has errors");
      else if (isPointer(E->getType()))
        passed(E, E->getType(), "code that has errors");
    }
  } else if (auto *R = dyn_cast<ReturnStmt>(S)) {
    if (R->getRetValue() && In) {
      Out.Returns[In->getCanonicalDecl()].push_back(R->getRetValue());
      countCopies(R->getRetValue());
      if (In->getReturnType()->isReferenceType())
        reach(R->getRetValue());
    }
  } else if (auto *Changed = dyn_cast<CompoundAssignOperator>(S)) {
    HostStore Number = make(HostStore::Value, Changed->getLHS());
    Number.From = Changed;
    number(std::move(Number));
  } else if (auto *U = dyn_cast<UnaryOperator>(S)) {
    if (U->isIncrementDecrementOp())
      number(make(HostStore::Unseen, U->getSubExpr()));
    if (U->getOpcode() == UO_AddrOf && !Allocating.count(S))
      reach(U->getSubExpr());
  } else if (isa<InitListExpr, CXXParenListInitExpr>(S)) {
    // A member that is a reference.
    for (const Stmt *Child : S->children())
      if (auto *E = dyn_cast_or_null<Expr>(Child); E && E->isGLValue())
        reach(E);
  } else if (auto *R = dyn_cast<DeclRefExpr>(S)) {
    auto *F = dyn_cast<FunctionDecl>(R->getDecl());
    if (F && !Called.count(R))
      Out.Escaping.insert(F->getCanonicalDecl());
  } else if (auto *Loop = dyn_cast<CXXForRangeStmt>(S)) {
    for (const DeclStmt *D : {Loop->getBeginStmt(), Loop->getEndStmt()})
      if (auto *V = D ? dyn_cast<VarDecl>(D->getSingleDecl()) : nullptr)
        Iterating.insert(bareExpression(V->getInit()));
  } else if (auto *Region = dyn_cast<OMPExecutableDirective>(S)) {
    region(Region);
  } else if (auto *Code = dyn_cast<AsmStmt>(S)) {
    assembly(Code);
  }
}

void StoreWalk::function(const FunctionDecl *F) {
  llvm::SaveAndRestore Inner(In, F);
  Here = {};
  if (auto *M = dyn_cast<CXXMethodDecl>(F); M && M->isVirtual())
    Out.Virtual.insert(M);
  if (auto *C = dyn_cast<CXXConstructorDecl>(F))
    for (const CXXCtorInitializer *I : C->inits()) {
      if (I->isAnyMemberInitializer() && I->getInit() &&
          mayHold(I->getAnyMember()->getType())) {
        HostStore S = make(HostStore::Value, nullptr);
        S.Declared = cast<ValueDecl>(I->getAnyMember()->getCanonicalDecl());
        S.From = I->getInit();
        countCopies(S.From);
        // Members are put in one run, before the body.
        if (auto *Body = dyn_cast_or_null<CompoundStmt>(F->getBody()))
          S.Block = Body;
        Out.add(std::move(S));
      }
      Here = {};
      if (I->getInit()->isGLValue())
        reach(I->getInit());
      walk(I->getInit());
    }
  body(F->getBody());
}

// ---- what was read ---------------------------------------------------------

// ---- calls that change nothing --------------------------------------------

/// True if \p S, code of \p In, changes nothing but variables of \p In itself.
static bool isQuiet(const Stmt *S, const FunctionDecl *In,
                    const HostStores &Stores, unsigned Level) {
  auto IsOwn = [&](const Expr *E) {
    auto *R = dyn_cast<DeclRefExpr>(bareExpression(E));
    auto *V = R ? dyn_cast<VarDecl>(R->getDecl()) : nullptr;
    return V && In && V->getDeclContext() == In && V->hasLocalStorage() &&
           !V->getType()->isReferenceType();
  };
  if (!S)
    return true;
  auto *B = dyn_cast<BinaryOperator>(S);
  auto *U = dyn_cast<UnaryOperator>(S);
  if ((B && B->isAssignmentOp() && !IsOwn(B->getLHS())) ||
      (U && U->isIncrementDecrementOp() && !IsOwn(U->getSubExpr())) ||
      isa<CXXDeleteExpr, AsmStmt, RecoveryExpr, AtomicExpr>(S))
    return false;
  const FunctionDecl *Callee = nullptr;
  auto *Call = dyn_cast<CallExpr>(S);
  if (Call && !isa<CUDAKernelCallExpr>(Call))
    Callee = Call->getDirectCallee();
  else if (auto *Made = dyn_cast<CXXConstructExpr>(S))
    Callee = Made->getConstructor();
  if (Call && !Callee && !isa<CUDAKernelCallExpr>(Call))
    return false;
  if (Callee && Callee->isUserProvided() &&
      !Stores.Unit.isSystem(Callee->getLocation())) {
    const FunctionDecl *Body = Call ? Stores.body(Call) : Stores.seen(Callee);
    if (!Body || Level > 4 ||
        !isQuiet(Body->getBody(), Body, Stores, Level + 1))
      return false;
  } else if (Call && Callee) {
    auto *Method = dyn_cast<CXXMethodDecl>(Callee);
    if (Method && !Method->isConst() && !Method->isStatic() &&
        !passesPointerOn(calledName(Call)) &&
        Callee->getOverloadedOperator() != OO_Subscript)
      return false;
    for (const ParmVarDecl *P : Callee->parameters())
      if (P->getType()->isLValueReferenceType() &&
          !P->getType()->getPointeeType().isConstQualified())
        return false;
  }
  return llvm::all_of(S->children(), [&](const Stmt *Child) {
    return isQuiet(Child, In, Stores, Level);
  });
}

bool HostStores::isQuiet(const Expr *Call) const {
  return llvm::all_of(Call->children(), [&](const Stmt *Child) {
    return ::isQuiet(Child, nullptr, *this, 0);
  });
}

namespace {

/// Every function of the application that has a body and is compiled.
class Functions : public RecursiveASTVisitor<Functions> {
public:
  Functions(const ParsedUnit &Unit, StoreWalk &Walk) : Walk(Walk) {
    for (Decl *D : Unit.context().getTranslationUnitDecl()->decls())
      if (!Unit.isSystem(D->getLocation()))
        TraverseDecl(D);
  }
  bool shouldVisitTemplateInstantiations() const { return true; }
  /// Bodies are the walk's.
  bool TraverseStmt(Stmt *) { return true; }
  bool VisitFunctionDecl(FunctionDecl *F) {
    bool ForDevice =
        F->hasAttr<CUDAGlobalAttr>() ||
        (F->hasAttr<CUDADeviceAttr>() && !F->hasAttr<CUDAHostAttr>());
    if (F->isThisDeclarationADefinition() && F->hasBody() && !ForDevice &&
        !F->isDependentContext())
      Walk.function(F);
    return true;
  }
  bool VisitVarDecl(VarDecl *V) {
    if (V->hasGlobalStorage() && !V->isStaticLocal() &&
        !V->getDeclContext()->isDependentContext()) {
      Walk.variable(V);
      Walk.initializer(V->getInit());
    }
    auto *P = dyn_cast<ParmVarDecl>(V);
    if (P && P->hasDefaultArg() && !P->hasUninstantiatedDefaultArg() &&
        !P->hasUnparsedDefaultArg() &&
        !P->getDeclContext()->isDependentContext())
      Walk.initializer(P->getDefaultArg());
    return true;
  }
  bool VisitFieldDecl(FieldDecl *F) {
    if (F->hasInClassInitializer() && !F->getParent()->isDependentContext())
      Walk.initializer(F->getInClassInitializer());
    return true;
  }

private:
  StoreWalk &Walk;
};

} // namespace

HostStores::HostStores(const ParsedUnit &Unit) : Unit(Unit) {
  StoreWalk Walk(*this);
  Functions(Unit, Walk);
  for (const CXXMethodDecl *M : Virtual)
    addVirtualCallers(M);
}

/// Who calls what \p M overrides may call \p M.
void HostStores::addVirtualCallers(const CXXMethodDecl *M) {
  std::vector<const CXXMethodDecl *> Open{M};
  while (!Open.empty()) {
    const CXXMethodDecl *Each = Open.back();
    Open.pop_back();
    for (const CXXMethodDecl *Base : Each->overridden_methods()) {
      Open.push_back(Base);
      // That of one with a body gets its own here too, so take only calls of
      // just this one.
      for (const HostCallSite &C : callers(Base))
        if (auto *Call = dyn_cast<CallExpr>(C.Call);
            Call && Call->getDirectCallee() &&
            Call->getDirectCallee()->getCanonicalDecl() ==
                Base->getCanonicalDecl())
          Callers[M->getCanonicalDecl()].push_back(C);
      if (Escaping.count(Base->getCanonicalDecl()))
        Escaping.insert(M->getCanonicalDecl());
    }
  }
}

bool HostStores::escapes(const FunctionDecl *F) const {
  return Escaping.count(F->getCanonicalDecl()) != 0;
}

bool HostStores::isRecursive(const FunctionDecl *F) const {
  std::set<const FunctionDecl *> Met;
  std::vector<const FunctionDecl *> Open{F->getCanonicalDecl()};
  while (!Open.empty()) {
    const FunctionDecl *Each = Open.back();
    Open.pop_back();
    for (const HostCallSite &C : callers(Each)) {
      if (!C.In)
        continue;
      if (C.In->getCanonicalDecl() == F->getCanonicalDecl())
        return true;
      if (Met.insert(C.In->getCanonicalDecl()).second)
        Open.push_back(C.In->getCanonicalDecl());
    }
  }
  return false;
}

const FunctionDecl *HostStores::body(const CallExpr *Call) const {
  auto *Member = dyn_cast<MemberExpr>(Call->getCallee()->IgnoreParenImpCasts());
  auto *M = dyn_cast_or_null<CXXMethodDecl>(Call->getDirectCallee());
  // Which one a virtual call runs is known only later.
  if (M && M->isVirtual() && !M->hasAttr<FinalAttr>() &&
      !M->getParent()->hasAttr<FinalAttr>() &&
      !(Member && Member->hasQualifier()))
    return nullptr;
  return Call->getDirectCallee() ? seen(Call->getDirectCallee()) : nullptr;
}

void HostStores::add(HostStore S) {
  All.push_back(std::move(S));
  const HostStore *Kept = &All.back();
  QualType T = Kept->type();
  while (T->isArrayType())
    T = T->castAsArrayTypeUnsafe()->getElementType();
  if (T->isRecordType() && !Kept->ToElement)
    Records.push_back(Kept);
  const ValueDecl *D = Kept->Declared;
  if (!D && !Kept->Through)
    D = namedBy(Kept->Target);
  if (D)
    Direct[cast<ValueDecl>(D->getCanonicalDecl())].push_back(Kept);
  else
    Indirect.push_back(Kept);
}

template <typename Map, typename Key>
static const typename Map::mapped_type &entry(const Map &From, const Key &K) {
  static const typename Map::mapped_type None{};
  auto It = From.find(K);
  return It == From.end() ? None : It->second;
}

const std::vector<const HostStore *> &
HostStores::direct(const ValueDecl *D) const {
  return entry(Direct, cast<ValueDecl>(D->getCanonicalDecl()));
}

const std::vector<HostCallSite> &
HostStores::callers(const FunctionDecl *F) const {
  return entry(Callers, F->getCanonicalDecl());
}

const std::vector<const Expr *> &
HostStores::returns(const FunctionDecl *F) const {
  return entry(Returns, F->getCanonicalDecl());
}

std::vector<HostCallSite> HostStores::launches(const std::string &File,
                                               unsigned Begin) const {
  return entry(Launches, std::make_pair(File, Begin));
}

const std::vector<HostStore> *HostStores::numbers(const ValueDecl *D) const {
  auto *V = dyn_cast<VarDecl>(D);
  auto It = Numbers.find(cast<ValueDecl>(D->getCanonicalDecl()));
  return V && V->hasLocalStorage() && !isa<ParmVarDecl>(V) &&
                 It != Numbers.end() && !isReachable(It->first) &&
                 !isCopied(It->first)
             ? &It->second
             : nullptr;
}

bool HostStores::keepsNumber(const ValueDecl *D) const {
  if (const auto *Puts = numbers(D))
    return Puts->size() == 1 && Puts->front().Declared;
  auto *Own = cast<ValueDecl>(D->getCanonicalDecl());
  return isa<ParmVarDecl>(D) && D->getType()->isIntegerType() &&
         !Numbers.count(Own) && !isReachable(Own) && !isCopied(Own);
}

unsigned HostStores::copies(const VarDecl *V) const {
  return entry(Copies, V->getCanonicalDecl());
}

const FunctionDecl *HostStores::seen(const FunctionDecl *F) const {
  const FunctionDecl *Definition = nullptr;
  return F->isDefined(Definition) && !Unit.isSystem(Definition->getLocation())
             ? Definition
             : nullptr;
}
