/// \file
/// Members of structures in host code: from assignments, initialiser lists,
/// constructors, copies, callers and functions that return structures.

#include "HostProgram.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

using namespace mep;
using namespace clang;
using llvm::dyn_cast;
using llvm::isa;
using llvm::StringRef;

static bool isDim3(const CXXConstructExpr *C) {
  return C->getConstructor()->getParent()->getName() == "dim3";
}

static bool isCopy(const CXXConstructExpr *C) {
  return C->getConstructor()->isCopyOrMoveConstructor() && C->getNumArgs() >= 1;
}

/// The rest of \p Path inside \p E, the value of its first member.
HostValues::Origin HostValues::continued(const Expr *E, const FieldPath &Path,
                                         const Point &P) {
  if (Path.size() > 1)
    return memberOrigin(E, FieldPath(Path.begin() + 1, Path.end()), P);
  Origin O;
  O.Value = E;
  O.Place = P;
  return O;
}

HostValues::Origin HostValues::memberOfConstruction(const CXXConstructExpr *C,
                                                    const FieldPath &Path,
                                                    const Point &P) {
  if (isCopy(C))
    return memberOrigin(C->getArg(0), Path, P);
  if (isDim3(C)) {
    unsigned I = Path[0]->getFieldIndex();
    if (I < C->getNumArgs() && !isa<CXXDefaultArgExpr>(C->getArg(I)))
      return continued(C->getArg(I), Path, P);
    Origin O;
    O.Direct = integerTerm(1);
    return O;
  }
  const FunctionDecl *F = calledFunction(C);
  Point Inside = Flow.inside(F, C, P);
  if (Origin O = ownMember(F, Path, Inside); O.isFound())
    return O;
  if (const Expr *Default = Path[0]->getInClassInitializer())
    return continued(Default, Path, Inside);
  return {};
}

HostValues::Origin HostValues::memberOfList(const InitListExpr *L,
                                            const FieldPath &Path,
                                            const Point &P) {
  if (const InitListExpr *Semantic =
          L->isSemanticForm() ? nullptr : L->getSemanticForm())
    L = Semantic;
  if (auto *R = dyn_cast<CXXRecordDecl>(Path[0]->getParent());
      R && R->getName() == "dim3" && L->getNumInits() == 1 &&
      L->getType()->isRecordType() && isa<CXXConstructExpr>(L->getInit(0)))
    return memberOrigin(L->getInit(0), Path, P);
  unsigned I = Path[0]->getFieldIndex();
  if (auto *R = dyn_cast<CXXRecordDecl>(Path[0]->getParent()))
    I += R->getNumBases();
  Origin O;
  if (I < L->getNumInits() && !isa<ImplicitValueInitExpr>(L->getInit(I)))
    return continued(L->getInit(I), Path, P);
  O.Direct = integerTerm(0);
  return O;
}

HostValues::Origin HostValues::memberOfCall(const CallExpr *C,
                                            const FieldPath &Path,
                                            const Point &P) {
  // make_float4 and its kin take the members in order.
  unsigned I = Path[0]->getFieldIndex();
  if (calledName(C).starts_with("make_") && I < C->getNumArgs())
    return continued(C->getArg(I), Path, P);
  const FunctionDecl *F = calledFunction(C);
  if (!F || !F->hasBody())
    return {};
  Point Inside;
  const Expr *R = returned(F, C, P, Inside);
  return R ? memberOrigin(R, Path, Inside) : Origin();
}

/// What the variable that \p Whole defines begins with: the members of its
/// initialiser, else those of its type.
HostValues::Origin HostValues::memberAtFirst(const Reach &Whole,
                                             const FieldPath &Path,
                                             const Point &P) {
  Origin O;
  if (Whole.What == Reach::Parameter)
    O = memberOrigin(Whole.Argument, Path, Whole.Place);
  else if (Whole.What == Reach::Defined && Whole.Source->Value &&
           Whole.Source->How <= Definition::Assignment)
    O = memberOrigin(Whole.Source->Value, Path, Whole.Place);
  if (O.isFound() && !O.IsOfAny)
    return O;
  const Expr *Default = Path.back()->getInClassInitializer();
  return Default ? continued(Default, {Path.back()}, P) : Origin();
}

HostValues::Origin HostValues::memberOfVariable(const ValueDecl *D,
                                                const FieldPath &Path,
                                                const Point &P) {
  auto Known = [&](const Expr *C, const Point &At) { return decide(C, At); };
  Reach Whole = Flow.find(D, nullptr, P, Known);
  Reach Part = Flow.find(Path.back(), D, P, Known);
  bool Later = Part.What == Reach::Defined &&
               (Whole.What != Reach::Defined ||
                Part.Source->Order > Whole.Source->Order ||
                Part.Source->In != Whole.Source->In);
  const Definition *Since = Later ? Part.Source : Whole.Source;
  if (Origin O = memberByMethod(D, Path, P, Since); O.isFound())
    return O;
  if (Later && Part.IsDoubtful)
    if (Origin O = memberAtFirst(Whole, Path, P); O.isFound()) {
      note("'" + Path.back()->getNameAsString() +
           "': took its first value, not the one at " +
           placeOf(Part.Source->At) + ", whose condition depends on the run");
      return O;
    }
  if (Later) {
    Origin O;
    O.Via = Part;
    O.Place = Part.Place;
    O.Value = Part.Source->Value;
    return O;
  }
  if (Whole.What == Reach::Parameter)
    return memberOrigin(Whole.Argument, Path, Whole.Place);
  if (Whole.What == Reach::Defined && Whole.Source->Value &&
      Whole.Source->How != Definition::Compound)
    return memberOrigin(Whole.Source->Value, Path, Whole.Place);
  // `setup(&p)`: members set by the function it is passed to.
  if (Whole.What == Reach::Defined && Whole.Source->How == Definition::Passed) {
    const FunctionDecl *F = calledFunction(Whole.Source->Call);
    if (F && F->hasBody() && Whole.Source->Argument < F->getNumParams())
      return memberOfVariable(F->getParamDecl(Whole.Source->Argument), Path,
                              Flow.inside(F, Whole.Source->Call, Whole.Place));
  }
  return {};
}

/// When the object is not known (`this->n`, `list[i].n`): the member's
/// definitions in the whole unit.
HostValues::Origin HostValues::memberAnywhere(const FieldPath &Path,
                                              const Point &P) {
  auto Known = [&](const Expr *C, const Point &At) { return decide(C, At); };
  Reach R = Flow.find(Path.back(), nullptr, P, Known);
  if (R.What == Reach::Nothing) {
    for (const Definition &D : Index.definitions(Path.back()))
      if (D.Value) {
        R.What = Reach::Defined;
        R.Source = &D;
        R.Place = Flow.pointOf(D, P);
      }
  }
  if (R.What != Reach::Defined)
    return {};
  Origin O;
  O.Via = R;
  O.Place = R.Place;
  O.Value = R.Source->Value;
  return O;
}

HostValues::Origin HostValues::memberOrigin(const Expr *E, FieldPath Path,
                                            const Point &P) {
  if (++Depth > 96 || Program.isExhausted()) {
    --Depth;
    return {};
  }
  struct Leave {
    unsigned &D;
    ~Leave() { --D; }
  } Guarded{Depth};
  E = bare(E);
  Origin O;
  if (auto *R = dyn_cast<DeclRefExpr>(E))
    O = memberOfVariable(R->getDecl(), Path, P);
  else if (auto *M = dyn_cast<MemberExpr>(E)) {
    if (auto *F = dyn_cast<FieldDecl>(M->getMemberDecl())) {
      Path.insert(Path.begin(), F);
      O = memberOrigin(M->getBase(), Path, P);
    }
  } else if (auto *U = dyn_cast<UnaryOperator>(E))
    return memberOrigin(U->getSubExpr(), Path, P);
  else if (auto *C = dyn_cast<CXXConstructExpr>(E))
    O = memberOfConstruction(C, Path, P);
  else if (isa<CXXThisExpr>(E))
    O = memberOfThis(Path, P);
  else if (auto *N = dyn_cast<CXXNewExpr>(E);
           N && N->getConstructExpr() && !N->isArray())
    O = memberOfConstruction(N->getConstructExpr(), Path, P);
  else if (auto *L = dyn_cast<InitListExpr>(E))
    O = memberOfList(L, Path, P);
  else if (auto *L = dyn_cast<LambdaExpr>(E)) {
    // Captures are the members, in order.
    unsigned I = Path[0]->getFieldIndex();
    if (I < L->capture_size() && L->capture_init_begin()[I])
      O = continued(L->capture_init_begin()[I], Path, P);
  } else if (auto *C = dyn_cast<CallExpr>(E))
    O = memberOfCall(C, Path, P);
  else if (auto *C = dyn_cast<ConditionalOperator>(E)) {
    auto Known = decide(C->getCond(), P);
    O = memberOrigin(!Known || *Known ? C->getTrueExpr() : C->getFalseExpr(),
                     Path, P);
  } else if (E->getType()->isIntegerType() && Path[0]->getFieldIndex() == 0) {
    // An integer given for a dim3.
    O.Value = E;
    O.Place = P;
  } else if (E->getType()->isIntegerType()) {
    O.Direct = integerTerm(1);
  }
  if (!O.isFound()) {
    O = memberAnywhere(Path, P);
    O.IsOfAny = true;
  }
  return O;
}

/// The value of member \p F, which comes from \p O; null with a reason.
TermRef HostValues::memberTerm(const FieldDecl *F, const Origin &O,
                               SourceLocation L) {
  if (O.Via.What != Reach::Defined) {
    if (O.Value)
      return value(O.Value, O.Place);
    return unknown("nothing in the units looked at gives member '" +
                       F->getName().str() + "' its value",
                   L);
  }
  L = O.Via.Source->At;
  if (O.Via.Skipped)
    note("'" + F->getName().str() + "': took its definition at " + placeOf(L) +
         " although there is one at " + placeOf(O.Via.Skipped->At));
  if (TermRef T = fromOptions(*O.Via.Source, {}))
    return T;
  if (O.Via.Loop && O.Via.Step->How == Definition::Passed)
    return readInLoop(F, O.Via);
  if (O.Via.Source->How == Definition::Passed)
    return passed(F, *O.Via.Source, O.Place);
  if (O.Via.Source->How == Definition::Compound)
    return unknown("'" + F->getName().str() + "' changes from launch to launch",
                   L);
  return counted(F, O.Via, value(O.Value, O.Place));
}

TermRef HostValues::member(const Expr *E, const FieldPath &Path,
                           const Point &P) {
  if (auto *R = dyn_cast<DeclRefExpr>(bare(E));
      R && BlockVariable && R->getDecl()->getCanonicalDecl() == BlockVariable)
    return nameTerm("block_" + Path[0]->getNameAsString());
  const FieldDecl *F = Path.back();
  if (Host.isSystem(F->getLocation()))
    if (TermRef T = ofDevice(F->getName(), E->getExprLoc()))
      return T;
  Origin O = memberOrigin(E, Path, P);
  if (O.Direct)
    return O.Direct;
  SourceLocation L =
      O.Via.What == Reach::Defined ? O.Via.Source->At : E->getExprLoc();
  TermRef T;
  if (!O.Value && O.Via.What == Reach::Nothing)
    T = memberElsewhere(E, Path);
  if (!T)
    T = memberTerm(F, O, E->getExprLoc());
  if (T && F->getType()->isIntegerType())
    T = castTerm("long long", T);
  // Members of dim3 and its kin say nothing as names of dimensions.
  bool Plain = Host.isSystem(F->getLocation()) || (T && countsBytes(O.Value));
  return Plain ? T : named(F, T, L);
}
