/// \file
/// Confinement: which system calls a process may make (seccomp).

#ifndef MEP_WORKER_SYSTEMCALLS_H
#define MEP_WORKER_SYSTEMCALLS_H

#include "Sandbox.h"

namespace mepworker {

/// For all threads of this process, for good. False where this system or
/// processor cannot do it. Needs "no new privileges".
bool filterSystemCalls(Duty For);

} // namespace mepworker

#endif // MEP_WORKER_SYSTEMCALLS_H
