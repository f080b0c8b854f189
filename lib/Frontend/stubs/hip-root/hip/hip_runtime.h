// HIP's names over the CUDA stub, for parsing only.
#ifndef MEP_STUB_HIP_RUNTIME_H
#define MEP_STUB_HIP_RUNTIME_H
#include <cuda_runtime.h>
typedef cudaError_t hipError_t;
typedef cudaStream_t hipStream_t;
typedef cudaEvent_t hipEvent_t;
typedef cudaMemcpyKind hipMemcpyKind;
typedef int hipDevice_t;
#define hipComputeModeDefault cudaComputeModeDefault
#define hipComputeModeProhibited cudaComputeModeProhibited
#define hipDeviceAttr cudaDeviceAttr
#define hipDeviceAttributeComputeCapabilityMajor cudaDevAttrComputeCapabilityMajor
#define hipDeviceAttributeComputeCapabilityMinor cudaDevAttrComputeCapabilityMinor
#define hipDeviceAttributeComputeMode cudaDevAttrComputeMode
#define hipDeviceAttributeMaxSharedMemoryPerBlock cudaDevAttrMaxSharedMemoryPerBlock
#define hipDeviceAttributeMaxSharedMemoryPerBlockOptin cudaDevAttrMaxSharedMemoryPerBlockOptin
#define hipDeviceAttributeMaxThreadsPerBlock cudaDevAttrMaxThreadsPerBlock
#define hipDeviceAttributeMaxThreadsPerMultiProcessor cudaDevAttrMaxThreadsPerMultiProcessor
#define hipDeviceAttributeMultiProcessorCount cudaDevAttrMultiProcessorCount
#define hipDeviceAttributeWarpSize cudaDevAttrWarpSize
#define hipDeviceGetAttribute cudaDeviceGetAttribute
#define hipDeviceReset cudaDeviceReset
#define hipDeviceSynchronize cudaDeviceSynchronize
#define hipErrorInvalidValue cudaErrorInvalidValue
#define hipErrorMemoryAllocation cudaErrorMemoryAllocation
#define hipErrorNotReady cudaErrorNotReady
#define hipErrorOutOfMemory cudaErrorMemoryAllocation
#define hipErrorUnknown cudaErrorUnknown
#define hipEventCreate cudaEventCreate
#define hipEventCreateWithFlags cudaEventCreateWithFlags
#define hipEventDefault cudaEventDefault
#define hipEventDestroy cudaEventDestroy
#define hipEventDisableTiming cudaEventDisableTiming
#define hipEventElapsedTime cudaEventElapsedTime
#define hipEventQuery cudaEventQuery
#define hipEventRecord cudaEventRecord
#define hipEventSynchronize cudaEventSynchronize
#define hipFree cudaFree
#define hipFreeAsync cudaFreeAsync
#define hipFreeHost cudaFreeHost
#define hipFuncAttribute cudaFuncAttribute
#define hipFuncAttributeMaxDynamicSharedMemorySize cudaFuncAttributeMaxDynamicSharedMemorySize
#define hipFuncAttributePreferredSharedMemoryCarveout cudaFuncAttributePreferredSharedMemoryCarveout
#define hipFuncAttributes cudaFuncAttributes
#define hipFuncCache cudaFuncCache
#define hipFuncCachePreferEqual cudaFuncCachePreferEqual
#define hipFuncCachePreferL1 cudaFuncCachePreferL1
#define hipFuncCachePreferNone cudaFuncCachePreferNone
#define hipFuncCachePreferShared cudaFuncCachePreferShared
#define hipFuncGetAttributes cudaFuncGetAttributes
#define hipFuncSetAttribute cudaFuncSetAttribute
#define hipFuncSetCacheConfig cudaFuncSetCacheConfig
#define hipGetDevice cudaGetDevice
#define hipGetDeviceCount cudaGetDeviceCount
#define hipGetDeviceProperties cudaGetDeviceProperties
#define hipGetErrorName cudaGetErrorName
#define hipGetErrorString cudaGetErrorString
#define hipGetLastError cudaGetLastError
#define hipGetSymbolAddress cudaGetSymbolAddress
#define hipGraphExec_t cudaGraphExec_t
#define hipGraph_t cudaGraph_t
#define hipHostAlloc cudaHostAlloc
#define hipHostAllocDefault cudaHostAllocDefault
#define hipHostAllocMapped cudaHostAllocMapped
#define hipHostGetDevicePointer cudaHostGetDevicePointer
#define hipHostFree cudaFreeHost
#define hipHostMalloc cudaMallocHost
#define hipHostMallocDefault cudaHostAllocDefault
#define hipHostMallocMapped cudaHostAllocMapped
#define hipHostRegister cudaHostRegister
#define hipHostUnregister cudaHostUnregister
#define hipLaunchCooperativeKernel cudaLaunchCooperativeKernel
#define hipMalloc cudaMalloc
#define hipMallocAsync cudaMallocAsync
#define hipMallocHost cudaMallocHost
#define hipMallocManaged cudaMallocManaged
#define hipMallocPitch cudaMallocPitch
#define hipMemAttachGlobal cudaMemAttachGlobal
#define hipMemGetInfo cudaMemGetInfo
#define hipMemPrefetchAsync cudaMemPrefetchAsync
#define hipMemcpy cudaMemcpy
#define hipMemcpy2D cudaMemcpy2D
#define hipMemcpyAsync cudaMemcpyAsync
#define hipMemcpyDefault cudaMemcpyDefault
#define hipMemcpyDeviceToDevice cudaMemcpyDeviceToDevice
#define hipMemcpyDeviceToHost cudaMemcpyDeviceToHost
#define hipMemcpyFromSymbol cudaMemcpyFromSymbol
#define hipMemcpyHostToDevice cudaMemcpyHostToDevice
#define hipMemcpyHostToHost cudaMemcpyHostToHost
#define hipMemcpyToSymbol cudaMemcpyToSymbol
#define hipMemcpyToSymbolAsync cudaMemcpyToSymbolAsync
#define hipMemset cudaMemset
#define hipMemsetAsync cudaMemsetAsync
#define hipOccupancyMaxActiveBlocksPerMultiprocessor cudaOccupancyMaxActiveBlocksPerMultiprocessor
#define hipOccupancyMaxPotentialBlockSize cudaOccupancyMaxPotentialBlockSize
#define hipPeekAtLastError cudaPeekAtLastError
#define hipSetDevice cudaSetDevice
#define hipStreamCreate cudaStreamCreate
#define hipStreamCreateWithFlags cudaStreamCreateWithFlags
#define hipStreamDestroy cudaStreamDestroy
#define hipStreamNonBlocking cudaStreamNonBlocking
#define hipStreamSynchronize cudaStreamSynchronize
#define hipStreamWaitEvent cudaStreamWaitEvent
#define hipSuccess cudaSuccess
#define hipThreadSynchronize cudaThreadSynchronize
#define hipDeviceProp_t cudaDeviceProp
#define hipDriverGetVersion cudaDriverGetVersion
#define hipRuntimeGetVersion cudaRuntimeGetVersion
#define hipSetDeviceFlags cudaSetDeviceFlags
#define hipStreamQuery cudaStreamQuery
#define hipFuncCache_t cudaFuncCache
#define hipDeviceAttributeMultiprocessorCount cudaDevAttrMultiProcessorCount
#define hipDeviceAttribute_t cudaDeviceAttr
#define HIP_SYMBOL(X) X
#define HIP_VERSION 60000000
#define HIP_VERSION_MAJOR 6
#define HIP_VERSION_MINOR 0
extern "C" unsigned __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, hipStream_t stream = 0);
extern "C" hipError_t hipConfigureCall(dim3 grid, dim3 block, size_t shared = 0, hipStream_t stream = 0);
extern "C" hipError_t hipLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared, hipStream_t stream);
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define hipLaunchKernelGGL(kernel, grid, block, shared, stream, ...) kernel<<<grid, block, shared, stream>>>(__VA_ARGS__)
#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
template <class T> __device__ T __shfl(T value, int lane, int width = warpSize);
template <class T> __device__ T __shfl_up(T value, unsigned delta, int width = warpSize);
template <class T> __device__ T __shfl_down(T value, unsigned delta, int width = warpSize);
template <class T> __device__ T __shfl_xor(T value, int lanes, int width = warpSize);
__device__ unsigned long long __ballot(int predicate);
__device__ int __any(int predicate);
__device__ int __all(int predicate);
#endif
