/// \file
/// Statements: what is assigned, exchanged, declared, captured.

#include "StoreWalk.h"
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
  return isDataPointer(To) || (To->isIntegerType() &&
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
      else if (isDataPointer(E->getType()))
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
