/// \file
/// The walk over the host code. First half of the host data flow; HostValues
/// asks it for reaching definitions.

#include "HostIndex.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Frontend/ASTUnit.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mep;
using namespace clang;
using llvm::dyn_cast;
using llvm::dyn_cast_or_null;
using llvm::isa;

// ---- small questions about calls -------------------------------------------

const Expr *mep::bare(const Expr *E) {
  while (E) {
    const Expr *Inner = E->IgnoreParenCasts()->IgnoreImplicit();
    if (auto *T = dyn_cast<SubstNonTypeTemplateParmExpr>(Inner))
      Inner = T->getReplacement();
    else if (auto *D = dyn_cast<CXXDefaultArgExpr>(Inner))
      Inner = D->getExpr();
    else if (auto *D = dyn_cast<CXXDefaultInitExpr>(Inner))
      Inner = D->getExpr();
    else if (auto *F = dyn_cast<CXXFunctionalCastExpr>(Inner))
      Inner = F->getSubExpr();
    if (Inner == E)
      return E;
    E = Inner;
  }
  return E;
}

const FunctionDecl *mep::calledFunction(const Expr *Call) {
  const FunctionDecl *F = nullptr;
  if (auto *C = dyn_cast_or_null<CallExpr>(Call))
    F = C->getDirectCallee();
  else if (auto *C = dyn_cast_or_null<CXXConstructExpr>(Call))
    F = C->getConstructor();
  if (!F)
    return nullptr;
  const FunctionDecl *Body = nullptr;
  return F->hasBody(Body) ? Body : F;
}

/// Operators written as members count their object as the first argument.
static unsigned argumentShift(const CallExpr *C) {
  auto *Method = dyn_cast_or_null<CXXMethodDecl>(C->getDirectCallee());
  return isa<CXXOperatorCallExpr>(C) && Method ? 1 : 0;
}

const Expr *mep::callArgument(const Expr *Call, unsigned I) {
  if (auto *C = dyn_cast<CallExpr>(Call)) {
    I += argumentShift(C);
    return I < C->getNumArgs() ? C->getArg(I) : nullptr;
  }
  auto *C = dyn_cast<CXXConstructExpr>(Call);
  return C && I < C->getNumArgs() ? C->getArg(I) : nullptr;
}

unsigned mep::callArgumentCount(const Expr *Call) {
  if (auto *C = dyn_cast<CallExpr>(Call))
    return C->getNumArgs() - std::min(C->getNumArgs(), argumentShift(C));
  auto *C = dyn_cast<CXXConstructExpr>(Call);
  return C ? C->getNumArgs() : 0;
}

llvm::StringRef mep::calledName(const Expr *Call) {
  const FunctionDecl *F = calledFunction(Call);
  return F && F->getDeclName().isIdentifier() ? F->getName()
                                              : llvm::StringRef();
}

// ---- the walk --------------------------------------------------------------

namespace mep {

class HostWalk {
public:
  HostWalk(const ParsedUnit &Host, HostIndex &Index)
      : Host(Host), Index(Index) {}

  void declaration(const Decl *D);

private:
  void function(const FunctionDecl *F);
  void statement(const Stmt *S);
  void under(Guard G, const Stmt *S);
  void children(const Stmt *S);
  void variable(const VarDecl *V);
  void assignment(const BinaryOperator *B);
  void arguments(const Expr *Call);
  void call(const Expr *Call);
  bool control(const Stmt *S);
  void loop(const Stmt *S, const Stmt *Init, const Expr *Condition,
            const Stmt *Body, const Stmt *After);
  void exit(HostExit::Kind How, const Stmt *S);

  /// Records \p D for whatever the lvalue \p Target names.
  void define(const Expr *Target, Definition D);
  CallPlace place(const Expr *E) const { return {E, In, Order, Under}; }

  const ParsedUnit &Host;
  HostIndex &Index;
  const FunctionDecl *In = nullptr;
  unsigned Order = 0;
  Guards Under;
  unsigned Lambdas = 0; ///< Around what is walked: returns are theirs.
  unsigned Once = 0;    ///< `do … while (0)` since the last loop or switch.
  const Stmt *Switch = nullptr;
};

} // namespace mep

void HostWalk::declaration(const Decl *D) {
  if (!D || Host.isSystem(D->getLocation()))
    return;
  if (auto *F = dyn_cast<FunctionDecl>(D))
    return function(F);
  if (auto *V = dyn_cast<VarDecl>(D))
    return variable(V);
  if (auto *T = dyn_cast<FunctionTemplateDecl>(D)) {
    for (const FunctionDecl *F : T->specializations())
      function(F);
    return;
  }
  if (auto *T = dyn_cast<ClassTemplateDecl>(D)) {
    for (const auto *S : T->specializations())
      declaration(S);
    return;
  }
  if (auto *F = dyn_cast<FieldDecl>(D)) {
    if (const Expr *Value = F->getInClassInitializer()) {
      Definition New;
      New.Value = Value;
      New.At = F->getLocation();
      Index.Defined[F->getCanonicalDecl()].push_back(New);
    }
    return;
  }
  if (auto *R = dyn_cast<CXXRecordDecl>(D); R && R->isDependentContext())
    return;
  if (isa<NamespaceDecl>(D) || isa<LinkageSpecDecl>(D) || isa<RecordDecl>(D))
    for (const Decl *Inner : cast<DeclContext>(D)->decls())
      declaration(Inner);
}

void HostWalk::function(const FunctionDecl *F) {
  if (!F->doesThisDeclarationHaveABody() || F->isDependentContext() ||
      F->hasAttr<CUDAGlobalAttr>() ||
      (F->hasAttr<CUDADeviceAttr>() && !F->hasAttr<CUDAHostAttr>()))
    return;
  In = F;
  Under.clear();
  if (auto *C = dyn_cast<CXXConstructorDecl>(F))
    for (const CXXCtorInitializer *I : C->inits())
      if (I->isAnyMemberInitializer() && I->isWritten()) {
        Definition D;
        D.Value = I->getInit();
        D.In = F;
        D.Order = ++Order;
        D.At = I->getSourceLocation();
        Index.Defined[I->getAnyMember()->getCanonicalDecl()].push_back(D);
        statement(I->getInit());
      }
  statement(F->getBody());
  In = nullptr;
}

void HostWalk::under(Guard G, const Stmt *S) {
  Under.push_back(G);
  statement(S);
  Under.pop_back();
}

void HostWalk::children(const Stmt *S) {
  for (const Stmt *Child : S->children())
    statement(Child);
}

/// \p Condition is evaluated before the body, of `do` behind it.
void HostWalk::loop(const Stmt *S, const Stmt *Init, const Expr *Condition,
                    const Stmt *Body, const Stmt *After) {
  llvm::SaveAndRestore Inside(Once, 0u);
  statement(Init);
  Under.push_back({S, Guard::Body, ++Order});
  unsigned At = Order;
  if (!isa<DoStmt>(S))
    statement(Condition);
  statement(Body);
  if (isa<DoStmt>(S)) {
    At = ++Order;
    statement(Condition);
  }
  statement(After);
  Under.pop_back();
  Index.Loops[S] = {At, ++Order};
}

/// Statements that decide what runs. True if \p S was one and is done.
bool HostWalk::control(const Stmt *S) {
  if (auto *If = dyn_cast<IfStmt>(S)) {
    unsigned At = Order;
    statement(If->getInit());
    if (const VarDecl *V = If->getConditionVariable()) {
      variable(V);
      At = Order + 1;
    }
    statement(If->getCond());
    under({If, Guard::Then, At}, If->getThen());
    under({If, Guard::Else, At}, If->getElse());
    return true;
  }
  if (auto *For = dyn_cast<ForStmt>(S)) {
    loop(For, For->getInit(), For->getCond(), For->getBody(), For->getInc());
    return true;
  }
  if (auto *While = dyn_cast<WhileStmt>(S)) {
    loop(While, nullptr, While->getCond(), While->getBody(), nullptr);
    return true;
  }
  // The body of `do … while (0)` runs once: no guard for what CHECK macros
  // expand to.
  if (auto *Do = dyn_cast<DoStmt>(S)) {
    Expr::EvalResult Result;
    bool IsOnce = !Do->getCond()->isValueDependent() &&
                  Do->getCond()->EvaluateAsInt(Result, Host.context()) &&
                  Result.Val.getInt().isZero();
    if (!IsOnce) {
      loop(Do, nullptr, Do->getCond(), Do->getBody(), nullptr);
      return true;
    }
    llvm::SaveAndRestore Inside(Once, Once + 1);
    statement(Do->getBody());
    statement(Do->getCond());
    return true;
  }
  if (auto *Range = dyn_cast<CXXForRangeStmt>(S)) {
    loop(Range, Range->getRangeInit(), nullptr, Range->getBody(), nullptr);
    return true;
  }
  if (auto *Case = dyn_cast<SwitchStmt>(S)) {
    llvm::SaveAndRestore Inside(Once, 0u);
    llvm::SaveAndRestore Current(Switch, S);
    unsigned At = Order;
    statement(Case->getCond());
    under({Case, Guard::Case, At}, Case->getBody());
    return true;
  }
  return false;
}

void HostWalk::exit(HostExit::Kind How, const Stmt *S) {
  if (In && !Lambdas && (How == HostExit::Return || !Once))
    Index.Exits[In->getCanonicalDecl()].push_back({How, S, In, Order, Under});
}

void HostWalk::statement(const Stmt *S) {
  if (!S)
    return;
  ++Order;
  if (control(S))
    return;
  if (auto *D = dyn_cast<DeclStmt>(S)) {
    for (const Decl *Inner : D->decls())
      if (auto *V = dyn_cast<VarDecl>(Inner))
        variable(V);
    return;
  }
  if (auto *Label = dyn_cast<SwitchCase>(S); Label && Switch)
    Index.Labels[Switch].push_back({Label, Order});
  if (isa<ContinueStmt>(S))
    return exit(HostExit::Continue, S);
  if (isa<BreakStmt>(S))
    return exit(HostExit::Break, S);
  if (auto *L = dyn_cast<LambdaExpr>(S)) {
    children(S);
    llvm::SaveAndRestore Inside(Lambdas, Lambdas + 1);
    return statement(L->getBody());
  }
  if (auto *R = dyn_cast<ReturnStmt>(S)) {
    children(S);
    if (In && R->getRetValue())
      Index.Returned[In->getCanonicalDecl()].push_back(place(R->getRetValue()));
    return exit(HostExit::Return, S);
  }
  children(S);
  if (auto *B = dyn_cast<BinaryOperator>(S))
    return assignment(B);
  if (auto *U = dyn_cast<UnaryOperator>(S)) {
    if (U->isIncrementDecrementOp()) {
      Definition D;
      D.How = Definition::Compound;
      D.Operator = U->isIncrementOp() ? "+" : "-";
      define(U->getSubExpr(), D);
    }
    return;
  }
  if (isa<CallExpr>(S) || isa<CXXConstructExpr>(S))
    call(cast<Expr>(S));
  // A call Clang could not resolve may still set what it is given.
  if (auto *R = dyn_cast<RecoveryExpr>(S))
    for (const Expr *Child : const_cast<RecoveryExpr *>(R)->subExpressions())
      if (auto *U = dyn_cast<UnaryOperator>(bare(Child));
          U && U->getOpcode() == UO_AddrOf) {
        Definition D;
        D.How = Definition::Passed;
        D.Call = R;
        define(U->getSubExpr(), D);
      }
}

void HostWalk::variable(const VarDecl *V) {
  ++Order;
  const Expr *Value = V->getInit();
  if (!Value)
    return;
  statement(Value);
  // A default construction gives no value to look at.
  if (auto *C = dyn_cast<CXXConstructExpr>(Value->IgnoreImplicit());
      C && C->getNumArgs() == 0 && !V->getType()->isReferenceType() &&
      C->getConstructor()->isTrivial())
    return;
  Definition D;
  D.Value = Value;
  D.In = In;
  D.Order = ++Order;
  D.Under = Under;
  D.At = V->getLocation();
  Index.Defined[V->getCanonicalDecl()].push_back(D);
}

void HostWalk::assignment(const BinaryOperator *B) {
  if (!B->isAssignmentOp())
    return;
  Definition D;
  D.Value = B->getRHS();
  D.How = Definition::Assignment;
  if (B->isCompoundAssignmentOp()) {
    D.How = Definition::Compound;
    D.Operator = BinaryOperator::getOpcodeStr(
        BinaryOperator::getOpForCompoundAssignment(B->getOpcode()));
  }
  define(B->getLHS(), D);
}

const ValueDecl *mep::rootOf(const Expr *E, bool ThroughCalls) {
  while ((E = bare(E))) {
    if (auto *R = dyn_cast<DeclRefExpr>(E))
      return R->getDecl();
    if (auto *M = dyn_cast<MemberExpr>(E))
      E = M->getBase();
    else if (auto *S = dyn_cast<ArraySubscriptExpr>(E))
      E = S->getBase();
    else if (auto *U = dyn_cast<UnaryOperator>(E))
      E = U->getSubExpr();
    else if (auto *C = dyn_cast<CXXMemberCallExpr>(E); C && ThroughCalls)
      E = C->getImplicitObjectArgument();
    else
      return nullptr;
  }
  return nullptr;
}

void HostWalk::define(const Expr *Target, Definition D) {
  D.In = In;
  D.Order = ++Order;
  D.Under = Under;
  D.At = Target->getExprLoc();
  Target = D.Target = bare(Target);
  bool OfContainer = false;
  while (true) {
    auto *O = dyn_cast<CXXOperatorCallExpr>(Target);
    if (auto *S = dyn_cast<ArraySubscriptExpr>(Target)) {
      D.Subscript = S->getIdx();
      Target = bare(S->getBase());
    } else if (O && O->getOperator() == OO_Subscript && O->getNumArgs() == 2) {
      D.Subscript = O->getArg(1);
      Target = bare(O->getArg(0));
      OfContainer = true;
    } else {
      break;
    }
  }
  const ValueDecl *Key = nullptr;
  if (auto *R = dyn_cast<DeclRefExpr>(Target)) {
    Key = R->getDecl();
  } else if (auto *M = dyn_cast<MemberExpr>(Target)) {
    Key = M->getMemberDecl();
    if (const ValueDecl *Root = rootOf(M->getBase()))
      D.Base = cast<ValueDecl>(Root->getCanonicalDecl());
  } else if (auto *U = dyn_cast<UnaryOperator>(Target);
             U && U->getOpcode() == UO_Deref) {
    if (auto *R = dyn_cast<DeclRefExpr>(bare(U->getSubExpr())))
      Key = R->getDecl();
    if (D.How == Definition::Assignment)
      D.How = Definition::Through;
  }
  if (Key)
    (OfContainer ? Index.Elements : Index.Defined)[Key->getCanonicalDecl()]
        .push_back(D);
}

static bool pointsToConst(QualType T) {
  return T->isPointerType() && T->getPointeeType().isConstQualified();
}

/// `f(&x)` and `f(x)` with a reference or pointer to pointer parameter may
/// give x a value.
void HostWalk::arguments(const Expr *Call) {
  const FunctionDecl *F = calledFunction(Call);
  for (unsigned I = 0, N = callArgumentCount(Call); I < N; ++I) {
    const Expr *A = callArgument(Call, I);
    QualType Parameter = F && I < F->getNumParams()
                             ? F->getParamDecl(I)->getType()
                             : A->getType();
    if (pointsToConst(Parameter))
      continue;
    Definition D;
    D.How = Definition::Passed;
    D.Call = Call;
    D.Argument = I;
    const Expr *Inner = bare(A);
    auto *U = dyn_cast<UnaryOperator>(Inner);
    if (U && U->getOpcode() == UO_AddrOf)
      define(U->getSubExpr(), D);
    else if (Parameter->isLValueReferenceType() &&
             !Parameter.getNonReferenceType().isConstQualified())
      define(Inner, D);
    else if (A->getType()->isPointerType() && isa<DeclRefExpr>(Inner) &&
             isa<ParmVarDecl>(cast<DeclRefExpr>(Inner)->getDecl()) &&
             Inner->getType()->isPointerType() &&
             Inner->getType()->getPointeeType()->isPointerType())
      define(Inner, D);
  }
}

static bool isLaunchFunction(llvm::StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases({"cudaLaunchKernel", "cudaLaunchKernelExC",
              "cudaLaunchCooperativeKernel"},
             true)
      .Cases({"hipLaunchKernel", "hipLaunchCooperativeKernel"}, true)
      .Default(false);
}

static bool isMemorySet(llvm::StringRef Name) {
  return Name == "cudaMemset" || Name == "cudaMemsetAsync" ||
         Name == "hipMemset" || Name == "hipMemsetAsync";
}

static bool isMemoryCopy(llvm::StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases({"cudaMemcpy", "cudaMemcpyAsync", "cuMemcpyHtoD", "memcpy"}, true)
      .Cases({"hipMemcpy", "hipMemcpyAsync", "hipMemcpyHtoD"}, true)
      .Default(false);
}

void HostWalk::call(const Expr *Call) {
  if (isa<CUDAKernelCallExpr>(Call) || isLaunchFunction(calledName(Call)))
    Index.Launches.push_back(place(Call));
  if (isa<CUDAKernelCallExpr>(Call))
    return;
  if (calledName(Call).starts_with("cudaMemcpyToSymbol") ||
      calledName(Call).starts_with("hipMemcpyToSymbol"))
    Index.Copies.push_back(place(Call));
  else if (isMemoryCopy(calledName(Call)))
    Index.MemoryCopies.push_back(place(Call));
  if (isMemorySet(calledName(Call)))
    Index.Sets.push_back(place(Call));
  if (const FunctionDecl *F = calledFunction(Call))
    Index.Called[F->getCanonicalDecl()].push_back(place(Call));
  arguments(Call);
  auto *Member = dyn_cast<CXXMemberCallExpr>(Call);
  if (!Member || (calledName(Call) != "resize" && calledName(Call) != "assign"))
    return;
  Definition D;
  D.How = Definition::Passed;
  D.Call = Call;
  D.Argument = Definition::ThisArgument;
  define(Member->getImplicitObjectArgument(), D);
}

HostIndex::HostIndex(const ParsedUnit &Host) {
  HostWalk Walk(Host, *this);
  for (const Decl *D : Host.context().getTranslationUnitDecl()->decls())
    Walk.declaration(D);
}

template <typename Map>
static const typename Map::mapped_type &lookup(const Map &M, const Decl *D) {
  static const typename Map::mapped_type None;
  auto Found = M.find(D->getCanonicalDecl());
  return Found == M.end() ? None : Found->second;
}

const std::vector<Definition> &
HostIndex::definitions(const ValueDecl *D) const {
  return lookup(Defined, D);
}
const std::vector<Definition> &HostIndex::elements(const ValueDecl *D) const {
  return lookup(Elements, D);
}
const std::vector<CallPlace> &HostIndex::callers(const FunctionDecl *F) const {
  return lookup(Called, F);
}
const std::vector<CallPlace> &HostIndex::returns(const FunctionDecl *F) const {
  return lookup(Returned, F);
}

const std::vector<HostExit> &HostIndex::exits(const FunctionDecl *F) const {
  return lookup(Exits, F);
}

const std::vector<std::pair<const SwitchCase *, unsigned>> &
HostIndex::labels(const Stmt *Switch) const {
  static const std::vector<std::pair<const SwitchCase *, unsigned>> None;
  auto Found = Labels.find(Switch);
  return Found == Labels.end() ? None : Found->second;
}

std::vector<const CallPlace *> HostIndex::callersOf(llvm::StringRef Name,
                                                    unsigned Parameters) const {
  std::vector<const CallPlace *> All;
  for (const auto &[D, Places] : Called) {
    auto *F = dyn_cast<FunctionDecl>(D);
    if (F && F->getNumParams() == Parameters &&
        F->getQualifiedNameAsString() == Name)
      for (const CallPlace &P : Places)
        All.push_back(&P);
  }
  // The map is ordered by addresses.
  llvm::sort(All, [](const CallPlace *A, const CallPlace *B) {
    return A->Order < B->Order;
  });
  return All;
}

const CallPlace *HostIndex::callerOf(llvm::StringRef Name,
                                     unsigned Parameters) const {
  const CallPlace *First = nullptr;
  for (const auto &[D, Places] : Called) {
    auto *F = dyn_cast<FunctionDecl>(D);
    if (!F || Places.empty() || F->getNumParams() != Parameters ||
        F->getQualifiedNameAsString() != Name)
      continue;
    // The map is ordered by addresses: take what comes first in the unit.
    if (!First || Places.front().Order < First->Order)
      First = &Places.front();
  }
  return First;
}

const ValueDecl *HostIndex::definedAs(llvm::StringRef Name,
                                      Decl::Kind Kind) const {
  for (const auto &[D, Definitions] : Defined) {
    auto *V = dyn_cast<ValueDecl>(D);
    auto *Variable = dyn_cast<VarDecl>(D);
    if (V && V->getKind() == Kind && !Definitions.empty() &&
        (!Variable ||
         (Variable->hasGlobalStorage() && Variable->isExternallyVisible())) &&
        V->getQualifiedNameAsString() == Name)
      return V;
  }
  return nullptr;
}
