/// \file
/// A workload in the making: what was found, and what was not and why.

#ifndef MEP_LIB_WORKLOAD_WORKLOADDRAFT_H
#define MEP_LIB_WORKLOAD_WORKLOADDRAFT_H

#include "HostValues.h"
#include "KernelUses.h"
#include "LaunchCall.h"
#include "mep/Model/Closure.h"
#include "mep/Model/Workload.h"

namespace mep {

class BufferTable;

/// A member of workload.json that analysis cannot fill.
struct MissingMember {
  enum Kind { Value, Extent, Launch } What = Value;
  std::string Name; ///< Of the part or buffer; `grid`, `block`, `shared_bytes`.
  std::string Why, Where;
};

struct WorkloadDraft {
  Workload Data;
  std::vector<MissingMember> Missing;
  std::map<std::string, TermRef> Extents; ///< By buffer.
  std::map<std::string, TermRef> Scalars; ///< By argument part.
  std::array<TermRef, 3> Grid, Block;
  /// Number of threads of the base launch; 0 when not known.
  double Threads = 0;
  /// Some extent, grid, block or division cannot be; the dimensions in those.
  bool IsImpossible = false;
  std::set<std::string> Suspects;
};

/// Fills Data.Launch. Fixes dimensions that are block sizes.
void inferGeometry(const LaunchCall &Call, const Point &At, HostValues &Values,
                   DimensionTable &Dimensions, WorkloadDraft &Out);

/// Fills Data.Arguments and Data.Buffers (without roles and fill rules). Error
/// (Unsupported) for parameters no workload can hold.
llvm::Error inferArguments(const LaunchCall &Call, const KernelSite &Site,
                           const Point &At, HostValues &Values,
                           BufferTable &Buffers, WorkloadDraft &Out);

/// Adds the closure's device globals to Data.Buffers, with what they point at.
/// Error (Unsupported) for those no workload can hold.
llvm::Error inferGlobals(const Closure &C, const HostIndex &Index,
                         const KernelUses &Uses, HostValues &Values,
                         BufferTable &Buffers, WorkloadDraft &Out);

/// Gives every buffer of \p Out its role and fill rule.
void inferFills(const KernelUses &Uses, const DimensionTable &Dimensions,
                WorkloadDraft &Out);

} // namespace mep

#endif // MEP_LIB_WORKLOAD_WORKLOADDRAFT_H
