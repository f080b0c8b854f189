/// \file
/// Symbolic to numbers: shapes of a workload, launches of a plan. The last step
/// before a worker: from here on nobody sees an expression.

#include "mep/Workload/Resolve.h"
#include "Expressions.h"
#include "mep/Support/Error.h"
#include "llvm/ADT/StringSet.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace mep;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// Limits of CUDA and HIP launches (CUDA C++ Programming Guide, compute
/// capabilities 5.0 and later).
constexpr int64_t MaxGrid[3] = {2147483647, 65535, 65535};
constexpr int64_t MaxBlock[3] = {1024, 1024, 64};
constexpr int64_t MaxThreads = 1024;
constexpr int64_t MaxShared = int64_t(1) << 30;
constexpr uint64_t MaxBufferBytes = uint64_t(1) << 46;
constexpr const char *Axis[3] = {"x", "y", "z"};

llvm::Error wrong(const Twine &Message, const Twine &Where) {
  return makeError(Failure::Workload, Message.str(), Where.str());
}

/// The C++ type an expression sees a scalar of \p Kind as.
const char *spelling(ScalarKind Kind) {
  switch (Kind) {
  case ScalarKind::F16:
  case ScalarKind::BF16:
  case ScalarKind::F32:
    return "float";
  case ScalarKind::F64:
    return "double";
  case ScalarKind::I8:
    return "signed char";
  case ScalarKind::I16:
    return "short";
  case ScalarKind::I32:
    return "int";
  case ScalarKind::I64:
    return "long long";
  case ScalarKind::U8:
    return "unsigned char";
  case ScalarKind::U16:
    return "unsigned short";
  case ScalarKind::U32:
    return "unsigned int";
  case ScalarKind::U64:
    return "unsigned long long";
  case ScalarKind::Bool:
    return "bool";
  }
  return "int";
}

/// A count as C++ would convert it: floating results are cut. False if it does
/// not fit.
bool asInteger(const ConstantValue &V, int64_t &Out) {
  if (!V.IsFloat) {
    Out = V.Integer;
    return true;
  }
  if (!(std::fabs(V.Float) < 9.2e18))
    return false;
  Out = int64_t(V.Float);
  return true;
}

/// Value of question \p Index in [\p Low, \p High].
llvm::Expected<int64_t> integerIn(const Expressions &Batch, size_t Index,
                                  int64_t Low, int64_t High) {
  int64_t Value = 0;
  if (!asInteger(Batch.value(Index), Value) || Value < Low || Value > High)
    return wrong("'" + Batch.text(Index) + "' is " +
                     (Batch.value(Index).IsFloat
                          ? std::to_string(Batch.value(Index).Float)
                          : std::to_string(Batch.value(Index).Integer)) +
                     ", which is not between " + Twine(Low) + " and " +
                     Twine(High),
                 Batch.where(Index));
  return Value;
}

// ---- what a shape asks for -------------------------------------------------

struct GeometryQuestions {
  size_t Grid[3], Block[3], Shared;
};

struct PointerQuestions {
  size_t Offset, Stride;
};

struct ShapeQuestions {
  std::map<std::string, int64_t> Dimensions;
  std::vector<std::vector<size_t>> Values; ///< Per argument, per part.
  std::vector<size_t> Extents, Lows, Highs;
  /// Per buffer, per pointer in its elements.
  std::vector<std::vector<PointerQuestions>> Pointers;
  std::vector<std::vector<size_t>> Known; ///< Per buffer, per known member.
  GeometryQuestions Launch;
};

GeometryQuestions askGeometry(Expressions &Batch,
                              const std::array<std::string, 3> &Grid,
                              const std::array<std::string, 3> &Block,
                              StringRef Shared, const Twine &Where) {
  GeometryQuestions Q;
  for (int I = 0; I < 3; ++I) {
    Q.Grid[I] = Batch.ask(Grid[I], Where + "grid[" + Twine(I) + "]");
    Q.Block[I] = Batch.ask(Block[I], Where + "block[" + Twine(I) + "]");
  }
  Q.Shared = Batch.ask(Shared, Where + "shared_bytes");
  return Q;
}

llvm::Expected<ResolvedGeometry> geometry(const Expressions &Batch,
                                          const GeometryQuestions &Q) {
  ResolvedGeometry G;
  uint64_t Threads = 1;
  for (int I = 0; I < 3; ++I) {
    auto Grid = integerIn(Batch, Q.Grid[I], 1, MaxGrid[I]);
    if (!Grid)
      return Grid.takeError();
    auto Block = integerIn(Batch, Q.Block[I], 1, MaxBlock[I]);
    if (!Block)
      return Block.takeError();
    G.Grid[I] = *Grid;
    G.Block[I] = *Block;
    Threads *= *Block;
  }
  if (Threads > uint64_t(MaxThreads))
    return wrong("a block of " + Twine(Threads) + " threads; the limit is " +
                     Twine(MaxThreads),
                 Batch.where(Q.Block[0]));
  auto Shared = integerIn(Batch, Q.Shared, 0, MaxShared);
  if (!Shared)
    return Shared.takeError();
  G.SharedBytes = *Shared;
  return G;
}

/// Dimension values of \p S. Errors: a name that is no dimension.
llvm::Expected<std::map<std::string, int64_t>> dimensionsOf(const Workload &W,
                                                            const Shape &S) {
  std::map<std::string, int64_t> Values;
  for (const Dimension &D : W.Dimensions)
    if (!Values.emplace(D.Name, D.Value).second)
      return wrong("dimension '" + D.Name + "' is there twice", "dimensions");
  for (const auto &[Name, Value] : S.Dimensions) {
    auto Known = Values.find(Name);
    if (Known == Values.end())
      return wrong("no dimension is named '" + Name + "'",
                   "shapes[" + S.Name + "]");
    Known->second = Value;
  }
  return Values;
}

/// Opens a scope with the dimensions and scalars of \p S and, named after the
/// launch, `block_x` … `shared_bytes`.
llvm::Expected<ShapeQuestions> openShape(Expressions &Batch, const Workload &W,
                                         const Shape &S) {
  auto Dimensions = dimensionsOf(W, S);
  if (!Dimensions)
    return Dimensions.takeError();
  Batch.beginScope();
  ShapeQuestions Q;
  Q.Dimensions = *Dimensions;
  for (const Dimension &D : W.Dimensions)
    Batch.define(D.Name, "long long",
                 std::to_string(Q.Dimensions.find(D.Name)->second),
                 "dimensions[" + D.Name + "]");
  for (const Argument &A : W.Arguments) {
    Q.Values.emplace_back();
    for (const ArgumentPart &P : A.Parts) {
      std::string Where = "arguments[" + P.Name + "].value";
      Q.Values.back().push_back(P.Buffer.empty() ? Batch.ask(P.Value, Where)
                                                 : 0);
      // A scalar named like a dimension has the dimension's value and would
      // only hide its wider type.
      if (P.Buffer.empty() && !Q.Dimensions.count(P.Name))
        Batch.define(P.Name, spelling(P.Kind), P.Value, Where);
    }
  }
  // Offsets may use any scalar, so they come after all of them.
  for (size_t A = 0; A < W.Arguments.size(); ++A)
    for (size_t I = 0; I < W.Arguments[A].Parts.size(); ++I)
      if (const ArgumentPart &P = W.Arguments[A].Parts[I]; !P.Buffer.empty())
        Q.Values[A][I] = Batch.ask(P.BufferOffset,
                                   "arguments[" + P.Name + "].buffer_offset");
  for (int I = 0; I < 3; ++I)
    Batch.define(std::string("block_") + Axis[I], "long long",
                 "(long long)(" + W.Launch.Block[I] + ")",
                 "launch.block[" + Twine(I) + "]");
  return Q;
}

ResolvedBuffer namedBuffer(const Buffer &B) {
  ResolvedBuffer R;
  R.Name = B.Name;
  R.Symbol = B.Symbol;
  R.Element = B.Element;
  R.Use = B.Use;
  R.Rule = B.Fill.Rule;
  return R;
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
  if (R.High < R.Low)
    return wrong("high is less than low", "buffers[" + B.Name + "].fill");
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

/// Says which shape an error is about.
llvm::Error inShape(llvm::Error E, const std::string &Name) {
  return llvm::handleErrors(std::move(E), [&](const MepError &M) {
    return makeError(M.Kind, M.Message, "shape " + Name + ": " + M.Where,
                     M.Hint);
  });
}

std::vector<Shape> shapesOf(const Workload &W) {
  return W.Shapes.empty() ? std::vector<Shape>{{"base", {}}} : W.Shapes;
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
  for (size_t I = 0; I < Shapes.size(); ++I) {
    ResolvedShape R;
    R.Name = Shapes[I].Name;
    if (llvm::Error E = fillShape(Batch, W, Questions[I], R))
      return inShape(std::move(E), R.Name);
    Result.push_back(std::move(R));
  }
  return Result;
}

// ---- plans -----------------------------------------------------------------

namespace {

struct PlanQuestions {
  std::vector<GeometryQuestions> Launches;
  std::vector<size_t> Scratch;
};

std::vector<PlannedLaunch> launchesOf(const Workload &W,
                                      const LaunchPlan &Plan) {
  std::vector<PlannedLaunch> Launches = Plan.Launches;
  if (Launches.empty())
    Launches.emplace_back();
  for (PlannedLaunch &L : Launches) {
    if (L.Kernel.empty())
      L.Kernel = W.Kernel;
    if (L.Arguments.empty())
      for (const Argument &A : W.Arguments)
        L.Arguments.push_back(A.Name);
  }
  return Launches;
}

/// Every argument of a launch is a parameter of the original or a scratch
/// buffer.
llvm::Error checkNames(const Workload &W, const LaunchPlan &Plan,
                       const std::vector<PlannedLaunch> &Launches) {
  llvm::StringSet<> Known;
  for (const Argument &A : W.Arguments)
    Known.insert(A.Name);
  for (size_t I = 0; I < Plan.Scratch.size(); ++I)
    if (!Known.insert(Plan.Scratch[I].Name).second)
      return wrong("the name '" + Plan.Scratch[I].Name + "' is taken",
                   "plan: scratch[" + Twine(I) + "].name");
  for (size_t I = 0; I < Launches.size(); ++I)
    for (size_t K = 0; K < Launches[I].Arguments.size(); ++K)
      if (!Known.count(Launches[I].Arguments[K]))
        return wrong("'" + Launches[I].Arguments[K] +
                         "' is neither a parameter of the kernel nor a scratch "
                         "buffer",
                     "plan: launches[" + Twine(I) + "].arguments[" + Twine(K) +
                         "]");
  return llvm::Error::success();
}

void defineTunables(Expressions &Batch, const LaunchPlan &Plan,
                    const std::map<std::string, int64_t> &Tune) {
  for (const Tunable &T : Plan.Tunables)
    if (!Tune.count(T.Name) && !T.Values.empty())
      Batch.define(T.Name, "long long", std::to_string(T.Values.front()),
                   "plan: tune." + T.Name);
  for (const auto &[Name, Value] : Tune)
    Batch.define(Name, "long long", std::to_string(Value),
                 "plan: tune." + Name);
}

PlanQuestions askPlan(Expressions &Batch, const Workload &W,
                      const LaunchPlan &Plan,
                      const std::vector<PlannedLaunch> &Launches,
                      const std::map<std::string, int64_t> &Tune) {
  for (int I = 0; I < 3; ++I)
    Batch.define(std::string("grid_") + Axis[I], "long long",
                 "(long long)(" + W.Launch.Grid[I] + ")",
                 "launch.grid[" + Twine(I) + "]");
  Batch.define("shared_bytes", "long long",
               "(long long)(" + W.Launch.SharedBytes + ")",
               "launch.shared_bytes");
  defineTunables(Batch, Plan, Tune);
  PlanQuestions Q;
  for (size_t I = 0; I < Launches.size(); ++I)
    Q.Launches.push_back(askGeometry(Batch, Launches[I].Grid, Launches[I].Block,
                                     Launches[I].SharedBytes,
                                     "plan: launches[" + Twine(I) + "]."));
  for (size_t I = 0; I < Plan.Scratch.size(); ++I)
    Q.Scratch.push_back(Batch.ask(Plan.Scratch[I].Bytes,
                                  "plan: scratch[" + Twine(I) + "].bytes"));
  return Q;
}

llvm::Expected<ResolvedPlan>
fillPlan(const Expressions &Batch, const LaunchPlan &Plan,
         const std::vector<PlannedLaunch> &Launches, const PlanQuestions &Q) {
  ResolvedPlan R;
  for (size_t I = 0; I < Launches.size(); ++I) {
    auto G = geometry(Batch, Q.Launches[I]);
    if (!G)
      return G.takeError();
    R.Launches.push_back({Launches[I].Kernel, Launches[I].Arguments, *G});
  }
  for (size_t I = 0; I < Plan.Scratch.size(); ++I) {
    auto Bytes = integerIn(Batch, Q.Scratch[I], 1, int64_t(MaxBufferBytes));
    if (!Bytes)
      return Bytes.takeError();
    R.Scratch.emplace_back(Plan.Scratch[I].Name, *Bytes);
  }
  return R;
}

} // namespace

llvm::Expected<std::vector<ResolvedPlan>>
mep::resolvePlan(const Workload &W, const LaunchPlan &Plan,
                 const std::map<std::string, int64_t> &Tune) {
  std::vector<PlannedLaunch> Launches = launchesOf(W, Plan);
  if (llvm::Error E = checkNames(W, Plan, Launches))
    return E;
  Expressions Batch;
  std::vector<PlanQuestions> Questions;
  std::vector<Shape> Shapes = shapesOf(W);
  for (const Shape &S : Shapes) {
    if (auto Q = openShape(Batch, W, S); !Q)
      return Q.takeError();
    Questions.push_back(askPlan(Batch, W, Plan, Launches, Tune));
  }
  if (llvm::Error E = Batch.evaluate())
    return E;
  std::vector<ResolvedPlan> Result;
  for (size_t I = 0; I < Shapes.size(); ++I) {
    auto R = fillPlan(Batch, Plan, Launches, Questions[I]);
    if (!R)
      return inShape(R.takeError(), Shapes[I].Name);
    Result.push_back(std::move(*R));
  }
  return Result;
}
