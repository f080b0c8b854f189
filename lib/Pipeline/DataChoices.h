/// \file
/// Other data for a kernel that does not run on what was inferred: what
/// analysis does not see, a field that is an index or sizes that go together,
/// shows only there. Nothing that the host code or the user says is touched.

#ifndef MEP_LIB_PIPELINE_DATACHOICES_H
#define MEP_LIB_PIPELINE_DATACHOICES_H

#include "mep/Model/Evaluation.h"
#include "mep/Model/Workload.h"
#include <optional>

namespace mep {

/// What a kernel does wrong on its data.
enum class Trouble {
  Astray,  ///< Accesses outside of its buffers, or a launch no device takes.
  Endless, ///< Not done within its time.
  NotFinite,
  WritesNothing,
  NotReproducible
};

/// What of \p Why other data may mend; nothing for what it cannot.
std::optional<Trouble> troubleOf(Status Why);

/// Data to try in place of \p W, the most promising for \p What first. Each
/// differs from \p W in one respect, named by its last note: a rule that fills
/// buffers, values that are assumed, or which of its launches is the base.
std::vector<Workload> dataChoices(const Workload &W, Trouble What);

} // namespace mep

#endif // MEP_LIB_PIPELINE_DATACHOICES_H
