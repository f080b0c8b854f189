/// \file
/// What moves leave behind: `int i;` whose loop declares its own now, or what
/// only a part of the kernel that was written twice still needs.

#include "Move.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace mep;
using namespace clang;

namespace {

/// The declaration statements of a block, and the names nothing refers to.
struct Declarations : RecursiveASTVisitor<Declarations> {
  bool VisitCompoundStmt(CompoundStmt *Block) {
    for (Stmt *S : Block->body())
      if (auto *D = dyn_cast<DeclStmt>(S))
        Statements.push_back(D);
    return true;
  }
  bool VisitVarDecl(VarDecl *V) {
    if (!V->isReferenced())
      Unused.insert(V->getNameAsString());
    return true;
  }
  std::vector<const DeclStmt *> Statements;
  std::set<std::string> Unused;
};

Declarations declarationsOf(const KernelView &View) {
  Declarations Found;
  Found.TraverseStmt(const_cast<CompoundStmt *>(View.Body));
  return Found;
}

bool isRemovable(const VarDecl *V) {
  const Expr *Init = V->getInit();
  return !V->isReferenced() && V->hasLocalStorage() &&
         V->getType()->isArithmeticType() &&
         !V->getType().isVolatileQualified() &&
         (!Init || !Init->HasSideEffects(V->getASTContext()));
}

/// A declaration of the variables \p Kept alone; empty if it cannot be written.
std::string declaring(const KernelView &View,
                      llvm::ArrayRef<const VarDecl *> Kept) {
  QualType Type = Kept.front()->getType();
  PrintingPolicy Policy(Kept.front()->getASTContext().getLangOpts());
  std::string Text = Type.getAsString(Policy);
  for (const VarDecl *V : Kept) {
    auto Init = V->getInit() ? View.range(V->getInit()) : std::nullopt;
    if (V->getType() != Type || !Type->isArithmeticType() ||
        (V->getInit() && !Init))
      return {};
    Text += (V == Kept.front() ? " " : ", ") + V->getNameAsString();
    if (Init)
      Text += " = " + View.text(*Init).str();
  }
  return Text + ";";
}

/// \p Range with the line that it alone stands on.
TextRange wholeLine(llvm::StringRef Text, TextRange Range) {
  size_t Begin = Text.take_front(Range.Begin).find_last_not_of(" \t");
  bool First = Begin == llvm::StringRef::npos || Text[Begin] == '\n';
  if (First && Text.substr(Range.End).starts_with("\n"))
    return {Begin == llvm::StringRef::npos ? 0 : Begin + 1, Range.End + 1};
  return Range;
}

void removeFrom(const KernelView &View, const DeclStmt *S,
                const std::set<std::string> &Before, TextEdits &Edits) {
  std::vector<const VarDecl *> Kept;
  unsigned Removed = 0;
  for (const Decl *D : S->decls()) {
    auto *V = dyn_cast<VarDecl>(D);
    if (!V)
      return;
    if (isRemovable(V) && !Before.count(V->getNameAsString()))
      ++Removed;
    else
      Kept.push_back(V);
  }
  auto Range = View.range(S);
  if (!Removed || !Range)
    return;
  if (Kept.empty())
    return Edits.replace(wholeLine(View.Text, *Range), "");
  std::string Text = declaring(View, Kept);
  if (!Text.empty())
    Edits.replace(*Range, Text);
}

} // namespace

std::string mep::withoutUnused(const KernelView &From, const Draft &Made) {
  // One parse more is worth it only where something can have been left.
  if (declarationsOf(From).Statements.empty() || From.Kernel != From.Written)
    return Made.Text;
  std::vector<std::string> Defines;
  for (const Tunable &T : Made.Plan.Tunables)
    if (!T.Values.empty())
      Defines.push_back(T.Name + "=" + std::to_string(T.Values.front()));
  auto View = KernelView::parse(From.Source, Made.Text, Defines);
  if (!View) {
    llvm::consumeError(View.takeError());
    return Made.Text;
  }
  std::set<std::string> Before = declarationsOf(From).Unused;
  TextEdits Edits;
  for (const DeclStmt *S : declarationsOf(**View).Statements)
    removeFrom(**View, S, Before, Edits);
  return Edits.apply(Made.Text).value_or(Made.Text);
}
