/// \file
/// What a kernel does with each buffer, as its body shows: read, written, used
/// as a subscript.

#ifndef MEP_LIB_WORKLOAD_KERNELUSES_H
#define MEP_LIB_WORKLOAD_KERNELUSES_H

#include "llvm/ADT/StringRef.h"
#include <map>
#include <set>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class FunctionDecl;
} // namespace clang

namespace mep {

/// What a subscript does with an element: with numbers from First to Last,
/// which C++ over the workload's names says.
struct IndexStep {
  enum Kind {
    Add,      ///< element + number
    Subtract, ///< element - number
    From,     ///< number - element
    Scale,    ///< element * number
    Divide,   ///< element / number
    Wrap      ///< element % number
  } What = Add;
  std::string First, Last;
  /// Of a Scale: something that is not followed is added, below the number.
  bool HasRest = false;
};

/// Elements of a buffer used as subscripts.
struct IndexUse {
  std::string Target;  ///< Buffer subscripted; empty: a local array.
  uint64_t Extent = 0; ///< Of a local array.
  bool Exact = true;   ///< Steps say all that is done with the element; else it
                       ///< is only part of the subscript.
  std::vector<IndexStep> Steps; ///< The last one done first.
};

struct BufferUse {
  bool Read = false, Written = false;
  bool Escapes = false;   ///< Passed to code that cannot be seen.
  bool Partial = false;   ///< Some write is under a condition that is more than
                          ///< an upper bound.
  bool InLoop = false;    ///< Some write is inside a loop.
  bool Divides = false;   ///< Something is divided by its elements.
  bool Positive = false;  ///< They are arguments of a root or logarithm.
  bool LoopBound = false; ///< Its elements bound a loop.
  std::vector<IndexUse> Indexes;
  bool IsOffsets = false;              ///< `for (j = x[i]; j < x[i + 1]; …)`
  std::set<std::string> OffsetTargets; ///< Subscripted by that j.
  std::vector<IndexStep> OffsetSteps;  ///< From x[i] to the first j.
};

/// By name: a parameter, a member of a structure parameter (`p.data`), a device
/// global (qualified).
using KernelUses = std::map<std::string, BufferUse>;

/// \p Kernel: definition in the device view. \p Names: of its parameters.
KernelUses findUses(const clang::FunctionDecl *Kernel,
                    const std::vector<std::string> &Names,
                    const clang::ASTContext &Context);

} // namespace mep

#endif // MEP_LIB_WORKLOAD_KERNELUSES_H
