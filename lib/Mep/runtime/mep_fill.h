/// \file
/// The bytes of every buffer, the same on every platform: the worker and each
/// generated program include this one header. Values come from the
/// counter-based generator Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel
/// random numbers: as easy as 1, 2, 3", SC 2011) by element index, so any range
/// of a buffer can be made alone and in any order.
///
/// C++17, standard library only. The worker also gives it to NVRTC, which has
/// none, to make large buffers where they lie (MEP_FILL_ON_DEVICE). No
/// all-uppercase and no one-letter name is used, because programs are compiled
/// with -DN=... and the like.

#ifndef MEP_FILL_H
#define MEP_FILL_H

#ifndef MEP_FILL_ON_DEVICE
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#endif

namespace mep_fill {

enum class Kind : uint8_t {
  F16,
  Bf16,
  F32,
  F64,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  Bool
};

/// Values of all scalars of a buffer; `Low` and `High` are arguments of fill.
enum class Rule : uint8_t {
  Uniform,     ///< Floats in [Low, High), integers in [Low, High].
  Zero,        ///< All bits zero.
  Constant,    ///< Low.
  Index,       ///< Integers in [Low, High): valid subscripts.
  Iota,        ///< Counted by the element's index, from Low: see Counting.
  Permutation, ///< The indices of all elements in a fixed random order, + Low.
  Offsets,     ///< Non-decreasing from Low to High (row starts of CSR).
  Table        ///< Listed by the scalar's number; zero behind the list.
};

/// How Iota counts: element i is (Low + Step * ((i / Each) % Period)) %
/// Modulus, in C++'s arithmetic of 64 bits; a Period or Modulus of 0 is none.
struct Counting {
  int64_t Step = 1, Each = 1, Period = 0, Modulus = 0;
};

/// What some rules need beside Low and High.
struct Details {
  Counting Counts;
  const double *Listed = nullptr; ///< Of Table; host memory.
  uint64_t ListedCount = 0;
};

/// \p Count scalars of one kind at byte \p Offset of each element.
struct Component {
  Kind Scalar;
  uint64_t Offset, Count;
};

inline unsigned byteSize(Kind Scalar) {
  switch (Scalar) {
  case Kind::I8:
  case Kind::U8:
  case Kind::Bool:
    return 1;
  case Kind::F16:
  case Kind::Bf16:
  case Kind::I16:
  case Kind::U16:
    return 2;
  case Kind::F32:
  case Kind::I32:
  case Kind::U32:
    return 4;
  default:
    return 8;
  }
}

#ifndef MEP_FILL_ON_DEVICE
/// Names as in workload.json; false when there is no such kind or rule.
inline bool kindFromName(const std::string &Name, Kind &Out) {
  static const char *const Names[] = {"f16", "bf16", "f32", "f64", "i8",
                                      "i16", "i32",  "i64", "u8",  "u16",
                                      "u32", "u64",  "bool"};
  for (unsigned Index = 0; Index < 13; ++Index)
    if (Name == Names[Index])
      return Out = static_cast<Kind>(Index), true;
  return false;
}

inline bool ruleFromName(const std::string &Name, Rule &Out) {
  static const char *const Names[] = {"uniform",     "zero",    "constant",
                                      "index",       "iota",    "permutation",
                                      "offsets",     "table"};
  for (unsigned Index = 0; Index < 8; ++Index)
    if (Name == Names[Index])
      return Out = static_cast<Rule>(Index), true;
  return false;
}

#endif

// ---- Philox4x32-10 ----------------------------------------------------------

struct Words {
  uint32_t Lane[4];
};

/// One block of four words for a counter of four and a key of two words.
inline Words philox(Words Counter, uint32_t Key0, uint32_t Key1) {
  for (int Round = 0; Round < 10; ++Round) {
    uint64_t Product0 = uint64_t(0xD2511F53u) * Counter.Lane[0];
    uint64_t Product1 = uint64_t(0xCD9E8D57u) * Counter.Lane[2];
    Counter = {{uint32_t(Product1 >> 32) ^ Counter.Lane[1] ^ Key0,
                uint32_t(Product1),
                uint32_t(Product0 >> 32) ^ Counter.Lane[3] ^ Key1,
                uint32_t(Product0)}};
    Key0 += 0x9E3779B9u;
    Key1 += 0xBB67AE85u;
  }
  return Counter;
}

#ifndef MEP_FILL_ON_DEVICE
/// FNV-1a; the number of a buffer's name.
inline uint64_t nameHash(const std::string &Name) {
  uint64_t Hash = 0xcbf29ce484222325u;
  for (unsigned char Letter : Name)
    Hash = (Hash ^ Letter) * 0x100000001b3u;
  return Hash;
}
#endif

/// Random words of one buffer by scalar number. Keeps the last block, so
/// reading in order costs one block per four words.
class Stream {
public:
  Stream(uint64_t Seed, uint64_t BufferHash) : Seed(Seed), Hash(BufferHash) {}

  uint32_t word32(uint64_t Scalar) {
    return block(Scalar >> 2, 0).Lane[Scalar & 3];
  }
  uint64_t word64(uint64_t Scalar) {
    const Words &Four = block(Scalar >> 1, 1);
    unsigned Lane = (Scalar & 1) * 2;
    return uint64_t(Four.Lane[Lane]) << 32 | Four.Lane[Lane + 1];
  }

private:
  const Words &block(uint64_t Number, uint32_t Width) {
    if (Number != Last || Width != LastWidth) {
      Current = philox({{uint32_t(Number), uint32_t(Number >> 32) ^ Width << 31,
                         uint32_t(Hash), uint32_t(Hash >> 32)}},
                       uint32_t(Seed), uint32_t(Seed >> 32));
      Last = Number;
      LastWidth = Width;
    }
    return Current;
  }
  uint64_t Seed, Hash, Last = ~uint64_t(0);
  uint32_t LastWidth = 2;
  Words Current{};
};

// ---- one value --------------------------------------------------------------

/// \p Value as IEEE half, rounded to nearest even.
inline uint16_t toHalf(float Value) {
  uint32_t Bits;
  std::memcpy(&Bits, &Value, 4);
  uint16_t Sign = uint16_t(Bits >> 16 & 0x8000);
  uint32_t Magnitude = Bits & 0x7fffffff;
  if (Magnitude > 0x7f800000)
    return uint16_t(Sign | 0x7e00);
  if (Magnitude >= 0x477ff000)
    return uint16_t(Sign | 0x7c00);
  if (Magnitude < 0x38800000) {
    float Scaled;
    std::memcpy(&Scaled, &Magnitude, 4);
    return uint16_t(Sign | uint16_t(std::nearbyint(Scaled * 16777216.0f)));
  }
  uint32_t Rounded = Magnitude - 0x38000000 + 0xfff + (Magnitude >> 13 & 1);
  return uint16_t(Sign | Rounded >> 13);
}

/// \p Value as bfloat16, rounded to nearest even.
inline uint16_t toBfloat(float Value) {
  uint32_t Bits;
  std::memcpy(&Bits, &Value, 4);
  if ((Bits & 0x7fffffff) > 0x7f800000)
    return uint16_t(Bits >> 16 | 0x40);
  return uint16_t((Bits + 0x7fff + (Bits >> 16 & 1)) >> 16);
}

inline uint64_t multiplyHigh(uint64_t Left, uint64_t Right) {
  uint64_t LowLeft = uint32_t(Left), HighLeft = Left >> 32;
  uint64_t LowRight = uint32_t(Right), HighRight = Right >> 32;
  uint64_t Low = LowLeft * LowRight;
  uint64_t Middle = HighLeft * LowRight + (Low >> 32);
  uint64_t Carry = LowLeft * HighRight + uint32_t(Middle);
  return HighLeft * HighRight + (Middle >> 32) + (Carry >> 32);
}

/// \p Value rounded toward zero into [Least, Most].
inline int64_t clampToInteger(double Value, int64_t Least, int64_t Most) {
  if (!(Value > double(Least)))
    return Least;
  if (Value >= double(Most))
    return Most;
  return int64_t(Value);
}

/// A fixed bijection of [0, Count): a Feistel network over the next even power
/// of two, walked until it lands inside.
inline uint64_t permuted(uint64_t Index, uint64_t Count, uint64_t Key) {
  if (Count < 2)
    return Index;
  unsigned HalfBits = 1;
  while (HalfBits < 32 && (uint64_t(1) << 2 * HalfBits) < Count)
    ++HalfBits;
  const uint64_t Mask = (uint64_t(1) << HalfBits) - 1;
  do {
    uint64_t Left = Index >> HalfBits, Right = Index & Mask;
    for (uint64_t Round = 1; Round <= 4; ++Round) {
      uint64_t Mixed = (Right + Key + Round * 0x9E3779B97F4A7C15u);
      Mixed = (Mixed ^ Mixed >> 30) * 0xBF58476D1CE4E5B9u;
      Mixed = (Mixed ^ Mixed >> 27) * 0x94D049BB133111EBu;
      uint64_t Next = Left ^ (Mixed >> 31 & Mask);
      Left = Right;
      Right = Next;
    }
    Index = Left << HalfBits | Right;
  } while (Index >= Count);
  return Index;
}

/// Row start \p Index of \p Count: monotone because each random shift stays
/// inside its own step.
inline uint64_t offsetAt(uint64_t Index, uint64_t Count, double High,
                         uint32_t Random) {
  if (Index == 0 || Count < 2)
    return Count < 2 && High > 0 ? uint64_t(High) : 0;
  if (Index + 1 >= Count)
    return High > 0 ? uint64_t(High) : 0;
  double Position = double(Index) - 0.5 + double(Random) / 4294967296.0;
  return uint64_t(std::floor(Position / double(Count - 1) *
                             (High > 0 ? std::floor(High) : 0)));
}

/// Draws from [Low, High). Every product is exact (24 by at most 29 bits), so
/// fused and separate multiply-add give the same value on every machine.
inline double uniformReal(uint64_t Word, double Low, double High) {
  const double Range = double(float(High - Low));
  const double Upper = double(uint32_t(Word >> 40)) * 0x1p-24;
  const double Lower = double(uint32_t(Word >> 11) & 0x1fffffff) * 0x1p-53;
  double Value = Low + Range * Upper;
  Value = Value + Range * Lower;
  return Value < High ? Value : Low;
}

inline float uniformFloat(uint32_t Word, double Low, double High) {
  const double Range = double(float(High - Low));
  const double Upper = double(Word >> 8) * 0x1p-24;
  const float Value = float(Low + Range * Upper);
  return Value < float(High) ? Value : float(Low);
}

// ---- a buffer ---------------------------------------------------------------

/// What every element of one buffer is made from.
struct Recipe {
  Rule How;
  double Low, High;
  uint64_t Seed, BufferHash, Count;
  Details More;
};

inline int64_t counted(int64_t Low, const Counting &How, uint64_t Element) {
  uint64_t At = How.Each > 1 ? Element / uint64_t(How.Each) : Element;
  if (How.Period > 0)
    At %= uint64_t(How.Period);
  int64_t Value = int64_t(uint64_t(Low) + uint64_t(How.Step) * At);
  return How.Modulus > 0 ? Value % How.Modulus : Value;
}

inline double listed(const Details &More, uint64_t Scalar) {
  return Scalar < More.ListedCount ? More.Listed[Scalar] : 0;
}

/// The integer of a rule that is not drawn from [Low, High].
inline uint64_t ruleInteger(const Recipe &Make, Stream &Random,
                            uint64_t Element, uint64_t Scalar) {
  switch (Make.How) {
  case Rule::Iota:
    return uint64_t(counted(int64_t(Make.Low), Make.More.Counts, Element));
  case Rule::Permutation:
    return uint64_t(int64_t(Make.Low)) +
           permuted(Element, Make.Count, Make.Seed ^ Make.BufferHash);
  case Rule::Offsets:
    return uint64_t(int64_t(Make.Low)) +
           offsetAt(Element, Make.Count, Make.High - Make.Low,
                    Random.word32(Scalar));
  default:
    return 0;
  }
}

inline bool drawsFromRange(Rule How) {
  return How == Rule::Uniform || How == Rule::Index || How == Rule::Constant;
}

/// Draws an integer of a type whose values are [Least, Most].
template <bool Wide>
inline int64_t drawInteger(const Recipe &Make, Stream &Random, uint64_t Scalar,
                           int64_t Least, int64_t Most) {
  int64_t From = clampToInteger(std::ceil(Make.Low), Least, Most);
  if (Make.How == Rule::Constant)
    return clampToInteger(Make.Low, Least, Most);
  double Last = Make.How == Rule::Index ? std::ceil(Make.High) - 1 : Make.High;
  int64_t To = clampToInteger(std::floor(Last), Least, Most);
  if (To <= From)
    return From;
  uint64_t Range = uint64_t(To) - uint64_t(From) + 1;
  if (!Wide && Range <= 0xffffffffu)
    return From + int64_t(uint64_t(Random.word32(Scalar)) * Range >> 32);
  uint64_t Word = Random.word64(Scalar);
  return int64_t(uint64_t(From) + (Range ? multiplyHigh(Word, Range) : Word));
}

template <typename IntegerType> struct IntegerMaker {
  static constexpr bool IsSigned = IntegerType(-1) < IntegerType(0);
  static constexpr int64_t Most =
      sizeof(IntegerType) == 8
          ? INT64_MAX
          : int64_t((uint64_t(1) << (8 * sizeof(IntegerType) - IsSigned)) - 1);
  static constexpr int64_t Least = IsSigned ? -Most - 1 : 0;

  static void put(unsigned char *To, const Recipe &Make, Stream &Random,
                  uint64_t Element, uint64_t Scalar) {
    IntegerType Value =
        Make.How == Rule::Table
            ? IntegerType(clampToInteger(listed(Make.More, Scalar), Least, Most))
        : drawsFromRange(Make.How)
            ? IntegerType(drawInteger<sizeof(IntegerType) == 8>(
                  Make, Random, Scalar, Least, Most))
            : IntegerType(ruleInteger(Make, Random, Element, Scalar));
    std::memcpy(To, &Value, sizeof(Value));
  }
};

struct BoolMaker {
  static void put(unsigned char *To, const Recipe &Make, Stream &Random,
                  uint64_t Element, uint64_t Scalar) {
    if (Make.How == Rule::Uniform)
      *To = Random.word32(Scalar) >> 31;
    else if (Make.How == Rule::Constant)
      *To = Make.Low != 0;
    else if (Make.How == Rule::Index)
      *To = drawInteger<false>(Make, Random, Scalar, 0, 1) != 0;
    else if (Make.How == Rule::Table)
      *To = listed(Make.More, Scalar) != 0;
    else
      *To = ruleInteger(Make, Random, Element, Scalar) != 0;
  }
};

/// The double that an integer-valued rule or a draw gives a floating scalar.
inline double drawReal(const Recipe &Make, Stream &Random, uint64_t Element,
                       uint64_t Scalar) {
  if (Make.How == Rule::Uniform)
    return uniformReal(Random.word64(Scalar), Make.Low, Make.High);
  if (Make.How == Rule::Constant)
    return Make.Low;
  if (Make.How == Rule::Table)
    return listed(Make.More, Scalar);
  if (Make.How == Rule::Index)
    return double(
        drawInteger<false>(Make, Random, Scalar, INT64_MIN / 2, INT64_MAX / 2));
  return double(int64_t(ruleInteger(Make, Random, Element, Scalar)));
}

inline float drawFloat(const Recipe &Make, Stream &Random, uint64_t Element,
                       uint64_t Scalar) {
  if (Make.How == Rule::Uniform)
    return uniformFloat(Random.word32(Scalar), Make.Low, Make.High);
  return float(drawReal(Make, Random, Element, Scalar));
}

struct DoubleMaker {
  static void put(unsigned char *To, const Recipe &Make, Stream &Random,
                  uint64_t Element, uint64_t Scalar) {
    double Value = drawReal(Make, Random, Element, Scalar);
    std::memcpy(To, &Value, 8);
  }
};

struct FloatMaker {
  static void put(unsigned char *To, const Recipe &Make, Stream &Random,
                  uint64_t Element, uint64_t Scalar) {
    float Value = drawFloat(Make, Random, Element, Scalar);
    std::memcpy(To, &Value, 4);
  }
};

struct HalfMaker {
  static void put(unsigned char *To, const Recipe &Make, Stream &Random,
                  uint64_t Element, uint64_t Scalar) {
    uint16_t Bits = toHalf(drawFloat(Make, Random, Element, Scalar));
    std::memcpy(To, &Bits, 2);
  }
};

struct BfloatMaker {
  static void put(unsigned char *To, const Recipe &Make, Stream &Random,
                  uint64_t Element, uint64_t Scalar) {
    uint16_t Bits = toBfloat(drawFloat(Make, Random, Element, Scalar));
    std::memcpy(To, &Bits, 2);
  }
};

/// Where the scalars of one component lie in the buffer, and their numbers:
/// element e's k-th scalar of the buffer is number e * PerElement + k.
struct Place {
  uint64_t ElementBytes, Offset, Count, Size, PerElement, FirstScalar;
};

template <typename Maker>
void fillComponent(unsigned char *Data, const Place &Where, const Recipe &Make,
                   uint64_t Begin, uint64_t End) {
  Stream Random(Make.Seed, Make.BufferHash);
  for (uint64_t Element = Begin; Element < End; ++Element) {
    unsigned char *To =
        Data + (Element - Begin) * Where.ElementBytes + Where.Offset;
    uint64_t Scalar = Element * Where.PerElement + Where.FirstScalar;
    for (uint64_t Part = 0; Part < Where.Count; ++Part)
      Maker::put(To + Part * Where.Size, Make, Random, Element, Scalar + Part);
  }
}

#ifndef MEP_FILL_ON_DEVICE
inline void fillComponentOf(Kind Scalar, unsigned char *Data,
                            const Place &Where, const Recipe &Make,
                            uint64_t Begin, uint64_t End) {
  using Function = void (*)(unsigned char *, const Place &, const Recipe &,
                            uint64_t, uint64_t);
  static const Function Makers[] = {fillComponent<HalfMaker>,
                                    fillComponent<BfloatMaker>,
                                    fillComponent<FloatMaker>,
                                    fillComponent<DoubleMaker>,
                                    fillComponent<IntegerMaker<int8_t>>,
                                    fillComponent<IntegerMaker<int16_t>>,
                                    fillComponent<IntegerMaker<int32_t>>,
                                    fillComponent<IntegerMaker<int64_t>>,
                                    fillComponent<IntegerMaker<uint8_t>>,
                                    fillComponent<IntegerMaker<uint16_t>>,
                                    fillComponent<IntegerMaker<uint32_t>>,
                                    fillComponent<IntegerMaker<uint64_t>>,
                                    fillComponent<BoolMaker>};
  Makers[static_cast<unsigned>(Scalar)](Data, Where, Make, Begin, End);
}

/// True when every byte of an element belongs to a component.
inline bool isPacked(uint64_t ElementBytes, const Component *Components,
                     size_t ComponentCount) {
  uint64_t Covered = 0;
  for (size_t Index = 0; Index < ComponentCount; ++Index)
    Covered += Components[Index].Count * byteSize(Components[Index].Scalar);
  return Covered == ElementBytes;
}

/// Makes elements [Begin, End) of a buffer of \p Count elements; \p Data points
/// at element \p Begin. Padding is zero. \p BufferHash: nameHash of its name.
/// What \p More lists has to live as long as the call.
inline void fillRange(void *Data, uint64_t ElementBytes,
                      const Component *Components, size_t ComponentCount,
                      uint64_t Count, Rule How, double Low, double High,
                      uint64_t Seed, uint64_t BufferHash, uint64_t Begin,
                      uint64_t End, const Details &More = Details()) {
  auto *Bytes = static_cast<unsigned char *>(Data);
  if (How == Rule::Zero || !isPacked(ElementBytes, Components, ComponentCount))
    std::memset(Bytes, 0, (End - Begin) * ElementBytes);
  if (How == Rule::Zero)
    return;
  const Recipe Make{How, Low, High, Seed, BufferHash, Count, More};
  uint64_t PerElement = 0, FirstScalar = 0;
  for (size_t Index = 0; Index < ComponentCount; ++Index)
    PerElement += Components[Index].Count;
  for (size_t Index = 0; Index < ComponentCount; ++Index) {
    const Component &Part = Components[Index];
    const Place Where{ElementBytes,          Part.Offset, Part.Count,
                      byteSize(Part.Scalar), PerElement,  FirstScalar};
    fillComponentOf(Part.Scalar, Bytes, Where, Make, Begin, End);
    FirstScalar += Part.Count;
  }
}

/// Makes a whole buffer of \p Count elements.
inline void fill(void *Data, uint64_t ElementBytes, const Component *Components,
                 size_t ComponentCount, uint64_t Count, Rule How, double Low,
                 double High, uint64_t Seed, uint64_t BufferHash,
                 const Details &More = Details()) {
  fillRange(Data, ElementBytes, Components, ComponentCount, Count, How, Low,
            High, Seed, BufferHash, 0, Count, More);
}

// ---- checksum ---------------------------------------------------------------

/// Start of a checksum over several buffers.
constexpr uint64_t ChecksumStart = 0x6d65702d73756d31u;

inline uint64_t checksumWord(uint64_t State, uint64_t Word) {
  State = (State ^ Word) * 0x9E3779B97F4A7C15u;
  return State ^ State >> 29;
}

/// \p State with a length; what has that length comes next.
inline uint64_t checksumLength(uint64_t State, uint64_t Bytes) {
  return (State ^ Bytes) * 0x9E3779B97F4A7C15u;
}

/// \p State with \p Bytes bytes more; depends on order and length.
inline uint64_t checksum(uint64_t State, const void *Data, uint64_t Bytes) {
  const auto *From = static_cast<const unsigned char *>(Data);
  State = checksumLength(State, Bytes);
  uint64_t At = 0, Word;
  for (; At + 8 <= Bytes; At += 8) {
    std::memcpy(&Word, From + At, 8);
    State = checksumWord(State, Word);
  }
  if (At < Bytes) {
    Word = 0;
    std::memcpy(&Word, From + At, Bytes - At);
    State = checksumWord(State, Word);
  }
  return State;
}

/// A checksum over the scalars of \p Count elements more, which come in pieces,
/// in order; padding is left out.
class RunningChecksum {
public:
  RunningChecksum(uint64_t State, uint64_t ElementBytes,
                  const Component *Components, size_t ComponentCount,
                  uint64_t Count)
      : State(State), ElementBytes(ElementBytes), Components(Components),
        ComponentCount(ComponentCount),
        Packed(isPacked(ElementBytes, Components, ComponentCount)) {
    if (Packed)
      this->State = checksumLength(State, Count * ElementBytes);
  }

  void add(const void *Data, uint64_t Elements) {
    const auto *From = static_cast<const unsigned char *>(Data);
    if (Packed)
      return addBytes(From, Elements * ElementBytes);
    for (uint64_t Element = 0; Element < Elements; ++Element)
      for (size_t Index = 0; Index < ComponentCount; ++Index)
        State = checksum(
            State, From + Element * ElementBytes + Components[Index].Offset,
            Components[Index].Count * byteSize(Components[Index].Scalar));
  }

  uint64_t state() const {
    return HeldBytes ? checksumWord(State, Held) : State;
  }

private:
  void addBytes(const unsigned char *From, uint64_t Bytes) {
    uint64_t At = 0, Word;
    for (; At < Bytes && HeldBytes; ++At)
      hold(From[At]);
    for (; At + 8 <= Bytes; At += 8) {
      std::memcpy(&Word, From + At, 8);
      State = checksumWord(State, Word);
    }
    for (; At < Bytes; ++At)
      hold(From[At]);
  }
  /// Words may lie across two pieces.
  void hold(unsigned char Byte) {
    std::memcpy(reinterpret_cast<unsigned char *>(&Held) + HeldBytes, &Byte, 1);
    if (++HeldBytes < 8)
      return;
    State = checksumWord(State, Held);
    Held = HeldBytes = 0;
  }

  uint64_t State, ElementBytes;
  const Component *Components;
  size_t ComponentCount;
  bool Packed;
  uint64_t Held = 0, HeldBytes = 0;
};

/// \p State with the scalars of \p Count elements more; padding is left out.
inline uint64_t checksum(uint64_t State, const void *Data,
                         uint64_t ElementBytes, const Component *Components,
                         size_t ComponentCount, uint64_t Count) {
  RunningChecksum Sum(State, ElementBytes, Components, ComponentCount, Count);
  Sum.add(Data, Count);
  return Sum.state();
}

/// Sixteen hex digits.
inline std::string checksumText(uint64_t State) {
  std::string Text(16, '0');
  for (int Digit = 15; Digit >= 0; --Digit, State >>= 4)
    Text[Digit] = "0123456789abcdef"[State & 15];
  return Text;
}

#endif // MEP_FILL_ON_DEVICE

} // namespace mep_fill

#endif // MEP_FILL_H
