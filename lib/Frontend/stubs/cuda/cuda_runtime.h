// Enough of the CUDA runtime for Clang to parse kernels, launches and the host
// code around them on a machine without a toolkit. Declarations only.
#ifndef MEP_STUB_CUDA_RUNTIME_H
#define MEP_STUB_CUDA_RUNTIME_H
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __grid_constant__ __attribute__((grid_constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __CUDACC__
#define CUDART_VERSION 13000
#define CUDA_VERSION 13000
#define CUDART_CB
// What a device function calls in the C library is the device's own there, so it
// is taken as host and device functions. The C++ library's layer over it is not:
// its constexpr functions are both anyway, and its others must stay the host's.
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#pragma clang force_cuda_host_device begin
#include <assert.h>
#include <limits.h>
#if __has_include(<malloc.h>)
#include <malloc.h>
#endif
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#pragma clang force_cuda_host_device end
#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <math.h>
#include <stdlib.h>
#include "vector_types.h"

struct __mep_index { unsigned x, y, z; __device__ operator dim3() const; __device__ operator uint3() const; };
extern const __device__ __mep_index threadIdx, blockIdx, blockDim, gridDim;
extern const __device__ int warpSize;

typedef enum cudaError {
  cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2, cudaErrorNotReady = 600,
  cudaErrorUnknown = 999
} cudaError_t;
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost,
                      cudaMemcpyDeviceToDevice, cudaMemcpyDefault };
enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributePreferredSharedMemoryCarveout = 9 };
enum cudaDeviceAttr { cudaDevAttrMaxThreadsPerBlock = 1, cudaDevAttrMaxSharedMemoryPerBlock = 8, cudaDevAttrWarpSize = 10, cudaDevAttrMultiProcessorCount = 16,
                      cudaDevAttrMaxThreadsPerMultiProcessor = 39, cudaDevAttrComputeMode = 20, cudaDevAttrComputeCapabilityMajor = 75,
                      cudaDevAttrComputeCapabilityMinor = 76, cudaDevAttrMaxSharedMemoryPerBlockOptin = 97 };
enum { cudaComputeModeDefault = 0, cudaComputeModeProhibited = 2 };
enum { cudaMemAttachGlobal = 1, cudaHostAllocDefault = 0, cudaHostAllocMapped = 2, cudaEventDefault = 0,
       cudaEventDisableTiming = 2, cudaStreamNonBlocking = 1 };
struct cudaDeviceProp {
  char name[256]; size_t totalGlobalMem, sharedMemPerBlock; int regsPerBlock, warpSize, maxThreadsPerBlock;
  int maxThreadsDim[3], maxGridSize[3], clockRate; size_t totalConstMem; int major, minor, multiProcessorCount;
  int l2CacheSize, maxThreadsPerMultiProcessor, memoryClockRate, memoryBusWidth, concurrentKernels;
  size_t sharedMemPerMultiprocessor, sharedMemPerBlockOptin;
  int managedMemory, concurrentManagedAccess, pageableMemoryAccess, cooperativeLaunch, ECCEnabled, integrated, unifiedAddressing;
  int asyncEngineCount, canMapHostMemory, computeMode, regsPerMultiprocessor, pciBusID;
};
struct cudaFuncAttributes { size_t sharedSizeBytes, constSizeBytes, localSizeBytes; int maxThreadsPerBlock, numRegs; };
extern "C" {
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, void *stream = 0);
cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);
cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared = 0, cudaStream_t stream = 0);
cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared = 0, cudaStream_t stream = 0);
cudaError_t cudaFree(void *); cudaError_t cudaFreeAsync(void *, cudaStream_t stream); cudaError_t cudaFreeHost(void *);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream = 0);
cudaError_t cudaMemcpy2D(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t height, cudaMemcpyKind kind);
cudaError_t cudaMemset(void *, int value, size_t bytes); cudaError_t cudaMemsetAsync(void *, int value, size_t bytes, cudaStream_t stream = 0);
cudaError_t cudaMemGetInfo(size_t *free, size_t *total);
cudaError_t cudaMemPrefetchAsync(const void *, size_t bytes, int device, cudaStream_t stream = 0);
cudaError_t cudaDeviceSynchronize(void); cudaError_t cudaThreadSynchronize(void); cudaError_t cudaDeviceReset(void);
cudaError_t cudaGetLastError(void); cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorString(cudaError_t); const char *cudaGetErrorName(cudaError_t);
cudaError_t cudaGetDevice(int *); cudaError_t cudaSetDevice(int); cudaError_t cudaGetDeviceCount(int *);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *, int device); cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr which, int device);
cudaError_t cudaEventCreate(cudaEvent_t *); cudaError_t cudaEventCreateWithFlags(cudaEvent_t *, unsigned flags); cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t stream = 0); cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t stop); cudaError_t cudaEventQuery(cudaEvent_t);
cudaError_t cudaStreamCreate(cudaStream_t *); cudaError_t cudaStreamCreateWithFlags(cudaStream_t *, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t); cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned flags = 0);
cudaError_t cudaDriverGetVersion(int *); cudaError_t cudaRuntimeGetVersion(int *); cudaError_t cudaSetDeviceFlags(unsigned);
cudaError_t cudaStreamQuery(cudaStream_t); cudaError_t cudaHostRegister(void *, size_t bytes, unsigned flags); cudaError_t cudaHostUnregister(void *);
}
template <class T> cudaError_t cudaMalloc(T **pointer, size_t bytes);
template <class T> cudaError_t cudaMallocHost(T **pointer, size_t bytes, unsigned flags = 0);
template <class T> cudaError_t cudaHostAlloc(T **pointer, size_t bytes, unsigned flags);
template <class T> cudaError_t cudaHostGetDevicePointer(T **pointer, void *host, unsigned flags);
template <class T> cudaError_t cudaMallocManaged(T **pointer, size_t bytes, unsigned flags = 1);
template <class T> cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaStream_t stream);
template <class T> cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height);
template <class T> cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice);
template <class T> cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0);
template <class T> cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost);
template <class T> cudaError_t cudaGetSymbolAddress(void **pointer, const T &symbol);
template <class T> cudaError_t cudaFuncSetCacheConfig(T *kernel, cudaFuncCache config);
template <class T> cudaError_t cudaFuncSetAttribute(T *kernel, cudaFuncAttribute which, int value);
template <class T> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *kernel);
template <class T> cudaError_t cudaLaunchKernel(T *kernel, dim3 grid, dim3 block, void **arguments, size_t shared = 0, cudaStream_t stream = 0);
template <class T> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T kernel, int threads, size_t shared);
template <class T> cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T kernel, size_t shared = 0, int limit = 0);

#include "device_functions.h"
#endif
