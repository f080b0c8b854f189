/// \file
/// One walk over the host code of a unit that remembers who defines each
/// variable, who calls each function and where kernels are launched.

#ifndef MEP_LIB_WORKLOAD_HOSTINDEX_H
#define MEP_LIB_WORKLOAD_HOSTINDEX_H

#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/DenseMap.h"
#include <vector>

namespace mep {

/// A statement that decides whether what is inside it runs: an `if` (with the
/// branch taken), a loop, a `switch` case.
struct Guard {
  const clang::Stmt *Statement = nullptr;
  enum Part { Then, Else, Body, Case } Where = Then;
  /// In the walk: what was defined before its condition is evaluated.
  unsigned Order = 0;
  bool operator==(const Guard &G) const {
    return Statement == G.Statement && Where == G.Where;
  }
  bool isLoop() const { return Where == Body; }
};
using Guards = std::vector<Guard>; ///< Outermost first.

/// Something that may give a variable, a field or what a pointer points at a
/// value.
struct Definition {
  static constexpr unsigned ThisArgument = ~0u;
  enum Kind {
    Initializer, ///< `T x = Value` or a constructor's member initialiser
    Assignment,  ///< `x = Value`
    Compound,    ///< `x op= Value`, `x++`
    Passed,      ///< `f(&x)`, or `f(x)` by reference
    Through      ///< `*x = Value` for a pointer x
  } How = Initializer;
  const clang::Expr *Value = nullptr;
  const clang::Expr *Subscript = nullptr; ///< `x[Subscript] = Value`.
  const clang::Expr *Target = nullptr;    ///< The lvalue that gets it.
  llvm::StringRef Operator;               ///< Of a Compound: `+`, `*`, …
  const clang::Expr *Call = nullptr;      ///< Of a Passed.
  unsigned Argument = 0; ///< Of a Passed; ThisArgument for `x.resize(n)`.
  const clang::ValueDecl *Base = nullptr; ///< Variable a field belongs to.
  const clang::FunctionDecl *In = nullptr;
  unsigned Order = 0; ///< Position in the walk.
  Guards Under;
  clang::SourceLocation At;
};

/// A call, a construction or a launch.
struct CallPlace {
  const clang::Expr *Call = nullptr;
  const clang::FunctionDecl *In = nullptr;
  unsigned Order = 0;
  Guards Under;
};

/// A statement that leaves a loop or a function early.
struct HostExit {
  enum Kind { Continue, Break, Return } How = Return;
  const clang::Stmt *Statement = nullptr;
  const clang::FunctionDecl *In = nullptr;
  unsigned Order = 0;
  Guards Under;
};

/// Where a loop's condition (of `do`: behind its body) and its end stand in the
/// walk.
struct LoopOrder {
  unsigned Condition = 0, End = 0;
};

class HostIndex {
public:
  explicit HostIndex(const ParsedUnit &Host);

  const std::vector<Definition> &definitions(const clang::ValueDecl *D) const;
  /// Assignments to elements of a container, `x[i] = Value` by an operator.
  const std::vector<Definition> &elements(const clang::ValueDecl *D) const;
  const std::vector<CallPlace> &callers(const clang::FunctionDecl *F) const;
  /// All `<<<>>>` calls and calls of launch functions of the runtime API.
  const std::vector<CallPlace> &launches() const { return Launches; }
  /// Calls that copy host values to device globals.
  const std::vector<CallPlace> &symbolCopies() const { return Copies; }
  /// Calls that set device memory to a byte.
  const std::vector<CallPlace> &memorySets() const { return Sets; }
  /// Calls that copy memory: destination and source are their first arguments.
  const std::vector<CallPlace> &memoryCopies() const { return MemoryCopies; }
  /// Return expressions of \p F.
  const std::vector<CallPlace> &returns(const clang::FunctionDecl *F) const;

  /// In their order.
  const std::vector<HostExit> &exits(const clang::FunctionDecl *F) const;
  LoopOrder loopOrder(const clang::Stmt *Loop) const {
    return Loops.lookup(Loop);
  }
  /// The first place behind each label of a switch, in their order.
  const std::vector<std::pair<const clang::SwitchCase *, unsigned>> &
  labels(const clang::Stmt *Switch) const;

  /// All calls of the function of that qualified name, in their order.
  std::vector<const CallPlace *> callersOf(llvm::StringRef Name,
                                           unsigned Parameters) const;
  /// A caller of the function of that qualified name, or null.
  const CallPlace *callerOf(llvm::StringRef Name, unsigned Parameters) const;
  /// The global or member of that qualified name that is given a value.
  const clang::ValueDecl *definedAs(llvm::StringRef Name,
                                    clang::Decl::Kind Kind) const;

private:
  friend class HostWalk;
  llvm::DenseMap<const clang::Decl *, std::vector<Definition>> Defined,
      Elements;
  llvm::DenseMap<const clang::Decl *, std::vector<CallPlace>> Called, Returned;
  llvm::DenseMap<const clang::Decl *, std::vector<HostExit>> Exits;
  llvm::DenseMap<const clang::Stmt *, LoopOrder> Loops;
  llvm::DenseMap<const clang::Stmt *,
                 std::vector<std::pair<const clang::SwitchCase *, unsigned>>>
      Labels;
  std::vector<CallPlace> Launches, Copies, Sets, MemoryCopies;
};

/// The function a call, construction or launch runs, with its body if the unit
/// has it; null for calls through pointers.
const clang::FunctionDecl *calledFunction(const clang::Expr *Call);
/// Argument \p I of a call or construction, or null.
const clang::Expr *callArgument(const clang::Expr *Call, unsigned I);
unsigned callArgumentCount(const clang::Expr *Call);
/// Unqualified name of the called function, empty if there is none.
llvm::StringRef calledName(const clang::Expr *Call);
/// Without parentheses, casts, temporaries and other wrapping.
const clang::Expr *bare(const clang::Expr *E);
/// The variable at the bottom of `v`, `&v`, `v.a.b`, `v->a`, `v[i]` and, with
/// \p ThroughCalls, of `v.data()`; null without one.
const clang::ValueDecl *rootOf(const clang::Expr *E, bool ThroughCalls = false);

} // namespace mep

#endif // MEP_LIB_WORKLOAD_HOSTINDEX_H
