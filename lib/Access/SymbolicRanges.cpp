/// \file
/// Symbolic bounds by substitution: each index is put at its bound, an index
/// that a guard compares at what it is compared with. `i*n + j` under `i < m`
/// and `j < n` ends at `(m - 1)*n + n - 1`: the last element of an array of
/// rows, without isl, which knows no products of symbols.

#include "SymbolicRanges.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <set>

using namespace mep;

namespace {

/// \p E without the constant at its end.
std::pair<Index, int64_t> split(Index E) {
  while (E->Op == IndexOp::Convert)
    E = E->Operands[0];
  if (E->Op == IndexOp::Number)
    return {number(0), E->Value};
  if (E->Op == IndexOp::Add && E->Operands[1]->Op == IndexOp::Number)
    return {E->Operands[0], E->Operands[1]->Value};
  return {E, 0};
}

bool isVarying(const Index &E) {
  return !everyPart(E, [](const IndexExpr &P) { return !P.isVarying(); });
}

/// Bounds of one access. Scalars and sizes are taken as not negative.
class Bounds {
public:
  explicit Bounds(const MemoryAccess &A) {
    for (const Index &G : A.Guards)
      learn(G);
  }

  /// Largest value of \p E; null when no guard and no size bounds it.
  Index upper(const Index &E);
  /// Smallest value.
  Index lower(const Index &E);

private:
  void learn(const Index &Guard);
  Index upperSum(const IndexExpr &E);
  Index ofGuards(const Index &E);
  /// True if \p E is never negative.
  bool isPositive(const Index &E);

  /// By the text of an index without its constant: what it is at most.
  llvm::StringMap<std::vector<Index>> AtMost;
  std::set<std::string> InWork;
};

void Bounds::learn(const Index &Guard) {
  bool Strict = Guard->Op == IndexOp::Less;
  if (!Strict && Guard->Op != IndexOp::LessEqual && Guard->Op != IndexOp::Equal)
    return;
  auto Add = [&](const Index &Small, const Index &Large) {
    auto [Base, Constant] = split(Small);
    if (isVarying(Base))
      AtMost[print(Base)].push_back(
          add(Large, number(-Constant - (Strict ? 1 : 0))));
  };
  Add(Guard->Operands[0], Guard->Operands[1]);
  if (Guard->Op == IndexOp::Equal)
    Add(Guard->Operands[1], Guard->Operands[0]);
}

/// The bound that guards give \p E: one over sizes alone before any other.
Index Bounds::ofGuards(const Index &E) {
  auto [Base, Constant] = split(E);
  std::string Name = print(Base);
  auto Known = AtMost.find(Name);
  if (Known == AtMost.end() || !InWork.insert(Name).second)
    return nullptr;
  Index Found;
  for (const Index &B : Known->second)
    if (!Found && !isVarying(B) && !firstUnknown(B))
      Found = B;
  for (const Index &B : Known->second)
    if (!Found)
      Found = upper(B);
  InWork.erase(Name);
  return Found ? add(Found, number(Constant)) : nullptr;
}

bool Bounds::isPositive(const Index &E) {
  Index L = lower(E);
  return L && everyPart(L, [](const IndexExpr &P) {
           return P.Op != IndexOp::Number || P.Value >= 0;
         });
}

/// `blockIdx.x*blockDim.x + threadIdx.x` ends with the grid.
static Index gridEnd(const IndexExpr &E) {
  for (unsigned Side = 0; Side < 2; ++Side) {
    const Index &Thread = E.Operands[Side], &Rest = E.Operands[1 - Side];
    if (Thread->Op != IndexOp::Symbol || Thread->Kind != SymbolKind::Thread)
      continue;
    std::string Axis = Thread->Name.substr(Thread->Name.size() - 2);
    Index Block = symbol("blockIdx" + Axis, SymbolKind::Block);
    Index Size = symbol("blockDim" + Axis, SymbolKind::BlockSize);
    std::string Text = print(Rest);
    if (Text == print(multiply(Block, Size)) ||
        Text == print(multiply(Size, Block)))
      return add(multiply(symbol("gridDim" + Axis, SymbolKind::GridSize), Size),
                 number(-1));
  }
  return nullptr;
}

Index Bounds::upperSum(const IndexExpr &E) {
  if (Index End = gridEnd(E))
    return End;
  Index A = upper(E.Operands[0]), B = upper(E.Operands[1]);
  return A && B ? add(A, B) : nullptr;
}

Index Bounds::upper(const Index &E) {
  if (!isVarying(E))
    return firstUnknown(E) ? nullptr : E;
  if (Index Known = ofGuards(E))
    return Known;
  const auto &O = E->Operands;
  switch (E->Op) {
  case IndexOp::Symbol: {
    if (E->Kind == SymbolKind::Counter)
      return nullptr;
    bool Thread = E->Kind == SymbolKind::Thread;
    return add(symbol((Thread ? "blockDim" : "gridDim") +
                          E->Name.substr(E->Name.size() - 2),
                      Thread ? SymbolKind::BlockSize : SymbolKind::GridSize),
               number(-1));
  }
  case IndexOp::Convert:
    return upper(O[0]);
  case IndexOp::Add:
    return upperSum(*E);
  case IndexOp::Multiply: {
    if (O[0]->Op == IndexOp::Number && O[0]->Value < 0) {
      Index L = lower(O[1]);
      return L ? multiply(O[0], L) : nullptr;
    }
    Index A = upper(O[0]), B = upper(O[1]);
    return A && B && isPositive(O[0]) && isPositive(O[1]) ? multiply(A, B)
                                                          : nullptr;
  }
  case IndexOp::Divide:
  case IndexOp::ShiftRight: {
    Index A = upper(O[0]);
    return A && !isVarying(O[1]) && isPositive(O[0]) ? binary(E->Op, A, O[1])
                                                     : nullptr;
  }
  case IndexOp::Remainder:
    return isVarying(O[1]) ? nullptr : add(O[1], number(-1));
  case IndexOp::BitAnd:
    for (const Index &M : O)
      if (!isVarying(M) && isPositive(M))
        return M;
    return nullptr;
  case IndexOp::Min: {
    Index A = upper(O[0]), B = upper(O[1]);
    return A && B ? binary(IndexOp::Min, A, B) : A ? A : B;
  }
  case IndexOp::Max:
  case IndexOp::Select: {
    size_t First = E->Op == IndexOp::Select;
    Index A = upper(O[First]), B = upper(O[First + 1]);
    return A && B ? binary(IndexOp::Max, A, B) : nullptr;
  }
  case IndexOp::Decay:
    return O[0];
  default:
    return nullptr;
  }
}

Index Bounds::lower(const Index &E) {
  if (!isVarying(E))
    return firstUnknown(E) ? nullptr : E;
  const auto &O = E->Operands;
  switch (E->Op) {
  case IndexOp::Symbol:
    return number(0);
  case IndexOp::Convert:
    return lower(O[0]);
  case IndexOp::Add: {
    Index A = lower(O[0]), B = lower(O[1]);
    return A && B ? add(A, B) : nullptr;
  }
  case IndexOp::Multiply: {
    if (O[0]->Op == IndexOp::Number && O[0]->Value < 0) {
      Index U = upper(O[1]);
      return U ? multiply(O[0], U) : nullptr;
    }
    return isPositive(O[0]) && isPositive(O[1])
               ? multiply(lower(O[0]), lower(O[1]))
               : nullptr;
  }
  case IndexOp::Divide:
  case IndexOp::ShiftRight:
    return isPositive(O[0]) && !isVarying(O[1])
               ? binary(E->Op, lower(O[0]), O[1])
               : nullptr;
  case IndexOp::Remainder:
    return isPositive(O[0]) ? number(0) : nullptr;
  case IndexOp::BitAnd:
    return number(0);
  case IndexOp::Max: {
    Index A = lower(O[0]), B = lower(O[1]);
    return A && B ? binary(IndexOp::Max, A, B) : A ? A : B;
  }
  case IndexOp::Min: {
    Index A = lower(O[0]), B = lower(O[1]);
    return A && B ? binary(IndexOp::Min, A, B) : nullptr;
  }
  case IndexOp::Select: {
    Index A = lower(O[1]), B = lower(O[2]);
    return A && B ? binary(IndexOp::Min, A, B) : nullptr;
  }
  default:
    return nullptr;
  }
}

/// \p A and \p B joined by \p Op, said once if they are the same.
Index joined(IndexOp Op, const Index &A, const Index &B) {
  if (!A || print(A) == print(B))
    return B;
  auto [BaseA, ConstantA] = split(A);
  auto [BaseB, ConstantB] = split(B);
  if (print(BaseA) == print(BaseB))
    return (ConstantA < ConstantB) == (Op == IndexOp::Max) ? B : A;
  return binary(Op, A, B);
}

} // namespace

void mep::findRanges(AccessModel &Model) {
  for (unsigned Id = 0; Id < Model.Buffers.size(); ++Id) {
    AccessedBuffer &B = Model.Buffers[Id];
    Index First, Last;
    int64_t Size = int64_t(B.ElementBytes);
    for (const MemoryAccess &A : Model.Accesses) {
      if (A.Buffer != Id || !B.RangeNote.empty())
        continue;
      auto At = wholeElements(A.Offset, Size);
      if (A.State == AccessState::NotAffine || !At) {
        B.RangeNote = A.Reason.empty() ? "bytes, not elements" : A.Reason;
        continue;
      }
      Bounds Known(A);
      Index Low = Known.lower(At->Whole), High = Known.upper(At->Whole);
      if (!Low || !High) {
        B.RangeNote = "no size bounds '" + A.Text + "'";
        continue;
      }
      int64_t Width = (At->Rest + int64_t(A.Bytes) - 1) / Size;
      First = joined(IndexOp::Min, First, Low);
      Last = joined(IndexOp::Max, Last, add(High, number(Width)));
    }
    if (B.RangeNote.empty() && First && Last) {
      B.First = First;
      B.Last = Last;
    }
  }
}
