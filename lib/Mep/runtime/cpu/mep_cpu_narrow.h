/// \file
/// Floating types of 16 bits on a host compiler, and pairs of them, with the
/// usual arithmetic: each operation is done in float and rounded. What
/// <cuda_fp16.h> and <cuda_bf16.h> have in common; the format converts.

#ifndef MEP_CPU_NARROW_H
#define MEP_CPU_NARROW_H

#include "../mep_cpu.h"
#include "../mep_fill.h"

namespace mep_cpu {

/// \p Format has `static float wide(uint16_t)` and `static uint16_t
/// narrow(float)`. Operators are friends, not templates, so that a plain number
/// on one side is converted as the toolkit's types convert it.
template <class Format> struct Narrow {
  uint16_t Bits;
  Narrow() = default;
  Narrow(float Value) : Bits(Format::narrow(Value)) {}
  Narrow(double Value) : Narrow(float(Value)) {}
  Narrow(int Value) : Narrow(float(Value)) {}
  operator float() const { return Format::wide(Bits); }
  Narrow &operator+=(Narrow Other) {
    return *this = float(*this) + float(Other);
  }
  Narrow &operator-=(Narrow Other) {
    return *this = float(*this) - float(Other);
  }
  Narrow &operator*=(Narrow Other) {
    return *this = float(*this) * float(Other);
  }
  Narrow &operator/=(Narrow Other) {
    return *this = float(*this) / float(Other);
  }

#define MEP_CPU_NARROW(Operator, Name)                                         \
  friend Narrow operator Operator(Narrow Left, Narrow Right) {                 \
    return Narrow(float(Left) Operator float(Right));                          \
  }                                                                            \
  friend Narrow Name(Narrow Left, Narrow Right) { return Left Operator Right; }
  MEP_CPU_NARROW(+, __hadd)
  MEP_CPU_NARROW(-, __hsub)
  MEP_CPU_NARROW(*, __hmul)
  MEP_CPU_NARROW(/, __hdiv)
#undef MEP_CPU_NARROW
  friend Narrow operator+(Narrow Value) { return Value; }
  friend Narrow operator-(Narrow Value) { return Narrow(-float(Value)); }
  friend Narrow __hneg(Narrow Value) { return Narrow(-float(Value)); }
  friend Narrow __hfma(Narrow X, Narrow Y, Narrow Z) {
    return Narrow(float(double(float(X)) * float(Y) + float(Z)));
  }
  friend bool __hlt(Narrow X, Narrow Y) { return float(X) < float(Y); }
  friend bool __hgt(Narrow X, Narrow Y) { return float(X) > float(Y); }
  friend bool __heq(Narrow X, Narrow Y) { return float(X) == float(Y); }
  friend Narrow __hmax(Narrow X, Narrow Y) { return __hlt(X, Y) ? Y : X; }
  friend Narrow __hmin(Narrow X, Narrow Y) { return __hlt(Y, X) ? Y : X; }
  friend Narrow hsqrt(Narrow Value) { return std::sqrt(float(Value)); }
  friend Narrow hexp(Narrow Value) { return std::exp(float(Value)); }
};

template <class Format> struct alignas(4) NarrowPair {
  Narrow<Format> x, y;
  NarrowPair() = default;
  NarrowPair(Narrow<Format> X, Narrow<Format> Y) : x(X), y(Y) {}

#define MEP_CPU_NARROW2(Operator, Name)                                        \
  friend NarrowPair operator Operator(NarrowPair Left, NarrowPair Right) {     \
    return {Left.x Operator Right.x, Left.y Operator Right.y};                 \
  }                                                                            \
  friend NarrowPair Name(NarrowPair Left, NarrowPair Right) {                  \
    return Left Operator Right;                                                \
  }
  MEP_CPU_NARROW2(+, __hadd2)
  MEP_CPU_NARROW2(-, __hsub2)
  MEP_CPU_NARROW2(*, __hmul2)
#undef MEP_CPU_NARROW2
  friend NarrowPair operator+(NarrowPair Value) { return Value; }
  friend NarrowPair operator-(NarrowPair Value) { return {-Value.x, -Value.y}; }
  friend NarrowPair __hfma2(NarrowPair X, NarrowPair Y, NarrowPair Z) {
    return {__hfma(X.x, Y.x, Z.x), __hfma(X.y, Y.y, Z.y)};
  }
  friend float __low2float(NarrowPair Value) { return float(Value.x); }
  friend float __high2float(NarrowPair Value) { return float(Value.y); }
};

} // namespace mep_cpu

#endif // MEP_CPU_NARROW_H
