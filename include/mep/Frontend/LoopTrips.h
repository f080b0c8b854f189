/// \file
/// How often a loop runs, as far as its head says.

#ifndef MEP_FRONTEND_LOOPTRIPS_H
#define MEP_FRONTEND_LOOPTRIPS_H

#include "clang/AST/OperationKinds.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>
#include <optional>

namespace clang {
class Expr;
class Stmt;
class ValueDecl;
} // namespace clang

namespace mep {

/// The value of an expression before the loop; nothing if it is not known.
using LoopValue =
    llvm::function_ref<std::optional<int64_t>(const clang::Expr *)>;

/// The head of `for (i = First; i < Limit; i += Step)`.
struct LoopHead {
  const clang::ValueDecl *Counter = nullptr;
  const clang::Expr *First = nullptr, *Limit = nullptr;
  const clang::Expr *Step = nullptr; ///< Null: 1.
  /// With the counter on the left.
  clang::BinaryOperatorKind Test = clang::BO_LT;
  clang::BinaryOperatorKind Change = clang::BO_Add; ///< `i = i Change Step`.
};

/// Nothing for other loops.
std::optional<LoopHead> loopHead(const clang::Stmt *Loop);

/// Trips of `for (i = A; i < B; i += C)`, of the same with another comparison
/// and of steps that multiply, divide or shift; of `for (T x : array)`; 1 of
/// `do … while (0)`. Statements that leave the loop early are not looked at.
/// Nothing for other loops and where \p ValueOf does not know A, B or C.
std::optional<double> loopTrips(const clang::Stmt *Loop, LoopValue ValueOf);

} // namespace mep

#endif // MEP_FRONTEND_LOOPTRIPS_H
