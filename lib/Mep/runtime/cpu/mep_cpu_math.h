/// \file
/// CUDA's device functions for arithmetic, bits, loads and clocks. Approximate
/// ones give the exactly rounded or library value. Those that the C library
/// declares under the same name (`__expf`) are macros.

#ifndef MEP_CPU_MATH_H
#define MEP_CPU_MATH_H

#include "mep_cpu_types.h"

#include <chrono>
#include <ctime>

// ---- minimum and maximum, also of mixed types -------------------------------

template <typename Left, typename Right>
static constexpr std::common_type_t<Left, Right> min(Left First, Right Second) {
  using Both = std::common_type_t<Left, Right>;
  return Both(Second) < Both(First) ? Both(Second) : Both(First);
}
template <typename Left, typename Right>
static constexpr std::common_type_t<Left, Right> max(Left First, Right Second) {
  using Both = std::common_type_t<Left, Right>;
  return Both(First) < Both(Second) ? Both(Second) : Both(First);
}
static inline unsigned umin(unsigned Left, unsigned Right) {
  return Left < Right ? Left : Right;
}
static inline unsigned umax(unsigned Left, unsigned Right) {
  return Left < Right ? Right : Left;
}

// ---- fast and rounded arithmetic --------------------------------------------

#define __expf ::mep_cpu::fastExp
#define __exp10f ::mep_cpu::fastExp10
#define __logf ::mep_cpu::fastLog
#define __log2f ::mep_cpu::fastLog2
#define __log10f ::mep_cpu::fastLog10
#define __sinf ::mep_cpu::fastSin
#define __cosf ::mep_cpu::fastCos
#define __tanf ::mep_cpu::fastTan
#define __tanhf ::mep_cpu::fastTanh
#define __powf ::mep_cpu::fastPow
#define __sincosf ::mep_cpu::fastSinCos
#define __finitef ::mep_cpu::isFinite
#define __isnanf ::mep_cpu::isNan
#define __isinff ::mep_cpu::isInf

namespace mep_cpu {
static inline float fastExp(float X) { return std::exp(X); }
static inline float fastExp10(float X) { return std::pow(10.0f, X); }
static inline float fastLog(float X) { return std::log(X); }
static inline float fastLog2(float X) { return std::log2(X); }
static inline float fastLog10(float X) { return std::log10(X); }
static inline float fastSin(float X) { return std::sin(X); }
static inline float fastCos(float X) { return std::cos(X); }
static inline float fastTan(float X) { return std::tan(X); }
static inline float fastTanh(float X) { return std::tanh(X); }
static inline float fastPow(float X, float Y) { return std::pow(X, Y); }
static inline void fastSinCos(float X, float *Sine, float *Cosine) {
  *Sine = std::sin(X);
  *Cosine = std::cos(X);
}
static inline int isFinite(float X) { return std::isfinite(X); }
static inline int isNan(float X) { return std::isnan(X); }
static inline int isInf(float X) { return std::isinf(X); }
static constexpr double Pi = 3.14159265358979323846;
} // namespace mep_cpu

static inline float rsqrtf(float X) { return 1.0f / std::sqrt(X); }
static inline double rsqrt(double X) { return 1.0 / std::sqrt(X); }
static inline float rsqrt(float X) { return rsqrtf(X); }
static inline float rcbrtf(float X) { return 1.0f / std::cbrt(X); }
static inline double rcbrt(double X) { return 1.0 / std::cbrt(X); }
static inline float sinpif(float X) { return float(std::sin(X * mep_cpu::Pi)); }
static inline float cospif(float X) { return float(std::cos(X * mep_cpu::Pi)); }
static inline double sinpi(double X) { return std::sin(X * mep_cpu::Pi); }
static inline double cospi(double X) { return std::cos(X * mep_cpu::Pi); }
static inline void sincospif(float X, float *Sine, float *Cosine) {
  *Sine = sinpif(X);
  *Cosine = cospif(X);
}
static inline void sincospi(double X, double *Sine, double *Cosine) {
  *Sine = sinpi(X);
  *Cosine = cospi(X);
}
static inline float normcdff(float X) {
  return float(0.5 * std::erfc(-double(X) * 0.70710678118654752440));
}
static inline double normcdf(double X) {
  return 0.5 * std::erfc(-X * 0.70710678118654752440);
}
static inline float rnorm3df(float X, float Y, float Z) {
  return 1.0f / std::sqrt(X * X + Y * Y + Z * Z);
}
static inline float norm3df(float X, float Y, float Z) {
  return std::sqrt(X * X + Y * Y + Z * Z);
}
static inline float rhypotf(float X, float Y) { return 1.0f / hypotf(X, Y); }
static inline double rhypot(double X, double Y) {
  return 1.0 / std::hypot(X, Y);
}
static inline float fdividef(float X, float Y) { return X / Y; }
static inline float __fdividef(float X, float Y) { return X / Y; }
static inline float __saturatef(float X) {
  return X > 0.0f ? (X < 1.0f ? X : 1.0f) : 0.0f;
}
static inline float __frsqrt_rn(float X) { return 1.0f / std::sqrt(X); }

// Rounded to nearest; the other modes differ in the last bit only, and a host
// compiler does not follow the rounding mode in constant expressions.
#define MEP_CPU_ROUNDED(Mode)                                                  \
  static inline float __fadd_##Mode(float X, float Y) { return X + Y; }        \
  static inline float __fsub_##Mode(float X, float Y) { return X - Y; }        \
  static inline float __fmul_##Mode(float X, float Y) { return X * Y; }        \
  static inline float __fdiv_##Mode(float X, float Y) { return X / Y; }        \
  static inline float __frcp_##Mode(float X) { return 1.0f / X; }              \
  static inline float __fsqrt_##Mode(float X) { return std::sqrt(X); }         \
  static inline float __fmaf_##Mode(float X, float Y, float Z) {               \
    return std::fma(X, Y, Z);                                                  \
  }                                                                            \
  static inline double __dadd_##Mode(double X, double Y) { return X + Y; }     \
  static inline double __dsub_##Mode(double X, double Y) { return X - Y; }     \
  static inline double __dmul_##Mode(double X, double Y) { return X * Y; }     \
  static inline double __ddiv_##Mode(double X, double Y) { return X / Y; }     \
  static inline double __drcp_##Mode(double X) { return 1.0 / X; }             \
  static inline double __dsqrt_##Mode(double X) { return std::sqrt(X); }       \
  static inline double __fma_##Mode(double X, double Y, double Z) {            \
    return std::fma(X, Y, Z);                                                  \
  }
MEP_CPU_ROUNDED(rn)
MEP_CPU_ROUNDED(rz)
MEP_CPU_ROUNDED(ru)
MEP_CPU_ROUNDED(rd)
#undef MEP_CPU_ROUNDED

// ---- conversions ------------------------------------------------------------

namespace mep_cpu {
template <typename To, typename From> static inline To sameBits(From Value) {
  static_assert(sizeof(To) == sizeof(From), "sizes differ");
  To Result;
  std::memcpy(&Result, &Value, sizeof(To));
  return Result;
}
/// Saturates, and NaN gives 0, as the device's conversion does.
template <typename To> static inline To toInteger(double Value) {
  if (!(Value == Value))
    return 0;
  if (Value <= double(std::numeric_limits<To>::min()))
    return std::numeric_limits<To>::min();
  if (Value >= double(std::numeric_limits<To>::max()))
    return std::numeric_limits<To>::max();
  return To(Value);
}
} // namespace mep_cpu

static inline int __float_as_int(float X) { return mep_cpu::sameBits<int>(X); }
static inline unsigned __float_as_uint(float X) {
  return mep_cpu::sameBits<unsigned>(X);
}
static inline float __int_as_float(int X) {
  return mep_cpu::sameBits<float>(X);
}
static inline float __uint_as_float(unsigned X) {
  return mep_cpu::sameBits<float>(X);
}
static inline long long __double_as_longlong(double X) {
  return mep_cpu::sameBits<long long>(X);
}
static inline double __longlong_as_double(long long X) {
  return mep_cpu::sameBits<double>(X);
}
static inline int __double2hiint(double X) {
  return int(__double_as_longlong(X) >> 32);
}
static inline int __double2loint(double X) {
  return int(__double_as_longlong(X));
}
static inline double __hiloint2double(int High, int Low) {
  return mep_cpu::sameBits<double>(uint64_t(uint32_t(High)) << 32 |
                                   uint32_t(Low));
}

#define MEP_CPU_TO_INTEGER(From, FromName)                                     \
  MEP_CPU_TO_INTEGER_OF(From, FromName, int, int)                              \
  MEP_CPU_TO_INTEGER_OF(From, FromName, unsigned, uint)                        \
  MEP_CPU_TO_INTEGER_OF(From, FromName, long long, ll)                         \
  MEP_CPU_TO_INTEGER_OF(From, FromName, unsigned long long, ull)
#define MEP_CPU_TO_INTEGER_OF(From, FromName, To, ToName)                      \
  static inline To __##FromName##2##ToName##_rn(From X) {                      \
    return mep_cpu::toInteger<To>(std::nearbyint(X));                          \
  }                                                                            \
  static inline To __##FromName##2##ToName##_rz(From X) {                      \
    return mep_cpu::toInteger<To>(std::trunc(X));                              \
  }                                                                            \
  static inline To __##FromName##2##ToName##_ru(From X) {                      \
    return mep_cpu::toInteger<To>(std::ceil(X));                               \
  }                                                                            \
  static inline To __##FromName##2##ToName##_rd(From X) {                      \
    return mep_cpu::toInteger<To>(std::floor(X));                              \
  }
MEP_CPU_TO_INTEGER(float, float)
MEP_CPU_TO_INTEGER(double, double)
#undef MEP_CPU_TO_INTEGER
#undef MEP_CPU_TO_INTEGER_OF

static inline float __int2float_rn(int X) { return float(X); }
static inline float __int2float_rz(int X) { return float(X); }
static inline float __uint2float_rn(unsigned X) { return float(X); }
static inline float __ll2float_rn(long long X) { return float(X); }
static inline float __ull2float_rn(unsigned long long X) { return float(X); }
static inline double __int2double_rn(int X) { return double(X); }
static inline double __uint2double_rn(unsigned X) { return double(X); }
static inline double __ll2double_rn(long long X) { return double(X); }
static inline double __ull2double_rn(unsigned long long X) { return double(X); }
static inline float __double2float_rn(double X) { return float(X); }

// ---- bits and integers ------------------------------------------------------

static inline int __popc(unsigned X) { return __builtin_popcount(X); }
static inline int __popcll(unsigned long long X) {
  return __builtin_popcountll(X);
}
static inline int __clz(int X) {
  return X ? __builtin_clz(unsigned(X)) : 32;
}
static inline int __clzll(long long X) {
  return X ? __builtin_clzll((unsigned long long)X) : 64;
}
static inline int __ffs(int X) { return __builtin_ffs(X); }
static inline int __ffsll(long long X) { return __builtin_ffsll(X); }
static inline unsigned __brev(unsigned X) {
  X = (X & 0x55555555u) << 1 | (X >> 1 & 0x55555555u);
  X = (X & 0x33333333u) << 2 | (X >> 2 & 0x33333333u);
  X = (X & 0x0f0f0f0fu) << 4 | (X >> 4 & 0x0f0f0f0fu);
  return __builtin_bswap32(X);
}
static inline unsigned long long __brevll(unsigned long long X) {
  return (unsigned long long)__brev(unsigned(X)) << 32 |
         __brev(unsigned(X >> 32));
}
static inline int __mul24(int X, int Y) {
  return int(unsigned(X << 8 >> 8) * unsigned(Y << 8 >> 8));
}
static inline unsigned __umul24(unsigned X, unsigned Y) {
  return (X & 0xffffffu) * (Y & 0xffffffu);
}
static inline int __mulhi(int X, int Y) {
  return int((long long)X * Y >> 32);
}
static inline unsigned __umulhi(unsigned X, unsigned Y) {
  return unsigned((unsigned long long)X * Y >> 32);
}
static inline long long __mul64hi(long long X, long long Y) {
  return (long long)((__int128)X * Y >> 64);
}
static inline unsigned long long __umul64hi(unsigned long long X,
                                            unsigned long long Y) {
  return (unsigned long long)((unsigned __int128)X * Y >> 64);
}
static inline int __hadd(int X, int Y) { return int(((long long)X + Y) >> 1); }
static inline int __rhadd(int X, int Y) {
  return int(((long long)X + Y + 1) >> 1);
}
static inline unsigned __sad(int X, int Y, unsigned Z) {
  return Z + unsigned(X < Y ? (long long)Y - X : (long long)X - Y);
}
static inline unsigned __usad(unsigned X, unsigned Y, unsigned Z) {
  return Z + (X < Y ? Y - X : X - Y);
}
static inline unsigned __byte_perm(unsigned X, unsigned Y, unsigned Select) {
  unsigned long long Both = (unsigned long long)Y << 32 | X;
  unsigned Result = 0;
  for (unsigned Byte = 0; Byte < 4; ++Byte)
    Result |= unsigned(Both >> 8 * (Select >> 4 * Byte & 7) & 0xff)
              << 8 * Byte;
  return Result;
}
static inline unsigned __funnelshift_l(unsigned Low, unsigned High,
                                       unsigned Shift) {
  return unsigned(((unsigned long long)High << 32 | Low) << (Shift & 31) >> 32);
}
static inline unsigned __funnelshift_r(unsigned Low, unsigned High,
                                       unsigned Shift) {
  return unsigned(((unsigned long long)High << 32 | Low) >> (Shift & 31));
}

// ---- loads and stores with cache hints --------------------------------------

#define MEP_CPU_LOAD(Name)                                                     \
  template <typename Type> static inline Type Name(const Type *Address) {      \
    return *Address;                                                           \
  }
MEP_CPU_LOAD(__ldg)
MEP_CPU_LOAD(__ldca)
MEP_CPU_LOAD(__ldcg)
MEP_CPU_LOAD(__ldcs)
MEP_CPU_LOAD(__ldcv)
MEP_CPU_LOAD(__ldlu)
#undef MEP_CPU_LOAD
#define MEP_CPU_STORE(Name)                                                    \
  template <typename Type, typename Other>                                     \
  static inline void Name(Type *Address, Other Value) {                        \
    *Address = Value;                                                          \
  }
MEP_CPU_STORE(__stwb)
MEP_CPU_STORE(__stcg)
MEP_CPU_STORE(__stcs)
MEP_CPU_STORE(__stwt)
#undef MEP_CPU_STORE

// ---- clocks and ends --------------------------------------------------------

static inline long long clock64() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}
static inline unsigned long long globaltimer() {
  return (unsigned long long)clock64();
}
static inline void __nanosleep(unsigned) {}
static inline void __trap() { std::abort(); }
static inline void __brkpt() { std::abort(); }

#endif // MEP_CPU_MATH_H
