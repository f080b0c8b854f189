/// \file
/// The fewest lines to remove and add that make one text another.

#ifndef MEP_LIB_SPLICE_LINEDIFF_H
#define MEP_LIB_SPLICE_LINEDIFF_H

#include "llvm/ADT/StringRef.h"
#include <vector>

namespace mep {

enum class LineOp { Keep, Remove, Add };

struct LineStep {
  LineOp What;
  llvm::StringRef Line; ///< With its end; the last line may have none.
};

/// The steps from \p Before to \p After in order; removals come before the
/// additions that take their place. Source: E. W. Myers, "An O(ND) difference
/// algorithm and its variations", Algorithmica 1 (1986).
std::vector<LineStep> diffLines(llvm::StringRef Before, llvm::StringRef After);

} // namespace mep

#endif // MEP_LIB_SPLICE_LINEDIFF_H
