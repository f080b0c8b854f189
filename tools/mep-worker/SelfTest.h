/// \file
/// Before any candidate is believed: the evaluator must find the baseline equal
/// to itself, and must find out a wrong and a slow one.

#ifndef MEP_WORKER_SELFTEST_H
#define MEP_WORKER_SELFTEST_H

#include "Session.h"

namespace mepworker {

/// Takes the baseline's samples on the way. Throws BaselineError
/// (`self-test: …`).
Samples selfTest(Runner &Run, PreparedShape &Base, const std::string &Kernel,
                 unsigned Batch, const Options &Settings,
                 std::mt19937_64 &Random);

} // namespace mepworker

#endif // MEP_WORKER_SELFTEST_H
