#include "ArgumentOverlap.h"
#include "LaunchIndex.h"
#include "SpliceText.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/StringExtras.h"
#include <map>
#include <set>

using namespace mep;
using llvm::StringRef;

namespace {

/// A pointer as a launch or a caller writes it.
struct PointerText {
  std::string Text; ///< Without blanks.
  /// The variables or members that it points into: `a` of `a + n * i`, `s.p` of
  /// `&s.p[2]`, `list[]` of `list[i]`.
  std::set<std::string> Roots;
};

using Pointers = std::vector<PointerText>;
using Given = std::map<std::string, PointerText>; ///< By parameter.

/// Collects the roots of an expression: what arithmetic, subscripts, casts and
/// calls make of a pointer points where it pointed, and a number is no root.
class RootWalk {
public:
  std::set<std::string> of(const clang::Expr *E) {
    Found.clear();
    walk(E, "");
    return Found;
  }

private:
  static bool holdsPointer(const clang::Expr *E) {
    clang::QualType T = E->getType().getNonReferenceType();
    return T->isPointerType() || T->isArrayType() || T->isRecordType() ||
           T->isDependentType();
  }
  void each(const clang::Stmt *S) {
    for (const clang::Stmt *Child : S->children())
      if (const auto *E = llvm::dyn_cast_or_null<clang::Expr>(Child))
        if (holdsPointer(E))
          walk(E, "");
  }
  void walk(const clang::Expr *E, const std::string &Suffix);

  std::set<std::string> Found;
};

void RootWalk::walk(const clang::Expr *E, const std::string &Suffix) {
  E = E->IgnoreParenCasts();
  if (const auto *Name = llvm::dyn_cast<clang::DeclRefExpr>(E)) {
    if (llvm::isa<clang::VarDecl>(Name->getDecl()))
      Found.insert(Name->getDecl()->getNameAsString() + Suffix);
  } else if (const auto *M = llvm::dyn_cast<clang::MemberExpr>(E)) {
    std::string Member = M->getMemberDecl()->getNameAsString() + Suffix;
    if (llvm::isa<clang::CXXThisExpr>(M->getBase()->IgnoreParenCasts()))
      Found.insert(Member);
    else
      walk(M->getBase(), "." + Member);
  } else if (const auto *S = llvm::dyn_cast<clang::ArraySubscriptExpr>(E)) {
    // An element that is itself a pointer is another memory than its array.
    walk(S->getBase(), (S->getType()->isPointerType() ? "[]" : "") + Suffix);
  } else if (const auto *U = llvm::dyn_cast<clang::UnaryOperator>(E)) {
    walk(U->getSubExpr(), Suffix);
  } else if (const auto *Op = llvm::dyn_cast<clang::CXXOperatorCallExpr>(E);
             Op && Op->getNumArgs() > 0) {
    walk(Op->getArg(0), (Op->getType()->isPointerType() ? "[]" : "") + Suffix);
  } else if (const auto *C = llvm::dyn_cast<clang::CXXMemberCallExpr>(E)) {
    walk(C->getImplicitObjectArgument(), Suffix);
  } else {
    each(E);
  }
}

enum class Overlap : char { None, Possible, Same };

Overlap overlapOf(const PointerText &A, const PointerText &B) {
  if (A.Text == B.Text)
    return Overlap::Same;
  for (const std::string &Root : A.Roots)
    if (B.Roots.count(Root))
      return Overlap::Possible;
  return Overlap::None;
}

/// Of each pair of pointer arguments.
std::vector<Overlap> patternOf(const Pointers &All) {
  std::vector<Overlap> Pattern;
  for (size_t I = 0; I < All.size(); ++I)
    for (size_t J = I + 1; J < All.size(); ++J)
      Pattern.push_back(overlapOf(All[I], All[J]));
  return Pattern;
}

bool isCovered(const std::vector<Overlap> &Other,
               const std::vector<Overlap> &Measured) {
  if (Other.size() != Measured.size())
    return false;
  for (size_t I = 0; I < Other.size(); ++I)
    if (Other[I] != Measured[I] &&
        (Other[I] == Overlap::Same || Measured[I] == Overlap::Same ||
         Other[I] > Measured[I]))
      return false;
  return true;
}

PointerText pointerText(const ParsedUnit &Host, const clang::Expr *E) {
  return {squeezed(Host.text(E->getSourceRange())), RootWalk().of(E)};
}

/// The pointers that \p Launch passes. Where its unit is not \p Host there are
/// only names to go by: each counts as a root.
Pointers pointersOf(const ParsedUnit &Host, const KernelSite &Site,
                    const LaunchSite &Launch, const LaunchIndex &Index) {
  const clang::CUDAKernelCallExpr *Call = Index.find(Launch);
  Pointers All;
  for (size_t I = 0; I < Launch.Arguments.size(); ++I) {
    if (I >= Site.Parameters.size() ||
        !StringRef(Site.Parameters[I].CanonicalType).contains('*'))
      continue;
    if (Call && I < Call->getNumArgs())
      All.push_back(pointerText(Host, Call->getArg(unsigned(I))));
    else
      All.push_back(
          {squeezed(Launch.Arguments[I]), variableNames(Launch.Arguments[I])});
  }
  return All;
}

/// Calls of the function that holds a launch, as pointers by parameter.
class Callers : public clang::RecursiveASTVisitor<Callers> {
public:
  Callers(const ParsedUnit &Unit, StringRef Function)
      : Unit(Unit), Function(Function) {
    for (clang::Decl *D : Unit.context().getTranslationUnitDecl()->decls())
      if (!Unit.isSystem(D->getLocation()))
        TraverseDecl(D);
  }
  bool VisitCallExpr(clang::CallExpr *Call) {
    const clang::FunctionDecl *Callee = Call->getDirectCallee();
    if (!Callee || Callee->getQualifiedNameAsString() != Function)
      return true;
    Given Passed;
    for (unsigned I = 0; I < Call->getNumArgs() && I < Callee->getNumParams();
         ++I)
      for (const clang::FunctionDecl *D : Callee->redecls())
        if (!D->getParamDecl(I)->getType()->isArithmeticType())
          Passed[D->getParamDecl(I)->getNameAsString()] =
              pointerText(Unit, Call->getArg(I));
    Found.push_back(std::move(Passed));
    Places.push_back(Unit.span(Call->getSourceRange()));
    return true;
  }
  std::vector<Given> Found;
  std::vector<SourceSpan> Places;

private:
  const ParsedUnit &Unit;
  StringRef Function;
};

/// The pointers as the caller would write them.
Pointers asCalled(const Pointers &All, const Given &Passed) {
  Pointers Out;
  for (const PointerText &P : All) {
    if (auto Whole = Passed.find(P.Text); Whole != Passed.end()) {
      Out.push_back(Whole->second);
      continue;
    }
    PointerText Replaced = P;
    for (const std::string &Root : P.Roots) {
      size_t End = StringRef(Root).find_first_of(".[");
      auto Known = Passed.find(Root.substr(0, End));
      if (Known == Passed.end())
        continue;
      std::string Suffix = End == std::string::npos ? "" : Root.substr(End);
      Replaced.Roots.erase(Root);
      for (const std::string &Outer : Known->second.Roots)
        Replaced.Roots.insert(Outer + Suffix);
      Replaced.Text += "@" + Known->second.Text;
    }
    Out.push_back(std::move(Replaced));
  }
  return Out;
}

} // namespace

std::string mep::overlapsOtherwise(const ParsedUnit &Host,
                                   const KernelSite &Site,
                                   const LaunchSite &Launch,
                                   const LaunchIndex &Index) {
  Pointers Own = pointersOf(Host, Site, Launch, Index);
  if (!isCovered(
          patternOf(Own),
          patternOf(pointersOf(Host, Site, Site.Launches.front(), Index))))
    return "its pointer arguments overlap otherwise than those of the measured "
           "launch";
  if (Launch.Unit != Host.command().File)
    return "";
  Callers Calls(Host, Launch.Function);
  for (size_t I = 1; I < Calls.Found.size(); ++I)
    if (!isCovered(patternOf(asCalled(Own, Calls.Found[I])),
                   patternOf(asCalled(Own, Calls.Found[0]))))
      return "the call of '" + Launch.Function + "' at " +
             Calls.Places[I].str() +
             " gives it pointers that overlap otherwise than the first call's";
  return "";
}
