/// \file
/// restrict and unroll: what the compiler may assume and do.

#include "Move.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"

using namespace mep;
using namespace clang;

/// `__restrict__` is a top-level qualifier: the kernel's type and symbol stay
/// as they were, so every caller still fits. A `const` pointee would change
/// both, and is not needed: a pointer that is never written through is seen to
/// be read-only once it cannot alias.
MoveOutcome mep::addRestrict(const MoveInput &In) {
  std::string Shared = sharedBuffer(In.Data);
  if (!Shared.empty())
    return MoveOutcome::refuse(Shared);
  TextEdits Edits;
  for (const ParmVarDecl *P : In.View.Written->parameters()) {
    if (!P->getOriginalType()->isPointerType() ||
        P->getOriginalType().isRestrictQualified() || P->getName().empty())
      continue;
    auto R = In.View.range(SourceRange(P->getLocation(), P->getLocation()));
    if (!R || In.View.text(*R) != P->getName())
      return MoveOutcome::refuse("parameter '" + P->getNameAsString() +
                                 "' comes from a macro");
    // `float (*row)[N]` needs the qualifier inside its brackets as well, which
    // is where the name stands.
    Edits.insert(R->Begin, "__restrict__ ");
  }
  if (Edits.empty())
    return MoveOutcome::refuse("no pointer parameter is without __restrict__");
  return finish(In, "restrict", Edits, In.From.Plan,
                {"assumes that different pointer arguments do not overlap"});
}

static bool isInnermost(const ForStmt *For) {
  bool Inner = true;
  walk(For->getBody(), [&](const Stmt *S) {
    Inner &= !isa<ForStmt>(S) && !isa<WhileStmt>(S) && !isa<DoStmt>(S);
    return Inner;
  });
  return Inner;
}

MoveOutcome mep::unrollLoops(const MoveInput &In) {
  const KernelView &View = In.View;
  if (llvm::StringRef(In.From.Text).contains("#pragma unroll"))
    return MoveOutcome::refuse("loops have unroll pragmas already");
  // nvcc takes a constant expression here but expands no macro in a pragma.
  std::string Factor = View.freshName("UNROLL"),
              Constant = View.freshName("unroll_factor");
  TextEdits Edits;
  for (const LoopView &L : View.Loops) {
    auto R = View.range(L.For);
    if (!isInnermost(L.For) || !R)
      continue;
    std::string Indent = View.indentation(R->Begin);
    size_t Line = R->Begin - Indent.size();
    if (Line != 0 && View.Text[Line - 1] != '\n')
      continue; // A pragma needs a line of its own.
    Edits.insert(R->Begin, "#pragma unroll (" + Constant + ")\n" + Indent);
  }
  if (Edits.empty())
    return MoveOutcome::refuse(
        "no innermost counted loop on a line of its own");
  Edits.insert(View.range(View.Body)->Begin + 1,
               "\n  constexpr int " + Constant + " = " + Factor + ";");
  LaunchPlan Plan = In.From.Plan;
  Plan.Tunables.push_back({Factor, {2, 4, 8, 16}});
  return finish(In, "unroll", Edits, std::move(Plan));
}
