/// \file
/// A batch of expressions over named constants, sent to Clang in one go, so
/// that all shapes of a workload cost one evaluation.

#ifndef MEP_LIB_WORKLOAD_EXPRESSIONS_H
#define MEP_LIB_WORKLOAD_EXPRESSIONS_H

#include "mep/Frontend/ConstantEvaluator.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

namespace mep {

/// Replaces each name in \p Text (identifiers, dotted members) by what
/// \p Replace returns; an empty answer keeps it. Numbers, and names behind
/// `::`, are left alone. Of `p.n.m` the longest prefix with an answer counts.
std::string
replaceNames(llvm::StringRef Text,
             llvm::function_ref<std::string(llvm::StringRef)> Replace);

/// True if \p Text uses the name \p Name.
bool usesName(llvm::StringRef Text, llvm::StringRef Name);

/// Collects constants and expressions of several scopes (one per shape), then
/// evaluates all of them at once.
class Expressions {
public:
  /// Forgets the names of the scope before.
  void beginScope();
  /// Names a constant that everything after it in this scope may use. \p Where
  /// says which member it is, in errors.
  void define(llvm::StringRef Name, llvm::StringRef Type, llvm::StringRef Value,
              const llvm::Twine &Where);
  /// Index of the value of \p Text.
  size_t ask(llvm::StringRef Text, const llvm::Twine &Where);
  /// Error (Workload) of the first expression that is wrong, in its own words.
  llvm::Error evaluate();

  const ConstantValue &value(size_t Index) const { return Values[Index]; }
  const std::string &where(size_t Index) const { return Asked[Index].Where; }
  const std::string &text(size_t Index) const { return Asked[Index].Text; }

private:
  struct Question {
    std::string Text, Where;
    size_t ScopeBegin, ScopeEnd; ///< Constants that are visible.
  };
  std::string rewritten(llvm::StringRef Text) const;
  llvm::Error explain(llvm::Error Batch) const;

  std::vector<NamedConstant> Unique;   ///< Names unique over the scopes.
  std::vector<NamedConstant> Original; ///< The same, as the user wrote them.
  std::vector<std::string> ConstantWhere;
  llvm::StringMap<std::string> Scope; ///< Name to unique name.
  size_t ScopeBegin = 0;
  std::vector<Question> Asked;
  std::vector<std::string> AskedUnique;
  std::vector<ConstantValue> Values;
};

} // namespace mep

#endif // MEP_LIB_WORKLOAD_EXPRESSIONS_H
