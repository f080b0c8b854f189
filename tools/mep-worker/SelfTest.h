/// \file
/// Before any candidate is believed: the evaluator must find the baseline equal
/// to itself, and must find out a wrong and a slow one.

#ifndef MEP_WORKER_SELFTEST_H
#define MEP_WORKER_SELFTEST_H

#include "Session.h"

namespace mepworker {

/// Takes the baseline's samples on the way. \p Timed: the base shape first; the
/// others have been through selfTestShape. Throws BaselineError
/// (`self-test: …`).
Samples selfTest(Runner &Run, const std::vector<PreparedShape *> &Timed,
                 const std::string &Kernel, const Options &Settings,
                 std::mt19937_64 &Random);

/// The same for one further shape, without samples. Throws BaselineError, and
/// Failure when a timed run of the unchanged kernel fails.
void selfTestShape(Runner &Run, PreparedShape &Shape, const std::string &Kernel,
                   std::mt19937_64 &Random);

} // namespace mepworker

#endif // MEP_WORKER_SELFTEST_H
