/// \file
/// A host expression reduced to dimension names, numbers and arithmetic: what
/// the inference computes with before it becomes the text of workload.json.

#ifndef MEP_LIB_WORKLOAD_TERM_H
#define MEP_LIB_WORKLOAD_TERM_H

#include "mep/Frontend/ConstantEvaluator.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace mep {

struct Term;
/// Null means "not known".
using TermRef = std::shared_ptr<const Term>;

struct Term {
  enum Kind { Integer, Floating, Name, Unary, Binary, Cast, Call, Conditional };
  Kind What = Integer;
  int64_t Int = 0;
  double Float = 0;
  std::string Text; ///< Name, operator, type of a cast, or function.
  std::vector<TermRef> Parts;
  bool IsFloat = false; ///< Type of the result.
};

TermRef integerTerm(int64_t Value);
TermRef floatTerm(double Value);
TermRef nameTerm(llvm::StringRef Name);
/// All of these give null when a part is null, and fold integer constants.
TermRef unaryTerm(llvm::StringRef Operator, TermRef Part);
TermRef binaryTerm(llvm::StringRef Operator, TermRef Left, TermRef Right);
/// \p Type: `float`, `double` or `long long`.
TermRef castTerm(llvm::StringRef Type, TermRef Part);
TermRef callTerm(llvm::StringRef Function, std::vector<TermRef> Parts);
TermRef conditionalTerm(TermRef If, TermRef Then, TermRef Else);

/// C++ text, with the parentheses it needs.
std::string print(const TermRef &T);

using TermValues = std::map<std::string, int64_t>;
/// The value with each name at its number; nothing when a name has none, on
/// division by zero and for an unknown function.
std::optional<ConstantValue> evaluate(const TermRef &T,
                                      const TermValues &Values);

void collectNames(const TermRef &T, std::set<std::string> &Names);
TermRef substitute(const TermRef &T, llvm::StringRef Name,
                   const TermRef &Value);

/// \p T / \p Divisor without a remainder where the factors show that there is
/// none (`n * 4` / 4 is `n`), else as a division.
TermRef dividedBy(const TermRef &T, int64_t Divisor);

} // namespace mep

#endif // MEP_LIB_WORKLOAD_TERM_H
