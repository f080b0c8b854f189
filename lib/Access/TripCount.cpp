#include "TripCount.h"

using namespace mep;
using llvm::StringRef;

Index mep::slope(const Index &E, StringRef Name) {
  if (E->Op == IndexOp::Symbol)
    return number(E->Name == Name);
  if (!mentions(E, Name))
    return number(0);
  const auto &O = E->Operands;
  if (E->Op == IndexOp::Convert)
    return slope(O[0], Name);
  if (E->Op == IndexOp::Add) {
    Index A = slope(O[0], Name), B = slope(O[1], Name);
    return A && B ? add(A, B) : nullptr;
  }
  if (E->Op == IndexOp::Multiply &&
      mentions(O[0], Name) != mentions(O[1], Name)) {
    bool Left = mentions(O[0], Name);
    Index S = slope(O[Left ? 0 : 1], Name);
    return S ? multiply(O[Left ? 1 : 0], S) : nullptr;
  }
  return nullptr;
}

/// How often \p Distance, that shrinks with \p Counter, is above zero.
static Index stepsDown(const Index &Distance, StringRef Counter) {
  Index Growth = slope(Distance, Counter);
  if (!Growth || mentions(Growth, Counter))
    return nullptr;
  Index Step = multiply(number(-1), Growth);
  // Away from the bound, or not at all: such a loop runs never or for ever.
  if (Step->Op == IndexOp::Number && Step->Value <= 0)
    return nullptr;
  Index First = substitute(Distance, Counter, number(0));
  if (firstUnknown(First) || firstUnknown(Step))
    return nullptr;
  if (Step->isNumber(1))
    return binary(IndexOp::Max, First, number(0));
  // A step of which only the launch knows the sign: what starts at the end does
  // not run; what starts before it runs for ever unless the sign is right.
  Index Count =
      binary(IndexOp::Divide, add(add(First, Step), number(-1)), Step);
  return select(binary(IndexOp::Less, number(0), First), Count, number(0));
}

Index mep::tripCount(const Index &C, StringRef Counter) {
  if (C->isNumber(0))
    return number(0);
  if (C->Op == IndexOp::And) {
    const Index &L = C->Operands[0], &R = C->Operands[1];
    for (const auto &[Fixed, Other] : {std::pair(L, R), std::pair(R, L)})
      if (!mentions(Fixed, Counter)) {
        Index N = firstUnknown(Fixed) ? nullptr : tripCount(Other, Counter);
        return N ? select(Fixed, N, number(0)) : nullptr;
      }
    Index A = tripCount(L, Counter), B = tripCount(R, Counter);
    return A && B ? binary(IndexOp::Min, A, B) : nullptr;
  }
  if (C->Op != IndexOp::Less && C->Op != IndexOp::LessEqual)
    return nullptr;
  Index Distance = subtract(C->Operands[1], C->Operands[0]);
  if (C->Op == IndexOp::LessEqual)
    Distance = add(Distance, number(1));
  return stepsDown(Distance, Counter);
}

Index mep::increaseOf(const Index &E, StringRef Name, unsigned Bits) {
  const auto &O = E->Operands;
  switch (E->Op) {
  case IndexOp::Symbol:
    return E->Name == Name ? number(0) : nullptr;
  case IndexOp::Convert:
    return E->Bits >= Bits ? increaseOf(O[0], Name, Bits) : nullptr;
  case IndexOp::Add: {
    bool Left = mentions(O[0], Name);
    if (Left == mentions(O[1], Name))
      return nullptr;
    Index Rest = increaseOf(O[Left ? 0 : 1], Name, Bits);
    return Rest ? add(Rest, O[Left ? 1 : 0]) : nullptr;
  }
  case IndexOp::Select: {
    if (mentions(O[0], Name))
      return nullptr;
    Index A = increaseOf(O[1], Name, Bits), B = increaseOf(O[2], Name, Bits);
    return A && B ? select(O[0], A, B) : nullptr;
  }
  default:
    return nullptr;
  }
}

Index mep::grown(const Index &First, const Index &Step, const Index &Count) {
  if (Step->Op == IndexOp::Select)
    return select(Step->Operands[0], grown(First, Step->Operands[1], Count),
                  grown(First, Step->Operands[2], Count));
  return add(First, multiply(Step, Count));
}
