/// \file
/// Admission of a candidate, by Clang's view of its text.

#include "Admission.h"
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

/// Declarations of the candidate that no device code needs.
class ForeignFinder : public RecursiveASTVisitor<ForeignFinder> {
public:
  explicit ForeignFinder(const KernelView &View) : View(View) {}
  std::string Found;

  bool VisitFunctionDecl(FunctionDecl *F) {
    if (F->isImplicit() || !View.range(F->getSourceRange()) ||
        F->hasAttr<CUDADeviceAttr>() || F->hasAttr<CUDAGlobalAttr>() ||
        F->isConstexpr())
      return true;
    if (auto *Method = dyn_cast<CXXMethodDecl>(F);
        Method && Method->getParent()->isLambda())
      return true;
    return stop("host function '" + F->getNameAsString() + "'");
  }

  bool VisitVarDecl(VarDecl *V) {
    if (!V->hasGlobalStorage() || V->hasAttr<CUDASharedAttr>() ||
        V->isConstexpr() || !View.range(V->getSourceRange()))
      return true;
    if (V->getType().isConstQualified() &&
        (!V->hasInit() ||
         V->getInit()->isConstantInitializer(V->getASTContext(), false)))
      return true;
    return stop("global variable '" + V->getNameAsString() +
                "' that can keep values between launches");
  }

  bool VisitGCCAsmStmt(GCCAsmStmt *S) {
    return View.range(S->getSourceRange()) ? stop("inline assembly") : true;
  }

private:
  bool stop(std::string What) {
    Found = std::move(What);
    return false;
  }
  const KernelView &View;
};

/// Directives that reach out of the text.
std::string foreignDirective(llvm::StringRef Text) {
  llvm::SmallVector<llvm::StringRef> Lines;
  Text.split(Lines, '\n');
  for (llvm::StringRef Line : Lines) {
    Line = Line.ltrim();
    if (!Line.consume_front("#") && !Line.consume_front("%:"))
      continue;
    Line = Line.ltrim();
    for (llvm::StringRef Word : {"include", "import", "embed", "line"})
      if (Line.starts_with(Word))
        return "#" + Word.str();
  }
  return "";
}

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
  if (std::string Word = foreignDirective(C.DeviceText); !Word.empty())
    return ended(C, Status::Rejected, Word + " is not allowed in a candidate");
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
