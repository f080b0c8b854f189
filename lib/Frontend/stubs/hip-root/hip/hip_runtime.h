// HIP's names over the CUDA stub, for parsing only.
#ifndef MEP_STUB_HIP_RUNTIME_H
#define MEP_STUB_HIP_RUNTIME_H
#include <cuda_runtime.h>
typedef cudaError_t hipError_t;
typedef cudaStream_t hipStream_t;
typedef cudaEvent_t hipEvent_t;
typedef cudaDeviceProp hipDeviceProp_t;
typedef cudaMemcpyKind hipMemcpyKind;
#define hipSuccess cudaSuccess
#define hipMemcpyHostToDevice cudaMemcpyHostToDevice
#define hipMemcpyDeviceToHost cudaMemcpyDeviceToHost
#define hipMemcpyDeviceToDevice cudaMemcpyDeviceToDevice
#define hipMalloc cudaMalloc
#define hipHostMalloc cudaHostAlloc
#define hipMallocManaged cudaMallocManaged
#define hipFree cudaFree
#define hipHostFree cudaFreeHost
#define hipMemcpy cudaMemcpy
#define hipMemcpyAsync cudaMemcpyAsync
#define hipMemcpyToSymbol cudaMemcpyToSymbol
#define hipMemset cudaMemset
#define hipDeviceSynchronize cudaDeviceSynchronize
#define hipGetLastError cudaGetLastError
#define hipGetErrorString cudaGetErrorString
#define hipEventCreate cudaEventCreate
#define hipEventRecord cudaEventRecord
#define hipEventSynchronize cudaEventSynchronize
#define hipEventElapsedTime cudaEventElapsedTime
#define hipEventDestroy cudaEventDestroy
#define hipGetDeviceProperties cudaGetDeviceProperties
#define hipSetDevice cudaSetDevice
#define hipStreamCreate cudaStreamCreate
#define hipStreamDestroy cudaStreamDestroy
#define hipStreamSynchronize cudaStreamSynchronize
#define hipGetDeviceCount cudaGetDeviceCount
#define hipGetDevice cudaGetDevice
#define hipMemsetAsync cudaMemsetAsync
#define hipDeviceReset cudaDeviceReset
#define hipPeekAtLastError cudaPeekAtLastError
#define hipGetErrorName cudaGetErrorName
#define hipMemcpyFromSymbol cudaMemcpyFromSymbol
#define hipMemcpyToSymbolAsync cudaMemcpyToSymbolAsync
#define hipGetSymbolAddress cudaGetSymbolAddress
#define hipMemcpy2D cudaMemcpy2D
#define hipMallocPitch cudaMallocPitch
#define hipMallocAsync cudaMallocAsync
#define hipFreeAsync cudaFreeAsync
#define hipMemGetInfo cudaMemGetInfo
#define hipStreamWaitEvent cudaStreamWaitEvent
#define hipStreamCreateWithFlags cudaStreamCreateWithFlags
#define hipEventCreateWithFlags cudaEventCreateWithFlags
#define hipEventQuery cudaEventQuery
#define hipHostRegister cudaHostRegister
#define hipHostUnregister cudaHostUnregister
#define hipDeviceGetAttribute cudaDeviceGetAttribute
#define hipFuncSetCacheConfig cudaFuncSetCacheConfig
#define hipFuncSetAttribute cudaFuncSetAttribute
#define hipFuncGetAttributes cudaFuncGetAttributes
#define hipOccupancyMaxActiveBlocksPerMultiprocessor cudaOccupancyMaxActiveBlocksPerMultiprocessor
#define hipOccupancyMaxPotentialBlockSize cudaOccupancyMaxPotentialBlockSize
#define hipLaunchCooperativeKernel cudaLaunchCooperativeKernel
#define hipFuncCachePreferNone cudaFuncCachePreferNone
#define hipFuncCachePreferShared cudaFuncCachePreferShared
#define hipFuncCachePreferL1 cudaFuncCachePreferL1
#define hipFuncCachePreferEqual cudaFuncCachePreferEqual
#define hipFuncAttributeMaxDynamicSharedMemorySize cudaFuncAttributeMaxDynamicSharedMemorySize
#define hipMemcpyHostToHost cudaMemcpyHostToHost
#define hipMemcpyDefault cudaMemcpyDefault
#define hipErrorInvalidValue cudaErrorInvalidValue
#define hipErrorNotReady cudaErrorNotReady
#define hipErrorUnknown cudaErrorUnknown
#define hipHostAllocDefault cudaHostAllocDefault
#define hipHostAllocMapped cudaHostAllocMapped
#define hipEventDefault cudaEventDefault
#define hipEventDisableTiming cudaEventDisableTiming
#define hipStreamNonBlocking cudaStreamNonBlocking
#define hipMemAttachGlobal cudaMemAttachGlobal
#define hipErrorOutOfMemory cudaErrorMemoryAllocation
#define hipErrorMemoryAllocation cudaErrorMemoryAllocation
#define hipHostMallocDefault cudaHostAllocDefault
#define hipHostMallocMapped cudaHostAllocMapped
#define hipMallocHost cudaMallocHost
#define hipFreeHost cudaFreeHost
typedef cudaFuncAttributes hipFuncAttributes;
typedef cudaFuncCache hipFuncCache_t;
#define hipDeviceAttributeMaxThreadsPerBlock cudaDevAttrMaxThreadsPerBlock
#define hipDeviceAttributeMaxSharedMemoryPerBlock cudaDevAttrMaxSharedMemoryPerBlock
#define hipDeviceAttributeWarpSize cudaDevAttrWarpSize
#define hipDeviceAttributeMaxThreadsPerMultiProcessor cudaDevAttrMaxThreadsPerMultiProcessor
#define hipDeviceAttributeComputeCapabilityMajor cudaDevAttrComputeCapabilityMajor
#define hipDeviceAttributeComputeCapabilityMinor cudaDevAttrComputeCapabilityMinor
#define hipDeviceAttributeMultiprocessorCount cudaDevAttrMultiProcessorCount
typedef cudaDeviceAttr hipDeviceAttribute_t;
typedef int hipDevice_t;
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
