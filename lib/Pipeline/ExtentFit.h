/// \file
/// How a buffer's extent follows from the dimensions, as a few small runs of
/// the kernel show it: part of the probe's step.

#ifndef MEP_LIB_PIPELINE_EXTENTFIT_H
#define MEP_LIB_PIPELINE_EXTENTFIT_H

#include "mep/Evaluate/Worker.h"
#include "mep/Model/Workload.h"
#include <set>

namespace mep {

/// One past the last element touched, with some values of the dimensions.
struct ExtentSample {
  std::map<std::string, int64_t> Dimensions;
  uint64_t End = 0;
};

/// The simplest expression that is never less than the ends of \p Samples: a
/// multiple of a product of up to three of \p Dimensions, with a constant where
/// that makes it exact; else the product that is least too large. Empty when
/// none comes near, or there are fewer than three samples.
std::string fitExtent(const std::vector<std::string> &Dimensions,
                      const std::vector<ExtentSample> &Samples);

/// Extents of \p Buffers, whose own are left out of account, by runs on small
/// sizes: the free dimensions and those in \p Assumed vary. Those for which
/// nothing is found are not in the result. An interruption is the only error.
llvm::Expected<std::map<std::string, std::string>>
fitExtents(const Workload &W, const std::vector<std::string> &Buffers,
           const std::set<std::string> &Assumed, const Closure &C, Worker &On);

} // namespace mep

#endif // MEP_LIB_PIPELINE_EXTENTFIT_H
