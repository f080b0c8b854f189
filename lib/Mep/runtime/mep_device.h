/// \file
/// The device of a program around one kernel: CUDA's runtime, HIP's under the
/// same names, or the CPU runtime of this folder.

#ifndef MEP_DEVICE_H
#define MEP_DEVICE_H

#if defined(__HIPCC__)
#include <hip/hip_runtime.h>

#define cudaDeviceProp hipDeviceProp_t
#define cudaDeviceSynchronize hipDeviceSynchronize
#define cudaError_t hipError_t
#define cudaEvent_t hipEvent_t
#define cudaEventCreate hipEventCreate
#define cudaEventElapsedTime hipEventElapsedTime
#define cudaEventRecord hipEventRecord
#define cudaEventSynchronize hipEventSynchronize
#define cudaFree hipFree
#define cudaGetDeviceProperties hipGetDeviceProperties
#define cudaGetErrorString hipGetErrorString
#define cudaGetLastError hipGetLastError
#define cudaMalloc hipMalloc
#define cudaMemcpy hipMemcpy
#define cudaMemcpyDeviceToDevice hipMemcpyDeviceToDevice
#define cudaMemcpyDeviceToHost hipMemcpyDeviceToHost
#define cudaMemcpyFromSymbol(To, Symbol, Bytes)                                \
  hipMemcpyFromSymbol(To, HIP_SYMBOL(Symbol), Bytes)
#define cudaMemcpyHostToDevice hipMemcpyHostToDevice
#define cudaMemcpyToSymbol(Symbol, From, Bytes)                                \
  hipMemcpyToSymbol(HIP_SYMBOL(Symbol), From, Bytes)
#define cudaMemset hipMemset
#define cudaSuccess hipSuccess
#elif defined(__CUDACC__)
#include <cuda_runtime.h>
#else
#include "mep_cpu.h"
#endif

#include <cstdio>
#include <cstdlib>

namespace mep_program {

/// Exit codes of a program.
enum Exit { Ok = 0, Wrong = 1, Usage = 2, DeviceError = 3 };

inline const char *platform() {
#if defined(__HIPCC__)
  return "hip";
#elif defined(__CUDACC__)
  return "cuda";
#else
  return "cpu";
#endif
}

/// Ends the program when a call of the device's interface failed.
inline void must(cudaError_t Error, const char *What) {
  if (Error == cudaSuccess)
    return;
  std::fprintf(stderr, "error: %s: %s\n", What, cudaGetErrorString(Error));
  std::exit(DeviceError);
}

} // namespace mep_program

#endif // MEP_DEVICE_H
