/// \file
/// The probe: a kernel, or the launches of a plan, run once, on host memory
/// that records what it reads and writes.

#ifndef MEP_WORKER_PROBE_H
#define MEP_WORKER_PROBE_H

#include "Answer.h"
#include "HazardMap.h"
#include "Platform.h"
#include "Request.h"
#include "Watchdog.h"

namespace mepworker {

/// The map that recorded code tells its accesses to; null: nobody listens.
extern TouchMap *ActiveTouches;
/// The same for their order.
extern HazardMap *ActiveHazards;

/// Compiles and runs \p Asked in a child process of its own. Throws
/// RequestError when \p P cannot record or the request is wrong, Failure when
/// the kernel does not compile or launch. Whatever the kernel does, the answer
/// says so and this process lives on.
ProbeAnswer probeKernel(Platform &P, Watchdog &Dog, const ProbeRequest &Asked);

} // namespace mepworker

#endif // MEP_WORKER_PROBE_H
