/// \file
/// Which of several allocations a pointer is that host code keeps in an array
/// or in an object: elements with other subscripts are other buffers.

#include "HostProgram.h"
#include "mep/Frontend/LoopTrips.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mep;
using namespace clang;
using llvm::dyn_cast;
using llvm::dyn_cast_or_null;
using llvm::isa;

bool mep::mayBeSame(const PointerValue &A, const PointerValue &B) {
  if (A.Id.empty() || B.Id.empty())
    return false;
  return A.Id == B.Id || (!A.Family.empty() && A.Family == B.Family &&
                          !(A.IsElementKnown && B.IsElementKnown));
}

// ---- subscripts ------------------------------------------------------------

/// What `u[i][j]` asks for.
struct HostValues::ArrayElement {
  const Expr *Array = nullptr;
  /// Outermost first; nothing: not known.
  llvm::SmallVector<std::optional<int64_t>, 2> Numbers;
  std::string Text;       ///< `[0][i + 1]`
  bool IsKnown = true;    ///< All of them are.
  bool IsConstant = true; ///< They are in the source.
};

/// One subscript of \p E, which becomes what is in front of it; null: none.
static const Expr *takeSubscript(const Expr *&E) {
  E = bare(E);
  if (auto *S = dyn_cast<ArraySubscriptExpr>(E)) {
    E = bare(S->getBase());
    return S->getIdx();
  }
  if (auto *O = dyn_cast<CXXOperatorCallExpr>(E);
      O && O->getOperator() == OO_Subscript && O->getNumArgs() == 2) {
    E = bare(O->getArg(0));
    return O->getArg(1);
  }
  if (auto *M = dyn_cast<CXXMemberCallExpr>(E);
      M && calledName(M) == "at" && M->getNumArgs() == 1) {
    E = bare(M->getImplicitObjectArgument());
    return M->getArg(0);
  }
  return nullptr;
}

static std::optional<int64_t> constantOf(const Expr *E,
                                         const ASTContext &Context) {
  Expr::EvalResult R;
  if (E->isValueDependent() || !E->EvaluateAsInt(R, Context) ||
      R.Val.getInt().getSignificantBits() > 63)
    return std::nullopt;
  return R.Val.getInt().getExtValue();
}

/// Which of several is meant says nothing of the workload: no notes, no
/// reasons.
std::optional<int64_t> HostValues::quietNumber(const Expr *E, const Point &P) {
  std::vector<std::string> Before = Notes;
  auto Number = number(E, P);
  Notes = std::move(Before);
  if (!Number || *Number != double(int64_t(*Number)))
    return std::nullopt;
  return int64_t(*Number);
}

void HostValues::subscripts(const Expr *E, const Point &P, ArrayElement &Of) {
  Of.Array = E;
  while (const Expr *Index = takeSubscript(Of.Array)) {
    auto Number = quietNumber(Index, P);
    Of.Numbers.insert(Of.Numbers.begin(), Number);
    Of.Text = "[" +
              (Number ? std::to_string(*Number)
                      : Host.text(Index->getSourceRange()).str()) +
              "]" + Of.Text;
    Of.IsKnown &= Number.has_value();
    Of.IsConstant &= constantOf(Index, Host.context()).has_value();
  }
}

/// The array itself behind parameters and pointers that stand for it.
const Expr *HostValues::arrayOf(const Expr *E, Point &P) {
  auto Unknown = [](const Expr *, const Point &) {
    return std::optional<bool>();
  };
  constexpr unsigned MostSteps = 8;
  for (unsigned I = 0; I < MostSteps; ++I) {
    auto *R = dyn_cast<DeclRefExpr>(E);
    QualType T = R ? R->getDecl()->getType() : QualType();
    if (!R || !(T->isPointerType() || T->isReferenceType()) ||
        llvm::any_of(Index.definitions(R->getDecl()),
                     [](const Definition &D) { return D.Subscript; }))
      return E;
    Reach From = Flow.find(R->getDecl(), nullptr, P, Unknown);
    const Expr *Next = From.What == Reach::Parameter ? From.Argument
                       : From.What == Reach::Defined ? From.Source->Value
                                                     : nullptr;
    Next = Next ? bare(Next) : nullptr;
    if (!Next || !(isa<DeclRefExpr>(Next) || isa<MemberExpr>(Next)))
      return E;
    E = Next;
    P = From.Place;
  }
  return E;
}

// ---- elements of arrays ----------------------------------------------------

/// `float *u[] = {a, b}`
static const Expr *listed(const Expr *List,
                          llvm::ArrayRef<std::optional<int64_t>> Numbers) {
  const Expr *E = List ? bare(List) : nullptr;
  for (const std::optional<int64_t> &N : Numbers) {
    if (auto *C = dyn_cast_or_null<CXXConstructExpr>(E))
      for (const Expr *A : C->arguments())
        if (auto *S = dyn_cast<CXXStdInitializerListExpr>(A->IgnoreImplicit()))
          E = bare(S->getSubExpr());
    auto *L = dyn_cast_or_null<InitListExpr>(E);
    if (L && !L->isSemanticForm() && L->getSemanticForm())
      L = L->getSemanticForm();
    // `std::array` has its array as its only member.
    if (L && L->getType()->isRecordType() && L->getNumInits() == 1 &&
        isa<InitListExpr>(bare(L->getInit(0))))
      L = cast<InitListExpr>(bare(L->getInit(0)));
    if (!L || !N || *N < 0 || *N >= int64_t(L->getNumInits()))
      return nullptr;
    E = bare(L->getInit(unsigned(*N)));
  }
  return E;
}

/// What \p D gives the element: nothing if it is for another.
PointerValue HostValues::givenElement(const Definition &D,
                                      const ArrayElement &Of, const Point &P) {
  if (!D.Subscript) {
    const Expr *E = D.How == Definition::Initializer
                        ? listed(D.Value, Of.Numbers)
                        : nullptr;
    return E ? pointer(E, Flow.pointOf(D, P)) : PointerValue();
  }
  ArrayElement Given;
  const Expr *Target = D.Target;
  std::vector<const Expr *> Own;
  while (const Expr *Index = takeSubscript(Target))
    Own.insert(Own.begin(), Index);
  if (Own.size() != Of.Numbers.size())
    return {};
  // The trip of the loop on which it is for this element.
  auto Trips = Program.way().Trips;
  bool InLoop = false;
  Point At = Flow.pointOf(D, P);
  for (size_t I = 0; I < Own.size(); ++I) {
    auto Constant = constantOf(Own[I], Host.context());
    InLoop |= !Constant;
    if (!Of.Numbers[I])
      continue;
    if (Constant && *Constant != *Of.Numbers[I]) {
      Program.way().Trips = std::move(Trips);
      return {};
    }
    auto *R = dyn_cast<DeclRefExpr>(bare(Own[I]));
    for (const Guard &G : D.Under) {
      auto Head = R && G.isLoop() ? loopHead(G.Statement) : std::nullopt;
      auto First = Head && Head->Counter == R->getDecl()->getCanonicalDecl() &&
                           !Head->Step && Head->Change == BO_Add
                       ? quietNumber(Head->First, At)
                       : std::nullopt;
      if (First && *Of.Numbers[I] >= *First)
        Program.way().Trips[G.Statement] = {*Of.Numbers[I] - *First, 0, false,
                                            false};
    }
  }
  PointerValue V = definedPointer(D, At);
  Program.way().Trips = std::move(Trips);
  V.IsRepeated |=
      D.How == Definition::Passed &&
      llvm::any_of(D.Under, [](const Guard &G) { return G.isLoop(); });
  if ((InLoop && V.IsRepeated) || !Of.IsKnown) {
    V.Family = V.Id;
    V.Id += Of.Text;
    V.IsElementKnown = Of.IsConstant;
  }
  return V;
}

PointerValue HostValues::elementOfArray(const Expr *E, const Point &P) {
  llvm::SaveAndRestore Deeper(Depth, Depth + 1);
  if (Depth > 48)
    return {};
  ArrayElement Of;
  subscripts(E, P, Of);
  Point At = P;
  const Expr *Array = arrayOf(Of.Array, At);
  const ValueDecl *Key = nullptr, *Owner = nullptr;
  if (auto *R = dyn_cast<DeclRefExpr>(Array)) {
    Key = R->getDecl();
  } else if (auto *M = dyn_cast<MemberExpr>(Array)) {
    Key = M->getMemberDecl();
    Owner = rootOf(M->getBase());
  }
  if (!Key)
    return {};
  std::vector<const Definition *> Here, Others;
  for (const auto *All : {&Index.definitions(Key), &Index.elements(Key)})
    for (const Definition &D : llvm::reverse(*All)) {
      if (Owner && D.Base && D.Base != Owner->getCanonicalDecl())
        continue;
      bool IsBefore = At.In && D.In == At.In->Function && D.Order < At.Order;
      (IsBefore ? Here : Others).push_back(&D);
    }
  PointerValue Null;
  // Their own allocations count before what they are later set to, as for
  // single pointers.
  for (bool Allocating : {true, false})
    for (const auto *All : {&Here, &Others})
      for (const Definition *D : *All) {
        if ((D->How == Definition::Passed) != Allocating)
          continue;
        PointerValue V = givenElement(*D, Of, At);
        if (V.What == PointerValue::Null)
          Null = V;
        if (V.What != PointerValue::Memory && V.What != PointerValue::Symbol)
          continue;
        if (!Of.IsKnown)
          note("which element '" + Host.text(E->getSourceRange()).str() +
               "' at " + placeOf(E->getExprLoc()) +
               " is depends on the run: it is taken for another buffer than " +
               "elements with other subscripts");
        return Owner || !isa<MemberExpr>(Array) || D->Subscript == nullptr
                   ? V
                   : ofObject(V, cast<MemberExpr>(Array)->getBase(), At);
      }
  if (Null.What == PointerValue::Null)
    return Null;
  auto *R = dyn_cast<DeclRefExpr>(Array);
  PointerValue Any = R ? pointerVariable(Key, nullptr, At, /*Elements=*/true)
                       : pointer(Array, At);
  if (Any.What == PointerValue::Memory && !Any.Id.empty()) {
    Any.Family = Any.Id;
    Any.Id += Of.Text;
    Any.IsElementKnown = Of.IsConstant;
  }
  return Any;
}

// ---- objects ---------------------------------------------------------------

/// The same for the same object, as far as the source tells: `v[3].a` of the
/// variable v, also behind references, parameters and `this`.
std::string HostValues::objectName(const Expr *E, const Point &P) {
  llvm::SaveAndRestore Deeper(Depth, Depth + 1);
  if (!E || Depth > 48)
    return "?";
  const Expr *Base = bare(E);
  if (const Expr *Index = takeSubscript(Base)) {
    auto Number = quietNumber(Index, P);
    return objectName(Base, P) + "[" +
           (Number ? std::to_string(*Number)
                   : Host.text(Index->getSourceRange()).str()) +
           "]";
  }
  E = Base;
  if (auto *M = dyn_cast<MemberExpr>(E))
    return objectName(M->getBase(), P) + "." +
           M->getMemberDecl()->getNameAsString();
  if (auto *U = dyn_cast<UnaryOperator>(E))
    return objectName(U->getSubExpr(), P);
  if (auto *M = dyn_cast<CXXMemberCallExpr>(E); M && M->getNumArgs() == 0)
    return objectName(M->getImplicitObjectArgument(), P) +
           (calledName(M) == "get" ? "" : "." + calledName(M).str());
  if (auto *O = dyn_cast<CXXOperatorCallExpr>(E); O && O->getNumArgs() == 1)
    return objectName(O->getArg(0), P);
  if (isa<CXXThisExpr>(E)) {
    auto *M = P.In ? dyn_cast_or_null<CXXMemberCallExpr>(P.In->Call) : nullptr;
    return M ? objectName(M->getImplicitObjectArgument(), P.In->Caller)
             : "this";
  }
  auto *R = dyn_cast<DeclRefExpr>(E);
  if (!R)
    return Host.text(E->getSourceRange()).str();
  const ValueDecl *D = cast<ValueDecl>(R->getDecl()->getCanonicalDecl());
  if (D->getType()->isReferenceType() || D->getType()->isPointerType()) {
    auto Unknown = [](const Expr *, const Point &) {
      return std::optional<bool>();
    };
    Reach From = Flow.find(D, nullptr, P, Unknown);
    if (From.What == Reach::Parameter)
      return objectName(From.Argument, From.Place);
    if (From.What == Reach::Defined && From.Source->Value && !From.Loop)
      return objectName(From.Source->Value, From.Place);
  }
  return D->getNameAsString() + "#" +
         std::to_string(reinterpret_cast<uintptr_t>(D));
}

/// \p V was found as a member of any object of the type: that of \p E is
/// another than that of an object which goes by another name.
PointerValue HostValues::ofObject(PointerValue V, const Expr *E,
                                  const Point &P) {
  if (V.What != PointerValue::Memory || V.Id.empty() || !E)
    return V;
  if (V.Family.empty())
    V.Family = V.Id;
  V.Id += "@" + objectName(E, P);
  V.IsElementKnown = false;
  return V;
}
