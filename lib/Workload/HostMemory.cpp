#include "HostMemory.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mep;
using namespace clang;
using llvm::dyn_cast;
using llvm::isa;
using llvm::StringRef;

namespace {

/// `h[0]`
bool isFirst(const Expr *Subscript, const ASTContext &Context) {
  Expr::EvalResult R;
  return Subscript && !Subscript->isValueDependent() &&
         Subscript->EvaluateAsInt(R, Context) && R.Val.getInt().isZero();
}

/// The variable or member at the bottom of a pointer expression.
const ValueDecl *pointedVariable(const Expr *E, const ASTContext &Context,
                                 bool &IsBegin) {
  while ((E = bare(E))) {
    if (auto *R = dyn_cast<DeclRefExpr>(E))
      return R->getDecl();
    if (auto *M = dyn_cast<MemberExpr>(E))
      return M->getMemberDecl();
    if (auto *U = dyn_cast<UnaryOperator>(E)) {
      E = U->getSubExpr();
    } else if (auto *S = dyn_cast<ArraySubscriptExpr>(E)) {
      IsBegin &= isFirst(S->getIdx(), Context);
      E = S->getBase();
    } else if (auto *C = dyn_cast<CXXMemberCallExpr>(E)) {
      // `data()`, `get()`, `begin()`
      if (C->getNumArgs())
        return nullptr;
      E = C->getImplicitObjectArgument();
    } else if (auto *O = dyn_cast<CXXOperatorCallExpr>(E);
               O && O->getOperator() == OO_Subscript && O->getNumArgs() == 2) {
      IsBegin &= isFirst(O->getArg(1), Context);
      E = O->getArg(0);
    } else if (auto *B = dyn_cast<BinaryOperator>(E);
               B && B->isAdditiveOp() &&
               B->getLHS()->getType()->isPointerType()) {
      IsBegin = false;
      E = B->getLHS();
    } else {
      return nullptr;
    }
  }
  return nullptr;
}

/// Of an array, a pointer or a container of arithmetic elements.
QualType scalarOf(const ValueDecl *D) {
  const ASTContext &Context = D->getASTContext();
  QualType T = D->getType().getNonReferenceType().getCanonicalType();
  if (Context.getAsArrayType(T))
    T = Context.getBaseElementType(T);
  else if (T->isPointerType())
    T = T->getPointeeType();
  else if (const auto *Class =
               dyn_cast_or_null<ClassTemplateSpecializationDecl>(
                   T->getAsCXXRecordDecl());
           Class && Class->getTemplateArgs().size() &&
           Class->getTemplateArgs()[0].getKind() == TemplateArgument::Type)
    T = Class->getTemplateArgs()[0].getAsType().getCanonicalType();
  else
    return {};
  T = Context.getBaseElementType(T);
  return T->isArithmeticType() || T->isEnumeralType() ? T : QualType();
}

/// The one expression that gives the pointer \p V its value, as a whole.
const Definition *onlyDefinition(const HostValues &Values, const ValueDecl *V) {
  const Definition *Only = nullptr;
  for (const Definition &D : Values.index().definitions(V)) {
    if (D.Subscript || D.How == Definition::Through)
      continue;
    if (Only || D.How > Definition::Assignment)
      return nullptr;
    Only = &D;
  }
  return Only;
}

/// One step towards the memory; false at its end.
bool step(HostValues &Values, HostMemory &M) {
  const Expr *From = nullptr;
  Point There;
  auto *Parameter = dyn_cast<ParmVarDecl>(M.Variable);
  auto *V = dyn_cast<VarDecl>(M.Variable);
  if (!V || !V->getType()->isPointerType())
    return false;
  const Definition *Only = onlyDefinition(Values, V);
  if (Parameter && !Only && M.At.In && M.At.In->Call &&
      M.At.In->Function->getCanonicalDecl() ==
          cast<Decl>(Parameter->getDeclContext())->getCanonicalDecl()) {
    From = callArgument(M.At.In->Call, Parameter->getFunctionScopeIndex());
    There = M.At.In->Caller;
  } else if (Only && Only->Value) {
    From = Only->Value;
    There = Values.flow().pointOf(*Only, M.At);
  }
  if (!From || (!From->getType()->isPointerType() &&
                !bare(From)->getType()->isArrayType()))
    return false;
  bool IsBegin = M.IsBegin;
  const ValueDecl *Next =
      pointedVariable(From, Values.host().context(), IsBegin);
  if (!Next || Next == M.Variable || isa<FunctionDecl>(Next))
    return false;
  M.Variable = Next;
  M.IsBegin = IsBegin;
  M.At = There;
  return true;
}

} // namespace

HostMemory mep::hostMemory(HostValues &Values, const Expr *E, const Point &P) {
  HostMemory M;
  M.At = P;
  M.Variable =
      E ? pointedVariable(E, Values.host().context(), M.IsBegin) : nullptr;
  constexpr unsigned MostSteps = 4;
  for (unsigned I = 0; M.Variable && I < MostSteps; ++I)
    if (!step(Values, M))
      break;
  if (M.Variable)
    M.Scalar = scalarOf(M.Variable);
  return M;
}

// ---- uses ------------------------------------------------------------------

namespace {

/// Calls that leave what the memory held when it was copied to the device, and
/// of the standard library what only reads.
bool onlyLooks(StringRef Name) {
  return Name.starts_with("cuda") || Name.starts_with("hip") ||
         llvm::StringSwitch<bool>(Name)
             .Cases({"free", "accumulate", "reduce", "max_element"}, true)
             .Cases({"min_element", "minmax_element", "count", "count_if"},
                    true)
             .Cases({"find", "is_sorted", "distance", "equal"}, true)
             .Default(false);
}

/// Member functions of containers that leave elements as they are.
bool keepsElements(const CXXMethodDecl *M) {
  return !M || M->isConst() ||
         llvm::StringSwitch<bool>(M->getDeclName().isIdentifier() ? M->getName()
                                                                  : "")
             .Cases({"data", "begin", "end", "get", "at", "front", "back"},
                    true)
             .Cases({"reserve", "resize", "shrink_to_fit", "rbegin", "rend"},
                    true)
             .Default(false);
}

bool isConstantTo(const CallExpr *C, unsigned I) {
  const FunctionDecl *F = C->getDirectCallee();
  const Expr *A = callArgument(C, I);
  // A copy of a container.
  if (A->getType()->isRecordType() && isa<DeclRefExpr>(bare(A)) &&
      !(F && I < F->getNumParams() &&
        F->getParamDecl(I)->getType()->isReferenceType()))
    return true;
  QualType T =
      F && I < F->getNumParams() ? F->getParamDecl(I)->getType() : A->getType();
  if (T->isPointerType() || T->isReferenceType())
    return T->getPointeeType().isConstQualified();
  return T->isArithmeticType() || T->isEnumeralType();
}

class UseFinder : public RecursiveASTVisitor<UseFinder> {
public:
  UseFinder(const ValueDecl *Memory, const ASTContext &Context,
            std::vector<MemoryUse> &Uses)
      : Memory(Memory), Context(Context), Uses(Uses) {}

  bool VisitCallExpr(CallExpr *C) {
    if (onlyLooks(calledName(C)) || isa<CXXOperatorCallExpr>(C))
      return true;
    bool IsBegin = true;
    if (auto *M = dyn_cast<CXXMemberCallExpr>(C);
        M && !keepsElements(M->getMethodDecl()) &&
        isMemory(M->getImplicitObjectArgument(), IsBegin))
      Uses.push_back({C, Definition::ThisArgument});
    for (unsigned I = 0, N = callArgumentCount(C); I < N; ++I)
      if (bool IsBegin = true;
          !isConstantTo(C, I) && isMemory(callArgument(C, I), IsBegin))
        Uses.push_back({C, I, IsBegin});
    return true;
  }

private:
  bool isMemory(const Expr *E, bool &IsBegin) const {
    const ValueDecl *D = pointedVariable(E, Context, IsBegin);
    return D && D->getCanonicalDecl() == Memory->getCanonicalDecl();
  }

  const ValueDecl *Memory;
  const ASTContext &Context;
  std::vector<MemoryUse> &Uses;
};

/// Functions with bodies that are the application's.
class BodyFinder : public RecursiveASTVisitor<BodyFinder> {
public:
  BodyFinder(const ParsedUnit &Host, UseFinder &Uses)
      : Host(Host), Uses(Uses) {}
  bool TraverseDecl(Decl *D) {
    if (!D || (!isa<TranslationUnitDecl>(D) && Host.isSystem(D->getLocation())))
      return true;
    return RecursiveASTVisitor::TraverseDecl(D);
  }
  bool TraverseStmt(Stmt *S) { return !S || Uses.TraverseStmt(S); }

private:
  const ParsedUnit &Host;
  UseFinder &Uses;
};

} // namespace

std::vector<MemoryUse> mep::usesOf(const HostValues &Values,
                                   const ValueDecl *Memory) {
  std::vector<MemoryUse> Uses;
  UseFinder Finder(Memory, Values.host().context(), Uses);
  auto *In =
      dyn_cast_or_null<FunctionDecl>(Memory->getParentFunctionOrMethod());
  if (In && In->getBody())
    Finder.TraverseStmt(In->getBody());
  else if (!In && !Memory->getType().isConstQualified())
    BodyFinder(Values.host(), Finder)
        .TraverseDecl(Values.host().context().getTranslationUnitDecl());
  return Uses;
}
