/// \file
/// The walk over the body of a kernel and of what it calls, in program order:
/// follows the values of variables, the guards and the loops, and notes every
/// access of memory that other threads may see.

#ifndef MEP_LIB_ACCESS_BODYWALK_H
#define MEP_LIB_ACCESS_BODYWALK_H

#include "Values.h"
#include "mep/Model/AccessModel.h"
#include "mep/Model/Closure.h"
#include "clang/AST/ExprCXX.h"
#include <set>

namespace mep {
class ParsedUnit;

class BodyWalk {
public:
  BodyWalk(const ParsedUnit &Unit, const Closure &C, AccessModel &Model)
      : Unit(Unit), Source(C), Model(Model) {}

  /// Walks \p F; \p Names: of its parameters in the workload.
  void kernel(const clang::FunctionDecl *F,
              const std::vector<std::string> &Names);

private:
  // ---- Statements.cpp ----
  void walk(const clang::Stmt *S);
  void walkCompound(const clang::Stmt *Block);
  void walkIf(const clang::IfStmt *If);
  void walkSwitch(const clang::SwitchStmt *Switch);
  void enterCase();
  void walkVariable(const clang::VarDecl *V);
  void noteUse(size_t First, const clang::VarDecl *V, const clang::Stmt *Set);
  void walkReturn(const clang::ReturnStmt *R);
  void pushExits(size_t From);

  // ---- LoopChanges.cpp, LoopFormulas.cpp, Loops.cpp ----
  struct LoopParts {
    const clang::Stmt *Whole = nullptr;
    const clang::Expr *Condition = nullptr, *Increment = nullptr;
    const clang::Stmt *Body = nullptr;
    bool TestsLast = false;            ///< `do`
    const clang::Stmt *Head = nullptr; ///< Before the body, in each iteration.
  };
  /// How a variable changes from one iteration to the next.
  struct Update {
    const clang::VarDecl *Var = nullptr;
    clang::BinaryOperatorKind How = clang::BO_Comma; ///< Comma: some other way.
    const clang::Expr *By = nullptr;                 ///< Null: 1.
    clang::QualType Steps = {}; ///< What a pointer counts, if not its own type.
  };
  void walkLoop(const LoopParts &Loop);
  void walkRange(const clang::CXXForRangeStmt *Range);
  std::optional<Update> updateOf(const clang::Stmt *S) const;
  void addUpdates(const clang::Stmt *S, std::vector<Update> &Found) const;
  std::vector<Update> updatesOf(const LoopParts &Loop) const;
  bool onlyMoves(const clang::Stmt *S, const clang::VarDecl *V) const;
  Value changedBy(const LoopParts &Loop, const clang::VarDecl *V,
                  const Value &Before) const;
  void findChanges(const clang::Stmt *S,
                   std::map<const clang::VarDecl *, unsigned> &Changed) const;
  const clang::VarDecl *changedRoot(const clang::Expr *E) const;
  bool induct(const clang::VarDecl *V, const std::vector<Update> &Updates,
              const Value &First, const Index &Counter, bool &Unrolled,
              Value &Result);
  void rehearse(llvm::function_ref<void()> Walk);
  Index steadily(const clang::VarDecl *V, const Index &First, const Index &End,
                 llvm::StringRef Begin, const Index &Counter) const;
  std::map<const clang::VarDecl *, Value>
  endsOfIteration(const LoopParts &Loop, unsigned Id,
                  const std::map<const clang::VarDecl *, Value> &Begins,
                  const std::map<const clang::VarDecl *, Value> &Formulas);
  void rehearseIteration(const LoopParts &Loop, unsigned Id,
                         const std::map<const clang::VarDecl *, Value> &First,
                         std::map<const clang::VarDecl *, Value> &Formulas);
  std::optional<Value>
  valueBehind(const LoopParts &Loop, const clang::VarDecl *V,
              const std::map<const clang::VarDecl *, Value> &Formulas,
              llvm::StringRef Counter, const Index &Trips) const;
  std::map<const clang::VarDecl *, Value>
  enterIterations(const LoopParts &Loop, unsigned Id, AccessLoop &Entry);
  Index pushCondition(const LoopParts &Loop, const Index &Counter);
  Index pushLastTested(const LoopParts &Loop, const Index &Counter);
  Index conditionAt(const LoopParts &Loop, const Index &Counter);
  void leaveLoop(size_t FirstExit, size_t GuardsBefore, const clang::Stmt *S);

  // ---- Expressions.cpp, Arithmetic.cpp, Objects.cpp ----
  Value eval(const clang::Expr *E);
  Index integer(const clang::Expr *E) { return asInteger(eval(E), E); }
  Index condition(const clang::Expr *E);
  Index asInteger(const Value &V, const clang::Expr *E) const;
  Value evalCast(const clang::CastExpr *Cast);
  Value evalUnary(const clang::UnaryOperator *U);
  Value evalBinary(const clang::BinaryOperator *B);
  Value evalAssignment(const clang::BinaryOperator *B, Place *To = nullptr);
  Value evalStep(const clang::UnaryOperator *U, Place *To = nullptr);
  Value evalLogical(const clang::BinaryOperator *B);
  Value evalConditional(const clang::AbstractConditionalOperator *C);
  Value evalConstruct(const clang::CXXConstructExpr *C);
  Value evalList(const clang::InitListExpr *L);
  Value evalLambda(const clang::LambdaExpr *L);
  Value evalChildren(const clang::Expr *E);
  Value evalStatement(const clang::StmtExpr *S);
  Value valueAt(const clang::Expr *E);
  Value valueOf(const clang::Expr *E) {
    return E->isGLValue() ? valueAt(E) : eval(E);
  }
  Index isNotNull(const Value &V, const clang::Expr *E) const;
  Value evalLiteral(const clang::Expr *E);
  Value compute(clang::BinaryOperatorKind Op, const Value &L, const Value &R,
                clang::QualType LeftType, clang::QualType T,
                const clang::Expr *E);
  Value advance(const Value &Pointer, const Index &Steps, int64_t ElementBytes);
  Index arithmetic(clang::BinaryOperatorKind Op, const Index &A, const Index &B,
                   clang::QualType T, const clang::Expr *E);
  Index comparison(clang::BinaryOperatorKind Op, const Value &L, const Value &R,
                   const clang::Expr *E);
  Value merged(const Index &C, const Value &A, const Value &B,
               const clang::Expr *E);

  // ---- Places.cpp ----
  Place place(const clang::Expr *E);
  Place placeOfVariable(const clang::VarDecl *V, const clang::Expr *E);
  Place pointee(const Value &Pointer, const clang::Expr *E);
  Place member(Place P, const clang::FieldDecl *F);
  Place shifted(Place P, int64_t Bytes);
  Value addressOf(const Place &P, const clang::Expr *E);
  Value load(const Place &P, clang::QualType T, const clang::Expr *E);
  void store(const Place &P, Value V, clang::QualType T, const clang::Expr *E);
  Value *findValue(const Place &P, bool Make);
  Value opaque(clang::QualType T, const llvm::Twine &Reason,
               const clang::Stmt *At) const;
  Value parameterValue(clang::QualType T, const std::string &Name);
  int bufferOf(const clang::VarDecl *V);
  void note(const Place &P, AccessKind Kind, clang::QualType T,
            const clang::Expr *E, bool IsAtomic = false);
  void noteLost(const Value &Pointer, AccessKind Kind,
                const llvm::Twine &Reason, const clang::Expr *E);

  // ---- Calls.cpp ----
  struct Returned {
    Value Result;
    Place Where; ///< Of a function that returns a reference.
  };
  Returned call(const clang::CallExpr *C);
  std::optional<Value> intrinsic(const clang::CallExpr *C,
                                 llvm::StringRef Name);
  Place joined(const Index &If, const Place &A, const Place &B,
               const clang::FunctionDecl *F, const clang::Expr *At);
  bool isTrivialAssignment(const clang::CallExpr *C) const;
  Returned enter(const clang::FunctionDecl *F,
                 const std::vector<const clang::Expr *> &Arguments,
                 std::optional<Place> This, const clang::Expr *At);
  void bindParameters(const clang::FunctionDecl *F,
                      const std::vector<const clang::Expr *> &Arguments);
  Value passUnseen(const clang::FunctionDecl *F,
                   const std::vector<const clang::Expr *> &Arguments,
                   const clang::CallExpr *C);
  void forget(const Place &P, const llvm::Twine &Why, const clang::Expr *At);
  void initialise(const clang::CXXConstructorDecl *C, const Place &Object);

  // ---- ThreadGroups.cpp ----
  std::optional<Value> groupCall(const clang::CallExpr *C);
  std::optional<Value> groupCopy(const clang::CXXConstructExpr *C);

  // ---- BodyWalk.cpp ----
  std::string where(const clang::Stmt *S) const;
  std::string text(const clang::Expr *E) const;
  int64_t sizeOf(clang::QualType T) const;
  void noteNumbersOf(const clang::FunctionDecl *F);
  void noteNumbersOf(clang::QualType T) const;
  Index asType(Index N, clang::QualType T) const;
  Index allGuards(size_t From) const;

  struct Exit {
    bool IsContinue = false;
    std::vector<Index> Guards; ///< Of the place where control leaves.
  };
  struct Frame {
    const clang::FunctionDecl *Function = nullptr;
    std::optional<Place> This;
    size_t GuardsBefore = 0;
    std::vector<std::pair<Index, Returned>> Results; ///< With conditions.
    bool ReturnsReference = false;
  };

  const ParsedUnit &Unit;
  const Closure &Source;
  AccessModel &Model;
  std::map<const clang::VarDecl *, Value> Locals;
  std::map<const clang::VarDecl *, Place> References;
  std::map<const clang::VarDecl *, int> BufferIds;
  std::map<const clang::VarDecl *, Value> Captured;
  /// Innermost last: what the variables that a switch changes were before it.
  std::vector<std::map<const clang::VarDecl *, Value>> Switches;
  bool JustLeft = false; ///< The statement before was a jump.
  std::vector<Frame> Frames;
  std::vector<Exit> Exits;
  std::vector<Index> Guards;
  std::vector<unsigned> Loops;
  unsigned Order = 0, Muted = 0;
  /// Expressions that may still be evaluated: by the walk, and by those that
  /// only try what an iteration does.
  unsigned Budget = 200000, RehearsalBudget = 200000;
  bool Rehearsing = false;
  unsigned Symbols = 0; ///< That stand for begins of iterations so far.
};

/// Ways out of an iteration.
struct LoopJumps {
  bool Continue = false, Break = false, Return = false;
};
/// Those in \p S that belong to a loop around it.
LoopJumps jumpsOf(const clang::Stmt *S);

/// Of a variable that got no value: reading it has no meaning, so that any
/// other one may stand in its place.
bool isUninitialised(const Value &V);

/// `threadIdx`, `blockIdx`, `blockDim`, `gridDim`: the symbols of its axes; an
/// empty record for any other name.
Value launchVariable(llvm::StringRef Name);

/// A constant of the program, in no memory that a host can write. (Clang makes
/// `constexpr` variables `__constant__` by itself.)
bool isFixed(const clang::VarDecl *V);

/// \p E without parentheses and what changes nothing: cleanups, defaults,
/// substituted template parameters.
const clang::Expr *unwrapped(const clang::Expr *E);

} // namespace mep

#endif // MEP_LIB_ACCESS_BODYWALK_H
