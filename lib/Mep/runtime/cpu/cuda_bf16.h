/// \file
/// Stands for the toolkit's <cuda_bf16.h> on a host compiler: __nv_bfloat16 and
/// __nv_bfloat162 with the usual arithmetic, each operation rounded.

#ifndef MEP_CPU_SHADOW_CUDA_BF16_H
#define MEP_CPU_SHADOW_CUDA_BF16_H

// The toolkit's includes it as well.
#include "cuda_fp16.h"

namespace mep_cpu {
/// The upper half of a float.
struct BfloatFormat {
  static float wide(uint16_t Bits) {
    return sameBits<float>(uint32_t(Bits) << 16);
  }
  static uint16_t narrow(float Value) { return mep_fill::toBfloat(Value); }
};
} // namespace mep_cpu

typedef mep_cpu::Narrow<mep_cpu::BfloatFormat> __nv_bfloat16;
typedef __nv_bfloat16 nv_bfloat16;
typedef mep_cpu::NarrowPair<mep_cpu::BfloatFormat> __nv_bfloat162;
typedef __nv_bfloat162 nv_bfloat162;

static inline __nv_bfloat16 __float2bfloat16(float Value) { return Value; }
static inline __nv_bfloat16 __float2bfloat16_rn(float Value) { return Value; }
static inline __nv_bfloat16 __double2bfloat16(double Value) { return Value; }
static inline __nv_bfloat16 __int2bfloat16_rn(int Value) { return Value; }
static inline float __bfloat162float(__nv_bfloat16 Value) { return Value; }
static inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 Value) {
  return Value.Bits;
}
static inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short Bits) {
  __nv_bfloat16 Value;
  Value.Bits = Bits;
  return Value;
}

static inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 X, __nv_bfloat16 Y) {
  return {X, Y};
}
static inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 X,
                                                __nv_bfloat16 Y) {
  return {X, Y};
}
static inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 X) {
  return {X, X};
}
static inline __nv_bfloat162 __float2bfloat162_rn(float X) { return {X, X}; }
static inline __nv_bfloat162 __floats2bfloat162_rn(float X, float Y) {
  return {X, Y};
}
static inline float2 __bfloat1622float2(__nv_bfloat162 Value) {
  return {float(Value.x), float(Value.y)};
}
static inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 Value) {
  return Value.x;
}
static inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 Value) {
  return Value.y;
}

#endif // MEP_CPU_SHADOW_CUDA_BF16_H
