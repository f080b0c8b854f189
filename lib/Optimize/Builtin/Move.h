/// \file
/// One entry of the catalogue: a rewrite of a kernel with a precondition that
/// is checked on its AST.

#ifndef MEP_LIB_OPTIMIZE_BUILTIN_MOVE_H
#define MEP_LIB_OPTIMIZE_BUILTIN_MOVE_H

#include "../KernelView.h"
#include "mep/Model/Candidate.h"
#include "mep/Model/Device.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace mep {

/// A kernel on its way through the catalogue.
struct Draft {
  std::string Text;
  LaunchPlan Plan;
  std::vector<std::string> Moves;
  std::vector<std::string> Notes; ///< What was assumed, for people.
};

struct MoveInput {
  const KernelView &View;
  const Draft &From;
  const Workload &Data;
  const Device &On;
};

/// The new draft, or why the precondition does not hold.
struct MoveOutcome {
  std::optional<Draft> Result;
  std::string WhyNot;

  static MoveOutcome refuse(std::string Why) {
    MoveOutcome O;
    O.WhyNot = std::move(Why);
    return O;
  }
};

/// \p Structural: changes what threads do, so that it is worth combining with
/// others before anything is measured.
struct Move {
  const char *Name; ///< From the pattern vocabulary.
  bool Structural;
  MoveOutcome (*Apply)(const MoveInput &);
};

llvm::ArrayRef<Move> builtinMoves();

MoveOutcome accumulateInRegister(const MoveInput &);
MoveOutcome loopToThreads(const MoveInput &);
MoveOutcome warpPerRow(const MoveInput &);
MoveOutcome splitReduction(const MoveInput &);
MoveOutcome tileContraction(const MoveInput &);
MoveOutcome swapThreadAxes(const MoveInput &);
MoveOutcome blockShape(const MoveInput &);
MoveOutcome addRestrict(const MoveInput &);
MoveOutcome unrollLoops(const MoveInput &);
MoveOutcome launchBounds(const MoveInput &);

// ---- what several moves share ----------------------------------------------

/// \p From with \p Edits applied and \p Name recorded; refused if the edits
/// overlap.
MoveOutcome finish(const MoveInput &In, const char *Name,
                   const TextEdits &Edits, LaunchPlan Plan,
                   std::vector<std::string> Notes = {});

/// \p Made's text without the local variables that its move left unused;
/// those that were unused in \p From already stay.
std::string withoutUnused(const KernelView &From, const Draft &Made);

/// The plan's only launch, made from the original one when the plan is empty;
/// null when it has several.
PlannedLaunch *mainLaunch(LaunchPlan &Plan, const KernelView &View);

/// `(Total + By - 1) / By`.
std::string ceilDivided(const std::string &Total, const std::string &By);
/// Threads along \p Axis of \p Launch, as a plan expression.
std::string threadsAlong(const PlannedLaunch &Launch, unsigned Axis);

/// Sets \p Launch to blocks of \p Block[axis] (plan expressions; empty: one)
/// that cover the threads it had along each axis times \p Scale[axis] (plan
/// expression, empty: as they are).
void reshape(PlannedLaunch &Launch, std::array<std::string, 3> Block,
             std::array<std::string, 3> Scale = {});

/// Two pointer arguments that the workload lets share a buffer, as text; empty
/// if all are distinct, which moves that rely on it must check.
std::string sharedBuffer(const Workload &Data);

/// Why the block's shape matters to the kernel; empty: it does not.
std::string dependsOnBlock(const KernelView &View);

/// The kernel as `prologue; if (Condition) { Inner }`, whichever way it was
/// written.
struct GuardedBody {
  std::vector<const clang::Stmt *> Prologue; ///< Declarations only.
  std::string Condition;
  const clang::Expr *Test = nullptr; ///< Null: no condition at all.
  bool Negated = false;              ///< `if (Test) return;`
  std::vector<const clang::Stmt *> Inner;
};
std::optional<GuardedBody> guardedBody(const KernelView &View,
                                       std::string &WhyNot);

/// `sum += term` statements as the only content of a loop. Sums are local
/// variables declared outside it.
struct SumLoop {
  const LoopView *Loop = nullptr;
  size_t Position = 0; ///< In GuardedBody::Inner.
  std::vector<const clang::VarDecl *> Sums;
  struct Update {
    const clang::VarDecl *Sum;
    const clang::Expr *Left, *Term, *Whole;
    bool Minus;
  };
  std::vector<Update> Updates;
};
/// The one loop of \p Body, if it is such a sum and no other statement loops.
std::optional<SumLoop> sumLoop(const KernelView &View, const GuardedBody &Body,
                               std::string &WhyNot);
/// How a second variable of \p Var's type is declared.
std::string typeText(const KernelView &View, const clang::VarDecl *Var);

} // namespace mep

#endif // MEP_LIB_OPTIMIZE_BUILTIN_MOVE_H
