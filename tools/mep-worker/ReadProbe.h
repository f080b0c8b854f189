/// \file
/// Finds out which part of the inputs the baseline reads, by changing parts of
/// them and watching the outputs: a kernel that works on a slice of a large
/// buffer need not move all of it.

#ifndef MEP_WORKER_READPROBE_H
#define MEP_WORKER_READPROBE_H

#include "Verify.h"

namespace mepworker {

/// Bytes of the inputs that \p Baseline is seen to read, in parts of a few
/// percent of a buffer. Buffers that cannot be told (slow or not reproducible
/// baselines, contents with a structure of their own) count whole, and never
/// more than they have. After \p Seconds only what was seen by then counts.
uint64_t observeReadBytes(Runner &Run, ShapeData &Data, Binding &Baseline,
                          const Expectation &Known, double BaselineNs,
                          double Seconds);

} // namespace mepworker

#endif // MEP_WORKER_READPROBE_H
