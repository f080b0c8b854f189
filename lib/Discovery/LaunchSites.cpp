/// \file
/// Launch calls to launch sites.

#include "LaunchSites.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace mep;

namespace {

/// True if \p Call is what HIP's launch macro expands to.
bool isHipMacro(const ParsedUnit &Unit, const clang::CallExpr &Call) {
  clang::SourceLocation At = Call.getRParenLoc();
  while (At.isMacroID()) {
    llvm::StringRef Macro = clang::Lexer::getImmediateMacroName(
        At, Unit.sources(), Unit.language());
    if (Macro == "hipLaunchKernelGGL")
      return true;
    At = Unit.sources().getImmediateMacroCallerLoc(At);
  }
  return false;
}

LaunchKind kindOf(const ParsedUnit &Unit, const FoundLaunch &Launch) {
  if (!llvm::isa<clang::CUDAKernelCallExpr>(Launch.Call) ||
      isHipMacro(Unit, *Launch.Call))
    return LaunchKind::Api;
  if (Launch.InInstantiation)
    return LaunchKind::Templated;
  // Arguments of a macro stand as written; a launch whose `<<<` does not comes
  // from a macro's body.
  return Unit.text(Launch.Call->getSourceRange()).contains("<<<")
             ? LaunchKind::Triple
             : LaunchKind::Macro;
}

struct Piece {
  SourceSpan *Span;
  std::string *Text;
};

void setPiece(const ParsedUnit &Unit, const clang::CallExpr &Call,
              unsigned Index, Piece To) {
  if (Index >= Call.getNumArgs())
    return;
  const clang::Expr *E = Call.getArg(Index);
  if (llvm::isa<clang::CXXDefaultArgExpr>(E))
    return;
  *To.Span = Unit.span(E->getSourceRange());
  *To.Text = Unit.text(*To.Span).str();
}

/// The texts of `void *args[] = {&a, &b}`; none if \p Array is not that.
std::vector<std::string> pointedArguments(const ParsedUnit &Unit,
                                          const clang::Expr *Array) {
  auto *Name = llvm::dyn_cast<clang::DeclRefExpr>(Array->IgnoreParenCasts());
  auto *Variable =
      Name ? llvm::dyn_cast<clang::VarDecl>(Name->getDecl()) : nullptr;
  auto *List = Variable && Variable->getInit()
                   ? llvm::dyn_cast<clang::InitListExpr>(Variable->getInit())
                   : nullptr;
  std::vector<std::string> Texts;
  for (const clang::Expr *E :
       List ? List->inits() : llvm::ArrayRef<clang::Expr *>()) {
    auto *Address = llvm::dyn_cast<clang::UnaryOperator>(E->IgnoreParenCasts());
    if (!Address || Address->getOpcode() != clang::UO_AddrOf)
      return {};
    Texts.push_back(Unit.text(Address->getSubExpr()->getSourceRange()).str());
  }
  return Texts;
}

} // namespace

LaunchSite mep::makeLaunch(const ParsedUnit &Unit, const FoundLaunch &Launch) {
  LaunchSite Site;
  Site.Kind = kindOf(Unit, Launch);
  Site.Unit = Unit.command().File;
  Site.Call = Unit.span(Launch.Call->getSourceRange());
  Site.InLoop = Launch.InLoop;
  if (Launch.Enclosing)
    Site.Function = Launch.Enclosing->getQualifiedNameAsString();
  // Where grid, block, shared bytes and stream stand in the call.
  static constexpr unsigned InTriple[] = {0, 1, 2, 3}, InApi[] = {1, 2, 4, 5};
  auto *Triple = llvm::dyn_cast<clang::CUDAKernelCallExpr>(Launch.Call);
  const clang::CallExpr &From = Triple ? *Triple->getConfig() : *Launch.Call;
  const Piece Pieces[] = {{&Site.Grid, &Site.GridText},
                          {&Site.Block, &Site.BlockText},
                          {&Site.Shared, &Site.SharedText},
                          {&Site.Stream, &Site.StreamText}};
  for (unsigned I = 0; I < 4; ++I)
    setPiece(Unit, From, Triple ? InTriple[I] : InApi[I], Pieces[I]);
  if (!Triple && Launch.Call->getNumArgs() > 3)
    Site.Arguments = pointedArguments(Unit, Launch.Call->getArg(3));
  if (Triple)
    for (const clang::Expr *Argument : Triple->arguments())
      if (!llvm::isa<clang::CXXDefaultArgExpr>(Argument))
        Site.Arguments.push_back(Unit.text(Argument->getSourceRange()).str());
  return Site;
}
