/// \file
/// Stands for the toolkit's <cuda_fp16.h> on a host compiler: half and half2
/// with the usual arithmetic, each operation rounded to half.

#ifndef MEP_CPU_SHADOW_CUDA_FP16_H
#define MEP_CPU_SHADOW_CUDA_FP16_H

#include "../mep_cpu.h"
#include "../mep_fill.h"

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
} // namespace mep_cpu

struct __half {
  uint16_t Bits;
  __half() = default;
  __half(float Value) : Bits(mep_fill::toHalf(Value)) {}
  __half(double Value) : __half(float(Value)) {}
  __half(int Value) : __half(float(Value)) {}
  operator float() const { return mep_cpu::fromHalf(Bits); }
  __half &operator+=(__half Other) {
    return *this = float(*this) + float(Other);
  }
  __half &operator-=(__half Other) {
    return *this = float(*this) - float(Other);
  }
  __half &operator*=(__half Other) {
    return *this = float(*this) * float(Other);
  }
  __half &operator/=(__half Other) {
    return *this = float(*this) / float(Other);
  }
};
typedef __half half;

#define MEP_CPU_HALF(Operator, Name)                                           \
  static inline __half operator Operator(__half Left, __half Right) {          \
    return __half(float(Left) Operator float(Right));                          \
  }                                                                            \
  static inline __half Name(__half Left, __half Right) {                       \
    return Left Operator Right;                                                \
  }
MEP_CPU_HALF(+, __hadd)
MEP_CPU_HALF(-, __hsub)
MEP_CPU_HALF(*, __hmul)
MEP_CPU_HALF(/, __hdiv)
#undef MEP_CPU_HALF
static inline __half operator+(__half Value) { return Value; }
static inline __half operator-(__half Value) { return __half(-float(Value)); }

static inline __half __float2half(float Value) { return __half(Value); }
static inline __half __float2half_rn(float Value) { return __half(Value); }
static inline __half __double2half(double Value) { return __half(Value); }
static inline float __half2float(__half Value) { return float(Value); }
static inline __half __int2half_rn(int Value) { return __half(Value); }
static inline __half __hneg(__half Value) { return __half(-float(Value)); }
static inline __half __hfma(__half X, __half Y, __half Z) {
  return __half(float(double(float(X)) * float(Y) + float(Z)));
}
static inline bool __hlt(__half X, __half Y) { return float(X) < float(Y); }
static inline bool __hgt(__half X, __half Y) { return float(X) > float(Y); }
static inline bool __heq(__half X, __half Y) { return float(X) == float(Y); }
static inline __half __hmax(__half X, __half Y) { return __hlt(X, Y) ? Y : X; }
static inline __half __hmin(__half X, __half Y) { return __hlt(Y, X) ? Y : X; }
static inline __half hsqrt(__half Value) { return std::sqrt(float(Value)); }
static inline __half hexp(__half Value) { return std::exp(float(Value)); }
static inline unsigned short __half_as_ushort(__half Value) {
  return Value.Bits;
}
static inline __half __ushort_as_half(unsigned short Bits) {
  __half Value;
  Value.Bits = Bits;
  return Value;
}

struct alignas(4) __half2 {
  __half x, y;
  __half2() = default;
  __half2(__half X, __half Y) : x(X), y(Y) {}
};
typedef __half2 half2;

#define MEP_CPU_HALF2(Operator, Name)                                          \
  static inline __half2 operator Operator(__half2 Left, __half2 Right) {       \
    return {Left.x Operator Right.x, Left.y Operator Right.y};                 \
  }                                                                            \
  static inline __half2 Name(__half2 Left, __half2 Right) {                    \
    return Left Operator Right;                                                \
  }
MEP_CPU_HALF2(+, __hadd2)
MEP_CPU_HALF2(-, __hsub2)
MEP_CPU_HALF2(*, __hmul2)
#undef MEP_CPU_HALF2
static inline __half2 operator+(__half2 Value) { return Value; }
static inline __half2 operator-(__half2 Value) { return {-Value.x, -Value.y}; }

static inline __half2 __hfma2(__half2 X, __half2 Y, __half2 Z) {
  return {__hfma(X.x, Y.x, Z.x), __hfma(X.y, Y.y, Z.y)};
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
static inline float __low2float(__half2 Value) { return float(Value.x); }
static inline float __high2float(__half2 Value) { return float(Value.y); }

#endif // MEP_CPU_SHADOW_CUDA_FP16_H
