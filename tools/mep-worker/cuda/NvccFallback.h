/// \file
/// CUDA platform: `nvcc -cubin`, for source that NVRTC cannot take (it needs a
/// host header). About 0.4 s a compile, in a private folder that is removed.

#ifndef MEP_WORKER_CUDA_NVCCFALLBACK_H
#define MEP_WORKER_CUDA_NVCCFALLBACK_H

#include "Nvrtc.h"

namespace mepworker::cuda {

/// True if \p Log of a failed NVRTC compile says that a header is the reason,
/// or a name that only host headers declare.
bool wantsHostHeaders(const std::string &Log);

/// Compiles with \p Nvcc, within the limits of time and size. \p Worker: a
/// channel; nobody waits for it when that hangs up.
DeviceImage compileWithNvcc(const std::string &Nvcc,
                            const DeviceCompile &Request, int Worker = -1);

} // namespace mepworker::cuda

#endif // MEP_WORKER_CUDA_NVCCFALLBACK_H
