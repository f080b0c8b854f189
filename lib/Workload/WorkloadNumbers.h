/// \file
/// All expressions of a workload, and their numbers under one of its shapes.

#ifndef MEP_LIB_WORKLOAD_WORKLOADNUMBERS_H
#define MEP_LIB_WORKLOAD_WORKLOADNUMBERS_H

#include "mep/Frontend/ConstantEvaluator.h"
#include "mep/Model/Workload.h"
#include <optional>

namespace mep {

/// One expression of a workload.
struct Slot {
  std::string *Text;
  std::string What;         ///< For notes.
  std::string Lift;         ///< A dimension's name for it; empty: none suits.
  bool IsParameter = false; ///< Lift is the parameter's own name.
  int64_t Element = 0;      ///< Bytes; of where a pointer points.
  bool IsAxis = false;      ///< Of the grid or the block.
  bool IsExtent = false;    ///< Of a buffer.
};

/// In an order that depends on the structure alone.
std::vector<Slot> slotsOf(Workload &W);

using Numbers = std::vector<ConstantValue>; ///< Of all slots.

/// The numbers of \p W under \p S; nothing where an expression has none.
std::optional<Numbers> numbersOf(Workload &W, const Shape &S);

bool isSame(const ConstantValue &A, const ConstantValue &B);
bool isSame(const Numbers &A, const Numbers &B);
std::vector<size_t> differences(const Numbers &A, const Numbers &B);

} // namespace mep

#endif // MEP_LIB_WORKLOAD_WORKLOADNUMBERS_H
