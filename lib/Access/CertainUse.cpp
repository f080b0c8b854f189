#include "CertainUse.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace mep;
using namespace clang;

namespace {

bool hasJump(const Stmt *S, bool OfLoop) {
  if (!S || isa<LambdaExpr>(S))
    return false;
  if (isa<ReturnStmt, GotoStmt, IndirectGotoStmt>(S))
    return true;
  if (OfLoop && isa<BreakStmt, ContinueStmt>(S))
    return true;
  bool IsLoop = isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S);
  return llvm::any_of(S->children(), [&](const Stmt *Child) {
    return hasJump(Child, OfLoop && !IsLoop);
  });
}

/// \p Set may be wrapped, in the statement that it is, by what changes nothing.
bool isStatement(const Stmt *Child, const Stmt *Set) {
  if (auto *E = llvm::dyn_cast_or_null<Expr>(Child))
    Child = E->IgnoreImplicit()->IgnoreParens();
  return Child == Set;
}

/// The block of \p Body that \p Set is a statement of.
const CompoundStmt *blockOf(const Stmt *Body, const Stmt *Set) {
  if (!Body)
    return nullptr;
  if (auto *Block = dyn_cast<CompoundStmt>(Body))
    for (const Stmt *Child : Block->body())
      if (isStatement(Child, Set))
        return Block;
  for (const Stmt *Child : Body->children())
    if (const CompoundStmt *Block = blockOf(Child, Set))
      return Block;
  return nullptr;
}

class UseSearch {
public:
  explicit UseSearch(const Stmt *Body) : Body(Body) {}

  bool isUsed(const VarDecl *V, const Stmt *Set) {
    const CompoundStmt *Block = blockOf(Body, Set);
    if (!Block || !Asked.insert(V).second)
      return false;
    auto Behind = llvm::find_if(Block->body(), [&](const Stmt *Child) {
      return isStatement(Child, Set);
    });
    for (++Behind; Behind != Block->body_end(); ++Behind)
      if (Course C = look(*Behind, V); C != Passes)
        return C == Uses;
    return false;
  }

private:
  enum Course { Passes, Uses, MayLeave };

  Course first(std::initializer_list<const Stmt *> Parts, const VarDecl *V) {
    for (const Stmt *S : Parts)
      if (Course C = look(S, V); C != Passes)
        return C;
    return Passes;
  }

  Course lookIf(const IfStmt *If, const VarDecl *V) {
    if (Course C = first(
            {If->getInit(), If->getConditionVariableDeclStmt(), If->getCond()},
            V);
        C != Passes)
      return C;
    Course Then = look(If->getThen(), V), Else = look(If->getElse(), V);
    if (Then == Uses && Else == Uses)
      return Uses;
    return hasJump(If, true) ? MayLeave : Passes;
  }

  /// A variable's value is used where that variable is.
  Course lookDeclaration(const DeclStmt *D, const VarDecl *V) {
    for (const Decl *Each : D->decls()) {
      auto *Other = dyn_cast<VarDecl>(Each);
      if (Other && look(Other->getInit(), V) == Uses &&
          (Other->getType()->isReferenceType() || isUsed(Other, D)))
        return Uses;
    }
    return Passes;
  }

  Course look(const Stmt *S, const VarDecl *V) {
    if (!S || isa<LambdaExpr>(S))
      return Passes;
    if (auto *R = dyn_cast<DeclRefExpr>(S))
      return R->getDecl() == V ? Uses : Passes;
    if (auto *D = dyn_cast<DeclStmt>(S))
      return lookDeclaration(D, V);
    if (auto *If = dyn_cast<IfStmt>(S))
      return lookIf(If, V);
    if (auto *C = dyn_cast<AbstractConditionalOperator>(S))
      return look(C->getCond(), V);
    if (auto *B = dyn_cast<BinaryOperator>(S); B && B->isLogicalOp())
      return look(B->getLHS(), V);
    Course Head = Passes;
    if (auto *For = dyn_cast<ForStmt>(S))
      Head = first({For->getInit(), For->getCond()}, V);
    else if (auto *While = dyn_cast<WhileStmt>(S))
      Head = look(While->getCond(), V);
    else if (auto *Range = dyn_cast<CXXForRangeStmt>(S))
      Head = look(Range->getRangeInit(), V);
    else if (auto *Switch = dyn_cast<SwitchStmt>(S))
      Head = look(Switch->getCond(), V);
    else
      return lookInOrder(S, V);
    if (Head != Passes)
      return Head;
    return hasJump(S, false) ? MayLeave : Passes;
  }

  Course lookInOrder(const Stmt *S, const VarDecl *V) {
    for (const Stmt *Child : S->children())
      if (Course C = look(Child, V); C != Passes)
        return C;
    return isa<ReturnStmt, BreakStmt, ContinueStmt, GotoStmt, IndirectGotoStmt>(
               S)
               ? MayLeave
               : Passes;
  }

  const Stmt *Body;
  std::set<const VarDecl *> Asked;
};

} // namespace

bool mep::isCertainlyUsed(const VarDecl *V, const Stmt *Set, const Stmt *Body) {
  return UseSearch(Body).isUsed(V, Set);
}
