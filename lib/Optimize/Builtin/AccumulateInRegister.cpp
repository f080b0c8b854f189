/// \file
/// accumulate-in-register: an element that a loop reads and writes on every
/// pass lives in a register instead, loaded before and stored after.

#include "Move.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"

using namespace mep;
using namespace clang;

namespace {

/// The statements over which one element can stay in a register.
struct Region {
  std::string Base;
  std::vector<const Stmt *> Statements; ///< Siblings, in order.
  std::vector<Access> Uses;
  bool InCompound = false;
};

class Promoter {
public:
  explicit Promoter(const MoveInput &In) : In(In), View(In.View) {}

  MoveOutcome run() {
    for (const LoopView &L : View.Loops)
      visit(L);
    if (Edits.empty())
      return MoveOutcome::refuse(
          WhyNot.empty()
              ? "no loop updates an element that does not move with it"
              : WhyNot);
    return finish(In, "accumulate-in-register", Edits, In.From.Plan,
                  {"assumes that different pointer arguments do not overlap"});
  }

private:
  void visit(const LoopView &L) {
    Accesses All = View.accesses(L.For);
    if (!All.Unknown.empty())
      return why("memory use that cannot be followed: " + All.Unknown);
    if (View.synchronises(L.For) || View.hasReturn(L.For))
      return why("the loop synchronises or returns");
    std::set<std::string> Bases;
    for (const Access &A : All.All)
      if (A.Write)
        Bases.insert(A.Base);
    for (const std::string &Base : Bases)
      promote(L, Base, All);
  }

  void promote(const LoopView &L, const std::string &Base,
               const Accesses &All) {
    for (const Region &R : Done)
      if (R.Base == Base)
        for (const Stmt *S : R.Statements)
          if (View.within(L.For, S))
            return;
    std::vector<Access> Uses = of(All, Base);
    const Access &First = Uses.front();
    std::string Name = First.Root->getNameAsString();
    if (View.elementType(First).empty() ||
        !(First.Root->getType()->isPointerType()))
      return why("'" + Name + "' is not an array of numbers in global memory");
    bool Memory = false;
    std::set<const VarDecl *> Uses_ = View.variables(First.Index, Memory);
    for (const Access &A : Uses)
      if (A.Index != First.Index || !A.Field.empty() || A.Atomic)
        return why("the loop uses more than one element of '" + Name + "'");
    std::set<const VarDecl *> Changed = View.modified(L.For);
    if (Memory || intersects(Uses_, Changed) || declaredWithin(Uses_, L.For))
      return why("the element of '" + Name + "' moves with the loop");
    if (llvm::none_of(Uses, [&](const Access &A) {
          return unconditional(A.Node, L.For);
        }))
      return why("'" + Name + "' is used under a condition only");
    Region R = grow(L, Base, First.Index);
    if (R.Statements.size() == 1 && !runsForSure(L))
      return why("the loop may not run at all, and '" + Name +
                 "' must then stay untouched");
    emit(R);
  }

  std::vector<Access> of(const Accesses &All, const std::string &Base) {
    std::vector<Access> Out;
    for (const Access &A : All.All)
      if (A.Base == Base)
        Out.push_back(A);
    return Out;
  }

  bool intersects(const std::set<const VarDecl *> &A,
                  const std::set<const VarDecl *> &B) {
    return llvm::any_of(A, [&](const VarDecl *V) { return B.count(V) != 0; });
  }

  bool declaredWithin(const std::set<const VarDecl *> &Vars, const Stmt *S) {
    bool Found = false;
    walk(S, [&](const Stmt *Each) {
      if (auto *Decls = dyn_cast<DeclStmt>(Each))
        for (const Decl *D : Decls->decls())
          Found |= Vars.count(dyn_cast<VarDecl>(D)) != 0;
      return true;
    });
    return Found;
  }

  bool unconditional(const Stmt *Use, const Stmt *Top) {
    for (const Stmt *S = View.parent(Use); S && S != Top; S = View.parent(S))
      if (isa<IfStmt>(S) || isa<ConditionalOperator>(S) || isa<WhileStmt>(S) ||
          isa<SwitchStmt>(S) ||
          (isa<BinaryOperator>(S) && cast<BinaryOperator>(S)->isLogicalOp()))
        return false;
    return true;
  }

  /// Bounds that only dimensions and parameters decide: a kernel that is
  /// launched for an empty sum may write its element back unchanged.
  bool runsForSure(const LoopView &L) {
    auto IsPlan = [&](const Expr *E) {
      return !View.polynomial(E)
                  .spelled([&](const std::string &A) {
                    return View.planSpelling(A);
                  })
                  .empty();
    };
    return IsPlan(L.Begin) && IsPlan(L.Bound);
  }

  /// True if \p S may stand inside the region of \p Base[\p Index]; \p Uses
  /// set if it uses the element.
  bool fits(const Stmt *S, const std::string &Base, const Polynomial &Index,
            bool &Uses) {
    Accesses Here = View.accesses(S);
    bool Memory = false;
    std::set<const VarDecl *> Vars = View.variables(Index, Memory);
    if (!Here.Unknown.empty() || View.hasReturn(S) || View.synchronises(S) ||
        isa<BreakStmt>(S) || isa<ContinueStmt>(S) || !View.range(S) ||
        intersects(Vars, View.modified(S)) || declaredWithin(Vars, S))
      return false;
    Uses = false;
    for (const Access &A : Here.All)
      if (A.Base == Base) {
        if (A.Index != Index || !A.Field.empty() || A.Atomic)
          return false;
        Uses = true;
      }
    return true;
  }

  Region grow(const LoopView &L, const std::string &Base,
              const Polynomial &Index) {
    Region R;
    R.Base = Base;
    R.Statements = {L.For};
    if (auto *Block = dyn_cast_or_null<CompoundStmt>(View.parent(L.For))) {
      R.InCompound = true;
      std::vector<const Stmt *> All(Block->body_begin(), Block->body_end());
      size_t At =
          llvm::find(All, static_cast<const Stmt *>(L.For)) - All.begin();
      size_t From = At, To = At;
      bool Uses = false;
      for (size_t I = At; I-- > 0 && fits(All[I], Base, Index, Uses);)
        if (Uses)
          From = I;
      for (size_t I = At + 1; I < All.size() && fits(All[I], Base, Index, Uses);
           ++I)
        if (Uses)
          To = I;
      R.Statements.assign(All.begin() + From, All.begin() + To + 1);
    }
    for (const Stmt *S : R.Statements)
      for (const Access &A : View.accesses(S).All)
        if (A.Base == Base)
          R.Uses.push_back(A);
    return R;
  }

  /// `X[e] = …` as a whole statement.
  const BinaryOperator *plainStore(const Stmt *S, const Region &R) {
    auto *Op = dyn_cast<BinaryOperator>(S);
    if (!Op || Op->getOpcode() != BO_Assign)
      return nullptr;
    for (const Access &A : R.Uses)
      if (A.Node == Op->getLHS()->IgnoreParens() && A.Write)
        return Op;
    return nullptr;
  }

  /// The element's spelling by names that are visible around the region.
  std::string spelling(const Region &R) {
    for (const Access &A : R.Uses) {
      std::set<const VarDecl *> Names = View.mentioned(A.Node);
      if (llvm::none_of(R.Statements, [&](const Stmt *S) {
            return declaredWithin(Names, S);
          }))
        return View.text(A.Node);
    }
    return "";
  }

  void emit(const Region &R) {
    std::string Element = spelling(R);
    for (const Access &A : R.Uses)
      if (!View.range(A.Node))
        Element.clear();
    auto Front = View.range(R.Statements.front());
    auto Back = View.range(R.Statements.back());
    if (Element.empty() || !Front || !Back)
      return why("the element's spelling comes from a macro");
    std::string Type = View.elementType(R.Uses.front());
    std::string Name =
        View.freshName(R.Uses.front().Root->getNameAsString() + "_value");
    while (!Names.insert(Name).second)
      Name += "_";
    std::string Line = "\n" + View.indentation(Front->Begin);

    const BinaryOperator *First = plainStore(R.Statements.front(), R);
    const BinaryOperator *Last = plainStore(R.Statements.back(), R);
    std::set<const Expr *> Kept;
    if (First) {
      Edits.replace(*View.range(First->getLHS()), Type + " " + Name);
      Kept.insert(First->getLHS()->IgnoreParens());
      for (const Access &A : View.accesses(First->getRHS()).All)
        Kept.insert(A.Node);
    } else {
      Edits.insert(Front->Begin, (R.InCompound ? "" : "{ ") + Type + " " +
                                     Name + " = " + Element + ";" + Line);
    }
    if (Last && Last != First)
      Kept.insert(Last->getLHS()->IgnoreParens());
    for (const Access &A : R.Uses)
      if (!Kept.count(A.Node))
        Edits.replace(*View.range(A.Node), Name);
    if (!Last || Last == First)
      Edits.insert(Back->End, Line + Element + " = " + Name + ";" +
                                  (R.InCompound ? "" : " }"));
    Done.push_back(R);
  }

  void why(std::string Reason) {
    if (WhyNot.empty())
      WhyNot = std::move(Reason);
  }

  const MoveInput &In;
  const KernelView &View;
  TextEdits Edits;
  std::vector<Region> Done;
  std::set<std::string> Names;
  std::string WhyNot;
};

} // namespace

MoveOutcome mep::accumulateInRegister(const MoveInput &In) {
  std::string Shared = sharedBuffer(In.Data);
  if (!Shared.empty())
    return MoveOutcome::refuse(Shared);
  return Promoter(In).run();
}
