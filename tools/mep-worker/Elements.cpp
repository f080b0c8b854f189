/// \file
/// Scalars of buffer elements: comparison under a tolerance, one-ulp changes,
/// counts. Loops are instantiated per kind, because outputs have millions of
/// elements.

#include "Elements.h"
#include "Parallel.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

using namespace mepworker;
using mep_fill::Kind;

namespace {

/// Bits of a scalar kind and their value.
template <typename BitsType, Kind K> struct Scalar {
  using Bits = BitsType;
  static Bits load(const uint8_t *From) {
    Bits Value;
    std::memcpy(&Value, From, sizeof(Value));
    return Value;
  }
  static double value(Bits B) {
    if constexpr (K == Kind::F64 || K == Kind::F32) {
      using Real = std::conditional_t<K == Kind::F64, double, float>;
      Real Value;
      std::memcpy(&Value, &B, sizeof(Value));
      return Value;
    } else if constexpr (K == Kind::Bf16) {
      uint32_t Wide = uint32_t(B) << 16;
      float Value;
      std::memcpy(&Value, &Wide, sizeof(Value));
      return Value;
    } else if constexpr (K == Kind::F16) {
      return half(B);
    } else {
      return double(B);
    }
  }

private:
  static double half(uint16_t B) {
    double Sign = B & 0x8000 ? -1 : 1;
    int Exponent = B >> 10 & 31, Fraction = B & 1023;
    if (Exponent == 31)
      return Fraction ? std::nan("") : Sign * HUGE_VAL;
    return Exponent ? Sign * std::ldexp(1024 + Fraction, Exponent - 25)
                    : Sign * std::ldexp(Fraction, -24);
  }
};

template <typename Visitor> void withKind(Kind K, Visitor Visit) {
  switch (K) {
  case Kind::F16:
    return Visit(Scalar<uint16_t, Kind::F16>());
  case Kind::Bf16:
    return Visit(Scalar<uint16_t, Kind::Bf16>());
  case Kind::F32:
    return Visit(Scalar<uint32_t, Kind::F32>());
  case Kind::F64:
    return Visit(Scalar<uint64_t, Kind::F64>());
  case Kind::I8:
    return Visit(Scalar<int8_t, Kind::I8>());
  case Kind::I16:
    return Visit(Scalar<int16_t, Kind::I16>());
  case Kind::I32:
    return Visit(Scalar<int32_t, Kind::I32>());
  case Kind::I64:
    return Visit(Scalar<int64_t, Kind::I64>());
  case Kind::U8:
  case Kind::Bool:
    return Visit(Scalar<uint8_t, Kind::U8>());
  case Kind::U16:
    return Visit(Scalar<uint16_t, Kind::U16>());
  case Kind::U32:
    return Visit(Scalar<uint32_t, Kind::U32>());
  case Kind::U64:
    return Visit(Scalar<uint64_t, Kind::U64>());
  }
}

/// Elements that one thread looks at in one go.
constexpr uint64_t Block = 1 << 18;

/// Calls \p Visit(byte offset, element, part) for each scalar of a component in
/// the elements from \p Begin to \p End.
template <typename Visitor>
void forScalars(const BufferSpec &Buffer, const mep_fill::Component &Part,
                uint64_t Size, Visitor Visit, uint64_t Begin = 0,
                uint64_t End = UINT64_MAX) {
  End = std::min(End, Buffer.Count);
  for (uint64_t Element = Begin; Element < End; ++Element)
    for (uint64_t I = 0; I < Part.Count; ++I)
      Visit(Element * Buffer.ElementBytes + Part.Offset + I * Size, Element, I);
}

template <typename Bits> Bits filled(uint8_t Byte) {
  Bits Value;
  std::memset(&Value, Byte, sizeof(Value));
  return Value;
}

std::string place(const BufferSpec &Buffer, unsigned Component,
                  uint64_t Element, uint64_t Part) {
  std::string Text = Buffer.Name + "[" + std::to_string(Element) + "]";
  if (Buffer.Components.size() > 1)
    Text += " member " + std::to_string(Component);
  if (Buffer.Components[Component].Count > 1)
    Text += " part " + std::to_string(Part);
  return Text;
}

std::string number(Kind K, double Value, bool IsPoison) {
  if (IsPoison)
    return "not written";
  char Text[40];
  std::snprintf(Text, sizeof(Text), isFloating(K) ? "%.9g" : "%.20g", Value);
  return Text;
}

template <typename S>
double scaleOf(const BufferSpec &Buffer, const mep_fill::Component &Part,
               const uint8_t *Data, uint8_t Poison) {
  const auto Unwritten = filled<typename S::Bits>(Poison);
  struct Sum {
    double Squares = 0, Counted = 0;
  };
  std::vector<Sum> Sums(Buffer.Count / Block + 1);
  auto Add = [&](uint64_t Number, uint64_t Begin, uint64_t End) {
    Sum &Own = Sums[Number];
    forScalars(
        Buffer, Part, sizeof(typename S::Bits),
        [&](uint64_t At, uint64_t, uint64_t) {
          auto Bits = S::load(Data + At);
          double Value = S::value(Bits);
          if (Bits == Unwritten || !std::isfinite(Value))
            return;
          Own.Squares += Value * Value;
          ++Own.Counted;
        },
        Begin, End);
  };
  forBlocks(Buffer.Count, Block, Add);
  Sum Total;
  for (const Sum &Each : Sums) {
    Total.Squares += Each.Squares;
    Total.Counted += Each.Counted;
  }
  return Total.Counted > 0 ? std::sqrt(Total.Squares / Total.Counted) : 0;
}

/// Error of two scalars of different bits in units of (|expected| + scale);
/// infinite when they cannot be compared and for integers, which a double does
/// not always tell apart.
inline double distance(double Expected, double Got, double Scale,
                       bool Floating) {
  if (!Floating)
    return HUGE_VAL;
  if (std::isnan(Expected) && std::isnan(Got))
    return 0;
  double Gap = std::fabs(Got - Expected);
  if (Gap == 0)
    return 0;
  double Unit = std::fabs(Expected) + Scale;
  return Unit > 0 && std::isfinite(Gap) ? Gap / Unit : HUGE_VAL;
}

/// What one block of a component adds to the Difference.
struct BlockDifference {
  uint64_t Wrong = 0;
  double Worst = 0;
  std::string First;
};

template <typename S>
void compareComponent(const BufferSpec &Buffer, unsigned Index,
                      const uint8_t *Expected, const uint8_t *Got,
                      const BufferTolerance &Allowed, uint8_t Poison,
                      Difference &Result) {
  using Bits = typename S::Bits;
  const mep_fill::Component &Part = Buffer.Components[Index];
  const Bits Unwritten = filled<Bits>(Poison);
  const bool Floating = isFloating(Part.Scalar);
  const double Scale =
      Floating ? scaleOf<S>(Buffer, Part, Expected, Poison) : 0;
  const double Limit = Floating ? Allowed.Relative[Index] : 0;
  std::vector<BlockDifference> Found(Buffer.Count / Block + 1);
  auto Look = [&](uint64_t Number, uint64_t Begin, uint64_t End) {
    BlockDifference &Own = Found[Number];
    forScalars(
        Buffer, Part, sizeof(Bits),
        [&](uint64_t At, uint64_t Element, uint64_t I) {
          Bits Want = S::load(Expected + At), Have = S::load(Got + At);
          if (Want == Have)
            return;
          bool OneSided = Want == Unwritten || Have == Unwritten;
          double WantValue = S::value(Want), HaveValue = S::value(Have);
          double Error = OneSided
                             ? HUGE_VAL
                             : distance(WantValue, HaveValue, Scale, Floating);
          Own.Worst = std::max(Own.Worst, Error);
          if (Error <= Limit ||
              (Floating && !OneSided &&
               std::fabs(HaveValue - WantValue) <= Allowed.Absolute))
            return;
          if (Own.Wrong++ == 0)
            Own.First = place(Buffer, Index, Element, I) + ": expected " +
                        number(Part.Scalar, WantValue, Want == Unwritten) +
                        ", got " +
                        number(Part.Scalar, HaveValue, Have == Unwritten);
        },
        Begin, End);
  };
  forBlocks(Buffer.Count, Block, Look);
  for (BlockDifference &Each : Found) {
    if (Result.Wrong == 0 && Each.Wrong)
      Result.First = std::move(Each.First);
    Result.Wrong += Each.Wrong;
    Result.WorstOf[Index] = std::max(Result.WorstOf[Index], Each.Worst);
  }
}

struct KindLimits {
  double Epsilon, Floor, LongSum, Cap;
};

/// Half an ulp of 1; the least tolerance; the most that the length of a sum
/// may raise it to; the most at all.
KindLimits limits(Kind K) {
  switch (K) {
  case Kind::F64:
    return {1.1e-16, 1e-13, 1e-12, 1e-10};
  case Kind::F16:
    return {4.9e-4, 2e-3, 5e-3, 2e-2};
  case Kind::Bf16:
    return {3.9e-3, 8e-3, 2e-2, 4e-2};
  default:
    return {6.0e-8, 1e-5, 1e-4, 1e-3};
  }
}

/// Scrambles a scalar's number into a coin toss.
bool coin(uint64_t Number) {
  Number = (Number ^ Number >> 30) * 0xbf58476d1ce4e5b9u;
  return (Number ^ Number >> 27) * 0x94d049bb133111ebu >> 63;
}

} // namespace

bool mepworker::isFloating(Kind K) {
  return K == Kind::F16 || K == Kind::Bf16 || K == Kind::F32 || K == Kind::F64;
}

Difference mepworker::compare(const BufferSpec &Buffer,
                              const std::vector<uint8_t> &Expected,
                              const std::vector<uint8_t> &Got,
                              const BufferTolerance &Allowed, uint8_t Poison) {
  Difference Result;
  Result.WorstOf.resize(Buffer.Components.size());
  if (Expected == Got)
    return Result;
  for (unsigned I = 0; I < Buffer.Components.size(); ++I) {
    withKind(Buffer.Components[I].Scalar, [&](auto S) {
      compareComponent<decltype(S)>(Buffer, I, Expected.data(), Got.data(),
                                    Allowed, Poison, Result);
    });
    if (Result.WorstOf[I] > Result.Worst) {
      Result.Worst = Result.WorstOf[I];
      Result.WorstComponent = I;
    }
  }
  return Result;
}

void mepworker::nudge(const BufferSpec &Buffer, std::vector<uint8_t> &Data) {
  for (const mep_fill::Component &Part : Buffer.Components)
    if (isFloating(Part.Scalar))
      withKind(Part.Scalar, [&](auto S) {
        using Bits = typename decltype(S)::Bits;
        forScalars(Buffer, Part, sizeof(Bits),
                   [&](uint64_t At, uint64_t, uint64_t) {
                     Bits B = S.load(Data.data() + At);
                     double Value = S.value(B);
                     if (Value == 0 || !std::isfinite(Value))
                       return;
                     B = Bits(coin(At) ? B + 1 : B - 1);
                     std::memcpy(Data.data() + At, &B, sizeof(B));
                   });
      });
}

Census mepworker::count(const BufferSpec &Buffer,
                        const std::vector<uint8_t> &Before,
                        const std::vector<uint8_t> &After) {
  Census Result;
  for (const mep_fill::Component &Part : Buffer.Components)
    withKind(Part.Scalar, [&](auto S) {
      using Bits = typename decltype(S)::Bits;
      forScalars(Buffer, Part, sizeof(Bits),
                 [&](uint64_t At, uint64_t Element, uint64_t) {
                   Bits Old = S.load(Before.data() + At);
                   Bits New = S.load(After.data() + At);
                   if (Old == New)
                     return;
                   Result.WrittenBytes += sizeof(Bits);
                   if (!isFloating(Part.Scalar))
                     return;
                   ++Result.Floats;
                   if (!std::isfinite(S.value(New)) && Result.NotFinite++ == 0)
                     Result.FirstNotFinite = Element;
                 });
    });
  return Result;
}

double mepworker::measuredTolerance(Kind K, double UlpResponse, double Spread,
                                    uint64_t LongestInput) {
  const KindLimits Limits = limits(K);
  double Sum = std::min(Limits.Epsilon * std::sqrt(double(LongestInput)),
                        Limits.LongSum);
  double Measured = std::max(8 * UlpResponse, 4 * Spread);
  return std::min(std::max({Limits.Floor, Sum, Measured}), Limits.Cap);
}

double mepworker::toleranceCap(Kind K) { return limits(K).Cap; }

double mepworker::scalarValue(Kind K, const uint8_t *From) {
  double Value = 0;
  withKind(K, [&](auto S) { Value = S.value(S.load(From)); });
  return Value;
}
