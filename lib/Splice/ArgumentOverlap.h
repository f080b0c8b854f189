/// \file
/// Pointer arguments that overlap in one launch and not in another: a new text
/// proven on separate buffers (`__restrict__`, sums kept in registers) is wrong
/// where the application updates a buffer in place.

#ifndef MEP_LIB_SPLICE_ARGUMENTOVERLAP_H
#define MEP_LIB_SPLICE_ARGUMENTOVERLAP_H

#include "HostStores.h"
#include "mep/Model/KernelSite.h"
#include "mep/Model/Workload.h"
#include <functional>
#include <memory>

namespace mep {

/// Judges the launches of one kernel against the buffers that its winner was
/// proven on: two arguments that were apart there have to be apart in a launch
/// whatever either may point into, through every chain of callers in the unit;
/// two that were one pointer have to be one. Buffers that the kernel only reads
/// may overlap as they like.
class ArgumentOverlap {
public:
  /// Gives a parsed unit by its main file, or null.
  using UnitOf = std::function<const ParsedUnit *(llvm::StringRef)>;

  ArgumentOverlap(const KernelSite &Site, const Workload &Data, UnitOf Host)
      : Site(Site), Data(Data), Host(std::move(Host)) {}

  /// Empty if \p Launch is as the measured one, else the reason.
  std::string whyNot(const LaunchSite &Launch);
  /// Pairs of places that were taken to be apart, since the callers that give
  /// them are in other units; sentences.
  const std::set<std::string> &assumed() const { return Assumed; }

private:
  enum class Relation : char { Harmless, Apart, Shared, Same };
  Relation measured(size_t A, size_t B);
  const HostStores *storesOf(const LaunchSite &Launch);
  std::string judge(const HostStores &Stores, const HostCallSite &At);

  const KernelSite &Site;
  const Workload &Data;
  UnitOf Host;
  std::map<std::string, std::unique_ptr<HostStores>> Units;
  std::set<std::string> Assumed;
};

} // namespace mep

#endif // MEP_LIB_SPLICE_ARGUMENTOVERLAP_H
