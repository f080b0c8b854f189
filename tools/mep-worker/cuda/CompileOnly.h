/// \file
/// CUDA platform without a device: answers `compile` requests alone, as the
/// worker of a machine with one would compile.

#ifndef MEP_WORKER_CUDA_COMPILEONLY_H
#define MEP_WORKER_CUDA_COMPILEONLY_H

#include "../Output.h"
#include <string>

namespace mepworker::cuda {

/// Serves standard input for devices of \p Arch (`90`). Gives the exit code: 1
/// when neither NVRTC nor nvcc is there.
int serveCompiles(const std::string &Arch, const std::string &CudaPath,
                  Output &Out);

} // namespace mepworker::cuda

#endif // MEP_WORKER_CUDA_COMPILEONLY_H
