/// \file
/// What host code that reads the command line does when it is run with the
/// words that are given (`--args`): loops over argv, getopt, and functions that
/// look an option up. They are run statement by statement; whatever is not
/// understood leaves them unknown, never guessed.

#ifndef MEP_LIB_WORKLOAD_OPTIONRUNS_H
#define MEP_LIB_WORKLOAD_OPTIONRUNS_H

#include "HostIndex.h"
#include "Term.h"
#include <map>
#include <memory>
#include <set>

namespace mep {

/// One word of the command line; Number counts from 0, -1: the program's name.
struct OptionWord {
  std::string Text;
  int Number = -1;
};

class OptionRuns {
public:
  /// Runs code of \p Unit with \p Words; those it reads go into \p Read.
  OptionRuns(const ParsedUnit &Unit, const HostIndex &Index,
             std::vector<std::string> Words, std::set<size_t> &Read);

  /// Whether \p D, inside a loop that \p At is outside of, gave its variable
  /// the value this has after the loop; nothing: not known.
  std::optional<bool> settles(const Definition &D, const Guards &At) const;
  /// What \p D stands under outside of that loop.
  static Guards around(const Definition &D, const Guards &At);
  /// The number that \p D gave; null: settles() did not say yes, or it gave
  /// none that is known.
  TermRef given(const Definition &D, const Guards &At) const;
  /// What \p Call, which hands argv on, returns; null: not known.
  TermRef returned(const clang::CallExpr *Call) const;

private:
  friend class OptionRunner;
  /// What a loop left behind.
  struct Outcome {
    bool IsFollowed = false;
    /// By the target of the definition that counts: its number, or null.
    std::map<const clang::Expr *, TermRef> Given;
    /// Variables, and members of them, that may have got a value nobody knows.
    std::set<std::pair<const clang::Decl *, const clang::Decl *>> Open;
    std::set<size_t> Read;
  };
  /// Of the loop around \p D that \p At is outside of; null: none is known.
  const Outcome *outcome(const Definition &D, const Guards &At) const;
  /// \p Parameter is argument \p Which of main, handed on as it is.
  bool isOfMain(const clang::ParmVarDecl *Parameter, unsigned Which,
                unsigned Depth = 0) const;

  const ParsedUnit &Unit;
  const HostIndex &Index;
  std::vector<OptionWord> Words; ///< With the program's name in front.
  std::set<size_t> &Read;
  mutable std::map<const clang::Stmt *, std::unique_ptr<Outcome>> Outcomes;
};

} // namespace mep

#endif // MEP_LIB_WORKLOAD_OPTIONRUNS_H
