/// \file
/// Stands for the toolkit's <cuda_fp16.h> on a host compiler: half and half2
/// with the usual arithmetic, each operation rounded to half.

#ifndef MEP_CPU_SHADOW_CUDA_FP16_H
#define MEP_CPU_SHADOW_CUDA_FP16_H

#include "mep_cpu_narrow.h"

namespace mep_cpu {
static inline float fromHalf(uint16_t Half) {
  uint32_t Sign = uint32_t(Half & 0x8000) << 16, Rest = Half & 0x7fff;
  if (Rest >= 0x7c00)
    return sameBits<float>(Sign | 0x7f800000 | (Rest & 0x3ff) << 13);
  if (Rest < 0x400) {
    float Value = float(Rest) * 0x1p-24f;
    return Sign ? -Value : Value;
  }
  return sameBits<float>(Sign | ((Rest << 13) + 0x38000000));
}

struct HalfFormat {
  static float wide(uint16_t Bits) { return fromHalf(Bits); }
  static uint16_t narrow(float Value) { return mep_fill::toHalf(Value); }
};
} // namespace mep_cpu

typedef mep_cpu::Narrow<mep_cpu::HalfFormat> __half;
typedef __half half;
typedef mep_cpu::NarrowPair<mep_cpu::HalfFormat> __half2;
typedef __half2 half2;

static inline __half __float2half(float Value) { return __half(Value); }
static inline __half __float2half_rn(float Value) { return __half(Value); }
static inline __half __double2half(double Value) { return __half(Value); }
static inline float __half2float(__half Value) { return float(Value); }
static inline __half __int2half_rn(int Value) { return __half(Value); }
static inline unsigned short __half_as_ushort(__half Value) {
  return Value.Bits;
}
static inline __half __ushort_as_half(unsigned short Bits) {
  __half Value;
  Value.Bits = Bits;
  return Value;
}

static inline __half2 make_half2(__half X, __half Y) { return {X, Y}; }
static inline __half2 __halves2half2(__half X, __half Y) { return {X, Y}; }
static inline __half2 __half2half2(__half X) { return {X, X}; }
static inline __half2 __float2half2_rn(float X) { return {X, X}; }
static inline __half2 __floats2half2_rn(float X, float Y) { return {X, Y}; }
static inline float2 __half22float2(__half2 Value) {
  return {float(Value.x), float(Value.y)};
}
static inline __half __low2half(__half2 Value) { return Value.x; }
static inline __half __high2half(__half2 Value) { return Value.y; }

#endif // MEP_CPU_SHADOW_CUDA_FP16_H
