#include "LaunchIndex.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtCXX.h"

using namespace mep;

namespace {

class Collector : public clang::RecursiveASTVisitor<Collector> {
public:
  Collector(const ParsedUnit &Unit, const KernelSite &Site, LaunchIndex &Out)
      : Unit(Unit), Site(Site), Out(Out) {
    for (clang::Decl *D : Unit.context().getTranslationUnitDecl()->decls())
      if (!Unit.isSystem(D->getLocation()))
        TraverseDecl(D);
  }

  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr *Call) {
    SourceSpan Place = Unit.span(Call->getSourceRange());
    Out.Calls[{Place.File, Place.Begin}] = Call;
    return true;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr *Reference) {
    if (Reference->getDecl()->hasAttr<clang::CUDAGlobalAttr>() &&
        Reference->getDecl()->getQualifiedNameAsString() == Site.QualifiedName)
      ++Out.Uses;
    return true;
  }

  bool VisitOverloadExpr(clang::OverloadExpr *Reference) {
    if (Reference->getName().getAsString() == Site.Name)
      ++Out.Uses;
    return true;
  }

  bool VisitFunctionDecl(clang::FunctionDecl *Function) {
    if (!Function->isThisDeclarationADefinition() &&
        Function->hasAttr<clang::CUDAGlobalAttr>() &&
        Function->getQualifiedNameAsString() == Site.QualifiedName) {
      SourceSpan Place = Unit.span(Function->getSourceRange());
      Out.DeclaredElsewhere |= Place.File != Site.Definition.File;
    }
    return true;
  }

private:
  const ParsedUnit &Unit;
  const KernelSite &Site;
  LaunchIndex &Out;
};

} // namespace

clang::CUDAKernelCallExpr *LaunchIndex::find(const LaunchSite &Launch) const {
  auto It = Calls.find({Launch.Call.File, Launch.Call.Begin});
  return It == Calls.end() ? nullptr : It->second;
}

LaunchIndex mep::indexLaunches(const ParsedUnit &Host, const KernelSite &Site) {
  LaunchIndex Index;
  Collector(Host, Site, Index);
  return Index;
}

LaunchContext mep::contextOf(const ParsedUnit &Host,
                             const clang::CUDAKernelCallExpr *Call) {
  clang::DynTypedNode Node = clang::DynTypedNode::create(*Call);
  for (;;) {
    auto Parents = Host.context().getParents(Node);
    if (Parents.size() != 1)
      return LaunchContext::Expression;
    const clang::Stmt *Child = Node.get<clang::Stmt>();
    Node = Parents[0];
    if (Node.get<clang::CompoundStmt>())
      return LaunchContext::Block;
    if (Node.get<clang::ExprWithCleanups>())
      continue;
    if (auto *S = Node.get<clang::IfStmt>())
      return Child == S->getThen() || Child == S->getElse()
                 ? LaunchContext::Statement
                 : LaunchContext::Expression;
    const clang::Stmt *Body = nullptr;
    if (auto *S = Node.get<clang::ForStmt>())
      Body = S->getBody();
    else if (auto *S = Node.get<clang::WhileStmt>())
      Body = S->getBody();
    else if (auto *S = Node.get<clang::DoStmt>())
      Body = S->getBody();
    else if (auto *S = Node.get<clang::CXXForRangeStmt>())
      Body = S->getBody();
    else if (auto *S = Node.get<clang::SwitchCase>())
      Body = S->getSubStmt();
    else if (auto *S = Node.get<clang::LabelStmt>())
      Body = S->getSubStmt();
    return Child && Child == Body ? LaunchContext::Statement
                                  : LaunchContext::Expression;
  }
}
