/// \file
/// Members that an object's own constructor and methods set: each object has
/// the values of the calls that were made on it.

#include "HostProgram.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mep;
using namespace clang;
using llvm::dyn_cast;
using llvm::dyn_cast_or_null;
using llvm::isa;

/// The object that \p Call of a method runs on; null for other calls.
static const Expr *objectOf(const Expr *Call) {
  auto *M = dyn_cast_or_null<CXXMemberCallExpr>(Call);
  return M ? bare(M->getImplicitObjectArgument()) : nullptr;
}

/// \p D sets a member of the object whose method it stands in.
static bool isOfOwnObject(const Definition &D) {
  return !D.Base && dyn_cast_or_null<CXXMethodDecl>(D.In);
}

/// Something counts the member on: which value it has depends on how often.
static bool isCounted(const std::vector<Definition> &All) {
  return llvm::any_of(
      All, [](const Definition &D) { return D.How == Definition::Compound; });
}

/// What \p F, a constructor or a method that has run as far as \p Inside,
/// gives a member of its own object, itself or by a method that it calls.
HostValues::Origin HostValues::ownMember(const FunctionDecl *F,
                                         const FieldPath &Path,
                                         const Point &Inside) {
  llvm::SaveAndRestore Deeper(Depth, Depth + 1);
  if (Depth > 48 || !F)
    return {};
  const Definition *Best = nullptr;
  const CallPlace *Through = nullptr;
  unsigned Order = 0;
  auto Runs = [&](const Guards &Under, unsigned At) {
    return llvm::all_of(Under, [&](const Guard &G) {
      auto *If = dyn_cast<IfStmt>(G.Statement);
      auto Known =
          If ? decide(If->getCond(), {Inside.In, At, Under}) : std::nullopt;
      return !Known || *Known == (G.Where == Guard::Then);
    });
  };
  for (const Definition &D : Index.definitions(Path[0])) {
    if (!isOfOwnObject(D) || D.Subscript || D.How == Definition::Compound)
      continue;
    if (Flow.options() && Flow.options()->settles(D, {}) == false)
      continue;
    if (D.In == F) {
      if (D.Order > Order && D.Order < Inside.Order && Runs(D.Under, D.Order)) {
        Best = &D;
        Through = nullptr;
        Order = D.Order;
      }
      continue;
    }
    for (const CallPlace &C : Index.callers(D.In))
      if (const Expr *Object = objectOf(C.Call);
          C.In == F && Object && isa<CXXThisExpr>(Object) && C.Order > Order &&
          C.Order < Inside.Order && Runs(C.Under, C.Order)) {
        Best = nullptr;
        Through = &C;
        Order = C.Order;
      }
  }
  if (Through) {
    const FunctionDecl *Callee = calledFunction(Through->Call);
    return ownMember(Callee, Path,
                     Flow.inside(Callee, Through->Call,
                                 {Inside.In, Through->Order, Through->Under}));
  }
  if (!Best)
    return {};
  Point Place{Inside.In, Best->Order, Best->Under};
  if (TermRef T = fromOptions(*Best, {})) {
    Origin O;
    O.Direct = T;
    return O;
  }
  if (Best->Value && Best->How != Definition::Passed)
    return continued(Best->Value, Path, Place);
  if (Path.size() > 1)
    return {};
  Origin O;
  O.Via.What = Reach::Defined;
  O.Via.Source = Best;
  O.Via.Place = O.Place = Place;
  return O;
}

/// `x.resize(n)`: what the last method that ran on the variable \p D gave its
/// member, behind \p Since.
HostValues::Origin HostValues::memberByMethod(const ValueDecl *D,
                                              const FieldPath &Path,
                                              const Point &P,
                                              const Definition *Since) {
  const auto &All = Index.definitions(Path[0]);
  if (isCounted(All))
    return {};
  const CallPlace *Last = nullptr;
  Point Caller;
  for (Point At = P; At.In && !Last; At = At.In->Caller) {
    for (const Definition &Set : All) {
      if (!isOfOwnObject(Set) || isa<CXXConstructorDecl>(Set.In))
        continue;
      for (const CallPlace &C : Index.callers(Set.In)) {
        auto *R = dyn_cast_or_null<DeclRefExpr>(objectOf(C.Call));
        if (R && R->getDecl()->getCanonicalDecl() == D->getCanonicalDecl() &&
            C.In == At.In->Function && C.Order < At.Order &&
            (!Since || Since->In != C.In || C.Order > Since->Order) &&
            (!Last || C.Order > Last->Order)) {
          Last = &C;
          Caller = {At.In, C.Order, C.Under};
        }
      }
    }
    if (!At.In->Call)
      break;
  }
  if (!Last)
    return {};
  const FunctionDecl *F = calledFunction(Last->Call);
  return ownMember(F, Path, Flow.inside(F, Last->Call, Caller));
}

/// In a method: what it has set itself, else what its object was given before.
HostValues::Origin HostValues::memberOfThis(const FieldPath &Path,
                                            const Point &P) {
  if (!P.In || !dyn_cast_or_null<CXXMethodDecl>(P.In->Function) ||
      isCounted(Index.definitions(Path[0])))
    return {};
  if (Origin O = ownMember(P.In->Function, Path, P); O.isFound())
    return O;
  const Expr *Object = objectOf(P.In->Call);
  return Object ? memberOrigin(Object, Path, P.In->Caller) : Origin();
}
