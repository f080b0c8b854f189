/// \file
/// Affine or not, by the shape of the arithmetic: sizes and scalars are numbers
/// by then, thread and block indices and loop counters are not.

#include "Classify.h"
#include "TripCount.h"
#include "llvm/ADT/STLExtras.h"

using namespace mep;

namespace {

/// Degree in what varies: 0, 1 (affine, with divisions by numbers), 2 (not).
struct Shape {
  unsigned Degree = 0;
  std::string Reason, Where;
  static Shape no(std::string Reason, std::string Where = {}) {
    return {2, std::move(Reason), std::move(Where)};
  }
};

bool isMask(const Index &E) {
  return E->Op == IndexOp::Number &&
         (((uint64_t(E->Value) & (uint64_t(E->Value) + 1)) == 0) ||
          ((~uint64_t(E->Value) & (~uint64_t(E->Value) + 1)) == 0));
}

class Classifier {
public:
  explicit Classifier(const AccessModel &Model) : Model(Model) {}

  Shape shape(const Index &E) const {
    switch (E->Op) {
    case IndexOp::Number:
      return {};
    case IndexOp::Unknown:
      return Shape::no(E->Name, E->Where);
    case IndexOp::Symbol:
      return {E->isVarying() && !isUnrolled(*E) ? 1u : 0u, "", ""};
    default:
      break;
    }
    std::vector<Shape> Parts;
    for (const Index &O : E->Operands) {
      Parts.push_back(shape(O));
      if (Parts.back().Degree == 2)
        return Parts.back();
    }
    return combined(*E, Parts);
  }

private:
  /// Counters of loops that grow by a factor are numbers as well, one after
  /// another.
  bool isUnrolled(const IndexExpr &Counter) const {
    return llvm::any_of(Model.Loops, [&](const AccessLoop &L) {
      return L.Unrolled && L.Counter == Counter.Name;
    });
  }

  Shape combined(const IndexExpr &E, const std::vector<Shape> &Parts) const {
    unsigned Highest = 0;
    for (const Shape &P : Parts)
      Highest = std::max(Highest, P.Degree);
    if (Highest == 0)
      return {};
    auto Self = std::make_shared<IndexExpr>(E);
    switch (E.Op) {
    case IndexOp::Multiply:
      if (Parts[0].Degree + Parts[1].Degree > 1)
        return Shape::no("product '" + print(Self) + "' of two variables");
      break;
    case IndexOp::Divide:
    case IndexOp::Remainder:
    case IndexOp::ShiftRight:
      if (Parts[1].Degree)
        return Shape::no("division '" + print(Self) + "' by a variable");
      break;
    case IndexOp::BitAnd:
    case IndexOp::BitOr:
    case IndexOp::BitXor:
      if (E.Op == IndexOp::BitAnd && !isMask(E.Operands[0]) &&
          !isMask(E.Operands[1]) && (Parts[0].Degree && Parts[1].Degree))
        return Shape::no("bit operation '" + print(Self) + "'");
      break;
    case IndexOp::Power:
    case IndexOp::Decay:
      if (Parts[0].Degree || Parts[1].Degree)
        return Shape::no("'" + print(Self) + "' grows by a factor");
      break;
    default:
      break;
    }
    return {1, "", ""};
  }

  const AccessModel &Model;
};

/// Counters that nothing bounds: their loop has no condition on them.
const AccessLoop *unbounded(const AccessModel &Model, const MemoryAccess &A) {
  for (unsigned Id : A.Loops) {
    const AccessLoop &L = Model.Loops[Id];
    if (!mentions(A.Offset, L.Counter))
      continue;
    bool Bounded = llvm::any_of(A.Guards, [&](const Index &G) {
      return !firstUnknown(G) && mentions(G, L.Counter);
    });
    // Of a conjunction the part that is known may still be a bound.
    Bounded |= llvm::any_of(A.Guards, [&](const Index &G) {
      return G->Op == IndexOp::And && mentions(G, L.Counter);
    });
    if (!Bounded)
      return &L;
  }
  return nullptr;
}

void classify(const AccessModel &Model, MemoryAccess &A) {
  Classifier C(Model);
  Shape Offset = C.shape(A.Offset);
  auto Set = [&](AccessState State, std::string Reason, std::string Where) {
    A.State = State;
    A.Reason = std::move(Reason);
    A.ReasonWhere = Where.empty() ? A.Where : std::move(Where);
  };
  if (Offset.Degree == 2)
    return Set(AccessState::NotAffine, Offset.Reason, Offset.Where);
  A.ThreadStride = slope(A.Offset, "threadIdx.x");
  if (const AccessLoop *L = unbounded(Model, A))
    return Set(AccessState::May, "nothing that is known bounds the loop",
               L->Where);
  for (const Index &G : A.Guards)
    if (Shape S = C.shape(G); S.Degree == 2)
      return Set(AccessState::May, S.Reason, S.Where);
}

} // namespace

void mep::classify(AccessModel &Model) {
  for (MemoryAccess &A : Model.Accesses)
    ::classify(Model, A);
}
