/// \file
/// Integer arithmetic of a kernel as a value: what subscripts, guards and loop
/// bounds are made of, over thread and block indices, loop counters, scalar
/// parameters and dimension macros. No step of the walk by itself: the access
/// model is written in it.

#ifndef MEP_MODEL_INDEXEXPR_H
#define MEP_MODEL_INDEXEXPR_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mep {

enum class IndexOp {
  Number,
  Symbol,
  Unknown, ///< No value of the arithmetic; Name says why, Where says where.
  Add,
  Multiply,
  Divide,     ///< Rounds towards zero, as C++ does.
  Remainder,  ///< Sign of the dividend, as in C++.
  ShiftRight, ///< Rounds down.
  BitAnd,
  BitOr,
  BitXor,
  Min,
  Max,
  Select,  ///< Condition, value if it holds, value if not.
  Convert, ///< To an integer type of Bits, IsSigned; wraps around.
  Less,
  LessEqual,
  Equal,
  And,
  Or,
  Not,
  Power, ///< First, factor, count: first * factor^count.
  Decay  ///< First, divisor, count: first / divisor^count, each rounded down.
};

/// What a Symbol stands for. The first three vary between the executions of an
/// access; the others are the same for all threads of a launch.
enum class SymbolKind {
  Thread,
  Block,
  Counter, ///< Of a loop's iterations, from 0.
  BlockSize,
  GridSize,
  Parameter, ///< Scalar part of an argument.
  Macro      ///< Dimension of the closure.
};

struct IndexExpr;
using Index = std::shared_ptr<const IndexExpr>;

struct IndexExpr {
  IndexOp Op = IndexOp::Number;
  int64_t Value = 0; ///< Of a Number.
  std::string Name;  ///< Of a Symbol (`threadIdx.x`, `n`, `p.n`); the reason of
                     ///< an Unknown.
  std::string Where; ///< Of an Unknown: `file:line:column`.
  SymbolKind Kind = SymbolKind::Parameter;
  unsigned Bits = 0; ///< Of a Convert.
  bool IsSigned = true;
  unsigned Size = 1; ///< Nodes, a shared one as often as it is used.
  std::vector<Index> Operands;

  bool isNumber(int64_t N) const { return Op == IndexOp::Number && Value == N; }
  bool isVarying() const {
    return Op == IndexOp::Symbol && Kind <= SymbolKind::Counter;
  }
};

// Constructors fold what is constant; operands are never null. An expression
// that grows past a few thousand nodes becomes an Unknown: a variable that many
// branches change has no useful formula.
Index number(int64_t Value);
Index symbol(llvm::StringRef Name, SymbolKind Kind);
Index unknown(llvm::StringRef Reason, llvm::StringRef Where);
Index add(Index A, Index B);
Index subtract(Index A, Index B);
Index multiply(Index A, Index B);
Index binary(IndexOp Op, Index A, Index B);
Index select(Index Condition, Index A, Index B);
Index convert(Index A, unsigned Bits, bool IsSigned);
/// \p First * \p Factor ^ \p Count.
Index power(Index First, Index Factor, Index Count);
Index negation(Index Condition);
Index conjunction(Index A, Index B);
Index disjunction(Index A, Index B);

/// Calls \p Visit for \p E and everything below it, parents first, until it
/// returns false; the answer says whether all was visited.
bool everyPart(const Index &E,
               llvm::function_ref<bool(const IndexExpr &)> Visit);
/// The first Unknown in \p E, or null.
const IndexExpr *firstUnknown(const Index &E);
/// True if the symbol \p Name is in \p E.
bool mentions(const Index &E, llvm::StringRef Name);
/// \p E with other operands, folded again.
Index withOperands(const IndexExpr &E, std::vector<Index> Operands);
/// \p E with the symbols that \p By answers for replaced; null keeps one.
Index replaced(const Index &E, llvm::function_ref<Index(const IndexExpr &)> By);
/// \p E with the symbol \p Name replaced.
Index substitute(const Index &E, llvm::StringRef Name, const Index &By);

/// A byte offset as a number of elements and what is left of the last one.
struct ElementIndex {
  Index Whole;
  int64_t Rest = 0; ///< Bytes, from 0 to less than an element.
};
/// \p Offset in elements of \p Size bytes; nothing when it is no sum of
/// multiples of that and a constant.
std::optional<ElementIndex> wholeElements(const Index &Offset, int64_t Size);

/// Adds what all must hold for \p Condition to hold, one by one.
void appendParts(const Index &Condition, std::vector<Index> &Out);

/// C-like text with as few parentheses as it takes; Converts are left out.
std::string print(const Index &E);

} // namespace mep

#endif // MEP_MODEL_INDEXEXPR_H
