/// \file
/// CUDA platform: the driver, opened at run time. Only what the worker calls is
/// declared here, so that it builds without CUDA's headers and starts without
/// a driver. Numbers and names: CUDA Driver API reference, `cuda.h`.

#ifndef MEP_WORKER_CUDA_DRIVERAPI_H
#define MEP_WORKER_CUDA_DRIVERAPI_H

#include <cstddef>
#include <string>

namespace mepworker::cuda {

using Result = int; ///< CUresult; 0 is success.
using DeviceHandle = int;
using DevicePointer = unsigned long long;
using Context = struct ContextTag *;
using ModuleHandle = struct ModuleTag *;
using Function = struct FunctionTag *;
using Stream = struct StreamTag *;
using Event = struct EventTag *;

/// CUresult values that are told apart.
enum : Result { Success = 0, OutOfMemory = 2, NotReady = 600 };

/// CUdevice_attribute.
enum DeviceAttribute : int {
  MaxThreadsPerBlock = 1,
  MaxSharedPerBlock = 8,
  WarpSize = 10,
  ClockRateKHz = 13,
  MultiprocessorCount = 16,
  L2Bytes = 38,
  ComputeMajor = 75,
  ComputeMinor = 76,
  MaxSharedPerBlockOptIn = 97
};

/// CUfunction_attribute.
enum FunctionAttribute : int {
  FunctionMaxThreads = 0,
  FunctionSharedBytes = 1,
  FunctionLocalBytes = 3,
  FunctionRegisters = 4,
  FunctionMaxDynamicShared = 8
};

/// CUctx_flags and CUevent_flags: a wait gives the core away.
enum : unsigned { ContextBlockingSync = 4, EventBlockingSync = 1 };

/// The entry points. A `_v2` in the exported name is the 64-bit form that
/// cuda.h maps the plain name to.
struct DriverApi {
  Result (*Init)(unsigned);
  Result (*DriverGetVersion)(int *);
  Result (*DeviceGetCount)(int *);
  Result (*DeviceGet)(DeviceHandle *, int);
  Result (*DeviceGetName)(char *, int, DeviceHandle);
  Result (*DeviceTotalMem)(size_t *, DeviceHandle);
  Result (*DeviceGetAttribute)(int *, int, DeviceHandle);
  Result (*PrimaryCtxRetain)(Context *, DeviceHandle);
  Result (*PrimaryCtxRelease)(DeviceHandle);
  Result (*PrimaryCtxSetFlags)(DeviceHandle, unsigned);
  Result (*CtxSetCurrent)(Context);
  Result (*ModuleLoadData)(ModuleHandle *, const void *);
  Result (*ModuleUnload)(ModuleHandle);
  Result (*ModuleGetFunction)(Function *, ModuleHandle, const char *);
  Result (*ModuleGetGlobal)(DevicePointer *, size_t *, ModuleHandle,
                            const char *);
  Result (*FuncGetAttribute)(int *, int, Function);
  Result (*FuncSetAttribute)(Function, int, int);
  Result (*MemAlloc)(DevicePointer *, size_t);
  Result (*MemFree)(DevicePointer);
  Result (*MemcpyHtoD)(DevicePointer, const void *, size_t);
  Result (*MemcpyDtoH)(void *, DevicePointer, size_t);
  Result (*MemcpyDtoD)(DevicePointer, DevicePointer, size_t);
  Result (*MemsetD8)(DevicePointer, unsigned char, size_t);
  Result (*MemsetD8Async)(DevicePointer, unsigned char, size_t, Stream);
  Result (*LaunchKernel)(Function, unsigned, unsigned, unsigned, unsigned,
                         unsigned, unsigned, unsigned, Stream, void **,
                         void **);
  Result (*EventCreate)(Event *, unsigned);
  Result (*EventQuery)(Event);
  Result (*EventRecord)(Event, Stream);
  Result (*EventSynchronize)(Event);
  Result (*EventElapsedTime)(float *, Event, Event);
  Result (*EventDestroy)(Event);
  Result (*GetErrorName)(Result, const char **);
  Result (*GetErrorString)(Result, const char **);
  Result (*ResetPersistingL2)(); ///< Null before CUDA 11.
  /// Null before CUDA 12.4.
  Result (*FuncGetParamInfo)(Function, size_t Index, size_t *Offset,
                             size_t *Bytes);

  /// Opens `libcuda.so.1`; false with \p Error naming the library or the first
  /// missing function.
  bool open(std::string &Error);

  /// `CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)`.
  std::string describe(Result R) const;
};

} // namespace mepworker::cuda

#endif // MEP_WORKER_CUDA_DRIVERAPI_H
