/// \file
/// What the expressions of a kernel point into, and the elements they are made
/// of.

#include "HostIndex.h"
#include "UseWalk.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

using namespace mep;
using namespace clang;
using llvm::dyn_cast;
using llvm::dyn_cast_or_null;
using llvm::isa;
using llvm::StringRef;

// ---- roots -----------------------------------------------------------------

std::string UseWalk::rootOfName(const ValueDecl *D) const {
  auto Known = Aliases.find(D->getCanonicalDecl());
  if (Known != Aliases.end())
    return Known->second;
  auto *V = dyn_cast<VarDecl>(D);
  if (V && V->hasGlobalStorage() && !V->hasAttr<CUDASharedAttr>() &&
      (V->hasAttr<CUDAConstantAttr>() || V->hasAttr<CUDADeviceAttr>()))
    return V->getQualifiedNameAsString();
  return {};
}

/// The lvalue \p E is a part of a buffer's element.
bool UseWalk::isInBuffer(const Expr *E) const {
  E = bare(E);
  if (auto *M = dyn_cast_or_null<MemberExpr>(E))
    return M->isArrow() || isInBuffer(M->getBase());
  if (auto *S = dyn_cast_or_null<ArraySubscriptExpr>(E))
    return !bare(S->getBase())->getType()->isArrayType() ||
           isInBuffer(S->getBase());
  if (auto *U = dyn_cast_or_null<UnaryOperator>(E))
    return U->getOpcode() == UO_Deref;
  auto *R = dyn_cast_or_null<DeclRefExpr>(E);
  auto *V = R ? dyn_cast<VarDecl>(R->getDecl()) : nullptr;
  if (!V)
    return false;
  if (V->hasGlobalStorage())
    return !V->hasAttr<CUDASharedAttr>();
  // A reference to an element, or a copy of one.
  QualType T = V->getType();
  return T.getNonReferenceType()->isRecordType() &&
         (T->isReferenceType() || !isa<ParmVarDecl>(V)) &&
         Aliases.count(V->getCanonicalDecl());
}

/// The value of \p E is a pointer that an element holds.
bool UseWalk::loadsPointer(const Expr *E) const {
  while (auto *Cast = dyn_cast<CastExpr>(E->IgnoreParens())) {
    if (Cast->getCastKind() == CK_LValueToRValue)
      return Cast->getType()->isPointerType() && isInBuffer(Cast->getSubExpr());
    E = Cast->getSubExpr();
  }
  return false;
}

/// Name of the buffer that the pointer \p E, which lies in an element, points
/// into: the workload's name of it.
std::string UseWalk::pointedBy(const Expr *E) const {
  std::string Members, Holder;
  while ((E = bare(E))) {
    if (auto *M = dyn_cast<MemberExpr>(E)) {
      Members = M->getMemberDecl()->getNameAsString() +
                (Members.empty() ? "" : ".") + Members;
      E = M->getBase();
      if (!M->isArrow())
        continue;
      Holder = root(E);
    } else if (auto *S = dyn_cast<ArraySubscriptExpr>(E)) {
      E = S->getBase();
      if (bare(E)->getType()->isArrayType())
        continue;
      Holder = root(E);
    } else if (auto *U = dyn_cast<UnaryOperator>(E)) {
      Holder = root(U->getSubExpr());
    } else if (auto *R = dyn_cast<DeclRefExpr>(E)) {
      Holder = rootOfName(R->getDecl());
    }
    break;
  }
  if (Holder.empty())
    return Holder;
  return Members.empty() ? "*" + Holder : Holder + "->" + Members;
}

/// Name of the buffer that \p E is an element of or points into; empty if it
/// is none.
std::string UseWalk::root(const Expr *E) const {
  std::string Path;
  while (E) {
    if (loadsPointer(E))
      return pointedBy(E);
    E = bare(E);
    if (auto *R = dyn_cast<DeclRefExpr>(E)) {
      std::string Name = rootOfName(R->getDecl());
      return Name.empty() ? Name : Name + Path;
    }
    if (auto *M = dyn_cast<MemberExpr>(E)) {
      // Members of a structure parameter are buffers of their own; members of
      // an element belong to the buffer.
      auto *R = dyn_cast_or_null<DeclRefExpr>(bare(M->getBase()));
      bool OfParameter =
          !M->isArrow() && (isa<MemberExpr>(bare(M->getBase())) ||
                            (R && isa<ParmVarDecl>(R->getDecl())));
      if (OfParameter)
        Path = "." + M->getMemberDecl()->getNameAsString() + Path;
      E = M->getBase();
      if (!OfParameter)
        Path.clear();
    } else if (auto *S = dyn_cast<ArraySubscriptExpr>(E)) {
      Path.clear();
      E = S->getBase();
    } else if (auto *U = dyn_cast<UnaryOperator>(E)) {
      if (U->getOpcode() == UO_Deref)
        Path.clear();
      E = U->getSubExpr();
    } else if (auto *B = dyn_cast<BinaryOperator>(E); B && B->isAdditiveOp()) {
      E = B->getLHS()->getType()->isPointerType() ? B->getLHS() : B->getRHS();
    } else if (auto *C = dyn_cast<ConditionalOperator>(E)) {
      E = C->getTrueExpr();
    } else {
      return {};
    }
  }
  return {};
}

/// An lvalue in a buffer rather than a local variable.
bool UseWalk::isMemory(const Expr *E) const {
  E = bare(E);
  while (auto *M = dyn_cast_or_null<MemberExpr>(E)) {
    if (M->isArrow())
      return true;
    E = bare(M->getBase());
  }
  if (auto *U = dyn_cast_or_null<UnaryOperator>(E))
    return U->getOpcode() == UO_Deref;
  if (auto *R = dyn_cast_or_null<DeclRefExpr>(E)) {
    auto *V = dyn_cast<VarDecl>(R->getDecl());
    return V && (V->hasGlobalStorage() || V->getType()->isReferenceType());
  }
  return isa_and_nonnull<ArraySubscriptExpr>(E);
}

// ---- accesses --------------------------------------------------------------

void UseWalk::touch(const Expr *E, Access How) {
  std::string Key = root(E);
  if (Key.empty())
    return;
  BufferUse &Use = Uses[Key];
  std::string Text = textOf(E);
  bool Own = !Text.empty() && Overwritten.count(Text);
  Use.Read |= (How & ReadOnly) && !Own;
  if (!(How & WriteOnly))
    return;
  Use.Written = true;
  if (Own)
    return;
  Use.Partial |= Conditional;
  Use.InLoop |= Loops > 0;
  if (How == WriteOnly && !Text.empty())
    Overwritten.insert(Text);
}

/// The lvalue as it is written, without blanks; empty inside callees, where the
/// same text means something else each time.
std::string UseWalk::textOf(const Expr *E) const {
  std::string Text;
  if (Depth == 0)
    for (char C : Lexer::getSourceText(
             Context.getSourceManager().getExpansionRange(E->getSourceRange()),
             Context.getSourceManager(), Context.getLangOpts()))
      if (!isspace(static_cast<unsigned char>(C)))
        Text += C;
  return Text;
}

void UseWalk::walkLvalue(const Expr *E, Access How) {
  E = bare(E);
  if (isMemory(E))
    touch(E, How);
  if (auto *S = dyn_cast<ArraySubscriptExpr>(E)) {
    subscript(S->getBase(), S->getIdx());
    walk(S->getIdx());
    walkLvalue(S->getBase(), ReadOnly);
  } else if (auto *M = dyn_cast<MemberExpr>(E)) {
    if (isMemory(M->getBase()) || isa<MemberExpr>(bare(M->getBase())))
      walkLvalue(M->getBase(), How);
  } else if (!isa<DeclRefExpr>(E)) {
    for (const Stmt *Child : E->children())
      walk(Child);
  }
}

/// Sets \p Property of every buffer that \p E is made of.
void UseWalk::mark(const Expr *E, bool BufferUse::*Property) {
  std::set<std::string> Keys;
  collect(E, Keys);
  for (const std::string &K : Keys)
    Uses[K].*Property = true;
}

// ---- subscripts ------------------------------------------------------------

/// A local variable's only value, else the expression itself.
const Expr *UseWalk::expanded(const Expr *E) const {
  for (unsigned I = 0; I < 8; ++I) {
    E = bare(E);
    auto *R = dyn_cast_or_null<DeclRefExpr>(E);
    auto *V = R ? dyn_cast<VarDecl>(R->getDecl()) : nullptr;
    if (!V)
      return E;
    if (auto B = Bound.find(V->getCanonicalDecl()); B != Bound.end())
      E = B->second;
    else if (V->isLocalVarDecl() && V->getInit() &&
             !V->getType()->isPointerType())
      E = V->getInit();
    else
      return E;
  }
  return E;
}

void UseWalk::collect(const Expr *E, std::set<std::string> &Keys,
                      unsigned Deep) const {
  if (!E || Deep > 24)
    return;
  E = expanded(E);
  bool Load = isa<ArraySubscriptExpr>(E) || isMemory(E);
  if (Load) {
    std::string Key = root(E);
    if (!Key.empty())
      Keys.insert(Key);
    return;
  }
  if (auto *C = dyn_cast<CallExpr>(E); C && calledName(C) == "__ldg") {
    std::string Key = root(C->getArg(0));
    if (!Key.empty())
      Keys.insert(Key);
    return;
  }
  for (const Stmt *Child : E->children())
    if (auto *Inner = dyn_cast_or_null<Expr>(Child))
      collect(Inner, Keys, Deep + 1);
}

bool UseWalk::isElementOf(const Expr *E, const std::string &Key) const {
  E = expanded(E);
  if (auto *C = dyn_cast<CallExpr>(E); C && calledName(C) == "__ldg")
    return root(C->getArg(0)) == Key;
  return isMemory(E) && root(E) == Key;
}

/// How C++ over the workload's names says \p E, which is the same for all
/// threads; empty if it cannot.
std::string UseWalk::uniform(const Expr *E) const {
  E = bare(E);
  if (auto *R = dyn_cast<DeclRefExpr>(E)) {
    auto Named = ScalarNames.find(R->getDecl()->getCanonicalDecl());
    if (Named != ScalarNames.end())
      return Named->second;
  }
  if (isa<IntegerLiteral>(E) && E->getExprLoc().isMacroID())
    return Lexer::getImmediateMacroName(E->getExprLoc(),
                                        Context.getSourceManager(),
                                        Context.getLangOpts())
        .str();
  Expr::EvalResult Result;
  if (!E->isValueDependent() && E->EvaluateAsInt(Result, Context))
    return std::to_string(Result.Val.getInt().getExtValue());
  if (auto *R = dyn_cast<DeclRefExpr>(E);
      R && Changed.count(R->getDecl()->getCanonicalDecl()))
    return {};
  const Expr *Inside = expanded(E);
  if (Inside != E)
    return uniform(Inside);
  auto *B = dyn_cast<BinaryOperator>(E);
  if (!B || (!B->isAdditiveOp() && !B->isMultiplicativeOp()))
    return {};
  std::string L = uniform(B->getLHS()), R = uniform(B->getRHS());
  if (L.empty() || R.empty())
    return {};
  return "(" + L + " " + B->getOpcodeStr().str() + " " + R + ")";
}

/// The numbers that \p E may be.
bool UseWalk::numbersOf(const Expr *E, IndexStep &Step) const {
  if (auto *R = dyn_cast<DeclRefExpr>(bare(E)))
    if (auto Known = Counters.find(R->getDecl()->getCanonicalDecl());
        Known != Counters.end()) {
      std::tie(Step.First, Step.Last) = Known->second;
      return true;
    }
  Step.First = Step.Last = uniform(E);
  return !Step.First.empty();
}

/// `for (int k = 0; k < n; ++k)`
void UseWalk::remember(const ForStmt *For, const VarDecl *Index,
                       const Expr *First) {
  auto *Ends = dyn_cast_or_null<BinaryOperator>(For->getCond());
  auto *Step = dyn_cast_or_null<UnaryOperator>(For->getInc());
  auto *Left = Ends ? dyn_cast<DeclRefExpr>(bare(Ends->getLHS())) : nullptr;
  if (!Index || !First || !Left || Left->getDecl() != Index || !Step ||
      !Step->isIncrementOp() ||
      (Ends->getOpcode() != BO_LT && Ends->getOpcode() != BO_LE))
    return;
  std::string Low = uniform(First), High = uniform(Ends->getRHS());
  if (Low.empty() || High.empty())
    return;
  if (Ends->getOpcode() == BO_LT)
    High += " - 1";
  Counters[Index->getCanonicalDecl()] = {Low, "(" + High + ")"};
}

bool UseWalk::isMadeOf(const Expr *E, const std::string &Key) const {
  std::set<std::string> Keys;
  collect(E, Keys);
  return Keys.count(Key);
}

/// What \p B does with the side that the element is in.
bool UseWalk::findStep(const BinaryOperator *B, const std::string &Key,
                       std::vector<IndexStep> &Steps, unsigned Depth) const {
  const bool OnLeft = isMadeOf(B->getLHS(), Key);
  const Expr *Inner = OnLeft ? B->getLHS() : B->getRHS();
  const Expr *Other = OnLeft ? B->getRHS() : B->getLHS();
  if (isMadeOf(Other, Key))
    return false;
  IndexStep Step;
  bool IsKnown = numbersOf(Other, Step);
  const bool IsOne = Step.First == Step.Last;
  switch (B->getOpcode()) {
  case BO_Add:
    Step.What = IndexStep::Add;
    break;
  case BO_Sub:
    Step.What = OnLeft ? IndexStep::Subtract : IndexStep::From;
    break;
  case BO_Mul:
    Step.What = IndexStep::Scale;
    IsKnown &= IsOne;
    break;
  case BO_Shl:
  case BO_Shr:
    Step.What = B->getOpcode() == BO_Shl ? IndexStep::Scale : IndexStep::Divide;
    Step.First = Step.Last = "(1 << " + Step.First + ")";
    IsKnown &= IsOne && OnLeft;
    break;
  case BO_Div:
  case BO_Rem:
    Step.What = B->getOpcode() == BO_Div ? IndexStep::Divide : IndexStep::Wrap;
    IsKnown &= IsOne && OnLeft;
    break;
  default:
    return false;
  }
  std::vector<IndexStep> Rest;
  if (!findSteps(Inner, Key, Rest, Depth + 1))
    return false;
  std::string Row;
  if (IsKnown)
    Steps.push_back(Step);
  else if (B->getOpcode() != BO_Add)
    return false;
  // Of `element * scale + rest` the rest stays below the scale,
  else if (!Rest.empty() && Rest.front().What == IndexStep::Scale)
    Rest.front().HasRest = true;
  // and of `row * length + element` the element below the length.
  else if (Rest.empty() && !(Row = lengthOf(Other)).empty())
    Steps.push_back({IndexStep::Wrap, Row, Row});
  else
    return false;
  Steps.insert(Steps.end(), Rest.begin(), Rest.end());
  return true;
}

/// The factor of the product \p E that is the same for all threads.
std::string UseWalk::lengthOf(const Expr *E) const {
  auto *B = dyn_cast<BinaryOperator>(expanded(E));
  if (!B || B->getOpcode() != BO_Mul)
    return {};
  std::string L = uniform(B->getLHS()), R = uniform(B->getRHS());
  return L.empty() ? R : R.empty() ? L : std::string();
}

/// Variables that something in \p S gives another value.
void UseWalk::findChanged(const Stmt *S) {
  if (!S)
    return;
  const Expr *Target = nullptr;
  if (auto *B = dyn_cast<BinaryOperator>(S); B && B->isAssignmentOp())
    Target = B->getLHS();
  else if (auto *U = dyn_cast<UnaryOperator>(S);
           U && (U->isIncrementDecrementOp() || U->getOpcode() == UO_AddrOf))
    Target = U->getSubExpr();
  if (auto *R = Target ? dyn_cast<DeclRefExpr>(bare(Target)) : nullptr)
    Changed.insert(R->getDecl()->getCanonicalDecl());
  for (const Stmt *Child : S->children())
    findChanged(Child);
}

/// Finds what \p E does with the one element of buffer \p Key in it. False if
/// that is not all known, or not the same for all threads.
bool UseWalk::findSteps(const Expr *E, const std::string &Key,
                        std::vector<IndexStep> &Steps, unsigned Depth) const {
  if (isElementOf(E, Key))
    return true;
  auto *B = dyn_cast<BinaryOperator>(expanded(E));
  return B && Depth < 16 && findStep(B, Key, Steps, Depth);
}

/// What is done to an element that a variable has held before it was changed
/// says nothing of the variable: only the element itself and its product are
/// taken for it, as if it had stayed.
bool UseWalk::isFollowed(const Expr *Index,
                         const std::vector<IndexStep> &Steps) const {
  const bool IsSimple =
      Steps.empty() ||
      (Steps.size() == 1 && Steps.front().What == IndexStep::Scale);
  return IsSimple || !holdsChanged(Index);
}

/// A variable that is given more than a first value is in \p S, or in what its
/// own variables hold.
bool UseWalk::holdsChanged(const Stmt *S, unsigned Deep) const {
  if (!S || Deep > 24)
    return false;
  if (auto *R = dyn_cast<DeclRefExpr>(S)) {
    const Decl *D = R->getDecl()->getCanonicalDecl();
    if (Counters.count(D)) // Its range is known.
      return false;
    if (Changed.count(D))
      return true;
    const Expr *Held = expanded(R);
    return Held != R && holdsChanged(Held, Deep + 1);
  }
  // What the element's own place is made of does not matter.
  if (isa<ArraySubscriptExpr>(S))
    return false;
  return llvm::any_of(S->children(), [&](const Stmt *Child) {
    return holdsChanged(Child, Deep + 1);
  });
}

void UseWalk::subscript(const Expr *Base, const Expr *Index) {
  std::set<std::string> Keys;
  collect(Index, Keys);
  for (const std::string &Key : Keys) {
    IndexUse Use;
    Use.Target = root(Base);
    QualType T = bare(Base)->getType();
    if (Use.Target.empty()) {
      if (const auto *A = Context.getAsConstantArrayType(T))
        Use.Extent = A->getSize().getZExtValue();
    }
    Use.Exact =
        findSteps(Index, Key, Use.Steps) && isFollowed(Index, Use.Steps);
    Uses[Key].Indexes.push_back(Use);
  }
}

void UseWalk::findTargets(const Stmt *S, const ValueDecl *Index,
                          std::set<std::string> &Targets) const {
  if (!S)
    return;
  if (auto *A = dyn_cast<ArraySubscriptExpr>(S)) {
    auto *R = dyn_cast<DeclRefExpr>(bare(A->getIdx()));
    if (R && R->getDecl() == Index) {
      std::string Key = root(A->getBase());
      if (!Key.empty())
        Targets.insert(Key);
    }
  }
  for (const Stmt *Child : S->children())
    findTargets(Child, Index, Targets);
}
