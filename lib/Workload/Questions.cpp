#include "Questions.h"
#include "mep/Support/Error.h"
#include <cmath>

using namespace mep;
using namespace mep::questions;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// Limits of CUDA and HIP launches (CUDA C++ Programming Guide, compute
/// capabilities 5.0 and later).
constexpr int64_t MaxGrid[3] = {2147483647, 65535, 65535};
constexpr int64_t MaxBlock[3] = {1024, 1024, 64};
constexpr int64_t MaxThreads = 1024;
constexpr int64_t MaxShared = int64_t(1) << 30;

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

} // namespace

llvm::Error questions::wrong(const Twine &Message, const Twine &Where) {
  return makeError(Failure::Workload, Message.str(), Where.str());
}

bool questions::asInteger(const ConstantValue &V, int64_t &Out) {
  if (!V.IsFloat) {
    Out = V.Integer;
    return true;
  }
  if (!(std::fabs(V.Float) < 9.2e18))
    return false;
  Out = int64_t(V.Float);
  return true;
}

llvm::Expected<int64_t> questions::integerIn(const Expressions &Batch,
                                             size_t Index, int64_t Low,
                                             int64_t High) {
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

GeometryQuestions
questions::askGeometry(Expressions &Batch,
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

llvm::Expected<ResolvedGeometry>
questions::geometry(const Expressions &Batch, const GeometryQuestions &Q) {
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

llvm::Expected<ShapeQuestions>
questions::openShape(Expressions &Batch, const Workload &W, const Shape &S) {
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

llvm::Error questions::inShape(llvm::Error E, const std::string &Name) {
  return llvm::handleErrors(std::move(E), [&](const MepError &M) {
    return makeError(M.Kind, M.Message, "shape " + Name + ": " + M.Where,
                     M.Hint);
  });
}

std::vector<Shape> questions::shapesOf(const Workload &W) {
  return W.Shapes.empty() ? std::vector<Shape>{{"base", {}}} : W.Shapes;
}
