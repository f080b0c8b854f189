/// \file
/// C++ constant expressions to numbers, by Clang's own evaluator.

#ifndef MEP_FRONTEND_CONSTANTEVALUATOR_H
#define MEP_FRONTEND_CONSTANTEVALUATOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace mep {

/// A name the expressions may use. \p Name may be dotted (`p.n`).
struct NamedConstant {
  std::string Name;
  std::string Type;  ///< `int`, `long long`, `float`, …
  std::string Value; ///< Expression over the constants before it.
};

/// One value: an integer or a floating number.
struct ConstantValue {
  bool IsFloat = false;
  int64_t Integer = 0;
  double Float = 0;
  double asDouble() const { return IsFloat ? Float : double(Integer); }
};

/// Evaluates each of \p Expressions with \p Constants in scope; `ceil`,
/// `floor`, `min`, `max`, `abs`, `sqrt`, `log2`, `pow` of constants and
/// `sizeof` work with or without `std::`. Shapes: result[i] belongs to
/// Expressions[i]. Error (Workload): the first expression that is no constant
/// or not valid, with the expression, what is wrong (unknown name, division by
/// zero, overflow) and \p Where.
llvm::Expected<std::vector<ConstantValue>>
evaluateConstants(llvm::ArrayRef<NamedConstant> Constants,
                  llvm::ArrayRef<std::string> Expressions,
                  llvm::StringRef Where);

} // namespace mep

#endif // MEP_FRONTEND_CONSTANTEVALUATOR_H
