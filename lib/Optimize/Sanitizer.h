/// \file
/// Optimize, before a candidate wins: its launches run once more on recorded
/// memory, where every access is seen. What a comparison of results cannot
/// show, shows there: reads past a buffer, races that went well, results that
/// rest on what nobody wrote.

#ifndef MEP_LIB_OPTIMIZE_SANITIZER_H
#define MEP_LIB_OPTIMIZE_SANITIZER_H

#include "mep/Evaluate/Worker.h"
#include "mep/Optimize/Optimizer.h"

namespace mep {

class Sanitizer {
public:
  Sanitizer(const Closure &C, const Workload &Data, ProberSource Prober)
      : C(C), Data(Data), Prober(std::move(Prober)) {}

  struct Finding {
    Status Outcome;
    std::string Text;
  };
  struct Verdict {
    /// What the candidate does and the original does not, on the same data.
    std::optional<Finding> Wrong;
    SanitizerReport Report;
  };

  /// Runs \p Source by \p Plan on the smallest shape. Error (Interrupted); that
  /// it cannot be run is in the report.
  llvm::Expected<Verdict> judge(const Candidate &Proposal,
                                const std::string &Source,
                                const std::map<std::string, int64_t> &Tune);

private:
  llvm::Error prepare();
  llvm::Expected<ProbeReport> run(const ProbedVariant *Variant);

  const Closure &C;
  const Workload &Data;
  ProberSource Prober;
  std::optional<ResolvedShape> Shape;
  size_t ShapeNumber = 0;
  std::optional<ProbeReport> Original;
};

} // namespace mep

#endif // MEP_LIB_OPTIMIZE_SANITIZER_H
