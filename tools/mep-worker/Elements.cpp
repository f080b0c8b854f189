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
uint64_t blockOf(const BufferSpec &Buffer) {
  constexpr uint64_t BlockBytes = 1 << 20;
  return std::max<uint64_t>(1, BlockBytes / Buffer.ElementBytes);
}

/// Calls \p Visit(byte offset, element, part) for each scalar of a component in
/// the elements from \p Begin to \p End. Offsets count from \p Begin on.
template <typename Visitor>
void forScalars(const BufferSpec &Buffer, const mep_fill::Component &Part,
                uint64_t Size, uint64_t Begin, uint64_t End, uint64_t Origin,
                Visitor Visit) {
  for (uint64_t Element = Begin; Element < End; ++Element)
    for (uint64_t I = 0; I < Part.Count; ++I)
      Visit((Element - Origin) * Buffer.ElementBytes + Part.Offset + I * Size,
            Element, I);
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

/// Adds a block to the sum that a scale is made of.
template <typename S>
void addSquares(const BufferSpec &Buffer, const mep_fill::Component &Part,
                const uint8_t *Piece, uint64_t Begin, uint64_t End,
                uint64_t Origin, uint8_t Poison, Comparison::Sum &Own) {
  const auto Unwritten = filled<typename S::Bits>(Poison);
  forScalars(Buffer, Part, sizeof(typename S::Bits), Begin, End, Origin,
             [&](uint64_t At, uint64_t, uint64_t) {
               auto Bits = S::load(Piece + At);
               double Value = S::value(Bits);
               if (Bits == Unwritten || !std::isfinite(Value))
                 return;
               Own.Squares += Value * Value;
               ++Own.Counted;
             });
}

double rootMeanSquare(const std::vector<Comparison::Sum> &Sums) {
  Comparison::Sum Total;
  for (const Comparison::Sum &Each : Sums) {
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

/// What a component may differ by, and from what.
struct ComponentLimits {
  double Relative, Absolute, Scale;
  uint8_t Poison;
};

/// Compares one block of a component.
template <typename S>
void compareBlock(const BufferSpec &Buffer, unsigned Index,
                  const uint8_t *Expected, const uint8_t *Got, uint64_t Begin,
                  uint64_t End, uint64_t Origin, const ComponentLimits &Limits,
                  Comparison::Found &Own) {
  using Bits = typename S::Bits;
  const mep_fill::Component &Part = Buffer.Components[Index];
  const Bits Unwritten = filled<Bits>(Limits.Poison);
  const bool Floating = isFloating(Part.Scalar);
  forScalars(Buffer, Part, sizeof(Bits), Begin, End, Origin,
             [&](uint64_t At, uint64_t Element, uint64_t I) {
               Bits Want = S::load(Expected + At), Have = S::load(Got + At);
               if (Want == Have)
                 return;
               bool OneSided = Want == Unwritten || Have == Unwritten;
               double WantValue = S::value(Want), HaveValue = S::value(Have);
               double Error = OneSided ? HUGE_VAL
                                       : distance(WantValue, HaveValue,
                                                  Limits.Scale, Floating);
               Own.Worst = std::max(Own.Worst, Error);
               if (Error <= Limits.Relative ||
                   (Floating && !OneSided &&
                    std::fabs(HaveValue - WantValue) <= Limits.Absolute))
                 return;
               if (Own.Wrong++ == 0)
                 Own.First = place(Buffer, Index, Element, I) + ": expected " +
                             number(Part.Scalar, WantValue, Want == Unwritten) +
                             ", got " +
                             number(Part.Scalar, HaveValue, Have == Unwritten);
             });
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

/// The same bits for all scalars that are no difference to each other.
template <typename S, typename Bits>
Bits sameForAll(S, Bits B, Bits Unwritten) {
  if (B == Unwritten)
    return B;
  const double Value = S::value(B);
  if (std::isnan(Value))
    return Bits(filled<Bits>(0xFF) ^ 1);
  return Value == 0 ? Bits(0) : B;
}

/// A strong mix of a scalar with its number and a key (finaliser of MurmurHash3
/// by A. Appleby, public domain).
uint64_t mixed(uint64_t Value, uint64_t Number, uint64_t Key) {
  Value = (Value + Key) ^ (Number * 0x9e3779b97f4a7c15u);
  Value = (Value ^ Value >> 33) * 0xff51afd7ed558ccdu;
  Value = (Value ^ Value >> 33) * 0xc4ceb9fe1a85ec53u;
  return Value ^ Value >> 33;
}

} // namespace

bool mepworker::isFloating(Kind K) {
  return K == Kind::F16 || K == Kind::Bf16 || K == Kind::F32 || K == Kind::F64;
}

Comparison::Comparison(const BufferSpec &Buffer, BufferTolerance Allowed,
                       uint8_t Poison)
    : Buffer(Buffer), Allowed(std::move(Allowed)), Poison(Poison),
      Block(blockOf(Buffer)), Sums(Buffer.Components.size(),
                                   std::vector<Sum>(Buffer.Count / Block + 1)),
      Differences(Buffer.Components.size(),
                  std::vector<Found>(Buffer.Count / Block + 1)) {}

bool Comparison::needsScale() const {
  return Scales.empty() &&
         std::any_of(Buffer.Components.begin(), Buffer.Components.end(),
                     [](const auto &Part) { return isFloating(Part.Scalar); });
}

const std::vector<double> &Comparison::scales() {
  if (Scales.empty())
    for (const std::vector<Sum> &Each : Sums)
      Scales.push_back(rootMeanSquare(Each));
  return Scales;
}

void Comparison::addToScale(const uint8_t *Expected, uint64_t Begin,
                            uint64_t End) {
  for (unsigned C = 0; C < Buffer.Components.size(); ++C)
    if (isFloating(Buffer.Components[C].Scalar))
      withKind(Buffer.Components[C].Scalar, [&](auto S) {
        forBlocksOf(Begin, End, Block,
                    [&](uint64_t Number, uint64_t From, uint64_t To) {
                      addSquares<decltype(S)>(Buffer, Buffer.Components[C],
                                              Expected, From, To, Begin, Poison,
                                              Sums[C][Number]);
                    });
      });
}

void Comparison::look(const uint8_t *Expected, const uint8_t *Got,
                      uint64_t Begin, uint64_t End) {
  scales();
  for (unsigned C = 0; C < Buffer.Components.size(); ++C)
    withKind(Buffer.Components[C].Scalar, [&](auto S) {
      const bool Floating = isFloating(Buffer.Components[C].Scalar);
      const ComponentLimits Limits{Floating ? Allowed.Relative[C] : 0,
                                   Allowed.Absolute, Scales[C], Poison};
      forBlocksOf(
          Begin, End, Block, [&](uint64_t Number, uint64_t From, uint64_t To) {
            compareBlock<decltype(S)>(Buffer, C, Expected, Got, From, To, Begin,
                                      Limits, Differences[C][Number]);
          });
    });
}

Difference Comparison::result() const {
  Difference Result;
  Result.WorstOf.resize(Buffer.Components.size());
  for (unsigned C = 0; C < Buffer.Components.size(); ++C) {
    for (const Found &Each : Differences[C]) {
      if (Result.Wrong == 0 && Each.Wrong)
        Result.First = Each.First;
      Result.Wrong += Each.Wrong;
      Result.WorstOf[C] = std::max(Result.WorstOf[C], Each.Worst);
    }
    if (Result.WorstOf[C] > Result.Worst) {
      Result.Worst = Result.WorstOf[C];
      Result.WorstComponent = C;
    }
  }
  return Result;
}

Difference mepworker::compare(const BufferSpec &Buffer,
                              const std::vector<uint8_t> &Expected,
                              const std::vector<uint8_t> &Got,
                              const BufferTolerance &Allowed, uint8_t Poison) {
  Comparison Both(Buffer, Allowed, Poison);
  Both.addToScale(Expected.data(), 0, Buffer.Count);
  Both.look(Expected.data(), Got.data(), 0, Buffer.Count);
  return Both.result();
}

ScalarHashes::ScalarHashes(const BufferSpec &Buffer, uint8_t Poison,
                           uint64_t Key)
    : Buffer(Buffer), Poison(Poison), Key(Key), Block(blockOf(Buffer)),
      Sums(Buffer.Count / Block + 1) {}

void ScalarHashes::add(const uint8_t *Content, uint64_t Begin, uint64_t End) {
  for (unsigned C = 0; C < Buffer.Components.size(); ++C)
    withKind(Buffer.Components[C].Scalar, [&](auto S) {
      const mep_fill::Component &Part = Buffer.Components[C];
      using Bits = typename decltype(S)::Bits;
      const Bits Unwritten = filled<Bits>(Poison);
      forBlocksOf(Begin, End, Block,
                  [&](uint64_t Number, uint64_t From, uint64_t To) {
                    uint64_t Sum = 0;
                    forScalars(Buffer, Part, sizeof(Bits), From, To, Begin,
                               [&](uint64_t At, uint64_t Element, uint64_t I) {
                                 Bits B = S.load(Content + At);
                                 Sum += mixed(sameForAll(S, B, Unwritten),
                                              (Element * Part.Count + I) ^
                                                  uint64_t(C) << 48,
                                              Key);
                               });
                    Sums[Number] += Sum;
                  });
    });
}

std::string ScalarHashes::difference(const ScalarHashes &Other) const {
  for (uint64_t I = 0; I < Sums.size(); ++I)
    if (Sums[I] != Other.Sums[I])
      return "among " + Buffer.Name + "[" + std::to_string(I * Block) +
             "] to " + Buffer.Name + "[" +
             std::to_string(std::min((I + 1) * Block, Buffer.Count) - 1) + "]";
  return "";
}

void mepworker::nudge(const BufferSpec &Buffer, uint8_t *Piece, uint64_t Begin,
                      uint64_t End) {
  auto Move = [&](const mep_fill::Component &Part, auto S, uint64_t From,
                  uint64_t To) {
    using Bits = typename decltype(S)::Bits;
    forScalars(Buffer, Part, sizeof(Bits), From, To, Begin,
               [&](uint64_t At, uint64_t, uint64_t) {
                 Bits B = S.load(Piece + At);
                 double Value = S.value(B);
                 if (Value == 0 || !std::isfinite(Value))
                   return;
                 bool Up = coin(Begin * Buffer.ElementBytes + At);
                 B = Bits(Up ? B + 1 : B - 1);
                 std::memcpy(Piece + At, &B, sizeof(B));
               });
  };
  for (const mep_fill::Component &Part : Buffer.Components)
    if (isFloating(Part.Scalar))
      withKind(Part.Scalar, [&](auto S) {
        forBlocksOf(Begin, End, blockOf(Buffer),
                    [&](uint64_t, uint64_t From, uint64_t To) {
                      Move(Part, S, From, To);
                    });
      });
}

/// Counts one block of a component.
template <typename S>
static void countBlock(const BufferSpec &Buffer,
                       const mep_fill::Component &Part, const uint8_t *Before,
                       const uint8_t *After, uint64_t Begin, uint64_t End,
                       uint64_t Origin, Census &Own) {
  using Bits = typename S::Bits;
  forScalars(Buffer, Part, sizeof(Bits), Begin, End, Origin,
             [&](uint64_t At, uint64_t Element, uint64_t) {
               Bits Old = S::load(Before + At);
               Bits New = S::load(After + At);
               if (Old == New)
                 return;
               Own.WrittenBytes += sizeof(Bits);
               if (!isFloating(Part.Scalar))
                 return;
               ++Own.Floats;
               if (!std::isfinite(S::value(New)) && Own.NotFinite++ == 0)
                 Own.FirstNotFinite = Element;
             });
}

static void add(const Census &Part, Census &To) {
  if (Part.NotFinite &&
      (!To.NotFinite || Part.FirstNotFinite < To.FirstNotFinite))
    To.FirstNotFinite = Part.FirstNotFinite;
  To.Floats += Part.Floats;
  To.NotFinite += Part.NotFinite;
  To.WrittenBytes += Part.WrittenBytes;
}

void mepworker::count(const BufferSpec &Buffer, const uint8_t *Before,
                      const uint8_t *After, uint64_t Begin, uint64_t End,
                      Census &Seen) {
  if (Begin >= End)
    return;
  const uint64_t Block = blockOf(Buffer);
  for (const mep_fill::Component &Part : Buffer.Components)
    withKind(Part.Scalar, [&](auto S) {
      std::vector<Census> Blocks((End - 1) / Block + 1 - Begin / Block);
      forBlocksOf(
          Begin, End, Block, [&](uint64_t Number, uint64_t From, uint64_t To) {
            countBlock<decltype(S)>(Buffer, Part, Before, After, From, To,
                                    Begin, Blocks[Number - Begin / Block]);
          });
      for (const Census &Each : Blocks)
        add(Each, Seen);
    });
}

void mepworker::findLargest(const BufferSpec &Buffer, const uint8_t *Before,
                            const uint8_t *After, uint64_t Begin, uint64_t End,
                            LargestWritten &Seen) {
  const mep_fill::Component &Part = Buffer.Components.front();
  withKind(Part.Scalar, [&](auto S) {
    using Bits = typename decltype(S)::Bits;
    for (uint64_t Element = Begin; Element < End; ++Element) {
      uint64_t At = (Element - Begin) * Buffer.ElementBytes + Part.Offset;
      Bits New = S.load(After + At);
      if (S.load(Before + At) == New)
        continue;
      double Magnitude = std::fabs(S.value(New));
      if (std::isfinite(Magnitude) && Magnitude > Seen.Magnitude)
        Seen = {true, Element, Magnitude};
    }
  });
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
