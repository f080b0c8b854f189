/// \file
/// Accesses with the launch's numbers put in: what is left varies over threads,
/// blocks and iterations alone.

#ifndef MEP_LIB_ACCESS_INSTANCES_H
#define MEP_LIB_ACCESS_INSTANCES_H

#include "Interval.h"
#include "mep/Access/AccessNumbers.h"

namespace mep {

/// An access for one choice of the counters of loops that grow by a factor.
struct AccessInstance {
  const MemoryAccess *Access = nullptr;
  Index Offset;
  std::vector<Index> Guards;
  Ranges Known;        ///< Of all that varies.
  std::string Problem; ///< Why nothing is known of it; empty otherwise.
  std::map<std::string, int64_t> Chosen; ///< Counters that are numbers here.
};

/// The instances of \p A; none when it never happens.
std::vector<AccessInstance> instancesOf(const AccessModel &Model,
                                        const MemoryAccess &A,
                                        const AccessPoint &At);

} // namespace mep

#endif // MEP_LIB_ACCESS_INSTANCES_H
