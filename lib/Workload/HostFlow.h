/// \file
/// Which definition of a variable or a field reaches a place in host code,
/// through callers in the unit.

#ifndef MEP_LIB_WORKLOAD_HOSTFLOW_H
#define MEP_LIB_WORKLOAD_HOSTFLOW_H

#include "HostIndex.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <memory>
#include <optional>

namespace mep {

class OptionRuns;
struct Frame;
using FrameRef = std::shared_ptr<const Frame>;

/// A place in a function that runs because of a certain call.
struct Point {
  FrameRef In;
  unsigned Order = 0;
  Guards Under;
};

/// A function and the call that runs it; Call is null at the root of a chain.
struct Frame {
  const clang::FunctionDecl *Function = nullptr;
  const clang::Expr *Call = nullptr;
  Point Caller;
};

/// What reaches a use.
struct Reach {
  enum Kind {
    Nothing,
    Defined,  ///< By Source, which ran at Place.
    Parameter ///< By the caller's argument Argument, seen from Place.
  } What = Nothing;
  const Definition *Source = nullptr;
  const clang::Expr *Argument = nullptr;
  Point Place;
  /// The use is inside this loop, which changes the variable by Step.
  const clang::Stmt *Loop = nullptr;
  const Definition *Step = nullptr;
  /// Source runs under a condition that could not be decided, and nothing else
  /// in its function gives a value.
  bool IsDoubtful = false;
  /// A definition whose condition could not be decided and that was passed
  /// over.
  const Definition *Skipped = nullptr;
};

/// Decides a condition at a place, if it can.
using Decide =
    llvm::function_ref<std::optional<bool>(const clang::Expr *, const Point &)>;

class HostFlow {
public:
  /// \p Options: what the command line that is given decides; null without one.
  explicit HostFlow(const HostIndex &Index, const OptionRuns *Options = nullptr)
      : Index(Index), Options(Options) {}

  /// \p F as called from the root of the unit: the shortest chain of callers
  /// that ends in main, else in a function nobody calls.
  FrameRef frameOf(const clang::FunctionDecl *F) const;
  Point pointOf(const CallPlace &P) const;
  /// The place of \p D, in \p Near's frame when it is the same function.
  Point pointOf(const Definition &D, const Point &Near) const;
  /// Inside \p Callee, at its end, when \p Call runs it at \p At.
  Point inside(const clang::FunctionDecl *Callee, const clang::Expr *Call,
               const Point &At) const;

  /// What \p Key (a field of \p Base, when that is not null) holds at \p P.
  Reach find(const clang::ValueDecl *Key, const clang::ValueDecl *Base,
             const Point &P, Decide Known) const;

  const OptionRuns *options() const { return Options; }

private:
  std::optional<bool> runs(const Definition &D, const Point &P,
                           const Point &Place, Decide Known) const;
  bool findIn(const std::vector<const Definition *> &All, const Point &P,
              Decide Known, Reach &Out) const;
  void findElsewhere(const std::vector<const Definition *> &All, const Point &P,
                     Decide Known, Reach &Out) const;
  const HostIndex &Index;
  const OptionRuns *Options;
};

/// True if whatever runs under \p Inner also runs under \p Outer.
bool encloses(const Guards &Outer, const Guards &Inner);

} // namespace mep

#endif // MEP_LIB_WORKLOAD_HOSTFLOW_H
