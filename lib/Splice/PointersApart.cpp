#include "PointersApart.h"
#include "NumbersApart.h"
#include "SpliceText.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mep;
using namespace clang;
using llvm::dyn_cast;
using llvm::isa;
using llvm::StringRef;

/// Proofs within proofs, and places of one group.
constexpr unsigned MostLevels = 8, MostMembers = 8;

std::string PointersApart::textOf(const Expr *E) const {
  return squeezed(Stores.Unit.text(E->getSourceRange()));
}

/// An implicit `this` has no text.
std::string PointersApart::baseText(const MemberExpr *M) const {
  const Expr *Base = bareExpression(M->getBase());
  return isa<CXXThisExpr>(Base) ? "this" : textOf(Base);
}

// ---- expressions -----------------------------------------------------------

/// The pointer that \p E moves along: offsets stay in the same memory.
static const Expr *withoutOffset(const Expr *E) {
  for (const Expr *Before = nullptr; E != Before;) {
    Before = E;
    E = bareExpression(E);
    if (auto *B = dyn_cast<BinaryOperator>(E);
        B && B->isAdditiveOp() && B->getType()->isPointerType())
      E = B->getLHS()->getType()->isPointerType() ? B->getLHS() : B->getRHS();
    auto *U = dyn_cast<UnaryOperator>(E);
    if (!U || U->getOpcode() != UO_AddrOf)
      continue;
    const Expr *Sub = bareExpression(U->getSubExpr());
    if (auto *S = dyn_cast<ArraySubscriptExpr>(Sub);
        S && !bareExpression(S->getBase())->getType()->isArrayType())
      E = S->getBase();
  }
  return E;
}

/// What the caller passes, where that is what \p Use still is.
PointerUse PointersApart::outward(PointerUse Use, bool DropOffsets) const {
  for (;;) {
    Use.E = DropOffsets ? withoutOffset(Use.E) : bareExpression(Use.E);
    auto *R = dyn_cast<DeclRefExpr>(Use.E);
    auto *P = R ? dyn_cast<ParmVarDecl>(R->getDecl()) : nullptr;
    if (!P || !Use.At || !Use.At->Call ||
        P->getDeclContext() != Use.At->Function)
      return Use;
    const Expr *Argument = argumentOf(Use.At->Call, P->getFunctionScopeIndex());
    bool IsReference = P->getType()->isReferenceType();
    if (!Argument ||
        (!IsReference && (!Stores.direct(P).empty() || Stores.isReachable(P))))
      return Use;
    Use = {Argument, Use.At->Caller, IsReference ? Use.Late + 1 : 0};
  }
}

bool PointersApart::isSame(PointerUse A, PointerUse B) {
  A = outward(A, /*DropOffsets=*/false);
  B = outward(B, /*DropOffsets=*/false);
  return A.At == B.At && A.Late == B.Late && textOf(A.E) == textOf(B.E) &&
         !A.E->HasSideEffects(Stores.Unit.context());
}

std::string PointersApart::whyNot(PointerUse A, PointerUse B) {
  if (Level >= MostLevels)
    return "how they are set is too involved to follow";
  llvm::SaveAndRestore Deeper(Level, Level + 1);
  A = outward(A, /*DropOffsets=*/true);
  B = outward(B, /*DropOffsets=*/true);
  auto *X = dyn_cast<AbstractConditionalOperator>(A.E);
  auto *Y = dyn_cast<AbstractConditionalOperator>(B.E);
  auto Both = [&](PointerUse P, PointerUse Q, PointerUse R, PointerUse S) {
    std::string Why = whyNot(P, Q);
    return Why.empty() ? whyNot(R, S) : Why;
  };
  auto Part = [](PointerUse Of, const Expr *E) {
    return PointerUse{E, Of.At, Of.Late};
  };
  ASTContext &Context = Stores.Unit.context();
  if (AtOnce && X && Y && A.At == B.At &&
      textOf(X->getCond()) == textOf(Y->getCond()) &&
      !X->getCond()->HasSideEffects(Context))
    return Both(Part(A, X->getTrueExpr()), Part(B, Y->getTrueExpr()),
                Part(A, X->getFalseExpr()), Part(B, Y->getFalseExpr()));
  if (X)
    return Both(Part(A, X->getTrueExpr()), B, Part(A, X->getFalseExpr()), B);
  if (Y)
    return Both(A, Part(B, Y->getTrueExpr()), A, Part(B, Y->getFalseExpr()));
  std::string Why = plain(A, B);
  // At two moments of two calls a place holds two things.
  bool OneMoment = AtOnce && A.At == B.At && A.Late == B.Late;
  if (Why.empty() ||
      (OneMoment && (areElementsApart(A, B) || arePlacesApart(A, B))))
    return "";
  return Why;
}

static std::string nameOf(const PointerOrigin &O) {
  return O.Made ? "new memory" : "'" + O.Where.name() + "'";
}

std::string PointersApart::plain(const PointerUse &A, const PointerUse &B) {
  std::string First = Stores.Unit.text(A.E->getSourceRange()).str(),
              Second = Stores.Unit.text(B.E->getSourceRange()).str();
  OriginSet X = PointerOrigins(Stores).of(A.E, A.At),
            Y = PointerOrigins(Stores).of(B.E, B.At);
  if (!X.Unknown.empty() || !Y.Unknown.empty())
    return "where '" + (X.Unknown.empty() ? Second : First) +
           "' points is not known: " +
           (X.Unknown.empty() ? Y.Unknown : X.Unknown);
  std::set<std::string> Notes;
  for (const PointerOrigin &P : X.All)
    for (const PointerOrigin &Q : Y.All) {
      if (mayBeSame(P, Q))
        return "'" + First + "' and '" + Second +
               "' may both point into what " + nameOf(P) + " is or was given";
      if (P.Kind == PointerOrigin::Given || Q.Kind == PointerOrigin::Given)
        Notes.insert(nameOf(P) + " and " + nameOf(Q));
    }
  Assumed.insert(Notes.begin(), Notes.end());
  return "";
}

// ---- elements of one array -------------------------------------------------

static const Expr *indexOf(const Expr *E, const Expr *&Base) {
  if (auto *S = dyn_cast<ArraySubscriptExpr>(E)) {
    Base = bareExpression(S->getBase());
    return S->getIdx();
  }
  auto *O = dyn_cast<CXXOperatorCallExpr>(E);
  if (!O || O->getOperator() != OO_Subscript ||
      !isOwner(O->getArg(0)->getType()))
    return nullptr;
  Base = bareExpression(O->getArg(0));
  return O->getArg(1);
}

bool PointersApart::areElementsApart(const PointerUse &A, const PointerUse &B) {
  const Expr *Base = nullptr, *Other = nullptr;
  const Expr *I = indexOf(A.E, Base), *J = indexOf(B.E, Other);
  if (!I || !J || textOf(Base) != textOf(Other) ||
      Base->HasSideEffects(Stores.Unit.context()))
    return false;
  if (!NumbersApart(Stores).areApart(I, J))
    return false;
  PointerOrigins Origins(Stores);
  auto Elements = Origins.cells(A.E, A.At);
  if (!Elements)
    return false;
  return llvm::all_of(*Elements, [&](PointerCell C) {
    if (StringRef(C.Path).ends_with("]"))
      C.Path = StringRef(C.Path).rsplit('[').first.str() + "[]";
    return holdsApart(C, A.At);
  });
}

/// True if \p E makes a container of which only the size is given.
static bool isOnlySized(const Expr *E) {
  auto *Made =
      llvm::dyn_cast_or_null<CXXConstructExpr>(E ? bareExpression(E) : nullptr);
  return Made && llvm::all_of(Made->arguments(), [](const Expr *Argument) {
           return isa<CXXDefaultArgExpr>(Argument) ||
                  Argument->getType()->isArithmeticType();
         });
}

/// What \p List gives, of lists within it too.
static std::vector<const Expr *> listed(const InitListExpr *List) {
  std::vector<const Expr *> All;
  for (const Expr *E : List->inits())
    if (auto *Inner = dyn_cast<InitListExpr>(bareExpression(E)))
      llvm::append_range(All, listed(Inner));
    else
      All.push_back(E);
  return All;
}

/// True if no two of \p Elements ever hold the same pointer.
bool PointersApart::holdsApart(const PointerCell &Elements,
                               const BindingRef &At) {
  if (!setElsewhere(Elements, Stores).empty())
    return false;
  PointerOrigins Origins(Stores);
  struct Entry {
    std::string Path; ///< Empty: one of List.
    PointerUse Use;
    const HostStore *List;
  };
  std::vector<Entry> Put;
  bool Exchanged = false, Listed = false;
  for (const HostStore *S : Origins.candidates(Elements)) {
    bool Known = true;
    if (!Origins.hits(*S, Elements, At, Known) || isNull(*S))
      continue;
    BindingRef There = Origins.bindingOf(*S, Elements, At);
    auto *List =
        S->From ? dyn_cast<InitListExpr>(bareExpression(S->From)) : nullptr;
    if (!Known || S->How == HostStore::Unseen)
      return false;
    if (isOwner(S->type()) && !S->ToElement) {
      if (!isOnlySized(S->From))
        return false;
      continue;
    }
    if (S->How == HostStore::Exchange) {
      Exchanged = true;
      for (const Expr *Partner : S->Partners) {
        auto Places = Origins.cells(Partner, There);
        if (!Places || !llvm::all_of(*Places, [&](const PointerCell &C) {
              return mayBeSame(C, Elements);
            }))
          return false;
      }
    } else if (isNew(*S, Elements)) {
      continue;
    } else if (List && S->Declared) {
      Listed = true;
      bool Quiet = !List->HasSideEffects(Stores.Unit.context());
      for (const Expr *E : listed(List))
        Put.push_back({"", {E, There}, Quiet ? S : nullptr});
    } else {
      auto Places = S->Target ? Origins.cells(S->Target, There) : std::nullopt;
      if (!Places || Places->size() != 1 || S->ToElement || !S->From ||
          StringRef(Places->front().Path).ends_with("[]"))
        return false;
      Put.push_back({Places->front().Path, {S->From, There}, nullptr});
    }
  }
  if ((Exchanged || Listed) &&
      llvm::any_of(Put, [](const Entry &P) { return !P.Path.empty(); }))
    return false;
  // What is apart at one moment may be the same at two.
  for (size_t I = 0; I < Put.size(); ++I)
    for (size_t J = I + 1; J < Put.size(); ++J) {
      const Entry &P = Put[I], &Q = Put[J];
      bool AtOnce = P.List && P.List == Q.List;
      if ((P.Path.empty() || P.Path != Q.Path) &&
          !(AtOnce ? whyNot(P.Use, Q.Use) : plain(P.Use, Q.Use)).empty())
        return false;
    }
  return !Put.empty() || !Origins.candidates(Elements).empty();
}

// ---- groups of places ------------------------------------------------------

struct PointersApart::Group {
  std::vector<PointerCell> Members;
  std::vector<std::vector<const HostStore *>> StoresOf; ///< Of each member.
  bool Exchanged = false;
};

bool PointersApart::isNull(const HostStore &S) const {
  const Expr *E = S.How == HostStore::Value ? bareExpression(S.From) : nullptr;
  if (!E)
    return false;
  // A constructor's own stores are looked at by themselves.
  if (auto *Made = dyn_cast<CXXConstructExpr>(E))
    return !Made->getConstructor()->isCopyOrMoveConstructor() &&
           !Stores.Unit.isSystem(Made->getConstructor()->getLocation());
  if (auto *List = dyn_cast<InitListExpr>(E))
    return llvm::all_of(List->inits(), [&](const Expr *Each) {
      return isa<ImplicitValueInitExpr>(Each) ||
             bareExpression(Each)->isNullPointerConstant(
                 Stores.Unit.context(), Expr::NPC_ValueDependentIsNotNull);
    });
  return isa<ImplicitValueInitExpr>(E) ||
         E->isNullPointerConstant(Stores.Unit.context(),
                                  Expr::NPC_ValueDependentIsNotNull);
}

/// \p C: what is stored to, or lies in that.
bool PointersApart::isNew(const HostStore &S, const PointerCell &C) const {
  if (S.How == HostStore::Value && isOwner(S.type()) && !S.ToElement) {
    // The pointers that a container holds are not its own memory.
    if (!isOwner(typeAt(C)))
      return isOnlySized(S.From);
    // A copy has memory of its own, what was moved brings that which it had.
    const Expr *E = bareExpression(S.From);
    auto *Made = dyn_cast<CXXConstructExpr>(E);
    if (isTaker(S.type())) {
      E = Made && Made->getNumArgs() > 0 ? bareExpression(Made->getArg(0)) : E;
      return E == Made || PointerOrigins(Stores).isFresh(E, S.Block);
    }
    if (Made && Made->getNumArgs() == 1)
      E = bareExpression(Made->getArg(0));
    return Made && !isa<CallExpr>(E);
  }
  return S.How == HostStore::Fresh ||
         (S.How == HostStore::Value &&
          PointerOrigins(Stores).isFresh(S.From, S.Block));
}

/// True if \p E is what a place held when a lambda was made, not what it holds.
bool PointersApart::isSnapshot(const Expr *E) const {
  E = bareExpression(E);
  auto *R = dyn_cast<DeclRefExpr>(E);
  if (R && R->refersToEnclosingVariableOrCapture() &&
      Stores.isCopied(cast<ValueDecl>(R->getDecl()->getCanonicalDecl())))
    return true;
  return llvm::any_of(E->children(), [&](const Stmt *Child) {
    auto *Sub = llvm::dyn_cast_or_null<Expr>(Child);
    return Sub && isSnapshot(Sub);
  });
}

bool PointersApart::arePlacesApart(const PointerUse &A, const PointerUse &B) {
  // The memory of two containers that exchange theirs.
  auto PlaceOf = [](const Expr *E) {
    auto *Call = dyn_cast<CallExpr>(E);
    while (Call && !isa<CXXMemberCallExpr>(Call) && Call->getNumArgs() == 1 &&
           passesPointerOn(calledName(Call))) {
      E = withoutOffset(Call->getArg(0));
      Call = dyn_cast<CallExpr>(E);
    }
    // `&v[i]` points into the memory of `v` as `v.data()` does.
    auto *Address = dyn_cast<UnaryOperator>(E);
    auto *Element = Address && Address->getOpcode() == UO_AddrOf
                        ? dyn_cast<CXXOperatorCallExpr>(
                              bareExpression(Address->getSubExpr()))
                        : nullptr;
    if (Element && Element->getOperator() == OO_Subscript &&
        isOwner(Element->getArg(0)->getType()))
      return bareExpression(Element->getArg(0));
    auto *Member = dyn_cast<CXXMemberCallExpr>(E);
    const Expr *Object =
        Member ? bareExpression(Member->getImplicitObjectArgument()) : nullptr;
    return Object && isOwner(Object->getType()) &&
                   passesPointerOn(calledName(Member))
               ? bareExpression(Object)
               : E;
  };
  const Expr *First = PlaceOf(A.E), *Second = PlaceOf(B.E);
  for (const Expr *E : {First, Second})
    if ((!E->getType()->isPointerType() && !isOwner(E->getType())) ||
        isSnapshot(E))
      return false;
  PointerOrigins Origins(Stores);
  auto X = Origins.cells(First, A.At), Y = Origins.cells(Second, B.At);
  if (!X || !Y || X->size() != 1 || Y->size() != 1)
    return false;
  // Members of an object that is not followed have to be of one object.
  if (!X->front().Root || !Y->front().Root) {
    auto *M = dyn_cast<MemberExpr>(First), *N = dyn_cast<MemberExpr>(Second);
    if (!M || !N || baseText(M) != baseText(N))
      return false;
  }
  return isGroupApart(X->front(), Y->front(), A.At);
}

/// True if all are members of what is written alike, or none is a member.
bool PointersApart::haveOneBase(const std::vector<const Expr *> &All) const {
  std::set<std::string> Bases;
  for (const Expr *E : All) {
    auto *M = dyn_cast<MemberExpr>(bareExpression(E));
    Bases.insert(M ? "." + baseText(M) : "");
  }
  return Bases.size() == 1;
}

/// The places that exchange pointers with the first ones, and all stores to
/// them; false where one is not known.
bool PointersApart::collect(Group &G, const BindingRef &At) {
  for (size_t I = 0; I < G.Members.size(); ++I) {
    if (G.Members.size() > MostMembers ||
        StringRef(G.Members[I].Path).contains("[]"))
      return false;
    PointerOrigins Origins(Stores);
    G.StoresOf.emplace_back();
    for (const HostStore *S : Origins.candidates(G.Members[I])) {
      bool Known = true;
      if (!Origins.hits(*S, G.Members[I], At, Known))
        continue;
      if (!Known || S->How == HostStore::Unseen)
        return false;
      G.StoresOf.back().push_back(S);
      for (const Expr *Partner : S->Partners) {
        G.Exchanged = true;
        auto Places =
            Origins.cells(Partner, Origins.bindingOf(*S, G.Members[I], At));
        if (!Places)
          return false;
        for (PointerCell C : *Places) {
          const PointerCell &Own = G.Members[I];
          if (Own.Root && !C.Root && !Own.Fields.empty() &&
              haveOneBase(S->Partners)) {
            C.Root = Own.Root;
            C.Fields.insert(C.Fields.begin(), Own.Fields.begin(),
                            Own.Fields.end() - 1);
          }
          if (!llvm::is_contained(G.Members, C))
            G.Members.push_back(C);
        }
      }
    }
  }
  return true;
}

/// What is put into members of objects that are not followed is put into those
/// of one object at a time.
bool PointersApart::isOneObject(const Group &G) const {
  if (llvm::all_of(G.Members, [](const PointerCell &C) { return C.Root; }))
    return true;
  for (const PointerCell &C : G.Members)
    if (C.Root || C.Fields.front()->getParent() !=
                      G.Members.front().last()->getDeclContext())
      return false;
  for (const auto &All : G.StoresOf)
    for (const HostStore *S : All) {
      if (!S->Partners.empty() && !haveOneBase(S->Partners))
        return false;
    }
  return true;
}

/// The stores beside \p S, which is to member \p Of, that give the other
/// members of \p G something too; none if one gets nothing. A variable of the
/// same block that only ever gets new memory needs none.
std::vector<const HostStore *>
PointersApart::runOf(const Group &G, const HostStore &S, size_t Of) const {
  auto Distance = [&](const HostStore *Other) {
    return std::abs(int(Other->Position) - int(S.Position));
  };
  std::vector<const HostStore *> Run;
  for (size_t I = 0; I < G.Members.size(); ++I) {
    const HostStore *Own = I == Of ? &S : nullptr;
    for (const HostStore *Each : G.StoresOf[I])
      if (I != Of && Each->How == HostStore::Value && Each->Block == S.Block &&
          !Each->Declared == !S.Declared &&
          (!Own || Distance(Each) < Distance(Own)))
        Own = Each;
    if (Own)
      Run.push_back(Own);
    else if (!S.Declared || !isDeclaredIn(G.Members[I].Root, S.Block))
      return {};
  }
  return Run;
}

/// True if \p S, which is to member \p Of, is one of neighbouring stores that
/// give every member of \p G pointers that are apart: first values of
/// variables of one block (or of the members of an object), or assignments
/// with nothing between them.
bool PointersApart::isRun(const Group &G, const HostStore &S, size_t Of,
                          const BindingRef &At) {
  if (!S.Block || S.type()->isRecordType())
    return false;
  std::vector<const HostStore *> Run = runOf(G, S, Of);
  std::set<unsigned> Positions;
  std::vector<const Expr *> Targets;
  for (const HostStore *Each : Run) {
    if (Each->From->HasSideEffects(Stores.Unit.context()))
      return false;
    Positions.insert(Each->Position);
    if (Each->Target)
      Targets.push_back(Each->Target);
  }
  if (Run.empty() || (!Targets.empty() && !haveOneBase(Targets)))
    return false;
  bool AtOnce = *Positions.rbegin() - *Positions.begin() < Run.size();
  if (!S.Declared && !AtOnce)
    return false;
  BindingRef There = PointerOrigins(Stores).bindingOf(S, G.Members[Of], At);
  for (size_t I = 0; I < Run.size(); ++I) {
    for (size_t J = I + 1; J < Run.size(); ++J)
      // What is between first values may change what the later ones take.
      if (!(AtOnce ? whyNot({Run[I]->From, There}, {Run[J]->From, There})
                   : plain({Run[I]->From, There}, {Run[J]->From, There}))
               .empty())
        return false;
    if (Run.size() == G.Members.size())
      continue;
    // What a member without a value gets later must not be held already.
    OriginSet From = PointerOrigins(Stores).of(Run[I]->From, There);
    for (const PointerOrigin &O : From.All)
      for (const PointerCell &C : G.Members)
        if (mayBeSame(O, PointerOrigin{PointerOrigin::Fresh, C, nullptr}))
          return false;
    if (!From.Unknown.empty())
      return false;
  }
  return true;
}

/// True if those members of \p G that are parameters are given pointers that
/// are apart, and the others begin with nothing when the function does.
bool PointersApart::areArgumentsApart(const Group &G, const BindingRef &At) {
  std::vector<const ParmVarDecl *> Parameters;
  const FunctionDecl *F = nullptr;
  for (const PointerCell &C : G.Members)
    if (auto *P = llvm::dyn_cast_or_null<ParmVarDecl>(C.Root)) {
      F = dyn_cast<FunctionDecl>(P->getDeclContext());
      Parameters.push_back(P);
      if (!C.Fields.empty() || !C.Path.empty())
        return false;
    }
  for (const PointerCell &C : G.Members)
    if (!F || !C.Root || !C.Root->hasLocalStorage() ||
        C.Root->getDeclContext() != F)
      return Parameters.empty();
  auto AreApart = [&](const Expr *Call, const BindingRef &Caller) {
    for (size_t I = 0; I < Parameters.size(); ++I)
      for (size_t J = I + 1; J < Parameters.size(); ++J) {
        const Expr *X =
                       argumentOf(Call, Parameters[I]->getFunctionScopeIndex()),
                   *Y =
                       argumentOf(Call, Parameters[J]->getFunctionScopeIndex());
        if (!X || !Y || !whyNot({X, Caller}, {Y, Caller}).empty())
          return false;
      }
    return true;
  };
  if (At && At->Function == F && At->Call && !Stores.isRecursive(F))
    return AreApart(At->Call, At->Caller);
  if (!Parameters.empty() && Stores.escapes(F))
    return false;
  const auto &Callers = Stores.callers(F);
  if (Callers.empty())
    for (size_t I = 1; I < Parameters.size(); ++I)
      Assumed.insert("'" + Parameters[I - 1]->getNameAsString() + "' and '" +
                     Parameters[I]->getNameAsString() + "'");
  return llvm::all_of(Callers, [&](const HostCallSite &C) {
    return (Parameters.size() < 2 || Stores.isQuiet(C.Call)) &&
           AreApart(C.Call, nullptr);
  });
}

bool PointersApart::isGroupApart(const PointerCell &A, const PointerCell &B,
                                 const BindingRef &At) {
  if (A == B || mayBeSame(A, B))
    return false;
  Group G;
  G.Members = {A, B};
  if (!collect(G, At) || !areArgumentsApart(G, At))
    return false;
  for (size_t I = 0; I < G.Members.size(); ++I)
    for (size_t J = I + 1; J < G.Members.size(); ++J)
      if (mayBeSame(G.Members[I], G.Members[J]))
        return false;
  bool Copies = false;
  for (size_t I = 0; I < G.Members.size(); ++I)
    for (const HostStore *S : G.StoresOf[I]) {
      if (S->How == HostStore::Exchange || isNull(*S) ||
          isNew(*S, G.Members[I]))
        continue;
      Copies = true;
      if (!isRun(G, *S, I, At))
        return false;
    }
  // What is set elsewhere is not known here; plain() says why.
  for (size_t I = 0; I < G.Members.size(); ++I) {
    const PointerCell &C = G.Members[I];
    bool IsSet = !G.StoresOf[I].empty() ||
                 llvm::isa_and_nonnull<ParmVarDecl>(C.Root) ||
                 isOwner(C.last()->getType());
    if (!IsSet || !setElsewhere(C, Stores).empty())
      return false;
  }
  return !Copies || isOneObject(G);
}
