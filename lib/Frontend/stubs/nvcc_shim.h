// Included before every CUDA unit that is parsed with the toolkit's headers: what
// nvcc declares and Clang's CUDA wrapper does not. Declarations only; nothing
// here is ever compiled to code.
#ifndef MEP_NVCC_SHIM_H
#define MEP_NVCC_SHIM_H
// No part of the application: nvcc knows all of it already.
#pragma GCC system_header
#if defined(__CUDA__)
#define __managed__ __device__
// Removed in CUDA 13, still common in applications.
extern "C" cudaError_t cudaThreadSynchronize(void);
extern "C" cudaError_t cudaThreadExit(void);
// The device view of a launch looks this up; CUDA 9 removed it.
extern "C" cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);
// nvcc lets host code call these without std::.
static inline __host__ int min(int a, int b) { return a < b ? a : b; }
static inline __host__ int max(int a, int b) { return a > b ? a : b; }
static inline __host__ unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
static inline __host__ unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
static inline __host__ long min(long a, long b) { return a < b ? a : b; }
static inline __host__ long max(long a, long b) { return a > b ? a : b; }
static inline __host__ long long min(long long a, long long b) { return a < b ? a : b; }
static inline __host__ long long max(long long a, long long b) { return a > b ? a : b; }
static inline __host__ unsigned long min(unsigned long a, unsigned long b) { return a < b ? a : b; }
static inline __host__ unsigned long max(unsigned long a, unsigned long b) { return a > b ? a : b; }
static inline __host__ unsigned long long min(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
static inline __host__ unsigned long long max(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
static inline __host__ float min(float a, float b) { return a < b ? a : b; }
static inline __host__ float max(float a, float b) { return a > b ? a : b; }
static inline __host__ double min(double a, double b) { return a < b ? a : b; }
static inline __host__ double max(double a, double b) { return a > b ? a : b; }
// Mixed signs are unsigned there, mixed precisions double.
static inline __host__ unsigned min(unsigned a, int b) { return min((unsigned)a, (unsigned)b); }
static inline __host__ unsigned max(unsigned a, int b) { return max((unsigned)a, (unsigned)b); }
static inline __host__ unsigned min(int a, unsigned b) { return min((unsigned)a, (unsigned)b); }
static inline __host__ unsigned max(int a, unsigned b) { return max((unsigned)a, (unsigned)b); }
static inline __host__ unsigned long min(unsigned long a, long b) { return min((unsigned long)a, (unsigned long)b); }
static inline __host__ unsigned long max(unsigned long a, long b) { return max((unsigned long)a, (unsigned long)b); }
static inline __host__ unsigned long min(long a, unsigned long b) { return min((unsigned long)a, (unsigned long)b); }
static inline __host__ unsigned long max(long a, unsigned long b) { return max((unsigned long)a, (unsigned long)b); }
static inline __host__ unsigned long long min(unsigned long long a, long long b) { return min((unsigned long long)a, (unsigned long long)b); }
static inline __host__ unsigned long long max(unsigned long long a, long long b) { return max((unsigned long long)a, (unsigned long long)b); }
static inline __host__ unsigned long long min(long long a, unsigned long long b) { return min((unsigned long long)a, (unsigned long long)b); }
static inline __host__ unsigned long long max(long long a, unsigned long long b) { return max((unsigned long long)a, (unsigned long long)b); }
static inline __host__ double min(float a, double b) { return min((double)a, (double)b); }
static inline __host__ double max(float a, double b) { return max((double)a, (double)b); }
static inline __host__ double min(double a, float b) { return min((double)a, (double)b); }
static inline __host__ double max(double a, float b) { return max((double)a, (double)b); }
// Cache-operator stores are builtins of nvcc.
template <class T> __device__ void __stwb(T *p, T v);
template <class T> __device__ void __stcg(T *p, T v);
template <class T> __device__ void __stcs(T *p, T v);
template <class T> __device__ void __stwt(T *p, T v);
// Atomic builtins of nvcc 12.8 and later.
enum { __NV_ATOMIC_RELAXED, __NV_ATOMIC_CONSUME, __NV_ATOMIC_ACQUIRE, __NV_ATOMIC_RELEASE, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_SEQ_CST };
#ifndef __NV_THREAD_SCOPE_SYSTEM
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4
#endif
template <class T> __device__ T __nv_atomic_load_n(T *p, int order, int scope = 4);
template <class T> __device__ void __nv_atomic_load(T *p, T *out, int order, int scope = 4);
template <class T, class U> __device__ void __nv_atomic_store_n(T *p, U v, int order, int scope = 4);
template <class T> __device__ void __nv_atomic_store(T *p, T *v, int order, int scope = 4);
template <class T, class U> __device__ T __nv_atomic_exchange_n(T *p, U v, int order, int scope = 4);
template <class T, class U> __device__ bool __nv_atomic_compare_exchange_n(T *p, T *expected, U v, bool weak, int success, int failure, int scope = 4);
template <class T, class U> __device__ T __nv_atomic_fetch_add(T *p, U v, int order, int scope = 4);
template <class T, class U> __device__ T __nv_atomic_fetch_sub(T *p, U v, int order, int scope = 4);
template <class T, class U> __device__ T __nv_atomic_fetch_and(T *p, U v, int order, int scope = 4);
template <class T, class U> __device__ T __nv_atomic_fetch_or(T *p, U v, int order, int scope = 4);
template <class T, class U> __device__ T __nv_atomic_fetch_xor(T *p, U v, int order, int scope = 4);
template <class T, class U> __device__ T __nv_atomic_fetch_min(T *p, U v, int order, int scope = 4);
template <class T, class U> __device__ T __nv_atomic_fetch_max(T *p, U v, int order, int scope = 4);
__device__ void __nv_atomic_thread_fence(int order, int scope = 4);
#endif
#endif
