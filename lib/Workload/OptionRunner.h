/// \file
/// Runs host code that reads the command line, on values that are numbers,
/// texts and positions in argv.

#ifndef MEP_LIB_WORKLOAD_OPTIONRUNNER_H
#define MEP_LIB_WORKLOAD_OPTIONRUNNER_H

#include "OptionRuns.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

namespace mep {

/// A value of the code that is run.
struct OptionValue {
  enum Kind {
    Unknown,
    Number,
    Text, ///< A C string, a std::string, or the rest of one.
    List  ///< argv + Offset.
  } What = Unknown;
  TermRef Num;
  std::string Str;
  int Word = -1; ///< That Str is part of.
  int64_t Offset = 0;

  static OptionValue number(TermRef T);
  static OptionValue integer(int64_t Value) {
    return number(integerTerm(Value));
  }
  static OptionValue text(std::string Str, int Word = -1);
  static OptionValue list(int64_t Offset);
  std::optional<int64_t> asInteger() const;
  /// As a condition; a text is a pointer that is not null.
  std::optional<bool> asBool() const;
};

class OptionRunner {
public:
  OptionRunner(const OptionRuns &Runs, const clang::FunctionDecl *In,
               unsigned Order)
      : Runs(Runs), In(In), Order(Order), Words(Runs.Words) {}

  /// False: it could not be followed, or it ends the application.
  bool run(const clang::Stmt *Loop, OptionRuns::Outcome &Out);
  OptionValue call(const clang::CallExpr *C);
  bool hasFailed() const { return Failed; }
  const std::set<size_t> &read() const { return Read; }

private:
  friend class OptionRuns;
  enum class Next { On, Break, Continue, Return };
  /// A variable, or a member of one.
  using Key = std::pair<const clang::Decl *, const clang::Decl *>;

  Next fail() {
    Failed = true;
    return Next::Return;
  }
  bool isSpent() { return Failed || ++Steps > MostSteps; }

  // Statements.
  Next statement(const clang::Stmt *S);
  Next condition(const clang::IfStmt *If);
  Next unknownCondition(const clang::IfStmt *If);
  Next loop(const clang::Expr *Condition, const clang::Expr *After,
            const clang::Stmt *Body, bool TestsFirst);
  Next switched(const clang::SwitchStmt *S);
  void declare(const clang::VarDecl *V);
  bool leaves(const clang::Stmt *S) const;

  // Expressions.
  OptionValue value(const clang::Expr *E);
  OptionValue cast(const clang::CastExpr *C);
  OptionValue name(const clang::DeclRefExpr *R);
  OptionValue entry(const clang::ValueDecl *D);
  OptionValue subscript(const OptionValue &Base, const OptionValue &Place);
  OptionValue unary(const clang::UnaryOperator *U);
  OptionValue step(const clang::UnaryOperator *U);
  OptionValue binary(const clang::BinaryOperator *B);
  OptionValue logical(const clang::BinaryOperator *B);
  OptionValue combined(llvm::StringRef Operator, const OptionValue &Left,
                       const OptionValue &Right);
  OptionValue shifted(OptionValue V, int64_t By);
  static std::optional<Key> keyOf(const clang::Expr *Target);
  void assign(const clang::Expr *Target, OptionValue V);
  /// Whatever \p S may give a value has one that is not known.
  void forget(const clang::Stmt *S);
  void forgetPassed(const clang::CallExpr *C);
  void forgetTarget(const clang::Expr *Target);
  void see(const OptionValue &V);

  // Calls.
  OptionValue library(llvm::StringRef Name,
                      const std::vector<OptionValue> &Given);
  OptionValue compared(llvm::StringRef Name,
                       const std::vector<OptionValue> &Given);
  OptionValue converted(llvm::StringRef Name,
                        const std::vector<OptionValue> &Given);
  OptionValue method(const clang::CXXMemberCallExpr *C);
  OptionValue overloaded(const clang::CXXOperatorCallExpr *C);
  OptionValue function(const clang::FunctionDecl *F,
                       const std::vector<OptionValue> &Given);
  bool scan(const clang::CallExpr *C, const std::vector<OptionValue> &Given);
  OptionValue getopt(const clang::CallExpr *C, bool Long,
                     const std::vector<OptionValue> &Given);
  OptionValue longOption(const clang::Expr *Table, llvm::StringRef Rest);
  OptionValue optionFound(int64_t Letter, bool TakesArgument, bool IsOptional,
                          llvm::StringRef Attached, bool HasAttached);

  static constexpr unsigned MostSteps = 50000, MostCalls = 8;
  const OptionRuns &Runs;
  const clang::FunctionDecl *In;
  unsigned Order;
  std::vector<OptionWord> Words;
  std::map<Key, OptionValue> State;
  std::map<Key, const clang::Expr *> Last; ///< Target that gave it.
  std::set<Key> Open;
  OptionValue Returned, Argument; ///< Argument: optarg.
  std::set<size_t> Read;
  size_t OptionIndex = 1, Letter = 0; ///< Of getopt.
  unsigned Steps = 0, Calls = 0;
  bool Failed = false;
};

} // namespace mep

#endif // MEP_LIB_WORKLOAD_OPTIONRUNNER_H
