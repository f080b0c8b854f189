/// \file
/// Calls: what they may put where, by what is known of their names and
/// parameters.

#include "SpliceText.h"
#include "StoreWalk.h"
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

// ---- calls -----------------------------------------------------------------

/// \p Argument goes to a parameter of type \p To of what is not seen.
void StoreWalk::passed(const Expr *Argument, QualType To,
                       const std::string &Name) {
  const Expr *Place = addressed(Argument);
  bool ByReference = To->isReferenceType();
  QualType T = ByReference ? To->getPointeeType() : QualType();
  if (!ByReference) {
    const Expr *Bare = bareExpression(Argument);
    if (!isDataPointer(Bare->getType()) || !To->isPointerType() ||
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
        isDataPointer(Call->getArg(I)->getType()))
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
  return !Of.isNull() && isDataPointer(Of);
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
