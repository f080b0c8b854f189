/// \file
/// An access model at the numbers of one launch: exact sets, through isl.

#ifndef MEP_ACCESS_ACCESSNUMBERS_H
#define MEP_ACCESS_ACCESSNUMBERS_H

#include "mep/Model/AccessModel.h"
#include "mep/Model/Workload.h"
#include <map>

namespace mep {

/// Where a model is evaluated: scalar parts and macros by name, and the launch.
struct AccessPoint {
  std::map<std::string, int64_t> Values;
  std::array<uint64_t, 3> Grid{1, 1, 1}, Block{1, 1, 1};
};

/// Elements of a buffer, the smallest and the largest one touched.
struct ElementRange {
  int64_t First = 0, Last = 0;
};

/// What a launch touches of one buffer. Ranges are absent when nothing is
/// touched, or nothing is known (then a state says so).
struct AccessedElements {
  enum State {
    Exact,  ///< These elements and no others.
    AtMost, ///< No other elements; a guard depends on data.
    Open    ///< Some access is not known.
  };
  std::string Buffer;
  uint64_t ElementBytes = 1;
  std::optional<uint64_t> Extent; ///< Elements the buffer has.
  State Reads = Exact, Writes = Exact;
  std::optional<ElementRange> Read, Written;
  /// Distinct elements; absent when unknown or counting passes its limit.
  std::optional<uint64_t> ReadCount, WriteCount;
  /// Some thread reads an element before it has written it itself; absent when
  /// that is not known.
  std::optional<bool> ReadsInput;
  /// Compiled code may leave some of the reads out, as they may not be used.
  bool MayBeUnused = false;
  std::string Note; ///< Why a state is not Exact.
};

/// All buffers of \p Model, in its order. Work is bounded: what passes the
/// limit is Open or has no count.
std::vector<AccessedElements> touchedElements(const AccessModel &Model,
                                              const AccessPoint &At);

/// The numbers of \p Shape, a shape of \p W.
AccessPoint accessPoint(const Workload &W, const ResolvedShape &Shape);

/// The same by buffers of \p W, in their elements: parameters that point into
/// one buffer are one, offsets are added. Buffers the kernel does not name are
/// not in the result.
std::vector<AccessedElements> touchedElements(const AccessModel &Model,
                                              const Workload &W,
                                              const ResolvedShape &Shape);

Json toJson(const AccessedElements &T);
/// One line for a person.
void print(const AccessedElements &T, llvm::raw_ostream &OS);

} // namespace mep

#endif // MEP_ACCESS_ACCESSNUMBERS_H
