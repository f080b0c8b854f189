/// \file
/// CUDA platform: where the toolkit is. A driver alone cannot compile; NVRTC or
/// nvcc of some toolkit is needed.

#ifndef MEP_WORKER_CUDA_TOOLKIT_H
#define MEP_WORKER_CUDA_TOOLKIT_H

#include <string>
#include <vector>

namespace mepworker::cuda {

struct Toolkit {
  std::vector<std::string> Roots;    ///< Existing folders, preferred first.
  std::string Nvcc;                  ///< Absolute, empty when there is none.
  std::vector<std::string> Includes; ///< Of the preferred root, cccl included.
  std::vector<std::string> Nvrtc;    ///< What to try to open, in order.

  /// Where was looked, for an error: `/usr/local/cuda, /opt/cuda`.
  std::string searched() const;
};

/// \p Wanted (`--cuda-path`) if given and nothing else; else `CUDA_PATH`,
/// `CUDA_HOME`, the folder of the nvcc in PATH and the usual places.
Toolkit findToolkit(const std::string &Wanted);

} // namespace mepworker::cuda

#endif // MEP_WORKER_CUDA_TOOLKIT_H
