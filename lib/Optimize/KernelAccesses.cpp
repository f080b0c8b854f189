/// \file
/// Memory accesses and index polynomials of a kernel.

#include "KernelView.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/ASTUnit.h"
#include "clang/Lex/Lexer.h"

using namespace mep;
using namespace clang;

namespace {

const Expr *stripped(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  while (auto *Cast = dyn_cast<ExplicitCastExpr>(E)) {
    if (!Cast->getType()->isIntegerType())
      break;
    E = Cast->getSubExpr()->IgnoreParenImpCasts();
  }
  return E;
}

bool isMemory(const VarDecl *V) {
  QualType T = V->getType();
  return T->isPointerType() || T->isArrayType() || T->isReferenceType() ||
         (V->hasGlobalStorage() && !T.isConstQualified());
}

std::string pointerKey(const void *P) {
  std::string Out;
  llvm::raw_string_ostream(Out) << P;
  return Out;
}

/// Name of the macro whose body spells the literal at \p Loc; empty if none.
llvm::StringRef spellingMacro(SourceLocation Loc, const SourceManager &SM,
                              const LangOptions &LO) {
  while (Loc.isMacroID() && SM.isMacroArgExpansion(Loc))
    Loc = SM.getImmediateSpellingLoc(Loc);
  return Loc.isMacroID() ? Lexer::getImmediateMacroName(Loc, SM, LO)
                         : llvm::StringRef();
}

} // namespace

std::string KernelView::key(const VarDecl *Var) const {
  std::string Key = Var->getNameAsString() + "@" + pointerKey(Var);
  AtomInfo &Info = Atoms[Key];
  Info.Variables.insert(Var);
  if (isa<ParmVarDecl>(Var) && !Changed.count(Var))
    Info.Spelling = Var->getNameAsString();
  return Key;
}

std::string KernelView::opaque(const Expr *E) const {
  std::string Key = "{" + printed(E) + "}";
  AtomInfo Info;
  walk(E, [&](const Stmt *S) {
    if (auto *Ref = dyn_cast<DeclRefExpr>(S))
      if (auto *V = dyn_cast<VarDecl>(Ref->getDecl())) {
        Info.Variables.insert(V);
        Info.ReadsMemory |= isMemory(V);
        Key += pointerKey(V);
      }
    Info.ReadsMemory |= isa<CallExpr>(S) && !isa<CXXOperatorCallExpr>(S);
    return true;
  });
  Atoms[Key] = Info;
  return Key;
}

Polynomial KernelView::variable(const VarDecl *Var) const {
  bool IsThread =
      llvm::any_of(Threads, [&](const ThreadIndex &T) { return T.Var == Var; });
  if (!IsThread && Var->isLocalVarDecl() && Var->hasInit() &&
      !Changed.count(Var) && Var->getType()->isIntegerType()) {
    Polynomial P = polynomial(Var->getInit());
    bool Memory = false;
    // What the initialiser was made of must still have that value: a variable
    // that changes only as a loop's counter does, for the rest of the pass.
    bool Stable = llvm::all_of(variables(P, Memory), [&](const VarDecl *V) {
      return !Changed.count(V) ||
             llvm::any_of(Loops, [&](const LoopView &L) { return L.Var == V; });
    });
    if (Stable && !Memory)
      return P;
  }
  return Polynomial::atom(key(Var));
}

Polynomial KernelView::polynomial(const Expr *E) const {
  E = stripped(E);
  if (auto *Literal = dyn_cast<IntegerLiteral>(E)) {
    llvm::StringRef Macro = spellingMacro(Literal->getLocation(),
                                          Unit->sources(), Unit->language());
    for (const DimensionMacro &D : Source.Dimensions)
      if (D.Name == Macro) {
        Atoms[D.Name].Spelling = D.Name;
        return Polynomial::atom(D.Name);
      }
    if (Literal->getValue().getActiveBits() < 63)
      return Polynomial::constant(int64_t(Literal->getValue().getZExtValue()));
  }
  if (auto *Ref = dyn_cast<DeclRefExpr>(E))
    if (auto *Var = dyn_cast<VarDecl>(Ref->getDecl());
        Var && !Var->hasGlobalStorage() && Var->getType()->isIntegerType())
      return variable(Var);
  if (auto *Unary = dyn_cast<UnaryOperator>(E))
    if (Unary->getOpcode() == UO_Minus || Unary->getOpcode() == UO_Plus)
      return polynomial(Unary->getSubExpr()) *
             Polynomial::constant(Unary->getOpcode() == UO_Minus ? -1 : 1);
  if (auto *Op = dyn_cast<BinaryOperator>(E);
      Op && Op->getType()->isIntegerType()) {
    if (Op->getOpcode() == BO_Add)
      return polynomial(Op->getLHS()) + polynomial(Op->getRHS());
    if (Op->getOpcode() == BO_Sub)
      return polynomial(Op->getLHS()) - polynomial(Op->getRHS());
    if (Op->getOpcode() == BO_Mul)
      return polynomial(Op->getLHS()) * polynomial(Op->getRHS());
  }
  return Polynomial::atom(opaque(E));
}

std::string KernelView::planSpelling(const std::string &Atom) const {
  auto It = Atoms.find(Atom);
  return It == Atoms.end() ? "" : It->second.Spelling;
}

std::set<const VarDecl *> KernelView::variables(const Polynomial &P,
                                                bool &ReadsMemory) const {
  std::set<const VarDecl *> Out;
  for (const std::string &Atom : P.atoms()) {
    const AtomInfo &Info = Atoms[Atom];
    Out.insert(Info.Variables.begin(), Info.Variables.end());
    ReadsMemory |= Info.ReadsMemory;
  }
  return Out;
}

bool KernelView::dependsOn(const Polynomial &P, const VarDecl *Var) const {
  bool Memory = false;
  return variables(P, Memory).count(Var) != 0;
}

/// Walks expressions knowing whether each lvalue is read or written.
class KernelView::Collector {
public:
  Collector(const KernelView &View, Accesses &Out) : View(View), Out(Out) {}

  void visit(const Stmt *S) {
    if (!S || isa<PseudoObjectExpr>(S))
      return;
    if (auto *Op = dyn_cast<BinaryOperator>(S); Op && Op->isAssignmentOp()) {
      visit(Op->getRHS());
      lvalue(Op->getLHS(), Op->isCompoundAssignmentOp(), true);
      return;
    }
    if (auto *Unary = dyn_cast<UnaryOperator>(S)) {
      if (Unary->isIncrementDecrementOp())
        return lvalue(Unary->getSubExpr(), true, true);
      if (Unary->getOpcode() == UO_AddrOf)
        return unknown(Unary);
    }
    if (auto *Cast = dyn_cast<ImplicitCastExpr>(S);
        Cast && Cast->getCastKind() == CK_LValueToRValue)
      return lvalue(Cast->getSubExpr(), true, false);
    if (auto *Call = dyn_cast<CallExpr>(S); Call && atomicCall(Call))
      return;
    if (auto *Decls = dyn_cast<DeclStmt>(S)) {
      for (const Decl *D : Decls->decls())
        if (auto *V = dyn_cast<VarDecl>(D); V && V->hasInit())
          initialiser(V);
      return;
    }
    if (auto *E = dyn_cast<Expr>(S); E && E->isLValue() && touchesMemory(E))
      return lvalue(E, true, false);
    for (const Stmt *Child : S->children())
      visit(Child);
  }

private:
  struct Place {
    const VarDecl *Root = nullptr;
    std::string Base;
    Polynomial Index;
  };

  void unknown(const Stmt *S) {
    if (Out.Unknown.empty())
      Out.Unknown = "'" + View.text(S) + "' at " + View.where(S);
  }

  static bool touchesMemory(const Expr *E) {
    E = E->IgnoreParens();
    if (auto *Ref = dyn_cast<DeclRefExpr>(E)) {
      auto *V = dyn_cast<VarDecl>(Ref->getDecl());
      return V && isMemory(V);
    }
    return isa<ArraySubscriptExpr>(E) || isa<MemberExpr>(E) ||
           (isa<UnaryOperator>(E) &&
            cast<UnaryOperator>(E)->getOpcode() == UO_Deref);
  }

  /// A local pointer that stands for another one plus an offset needs no
  /// access of its own.
  void initialiser(const VarDecl *V) {
    if (V->getType()->isPointerType() && !View.Changed.count(V))
      if (pointer(V->getInit()))
        return;
    visit(V->getInit());
  }

  /// What \p E points at: a buffer and an offset in elements.
  std::optional<Place> pointer(const Expr *E) {
    E = E->IgnoreParenImpCasts();
    if (auto *Ref = dyn_cast<DeclRefExpr>(E)) {
      auto *V = dyn_cast<VarDecl>(Ref->getDecl());
      if (!V || View.Changed.count(V))
        return std::nullopt;
      if (V->isLocalVarDecl() && V->getType()->isPointerType())
        return V->hasInit() ? pointer(V->getInit()) : std::nullopt;
      return Place{V, View.key(V), {}};
    }
    if (auto *Member = dyn_cast<MemberExpr>(E)) {
      auto *Ref =
          dyn_cast<DeclRefExpr>(Member->getBase()->IgnoreParenImpCasts());
      auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
      if (!V || View.Changed.count(V) || !Member->getType()->isPointerType())
        return std::nullopt;
      return Place{V,
                   View.key(V) + "." +
                       Member->getMemberDecl()->getNameAsString(),
                   {}};
    }
    if (auto *Op = dyn_cast<BinaryOperator>(E)) {
      bool Sum = Op->getOpcode() == BO_Add;
      if (!Sum && Op->getOpcode() != BO_Sub)
        return std::nullopt;
      const Expr *Pointer = Op->getLHS(), *Step = Op->getRHS();
      if (Sum && Step->getType()->isPointerType())
        std::swap(Pointer, Step);
      auto P = pointer(Pointer);
      if (P)
        P->Index = Sum ? P->Index + View.polynomial(Step)
                       : P->Index - View.polynomial(Step);
      return P;
    }
    if (isa<ArraySubscriptExpr>(E)) // A row of an array of arrays.
      return element(E);
    return std::nullopt;
  }

  std::optional<Place> element(const Expr *E) {
    E = E->IgnoreParens();
    if (auto *Sub = dyn_cast<ArraySubscriptExpr>(E)) {
      auto P = pointer(Sub->getBase());
      if (!P)
        return std::nullopt;
      Polynomial Step = View.polynomial(Sub->getIdx());
      if (auto *Row = dyn_cast<ConstantArrayType>(
              Sub->getType()
                  .getCanonicalType()
                  ->getUnqualifiedDesugaredType())) {
        std::string Size = "#" + std::to_string(Row->getSize().getZExtValue());
        View.Atoms[Size];
        Step = Step * Polynomial::atom(Size);
      }
      P->Index = P->Index + Step;
      return P;
    }
    if (auto *Unary = dyn_cast<UnaryOperator>(E);
        Unary && Unary->getOpcode() == UO_Deref)
      return pointer(Unary->getSubExpr());
    if (auto *Ref = dyn_cast<DeclRefExpr>(E))
      if (auto *V = dyn_cast<VarDecl>(Ref->getDecl()))
        return Place{V, View.key(V), {}};
    return std::nullopt;
  }

  /// Subscripts and addresses below an lvalue are read.
  void operands(const Expr *E) {
    E = E->IgnoreParenImpCasts();
    if (auto *Sub = dyn_cast<ArraySubscriptExpr>(E)) {
      visit(Sub->getIdx());
      operands(Sub->getBase());
    } else if (auto *Op = dyn_cast<BinaryOperator>(E)) {
      (Op->getLHS()->getType()->isPointerType() ? operands(Op->getLHS())
                                                : visit(Op->getLHS()));
      (Op->getRHS()->getType()->isPointerType() ? operands(Op->getRHS())
                                                : visit(Op->getRHS()));
    } else if (auto *Unary = dyn_cast<UnaryOperator>(E)) {
      operands(Unary->getSubExpr());
    }
  }

  void lvalue(const Expr *E, bool Read, bool Write) {
    E = E->IgnoreParens();
    if (auto *Cond = dyn_cast<ConditionalOperator>(E)) {
      visit(Cond->getCond());
      lvalue(Cond->getTrueExpr(), Read, Write);
      return lvalue(Cond->getFalseExpr(), Read, Write);
    }
    if (auto *Assign = dyn_cast<BinaryOperator>(E);
        Assign && Assign->isAssignmentOp())
      return visit(Assign);
    std::string Field;
    const Expr *Whole = E;
    while (auto *Member = dyn_cast<MemberExpr>(Whole)) {
      if (Member->isArrow())
        return unknown(E);
      Field = "." + Member->getMemberDecl()->getNameAsString() + Field;
      Whole = Member->getBase()->IgnoreParens();
    }
    if (auto *Ref = dyn_cast<DeclRefExpr>(Whole)) {
      auto *V = dyn_cast<VarDecl>(Ref->getDecl());
      if (!V || !isMemory(V) ||
          (V->getType()->isPointerType() && V->isLocalVarDecl()))
        return; // A register.
      if (V->getType()->isPointerType() || V->getType()->isReferenceType())
        return unknown(E);
    }
    auto P = element(Whole);
    if (!P)
      return unknown(E);
    operands(Whole);
    Out.All.push_back(
        {E, P->Root, P->Base, Field, P->Index, Read, Write, false});
  }

  bool atomicCall(const CallExpr *Call) {
    const FunctionDecl *F = Call->getDirectCallee();
    if (!F || !F->getIdentifier() || !F->getName().starts_with("atomic") ||
        Call->getNumArgs() < 1)
      return false;
    const Expr *Target = Call->getArg(0)->IgnoreParenImpCasts();
    if (auto *Address = dyn_cast<UnaryOperator>(Target);
        Address && Address->getOpcode() == UO_AddrOf) {
      lvalue(Address->getSubExpr(), true, true);
    } else {
      auto P = pointer(Target);
      if (!P)
        return false;
      Out.All.push_back(
          {Target, P->Root, P->Base, "", P->Index, true, true, false});
    }
    if (!Out.All.empty())
      Out.All.back().Atomic = true;
    for (unsigned I = 1; I < Call->getNumArgs(); ++I)
      visit(Call->getArg(I));
    return true;
  }

  const KernelView &View;
  Accesses &Out;
};

Accesses KernelView::accesses(const Stmt *S) const {
  Accesses Out;
  Collector(*this, Out).visit(S);
  return Out;
}

std::string KernelView::elementType(const Access &A) const {
  QualType T = A.Node->getType().getUnqualifiedType();
  if (!T->isArithmeticType())
    return "";
  // In a template the pattern's own word must be used: `T`, not `float`.
  if (Written != Kernel)
    for (unsigned I = 0; I < Kernel->getNumParams(); ++I)
      if (Kernel->getParamDecl(I) == A.Root) {
        QualType P = Written->getParamDecl(I)->getType();
        return P->isPointerType()
                   ? P->getPointeeType().getUnqualifiedType().getAsString()
                   : "";
      }
  return Written != Kernel ? ""
                           : T.getAsString(PrintingPolicy(Unit->language()));
}
