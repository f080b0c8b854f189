/// \file
/// Symbolic to numbers: the shapes of a workload. The last step before a
/// worker: from here on nobody sees an expression.

#include "mep/Workload/Resolve.h"
#include "Questions.h"
#include "mep/Support/Error.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace mep;
using namespace mep::questions;
using llvm::StringRef;
using llvm::Twine;

namespace {

ResolvedBuffer namedBuffer(const Buffer &B) {
  ResolvedBuffer R;
  R.Name = B.Name;
  R.Symbol = B.Symbol;
  R.Element = B.Element;
  R.Use = B.Use;
  R.Rule = B.Fill.Rule;
  return R;
}

/// How the rule `iota` counts; \p Questions are none for other rules.
llvm::Error counting(const Expressions &Batch,
                     const std::vector<size_t> &Questions, ResolvedBuffer &R) {
  if (Questions.empty())
    return llvm::Error::success();
  constexpr int64_t Most = int64_t(1) << 46;
  struct Member {
    int64_t *To, Least;
  };
  const Member Members[] = {
      {&R.Step, -Most}, {&R.Each, 1}, {&R.Period, 0}, {&R.Modulus, 0}};
  for (size_t I = 0; I < Questions.size(); ++I) {
    auto Value = integerIn(Batch, Questions[I], Members[I].Least, Most);
    if (!Value)
      return Value.takeError();
    *Members[I].To = *Value;
  }
  return llvm::Error::success();
}

llvm::Expected<ResolvedBuffer> buffer(const Expressions &Batch, const Buffer &B,
                                      const ShapeQuestions &Q, size_t I) {
  ResolvedBuffer R = namedBuffer(B);
  if (B.Element.Bytes == 0)
    return wrong("an element of no bytes", "buffers[" + B.Name + "].element");
  auto Count = integerIn(Batch, Q.Extents[I], 1,
                         int64_t(MaxBufferBytes / B.Element.Bytes));
  if (!Count)
    return Count.takeError();
  R.Count = *Count;
  R.Low = Batch.value(Q.Lows[I]).asDouble();
  R.High = Batch.value(Q.Highs[I]).asDouble();
  const bool IsRange = R.Rule != "iota" && R.Rule != "permutation" &&
                       R.Rule != "table" && R.Rule != "initializer";
  if (IsRange && R.High < R.Low)
    return wrong("high is less than low", "buffers[" + B.Name + "].fill");
  R.Table = B.Fill.Table;
  if (llvm::Error E = counting(Batch, Q.Counts[I], R))
    return std::move(E);
  return R;
}

// ---- argument bytes --------------------------------------------------------

/// IEEE binary16 of \p Value, rounded to nearest even; bfloat16 likewise.
uint16_t halfBits(double Value, unsigned MantissaBits, int MaxExponent) {
  uint16_t Sign = std::signbit(Value) ? 0x8000 : 0;
  double Size = std::fabs(Value);
  int Bias = MaxExponent;
  uint16_t Infinity = uint16_t((2 * Bias + 1) << MantissaBits);
  if (std::isnan(Value))
    return Sign | Infinity | uint16_t(1 << (MantissaBits - 1));
  if (Size == 0)
    return Sign;
  int Exponent = std::max(std::ilogb(Size), 1 - Bias);
  double Units = std::nearbyint(std::ldexp(Size, int(MantissaBits) - Exponent));
  if (std::isinf(Size) || Exponent > Bias)
    return Sign | Infinity;
  int64_t Bits =
      int64_t(Units) + ((int64_t(Exponent) + Bias - 1) << MantissaBits);
  return Sign | uint16_t(std::min<int64_t>(Bits, Infinity));
}

/// Largest and smallest value of an integer kind.
void integerRange(ScalarKind Kind, int64_t &Low, int64_t &High) {
  unsigned Bits = byteSize(Kind) * 8;
  bool Signed = Kind == ScalarKind::I8 || Kind == ScalarKind::I16 ||
                Kind == ScalarKind::I32 || Kind == ScalarKind::I64;
  Low = Signed ? -(int64_t(1) << (Bits - 2)) * 2 : 0;
  if (Kind == ScalarKind::U64) // A bit pattern of 64 bits is never refused.
    Low = std::numeric_limits<int64_t>::min();
  High = Bits == 64 ? std::numeric_limits<int64_t>::max()
                    : (int64_t(1) << (Bits - (Signed ? 1 : 0))) - 1;
}

template <typename T> void store(std::vector<uint8_t> &To, uint64_t At, T V) {
  std::memcpy(To.data() + At, &V, sizeof(V));
}

llvm::Error storeScalar(const Expressions &Batch, size_t Question,
                        const ArgumentPart &P, std::vector<uint8_t> &To) {
  const ConstantValue &V = Batch.value(Question);
  switch (P.Kind) {
  case ScalarKind::F16:
    store(To, P.Offset, halfBits(V.asDouble(), 10, 15));
    return llvm::Error::success();
  case ScalarKind::BF16:
    store(To, P.Offset, halfBits(V.asDouble(), 7, 127));
    return llvm::Error::success();
  case ScalarKind::F32:
    store(To, P.Offset, float(V.asDouble()));
    return llvm::Error::success();
  case ScalarKind::F64:
    store(To, P.Offset, V.asDouble());
    return llvm::Error::success();
  case ScalarKind::Bool:
    store(To, P.Offset, uint8_t(V.asDouble() != 0));
    return llvm::Error::success();
  default:
    break;
  }
  int64_t Low, High;
  integerRange(P.Kind, Low, High);
  auto Value = integerIn(Batch, Question, Low, High);
  if (!Value)
    return Value.takeError();
  std::memcpy(To.data() + P.Offset, &*Value, byteSize(P.Kind));
  return llvm::Error::success();
}

llvm::Error storePointer(const Expressions &Batch, size_t Question,
                         const ArgumentPart &P, const ResolvedShape &Shape,
                         ResolvedArgument &To) {
  for (const ResolvedBuffer &B : Shape.Buffers) {
    if (B.Name != P.Buffer)
      continue;
    auto Offset = integerIn(Batch, Question, 0, int64_t(B.Count));
    if (!Offset)
      return Offset.takeError();
    To.Pointers.push_back({P.Offset, B.Name, *Offset * B.Element.Bytes});
    return llvm::Error::success();
  }
  return wrong("no buffer is named '" + P.Buffer + "'",
               "arguments[" + P.Name + "].buffer");
}

llvm::Expected<ResolvedArgument> argument(const Expressions &Batch,
                                          const Argument &A,
                                          const std::vector<size_t> &Values,
                                          const ResolvedShape &Shape) {
  if (A.Bytes == 0 || A.Bytes > 4096)
    return wrong("an argument of " + Twine(A.Bytes) + " bytes",
                 "arguments[" + A.Name + "].bytes");
  ResolvedArgument R;
  R.Name = A.Name;
  R.Bytes.assign(A.Bytes, 0);
  for (size_t I = 0; I < A.Parts.size(); ++I) {
    const ArgumentPart &P = A.Parts[I];
    uint64_t Size = P.Buffer.empty() ? byteSize(P.Kind) : 8;
    if (P.Offset > A.Bytes || Size > A.Bytes - P.Offset)
      return wrong("the part lies outside its argument of " + Twine(A.Bytes) +
                       " bytes",
                   "arguments[" + P.Name + "].offset");
    if (llvm::Error E = P.Buffer.empty()
                            ? storeScalar(Batch, Values[I], P, R.Bytes)
                            : storePointer(Batch, Values[I], P, Shape, R))
      return E;
  }
  return R;
}

// ---- pointers in elements --------------------------------------------------

/// Error unless all pointers of \p Holder in \p R point into its target.
llvm::Error checkReach(const ResolvedPointer &R, const ResolvedBuffer &Holder,
                       const ResolvedBuffer &Target, const Twine &Where) {
  uint64_t Last = Holder.Count * R.Count - 1;
  uint64_t Bytes = Target.Count * Target.Element.Bytes;
  if (R.ByteOffset >= Bytes ||
      (R.ByteStride && Last > (Bytes - 1 - R.ByteOffset) / R.ByteStride))
    return wrong("the last of its pointers is outside '" + Target.Name +
                     "', which has " + Twine(Target.Count) + " elements",
                 Where);
  if (!Target.Symbol.empty())
    return wrong("elements cannot point at the device global '" + Target.Name +
                     "', whose place each compiled source chooses",
                 Where + ".buffer");
  return llvm::Error::success();
}

llvm::Error pointersOf(const Expressions &Batch, const Buffer &B,
                       const std::vector<PointerQuestions> &Questions,
                       ResolvedBuffer &Holder, const ResolvedShape &Shape) {
  for (size_t I = 0; I < B.Pointers.size(); ++I) {
    const ElementPointer &P = B.Pointers[I];
    std::string Where = "buffers[" + B.Name + "].pointers[" + P.Name + "]";
    if (P.Count == 0 || P.Offset > B.Element.Bytes ||
        P.Count > (B.Element.Bytes - P.Offset) / 8)
      return wrong("the pointer lies outside its element of " +
                       Twine(B.Element.Bytes) + " bytes",
                   Where + ".offset");
    auto Target =
        llvm::find_if(Shape.Buffers, [&](const ResolvedBuffer &Other) {
          return Other.Name == P.Buffer;
        });
    if (Target == Shape.Buffers.end())
      return wrong("no buffer is named '" + P.Buffer + "'", Where + ".buffer");
    auto Offset =
        integerIn(Batch, Questions[I].Offset, 0, int64_t(Target->Count));
    if (!Offset)
      return Offset.takeError();
    auto Stride =
        integerIn(Batch, Questions[I].Stride, 0, int64_t(Target->Count));
    if (!Stride)
      return Stride.takeError();
    uint64_t Bytes = Target->Element.Bytes;
    Holder.Pointers.push_back(
        {P.Offset, P.Count, P.Buffer, *Offset * Bytes, *Stride * Bytes});
    if (llvm::Error E =
            checkReach(Holder.Pointers.back(), Holder, *Target, Where))
      return E;
  }
  // Poison in place of an address would only crash.
  if (!Holder.Pointers.empty() && Holder.Use == Role::Out)
    Holder.Use = Role::InOut;
  return llvm::Error::success();
}

llvm::Error valuesOf(const Expressions &Batch, const Buffer &B,
                     const std::vector<size_t> &Questions,
                     ResolvedBuffer &Holder) {
  for (size_t I = 0; I < B.Values.size(); ++I) {
    ArgumentPart Scalar;
    Scalar.Kind = B.Values[I].Kind;
    ResolvedValue R{B.Values[I].Offset, {}};
    R.Bytes.assign(byteSize(Scalar.Kind), 0);
    if (llvm::Error E = storeScalar(Batch, Questions[I], Scalar, R.Bytes))
      return E;
    Holder.Values.push_back(std::move(R));
  }
  return llvm::Error::success();
}

llvm::Error fillShape(const Expressions &Batch, const Workload &W,
                      const ShapeQuestions &Q, ResolvedShape &R) {
  R.Dimensions = Q.Dimensions;
  for (const Dimension &D : W.Dimensions)
    if (D.IsMacro)
      R.Defines.push_back(D.Name + "=" + std::to_string(R.Dimensions[D.Name]));
  for (size_t I = 0; I < W.Buffers.size(); ++I) {
    auto B = buffer(Batch, W.Buffers[I], Q, I);
    if (!B)
      return B.takeError();
    R.Buffers.push_back(std::move(*B));
  }
  for (size_t I = 0; I < W.Buffers.size(); ++I) {
    if (llvm::Error E =
            pointersOf(Batch, W.Buffers[I], Q.Pointers[I], R.Buffers[I], R))
      return E;
    if (llvm::Error E = valuesOf(Batch, W.Buffers[I], Q.Known[I], R.Buffers[I]))
      return E;
  }
  for (size_t I = 0; I < W.Arguments.size(); ++I) {
    auto A = argument(Batch, W.Arguments[I], Q.Values[I], R);
    if (!A)
      return A.takeError();
    R.Arguments.push_back(std::move(*A));
  }
  auto Launch = geometry(Batch, Q.Launch);
  if (!Launch)
    return Launch.takeError();
  R.Launch = *Launch;
  return llvm::Error::success();
}

} // namespace

llvm::Expected<std::vector<ResolvedShape>>
mep::resolveShapes(const Workload &W) {
  Expressions Batch;
  std::vector<ShapeQuestions> Questions;
  std::vector<Shape> Shapes = shapesOf(W);
  for (const Shape &S : Shapes) {
    auto Q = openShape(Batch, W, S);
    if (!Q)
      return Q.takeError();
    for (const Buffer &B : W.Buffers) {
      std::string Where = "buffers[" + B.Name + "]";
      Q->Extents.push_back(Batch.ask(B.Extent, Where + ".extent"));
      Q->Lows.push_back(Batch.ask(B.Fill.Low, Where + ".fill.low"));
      Q->Highs.push_back(Batch.ask(B.Fill.High, Where + ".fill.high"));
      Q->Counts.emplace_back();
      if (B.Fill.Rule == "iota" && B.Fill.counts()) {
        const std::pair<const char *, const std::string *> Members[] = {
            {"step", &B.Fill.Step},
            {"each", &B.Fill.Each},
            {"period", &B.Fill.Period},
            {"modulus", &B.Fill.Modulus}};
        for (const auto &[Name, Text] : Members)
          Q->Counts.back().push_back(Batch.ask(*Text, Where + ".fill." + Name));
      }
      Q->Pointers.emplace_back();
      for (const ElementPointer &P : B.Pointers) {
        std::string Own = Where + ".pointers[" + P.Name + "]";
        Q->Pointers.back().push_back(
            {Batch.ask(P.BufferOffset, Own + ".buffer_offset"),
             Batch.ask(P.Stride, Own + ".stride")});
      }
      Q->Known.emplace_back();
      for (const ElementValue &V : B.Values)
        Q->Known.back().push_back(
            Batch.ask(V.Value, Where + ".values[" + V.Name + "]"));
    }
    Q->Launch = askGeometry(Batch, W.Launch.Grid, W.Launch.Block,
                            W.Launch.SharedBytes, "launch.");
    Questions.push_back(std::move(*Q));
  }
  if (llvm::Error E = Batch.evaluate())
    return E;
  std::vector<ResolvedShape> Result;
  std::vector<double> Weights = weightsOf(Shapes);
  for (size_t I = 0; I < Shapes.size(); ++I) {
    ResolvedShape R;
    R.Name = Shapes[I].Name;
    R.Weight = Weights[I];
    if (llvm::Error E = fillShape(Batch, W, Questions[I], R))
      return inShape(std::move(E), R.Name);
    Result.push_back(std::move(R));
  }
  return Result;
}
