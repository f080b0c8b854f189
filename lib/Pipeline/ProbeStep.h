/// \file
/// The probe's part in the walk: the kernel runs once on the CPU, and what it
/// touches completes the workload or refutes it.

#ifndef MEP_LIB_PIPELINE_PROBESTEP_H
#define MEP_LIB_PIPELINE_PROBESTEP_H

#include "DataChoices.h"
#include "mep/Evaluate/Worker.h"
#include "mep/Model/KernelSite.h"
#include "mep/Workload/WorkloadInference.h"

namespace mep {

/// Gives the \p Open extents of \p W: as a few small runs show them to follow
/// from the dimensions, else one past the last element that the base launch
/// touches. Corrects roles by the way. Error (Workload): the launch does
/// not end, goes astray or reaches in front of a buffer; says what is missing
/// and why the probe does not help. \p Report holds what was seen in any case.
llvm::Error probeExtents(Workload &W, const OpenExtents &Open, const Closure &C,
                         Worker &On, std::optional<ProbeReport> &Report);

/// What a run of the base launch of \p W says of its data: what is wrong, or
/// nothing that shows there. Mends \p W as checkByProbe does. Error
/// (Interrupted).
llvm::Expected<std::optional<Trouble>>
judgeByProbe(Workload &W, const OpenExtents &Inferred, const KernelSite &Site,
             const Closure &C, Worker &On, std::optional<ProbeReport> &Report);

/// Runs the base launch of \p W, smaller where it would take long. Corrects
/// roles, and extents that \p Inferred calls doubtful and the run leaves: as
/// small runs show them to follow, else as far as this launch goes. Error
/// (Workload): an access outside the extents; names buffer, element and extent.
llvm::Error checkByProbe(Workload &W, const OpenExtents &Inferred,
                         const KernelSite &Site, const Closure &C, Worker &On,
                         std::optional<ProbeReport> &Report);

} // namespace mep

#endif // MEP_LIB_PIPELINE_PROBESTEP_H
