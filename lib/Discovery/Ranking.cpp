/// \file
/// The static rank: what a thread reads and writes, times the loops around it.

#include "Ranking.h"
#include "mep/Frontend/LoopTrips.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Expr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mep;
using clang::FunctionDecl;

namespace {

/// Own choice: a loop whose bound is not in the text.
constexpr double UnknownTrips = 100;
constexpr double MostTrips = 1e4;

/// Trips of a loop whose bounds are constants; a start that is none (a thread's
/// own index) may be anywhere.
double tripsOf(const clang::Stmt *Loop, const clang::ASTContext &Context) {
  auto Constant = [&](const clang::Expr *E) -> std::optional<int64_t> {
    clang::Expr::EvalResult R;
    if (E->isValueDependent() || !E->EvaluateAsInt(R, Context) ||
        R.Val.getInt().getSignificantBits() > 64)
      return std::nullopt;
    return R.Val.getInt().getExtValue();
  };
  std::optional<double> Trips = loopTrips(Loop, Constant);
  return Trips ? std::clamp(*Trips, 1.0, MostTrips) : UnknownTrips;
}

/// Weighs each memory access by the loops around it, through device callees.
class HeatMeter : public clang::RecursiveASTVisitor<HeatMeter> {
public:
  using Base = clang::RecursiveASTVisitor<HeatMeter>;
  explicit HeatMeter(const clang::ASTContext &Context) : Context(Context) {}

#define MEP_LOOP(Kind)                                                         \
  bool Traverse##Kind(clang::Kind *S) {                                        \
    llvm::SaveAndRestore SavedDepth(Depth, Depth + 1);                         \
    llvm::SaveAndRestore SavedWeight(Weight, Weight * tripsOf(S, Context));    \
    Deepest = std::max(Deepest, Depth);                                        \
    return Base::Traverse##Kind(S);                                            \
  }
  MEP_LOOP(ForStmt)
  MEP_LOOP(WhileStmt)
  MEP_LOOP(DoStmt)
#undef MEP_LOOP

  bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr *E) {
    return access(E->getBase(), E->getType());
  }
  bool VisitUnaryOperator(clang::UnaryOperator *U) {
    return U->getOpcode() != clang::UO_Deref ||
           access(U->getSubExpr(), U->getType());
  }
  bool VisitCallExpr(clang::CallExpr *Call) {
    const FunctionDecl *Callee = Call->getDirectCallee();
    const FunctionDecl *Body = nullptr;
    if (!Callee || !Callee->hasBody(Body) ||
        !Body->hasAttr<clang::CUDADeviceAttr>() || !Open.insert(Body).second)
      return true;
    TraverseStmt(Body->getBody());
    Open.erase(Body);
    return true;
  }

  double Value = 1;
  unsigned Deepest = 0, Accesses = 0;

private:
  bool access(const clang::Expr *Base, clang::QualType Type) {
    // `a[i][j]` is one access, counted at its last subscript.
    if (Type->isArrayType())
      return true;
    ++Accesses;
    Value += Weight * (isNear(Base) ? 0.1 : 1) *
             (Type->isSpecificBuiltinType(clang::BuiltinType::Double) ? 2 : 1);
    return true;
  }

  /// Shared memory and the thread's own arrays cost little.
  static bool isNear(const clang::Expr *Base) {
    Base = Base->IgnoreParenImpCasts();
    while (auto *Inner = llvm::dyn_cast<clang::ArraySubscriptExpr>(Base))
      Base = Inner->getBase()->IgnoreParenImpCasts();
    auto *Name = llvm::dyn_cast<clang::DeclRefExpr>(Base);
    auto *Variable =
        Name ? llvm::dyn_cast<clang::VarDecl>(Name->getDecl()) : nullptr;
    return Variable && (Variable->hasAttr<clang::CUDASharedAttr>() ||
                        (Variable->hasLocalStorage() &&
                         Variable->getType()->isArrayType()));
  }

  const clang::ASTContext &Context;
  llvm::SmallPtrSet<const FunctionDecl *, 8> Open; ///< Callees being read.
  unsigned Depth = 0;
  double Weight = 1;
};

} // namespace

Heat mep::guessHeat(const FunctionDecl &Kernel, bool LaunchedInLoop) {
  HeatMeter Meter(Kernel.getASTContext());
  Meter.TraverseStmt(Kernel.getBody());
  Heat H;
  H.Value = Meter.Value * (LaunchedInLoop ? 10 : 1);
  H.Reason = "loop depth " + std::to_string(Meter.Deepest) + ", " +
             std::to_string(Meter.Accesses) + " memory accesses";
  if (LaunchedInLoop)
    H.Reason += ", launched in a loop";
  return H;
}
