/// \file
/// The part of CUDA's runtime interface that a program around one kernel uses:
/// device memory is host memory, and every call has finished when it returns.

#ifndef MEP_CPU_API_H
#define MEP_CPU_API_H

#include "mep_cpu_types.h"

#include <chrono>
#include <new>
#include <thread>

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2
};
typedef cudaError_t cudaError;

enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4
};

struct mep_cpu_event {
  std::chrono::steady_clock::time_point When;
};
struct mep_cpu_stream;
typedef mep_cpu_event *cudaEvent_t;
typedef mep_cpu_stream *cudaStream_t;

struct cudaDeviceProp {
  char name[256];
  int major, minor, multiProcessorCount, warpSize, maxThreadsPerBlock;
  size_t totalGlobalMem, sharedMemPerBlock;
  int l2CacheSize;
};

static inline const char *cudaGetErrorString(cudaError_t Error) {
  return Error == cudaSuccess                 ? "no error"
         : Error == cudaErrorMemoryAllocation ? "out of memory"
                                              : "invalid argument";
}
static inline const char *cudaGetErrorName(cudaError_t Error) {
  return cudaGetErrorString(Error);
}
static inline cudaError_t cudaGetLastError() { return cudaSuccess; }
static inline cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
static inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
static inline cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return cudaSuccess;
}
static inline cudaError_t cudaSetDevice(int) { return cudaSuccess; }
static inline cudaError_t cudaGetDevice(int *Device) {
  *Device = 0;
  return cudaSuccess;
}
static inline cudaError_t cudaGetDeviceCount(int *Count) {
  *Count = 1;
  return cudaSuccess;
}
static inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *Facts, int) {
  *Facts = cudaDeviceProp();
  std::snprintf(Facts->name, sizeof(Facts->name), "CPU, %u threads",
                std::thread::hardware_concurrency());
  Facts->multiProcessorCount = int(std::thread::hardware_concurrency());
  Facts->warpSize = MEP_WARP_SIZE;
  Facts->maxThreadsPerBlock = 1024;
  return cudaSuccess;
}

template <typename Type>
static inline cudaError_t cudaMalloc(Type **Pointer, size_t Bytes) {
  *Pointer = static_cast<Type *>(
      ::operator new(Bytes, std::align_val_t(256), std::nothrow));
  return *Pointer ? cudaSuccess : cudaErrorMemoryAllocation;
}
static inline cudaError_t cudaFree(void *Pointer) {
  ::operator delete(Pointer, std::align_val_t(256));
  return cudaSuccess;
}
template <typename Type>
static inline cudaError_t cudaMallocAsync(Type **Pointer, size_t Bytes,
                                          cudaStream_t) {
  return cudaMalloc(Pointer, Bytes);
}
static inline cudaError_t cudaFreeAsync(void *Pointer, cudaStream_t) {
  return cudaFree(Pointer);
}
template <typename Type>
static inline cudaError_t cudaMallocManaged(Type **Pointer, size_t Bytes,
                                            unsigned = 1) {
  return cudaMalloc(Pointer, Bytes);
}
template <typename Type>
static inline cudaError_t cudaMallocHost(Type **Pointer, size_t Bytes) {
  return cudaMalloc(Pointer, Bytes);
}
static inline cudaError_t cudaFreeHost(void *Pointer) {
  return cudaFree(Pointer);
}
static inline cudaError_t cudaMemcpy(void *To, const void *From, size_t Bytes,
                                     cudaMemcpyKind) {
  std::memmove(To, From, Bytes);
  return cudaSuccess;
}
static inline cudaError_t cudaMemcpyAsync(void *To, const void *From,
                                          size_t Bytes, cudaMemcpyKind Kind,
                                          cudaStream_t = nullptr) {
  return cudaMemcpy(To, From, Bytes, Kind);
}
static inline cudaError_t cudaMemset(void *To, int Value, size_t Bytes) {
  std::memset(To, Value, Bytes);
  return cudaSuccess;
}
static inline cudaError_t cudaMemsetAsync(void *To, int Value, size_t Bytes,
                                          cudaStream_t = nullptr) {
  return cudaMemset(To, Value, Bytes);
}
template <typename Type>
static inline cudaError_t
cudaMemcpyToSymbol(Type &Symbol, const void *From, size_t Bytes,
                   size_t Offset = 0,
                   cudaMemcpyKind = cudaMemcpyHostToDevice) {
  std::memcpy(reinterpret_cast<char *>(&const_cast<std::remove_cv_t<
                  std::remove_all_extents_t<Type>> &>(
                  reinterpret_cast<const std::remove_all_extents_t<Type> &>(
                      Symbol))) +
                  Offset,
              From, Bytes);
  return cudaSuccess;
}
template <typename Type>
static inline cudaError_t
cudaMemcpyFromSymbol(void *To, const Type &Symbol, size_t Bytes,
                     size_t Offset = 0,
                     cudaMemcpyKind = cudaMemcpyDeviceToHost) {
  std::memcpy(To, reinterpret_cast<const char *>(&Symbol) + Offset, Bytes);
  return cudaSuccess;
}
template <typename Type>
static inline cudaError_t cudaGetSymbolAddress(void **Address, Type &Symbol) {
  *Address = const_cast<void *>(reinterpret_cast<const void *>(&Symbol));
  return cudaSuccess;
}

static inline cudaError_t cudaEventCreate(cudaEvent_t *Event) {
  *Event = new mep_cpu_event();
  return cudaSuccess;
}
static inline cudaError_t cudaEventDestroy(cudaEvent_t Event) {
  delete Event;
  return cudaSuccess;
}
static inline cudaError_t cudaEventRecord(cudaEvent_t Event,
                                          cudaStream_t = nullptr) {
  Event->When = std::chrono::steady_clock::now();
  return cudaSuccess;
}
static inline cudaError_t cudaEventSynchronize(cudaEvent_t) {
  return cudaSuccess;
}
static inline cudaError_t cudaEventElapsedTime(float *Milliseconds,
                                               cudaEvent_t From,
                                               cudaEvent_t To) {
  *Milliseconds =
      std::chrono::duration<float, std::milli>(To->When - From->When).count();
  return cudaSuccess;
}
static inline cudaError_t cudaStreamCreate(cudaStream_t *Stream) {
  *Stream = nullptr;
  return cudaSuccess;
}
static inline cudaError_t cudaStreamDestroy(cudaStream_t) {
  return cudaSuccess;
}
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
template <typename Function>
static inline cudaError_t cudaFuncSetAttribute(Function, cudaFuncAttribute,
                                               int) {
  return cudaSuccess;
}

#endif // MEP_CPU_API_H
