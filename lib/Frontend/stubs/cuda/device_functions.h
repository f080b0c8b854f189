// Device builtins: synchronisation, warp operations, atomics, intrinsics.
#ifndef MEP_STUB_DEVICE_FUNCTIONS_H
#define MEP_STUB_DEVICE_FUNCTIONS_H
// __expf, __sinf and their like come from <math.h>: glibc declares them too.
extern "C" {
__device__ void __syncthreads(void);
__device__ int __syncthreads_count(int); __device__ int __syncthreads_and(int); __device__ int __syncthreads_or(int);
__device__ void __threadfence(void); __device__ void __threadfence_block(void); __device__ void __threadfence_system(void);
__device__ void __trap(void); __device__ void __brkpt(void);
__device__ void __nanosleep(unsigned ns);
}
__device__ void __syncwarp(unsigned mask = 0xffffffffu);
__device__ unsigned __activemask(void); __device__ unsigned __ballot_sync(unsigned mask, int predicate);
__device__ int __any_sync(unsigned mask, int predicate); __device__ int __all_sync(unsigned mask, int predicate);
template <class T> __device__ unsigned __match_any_sync(unsigned mask, T value);
template <class T> __device__ T __shfl_sync(unsigned mask, T value, int lane, int width = 32);
template <class T> __device__ T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32);
template <class T> __device__ T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32);
template <class T> __device__ T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32);
__device__ long long clock64(void); __device__ long clock(void); __device__ unsigned long long __globaltimer(void);

__device__ int atomicAdd(int *address, int value);
__device__ int atomicAdd_block(int *address, int value);
__device__ int atomicAdd_system(int *address, int value);
__device__ unsigned atomicAdd(unsigned *address, unsigned value);
__device__ unsigned atomicAdd_block(unsigned *address, unsigned value);
__device__ unsigned atomicAdd_system(unsigned *address, unsigned value);
__device__ unsigned long long atomicAdd(unsigned long long *address, unsigned long long value);
__device__ unsigned long long atomicAdd_block(unsigned long long *address, unsigned long long value);
__device__ unsigned long long atomicAdd_system(unsigned long long *address, unsigned long long value);
__device__ float atomicAdd(float *address, float value);
__device__ float atomicAdd_block(float *address, float value);
__device__ float atomicAdd_system(float *address, float value);
__device__ double atomicAdd(double *address, double value);
__device__ double atomicAdd_block(double *address, double value);
__device__ double atomicAdd_system(double *address, double value);
__device__ int atomicSub(int *address, int value);
__device__ int atomicSub_block(int *address, int value);
__device__ int atomicSub_system(int *address, int value);
__device__ unsigned atomicSub(unsigned *address, unsigned value);
__device__ unsigned atomicSub_block(unsigned *address, unsigned value);
__device__ unsigned atomicSub_system(unsigned *address, unsigned value);
__device__ int atomicExch(int *address, int value);
__device__ int atomicExch_block(int *address, int value);
__device__ int atomicExch_system(int *address, int value);
__device__ unsigned atomicExch(unsigned *address, unsigned value);
__device__ unsigned atomicExch_block(unsigned *address, unsigned value);
__device__ unsigned atomicExch_system(unsigned *address, unsigned value);
__device__ unsigned long long atomicExch(unsigned long long *address, unsigned long long value);
__device__ unsigned long long atomicExch_block(unsigned long long *address, unsigned long long value);
__device__ unsigned long long atomicExch_system(unsigned long long *address, unsigned long long value);
__device__ float atomicExch(float *address, float value);
__device__ float atomicExch_block(float *address, float value);
__device__ float atomicExch_system(float *address, float value);
__device__ int atomicMin(int *address, int value);
__device__ int atomicMin_block(int *address, int value);
__device__ int atomicMin_system(int *address, int value);
__device__ unsigned atomicMin(unsigned *address, unsigned value);
__device__ unsigned atomicMin_block(unsigned *address, unsigned value);
__device__ unsigned atomicMin_system(unsigned *address, unsigned value);
__device__ long long atomicMin(long long *address, long long value);
__device__ long long atomicMin_block(long long *address, long long value);
__device__ long long atomicMin_system(long long *address, long long value);
__device__ unsigned long long atomicMin(unsigned long long *address, unsigned long long value);
__device__ unsigned long long atomicMin_block(unsigned long long *address, unsigned long long value);
__device__ unsigned long long atomicMin_system(unsigned long long *address, unsigned long long value);
__device__ int atomicMax(int *address, int value);
__device__ int atomicMax_block(int *address, int value);
__device__ int atomicMax_system(int *address, int value);
__device__ unsigned atomicMax(unsigned *address, unsigned value);
__device__ unsigned atomicMax_block(unsigned *address, unsigned value);
__device__ unsigned atomicMax_system(unsigned *address, unsigned value);
__device__ long long atomicMax(long long *address, long long value);
__device__ long long atomicMax_block(long long *address, long long value);
__device__ long long atomicMax_system(long long *address, long long value);
__device__ unsigned long long atomicMax(unsigned long long *address, unsigned long long value);
__device__ unsigned long long atomicMax_block(unsigned long long *address, unsigned long long value);
__device__ unsigned long long atomicMax_system(unsigned long long *address, unsigned long long value);
__device__ int atomicAnd(int *address, int value);
__device__ int atomicAnd_block(int *address, int value);
__device__ int atomicAnd_system(int *address, int value);
__device__ unsigned atomicAnd(unsigned *address, unsigned value);
__device__ unsigned atomicAnd_block(unsigned *address, unsigned value);
__device__ unsigned atomicAnd_system(unsigned *address, unsigned value);
__device__ unsigned long long atomicAnd(unsigned long long *address, unsigned long long value);
__device__ unsigned long long atomicAnd_block(unsigned long long *address, unsigned long long value);
__device__ unsigned long long atomicAnd_system(unsigned long long *address, unsigned long long value);
__device__ int atomicOr(int *address, int value);
__device__ int atomicOr_block(int *address, int value);
__device__ int atomicOr_system(int *address, int value);
__device__ unsigned atomicOr(unsigned *address, unsigned value);
__device__ unsigned atomicOr_block(unsigned *address, unsigned value);
__device__ unsigned atomicOr_system(unsigned *address, unsigned value);
__device__ unsigned long long atomicOr(unsigned long long *address, unsigned long long value);
__device__ unsigned long long atomicOr_block(unsigned long long *address, unsigned long long value);
__device__ unsigned long long atomicOr_system(unsigned long long *address, unsigned long long value);
__device__ int atomicXor(int *address, int value);
__device__ int atomicXor_block(int *address, int value);
__device__ int atomicXor_system(int *address, int value);
__device__ unsigned atomicXor(unsigned *address, unsigned value);
__device__ unsigned atomicXor_block(unsigned *address, unsigned value);
__device__ unsigned atomicXor_system(unsigned *address, unsigned value);
__device__ unsigned long long atomicXor(unsigned long long *address, unsigned long long value);
__device__ unsigned long long atomicXor_block(unsigned long long *address, unsigned long long value);
__device__ unsigned long long atomicXor_system(unsigned long long *address, unsigned long long value);
__device__ int atomicCAS(int *address, int compare, int value);
__device__ unsigned atomicCAS(unsigned *address, unsigned compare, unsigned value);
__device__ unsigned long long atomicCAS(unsigned long long *address, unsigned long long compare, unsigned long long value);
__device__ unsigned short atomicCAS(unsigned short *address, unsigned short compare, unsigned short value);
__device__ unsigned atomicInc(unsigned *address, unsigned limit); __device__ unsigned atomicDec(unsigned *address, unsigned limit);
template <class T> __device__ T __ldg(const T *pointer);
template <class T> __device__ T __ldca(const T *pointer);
template <class T> __device__ T __ldcg(const T *pointer);
template <class T> __device__ T __ldcs(const T *pointer);
template <class T> __device__ T __ldlu(const T *pointer);
template <class T> __device__ T __ldcv(const T *pointer);
template <class T> __device__ void __stwb(T *pointer, T value);
template <class T> __device__ void __stcg(T *pointer, T value);
template <class T> __device__ void __stcs(T *pointer, T value);
template <class T> __device__ void __stwt(T *pointer, T value);
__device__ float __frcp_rn(float);
__device__ float __fsqrt_rn(float);
__device__ float __frsqrt_rn(float);
__device__ float __saturatef(float);
__device__ float __fdividef(float, float);
__device__ float __fadd_rn(float, float);
__device__ float __fmul_rn(float, float);
__device__ float __fsub_rn(float, float);
__device__ float __fdiv_rn(float, float);
__device__ float __fadd_rz(float, float);
__device__ float __fmul_rz(float, float);
__device__ double __dadd_rn(double, double);
__device__ double __dmul_rn(double, double);
__device__ double __dsub_rn(double, double);
__device__ double __ddiv_rn(double, double);
__device__ float __fmaf_rn(float, float, float); __device__ double __fma_rn(double, double, double); __device__ double __dsqrt_rn(double); __device__ double __drcp_rn(double);
__host__ __device__ float rsqrtf(float); __host__ __device__ double rsqrt(double); __host__ __device__ float rsqrt(float); __host__ __device__ float rcbrtf(float);
__host__ __device__ float sinpif(float); __host__ __device__ float cospif(float); __host__ __device__ double sinpi(double); __host__ __device__ double cospi(double);
__host__ __device__ float fdividef(float, float); __host__ __device__ float norm3df(float, float, float); __host__ __device__ float normcdff(float); __host__ __device__ double normcdf(double); __host__ __device__ float erfcinvf(float);
__host__ __device__ void sincospif(float, float *, float *); __host__ __device__ void sincospi(double, double *, double *);
__device__ int __mul24(int, int);
__device__ unsigned __umul24(unsigned, unsigned);
__device__ int __mulhi(int, int);
__device__ unsigned __umulhi(unsigned, unsigned);
__device__ long long __mul64hi(long long, long long);
__device__ unsigned long long __umul64hi(unsigned long long, unsigned long long);
__device__ int __popc(unsigned);
__device__ int __popcll(unsigned long long);
__device__ int __clz(int);
__device__ int __clzll(long long);
__device__ int __ffs(int);
__device__ int __ffsll(long long);
__device__ unsigned __brev(unsigned);
__device__ unsigned long long __brevll(unsigned long long);
__device__ unsigned __byte_perm(unsigned, unsigned, unsigned);
__device__ unsigned __sad(int, int, unsigned);
__device__ unsigned __usad(unsigned, unsigned, unsigned);
__device__ unsigned __funnelshift_l(unsigned, unsigned, unsigned);
__device__ unsigned __funnelshift_r(unsigned, unsigned, unsigned);
__device__ int __float_as_int(float);
__device__ unsigned __float_as_uint(float);
__device__ float __int_as_float(int);
__device__ float __uint_as_float(unsigned);
__device__ long long __double_as_longlong(double);
__device__ double __longlong_as_double(long long);
__device__ int __float2int_rn(float);
__device__ int __float2int_rd(float);
__device__ int __float2int_ru(float);
__device__ int __float2int_rz(float);
__device__ unsigned __float2uint_rn(float);
__device__ float __int2float_rn(int);
__device__ float __uint2float_rn(unsigned);
__device__ float __double2float_rn(double);
__device__ int __double2int_rn(double);
__device__ int __double2int_rz(double);
__device__ int __dp4a(int, int, int);
static inline __host__ __device__ int min(int a, int b) { return a < b ? a : b; }
static inline __host__ __device__ int max(int a, int b) { return a > b ? a : b; }
static inline __host__ __device__ unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
static inline __host__ __device__ unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
static inline __host__ __device__ long min(long a, long b) { return a < b ? a : b; }
static inline __host__ __device__ long max(long a, long b) { return a > b ? a : b; }
static inline __host__ __device__ unsigned long min(unsigned long a, unsigned long b) { return a < b ? a : b; }
static inline __host__ __device__ unsigned long max(unsigned long a, unsigned long b) { return a > b ? a : b; }
static inline __host__ __device__ long long min(long long a, long long b) { return a < b ? a : b; }
static inline __host__ __device__ long long max(long long a, long long b) { return a > b ? a : b; }
static inline __host__ __device__ unsigned long long min(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
static inline __host__ __device__ unsigned long long max(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
static inline __host__ __device__ float min(float a, float b) { return a < b ? a : b; }
static inline __host__ __device__ float max(float a, float b) { return a > b ? a : b; }
static inline __host__ __device__ double min(double a, double b) { return a < b ? a : b; }
static inline __host__ __device__ double max(double a, double b) { return a > b ? a : b; }
static inline __host__ __device__ double min(float a, double b) { return (double)a < (double)b ? (double)a : (double)b; }
static inline __host__ __device__ double max(float a, double b) { return (double)a > (double)b ? (double)a : (double)b; }
static inline __host__ __device__ double min(double a, float b) { return (double)a < (double)b ? (double)a : (double)b; }
static inline __host__ __device__ double max(double a, float b) { return (double)a > (double)b ? (double)a : (double)b; }
static inline __host__ __device__ unsigned min(int a, unsigned b) { return (unsigned)a < (unsigned)b ? (unsigned)a : (unsigned)b; }
static inline __host__ __device__ unsigned max(int a, unsigned b) { return (unsigned)a > (unsigned)b ? (unsigned)a : (unsigned)b; }
static inline __host__ __device__ unsigned min(unsigned a, int b) { return (unsigned)a < (unsigned)b ? (unsigned)a : (unsigned)b; }
static inline __host__ __device__ unsigned max(unsigned a, int b) { return (unsigned)a > (unsigned)b ? (unsigned)a : (unsigned)b; }
static inline __host__ __device__ unsigned long min(unsigned long a, int b) { return (unsigned long)a < (unsigned long)b ? (unsigned long)a : (unsigned long)b; }
static inline __host__ __device__ unsigned long max(unsigned long a, int b) { return (unsigned long)a > (unsigned long)b ? (unsigned long)a : (unsigned long)b; }
static inline __host__ __device__ long min(int a, long b) { return (long)a < (long)b ? (long)a : (long)b; }
static inline __host__ __device__ long max(int a, long b) { return (long)a > (long)b ? (long)a : (long)b; }
static inline __host__ __device__ long min(long a, int b) { return (long)a < (long)b ? (long)a : (long)b; }
static inline __host__ __device__ long max(long a, int b) { return (long)a > (long)b ? (long)a : (long)b; }
static inline __host__ __device__ float min(int a, float b) { return (float)a < (float)b ? (float)a : (float)b; }
static inline __host__ __device__ float max(int a, float b) { return (float)a > (float)b ? (float)a : (float)b; }
static inline __host__ __device__ float min(float a, int b) { return (float)a < (float)b ? (float)a : (float)b; }
static inline __host__ __device__ float max(float a, int b) { return (float)a > (float)b ? (float)a : (float)b; }
#endif
