/// \file
/// Admission of a candidate, by Clang's view of its text.

#include "Admission.h"
#include "CandidateText.h"
#include "KernelView.h"
#include "mep/Frontend/ParsedUnit.h"
#include "mep/Support/Error.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/ASTUnit.h"
#include "llvm/ADT/StringExtras.h"

using namespace mep;
using namespace clang;

namespace {

/// Declarations of the candidate that no device code needs, by where they are
/// expanded: a macro does not hide them.
class ForeignFinder : public RecursiveASTVisitor<ForeignFinder> {
public:
  explicit ForeignFinder(const KernelView &View) : View(View) {}
  std::string Found;

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool VisitDecl(Decl *D) {
    if (!View.holds(D->getLocation()))
      return true;
    if (isa<FileScopeAsmDecl>(D))
      return stop("inline assembly");
    if (auto *N = dyn_cast<NamedDecl>(D);
        N && N->getIdentifier() && isHarnessName(N->getName()))
      return stop("the name '" + N->getNameAsString() +
                  "', which is the harness's,");
    for (const Attr *A : D->attrs())
      if (isa<SectionAttr, ConstructorAttr, DestructorAttr, AliasAttr,
              IFuncAttr, AsmLabelAttr, WeakAttr, WeakRefAttr, InitPriorityAttr>(
              A))
        return stop("attribute '" + std::string(A->getSpelling()) + "'");
    return true;
  }

  bool VisitFunctionDecl(FunctionDecl *F) {
    if (F->isImplicit() || !View.holds(F->getLocation()))
      return true;
    auto *Method = dyn_cast<CXXMethodDecl>(F);
    const bool IsLambda = Method && Method->getParent()->isLambda();
    if (!IsLambda && !F->isConstexpr() && !F->hasAttr<CUDADeviceAttr>() &&
        !F->hasAttr<CUDAGlobalAttr>())
      return stop("host function '" + F->getNameAsString() + "'");
    if (!F->isDefined() && !F->isDeleted() && !F->isDefaulted() &&
        !F->isTemplateInstantiation())
      return stop("function '" + F->getNameAsString() + "' without a body");
    return true;
  }

  bool VisitVarDecl(VarDecl *V) {
    if (!V->hasGlobalStorage() || !View.holds(V->getLocation()))
      return true;
    if (V->hasAttr<CUDASharedAttr>() &&
        (V->isLocalVarDecl() || V->hasExternalStorage()))
      return true;
    const ASTContext &Context = V->getASTContext();
    QualType T = V->getType();
    const bool IsConstant =
        T->isDependentType()
            ? T.isConstQualified()
            : T.isConstantStorage(Context, /*ExcludeCtor=*/true,
                                  /*ExcludeDtor=*/true);
    if (IsConstant && (V->isConstexpr() || !V->hasInit() ||
                       V->getInit()->isValueDependent() ||
                       V->getInit()->isConstantInitializer(V->getASTContext(),
                                                           /*ForRef=*/false)))
      return true;
    return stop("global variable '" + V->getNameAsString() +
                "' that can keep values between launches");
  }

  bool VisitAsmStmt(AsmStmt *S) {
    return View.holds(S->getAsmLoc()) ? stop("inline assembly") : true;
  }

private:
  bool stop(std::string What) {
    Found = std::move(What);
    return false;
  }
  const KernelView &View;
};

Evaluation ended(const Candidate &C, Status Outcome, std::string Message) {
  Evaluation E;
  E.Candidate = C.Id;
  E.Outcome = Outcome;
  E.Message = std::move(Message);
  return E;
}

} // namespace

std::string KernelView::foreignDeclaration() const {
  ForeignFinder Finder(*this);
  Finder.TraverseDecl(Unit->context().getTranslationUnitDecl());
  return Finder.Found;
}

std::string KernelView::signature() const {
  std::string Out = Kernel->getNameAsString() + "(";
  for (const ParmVarDecl *P : Kernel->parameters())
    Out += P->getType().getCanonicalType().getUnqualifiedType().getAsString() +
           ",";
  return Out + ")";
}

std::optional<Evaluation> mep::admit(const Closure &Source,
                                     llvm::StringRef Signature,
                                     const Candidate &C) {
  if (!C.Problem.empty())
    return ended(C, Status::Rejected, C.Problem);
  if (std::string What = foreignText(C.DeviceText, Source.kernelText());
      !What.empty())
    return ended(C, Status::Rejected, What + " is not allowed in a candidate");
  std::vector<std::string> Defines;
  for (const Tunable &T : C.Plan.Tunables) {
    if (T.Values.empty())
      return ended(C, Status::Rejected,
                   "tunable '" + T.Name + "' has no values");
    Defines.push_back(T.Name + "=" + std::to_string(T.Values.front()));
  }
  auto View = KernelView::parse(Source, C.DeviceText, Defines);
  if (!View) {
    llvm::Error Why = View.takeError();
    Status Outcome = failureOf(Why) == Failure::Unsupported
                         ? Status::Rejected
                         : Status::CompileError;
    return ended(C, Outcome, llvm::toString(std::move(Why)));
  }
  if (std::string Foreign = (*View)->foreignDeclaration(); !Foreign.empty())
    return ended(C, Status::Rejected,
                 Foreign + " is not allowed in a candidate");
  if ((*View)->signature() != Signature)
    return ended(C, Status::Rejected,
                 ("the kernel's signature changed from " + Signature + " to " +
                  (*View)->signature())
                     .str());
  return std::nullopt;
}
