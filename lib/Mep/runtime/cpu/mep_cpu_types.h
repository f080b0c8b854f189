/// \file
/// CUDA's keywords, built-in variables and vector types for a host compiler.
/// Standard headers come first, because they use some of the same spellings.

#ifndef MEP_CPU_TYPES_H
#define MEP_CPU_TYPES_H

#include <algorithm>
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <math.h>
#include <stdlib.h>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __forceinline__ inline __attribute__((always_inline))
// Empty, because system headers write __attribute__((__noinline__)).
#define __noinline__
#define __align__(Bytes) __attribute__((aligned(Bytes)))
#define __builtin_align__(Bytes) __attribute__((aligned(Bytes)))
/// A block never changes its OS thread, so a block's variable is a thread's.
#define __shared__ thread_local

#ifndef MEP_WARP_SIZE
#define MEP_WARP_SIZE 32
#endif

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef long long longlong;
typedef unsigned long long ulonglong;

// clang-format off
#define MEP_CPU_VECTORS(Scalar, Name, Align2, Align4)                          \
  struct Name##1 { Scalar x; };                                                \
  struct alignas(Align2) Name##2 { Scalar x, y; };                             \
  struct Name##3 { Scalar x, y, z; };                                          \
  struct alignas(Align4) Name##4 { Scalar x, y, z, w; };                       \
  static inline Name##1 make_##Name##1(Scalar X) { return {X}; }               \
  static inline Name##2 make_##Name##2(Scalar X, Scalar Y) { return {X, Y}; }  \
  static inline Name##3 make_##Name##3(Scalar X, Scalar Y, Scalar Z) {         \
    return {X, Y, Z};                                                          \
  }                                                                            \
  static inline Name##4 make_##Name##4(Scalar X, Scalar Y, Scalar Z,           \
                                       Scalar W) {                             \
    return {X, Y, Z, W};                                                       \
  }
MEP_CPU_VECTORS(signed char, char, 2, 4)
MEP_CPU_VECTORS(unsigned char, uchar, 2, 4)
MEP_CPU_VECTORS(short, short, 4, 8)
MEP_CPU_VECTORS(unsigned short, ushort, 4, 8)
MEP_CPU_VECTORS(int, int, 8, 16)
MEP_CPU_VECTORS(unsigned int, uint, 8, 16)
MEP_CPU_VECTORS(long, long, 16, 16)
MEP_CPU_VECTORS(unsigned long, ulong, 16, 16)
MEP_CPU_VECTORS(long long, longlong, 16, 16)
MEP_CPU_VECTORS(unsigned long long, ulonglong, 16, 16)
MEP_CPU_VECTORS(float, float, 8, 16)
MEP_CPU_VECTORS(double, double, 16, 16)
#undef MEP_CPU_VECTORS
// clang-format on

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int X = 1, unsigned int Y = 1, unsigned int Z = 1)
      : x(X), y(Y), z(Z) {}
  constexpr dim3(uint3 From) : x(From.x), y(From.y), z(From.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

// Internal linkage and never addressed: the compiler may keep them in
// registers across a kernel's stores, which is what lets loops vectorise.
static thread_local uint3 threadIdx, blockIdx;
static thread_local dim3 blockDim, gridDim;
static constexpr int warpSize = MEP_WARP_SIZE;

#endif // MEP_CPU_TYPES_H
