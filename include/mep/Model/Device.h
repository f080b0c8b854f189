/// \file
/// What a worker says of the device it holds.

#ifndef MEP_MODEL_DEVICE_H
#define MEP_MODEL_DEVICE_H

#include "mep/Support/Json.h"
#include <string>
#include <vector>

namespace mep {

struct Device {
  std::string Platform;         ///< `cuda`, `cpu`.
  std::string Name;             ///< `NVIDIA H200`, the CPU's model.
  std::string Arch;             ///< `sm_90`, `x86_64`.
  std::string Toolkit;          ///< `NVRTC 13.0`, `clang 22.1.8`.
  unsigned Multiprocessors = 0; ///< Or CPU cores.
  unsigned WarpSize = 32;
  unsigned MaxThreadsPerBlock = 1024;
  uint64_t SharedBytesPerBlock = 0; ///< With opt-in.
  uint64_t MemoryBytes = 0, L2Bytes = 0;
  double BandwidthBytesPerS = 0; ///< Measured: large copy, read plus written.
  std::vector<std::string> Sandbox; ///< What isolates candidates: `landlock`,
                                    ///< `seccomp`, `rlimits`.
};

Json toJson(const Device &D);
llvm::Expected<Device> deviceFromJson(const Json &Value, llvm::StringRef Where);

} // namespace mep

#endif // MEP_MODEL_DEVICE_H
