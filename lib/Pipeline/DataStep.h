/// \file
/// From inferred data to data on which the kernel runs: completed by the probe,
/// and other than inferred where the kernel does not run on that.

#ifndef MEP_LIB_PIPELINE_DATASTEP_H
#define MEP_LIB_PIPELINE_DATASTEP_H

#include "DataSearch.h"
#include "Progress.h"
#include "UnitCache.h"
#include "mep/Model/Closure.h"
#include "mep/Model/KernelSite.h"
#include "mep/Model/Result.h"
#include "mep/Workload/WorkloadInference.h"

namespace mep {

class DataStep {
public:
  /// \p Prober: a worker of the CPU platform. \p Open: as the inference left
  /// it.
  DataStep(const KernelSite &Site, const Closure &Source,
           const OpenExtents &Open, WorkerSlot &Prober, Progress &Log)
      : Site(Site), Source(Source), Open(Open), Prober(Prober), Log(Log) {}

  /// Gives open extents, else checks what rests on an assumption (or anything,
  /// if \p IsAsked), by runs on the CPU; takes other data where the kernel
  /// leaves its buffers. \p Seen: the last run. Error (Workload): what is
  /// missing or wrong.
  llvm::Error probe(Workload &Data, bool IsAsked,
                    std::optional<ProbeReport> &Seen);

  /// Prepares the baseline on some data; a BaselineRefused when it cannot be.
  using Prepare = llvm::function_ref<llvm::Expected<Baseline>(Workload &)>;
  /// The baseline on \p Data, else on the first other data that \p Do takes,
  /// which \p Data then is. \p WasProbed: \p Data has been.
  llvm::Expected<Baseline> prepare(Workload &Data, bool WasProbed, Prepare Do);

private:
  llvm::Error findExtents(Workload &Data, std::optional<ProbeReport> &Seen);
  llvm::Error check(Workload &Data, bool IsAsked,
                    std::optional<ProbeReport> &Seen);
  llvm::Error search(Workload &Data, llvm::Error Why,
                     std::optional<ProbeReport> &Seen);
  llvm::Expected<std::optional<Trouble>> judge(Workload &Data, Prepare Do,
                                               std::optional<Baseline> &Base);
  void noteFrom(size_t First, const Workload &Data);

  const KernelSite &Site;
  const Closure &Source;
  const OpenExtents &Open;
  WorkerSlot &Prober;
  Progress &Log;
};

} // namespace mep

#endif // MEP_LIB_PIPELINE_DATASTEP_H
