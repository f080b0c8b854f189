/// \file
/// Interval arithmetic over index expressions.

#include "Interval.h"
#include <algorithm>

using namespace mep;

namespace {

Wide clamped(Wide N) {
  return std::clamp(N, -Interval::Infinite, Interval::Infinite);
}

/// Products of ends never overflow: an infinite end times anything is infinite.
Wide times(Wide A, Wide B) {
  if (A == 0 || B == 0)
    return 0;
  bool Large = A >= Interval::Infinite || A <= -Interval::Infinite ||
               B >= Interval::Infinite || B <= -Interval::Infinite;
  Wide MagnitudeA = A < 0 ? -A : A, MagnitudeB = B < 0 ? -B : B;
  if (Large || MagnitudeA > Interval::Infinite / MagnitudeB)
    return (A < 0) == (B < 0) ? Interval::Infinite : -Interval::Infinite;
  return A * B;
}

Wide floorOf(Wide A, Wide B) {
  Wide Q = A / B;
  return Q - (A % B != 0 && (A < 0) != (B < 0));
}

Interval product(const Interval &A, const Interval &B) {
  Wide Ends[] = {times(A.Low, B.Low), times(A.Low, B.High),
                 times(A.High, B.Low), times(A.High, B.High)};
  return {*std::min_element(Ends, Ends + 4), *std::max_element(Ends, Ends + 4)};
}

bool isInfinite(Wide N) {
  return N >= Interval::Infinite || N <= -Interval::Infinite;
}

Interval quotient(const Interval &A, Wide D, bool Down) {
  if (D <= 0)
    return {};
  auto Divide = [&](Wide N) {
    return isInfinite(N) ? N : Down ? floorOf(N, D) : N / D;
  };
  return {Divide(A.Low), Divide(A.High)};
}

Interval truth(bool CanBeFalse, bool CanBeTrue) {
  return {CanBeFalse ? 0 : 1, CanBeTrue ? 1 : 0};
}

Interval compared(const IndexExpr &E, const Interval &A, const Interval &B) {
  switch (E.Op) {
  case IndexOp::Less:
    return truth(A.High >= B.Low, A.Low < B.High);
  case IndexOp::LessEqual:
    return truth(A.High > B.Low, A.Low <= B.High);
  default:
    return truth(!(A.isPoint() && B.isPoint() && A.Low == B.Low),
                 A.Low <= B.High && B.Low <= A.High);
  }
}

/// Least 2^n - 1 that is not below \p N.
Wide onesAbove(Wide N) {
  Wide Ones = 0;
  while (Ones < N)
    Ones = Ones * 2 + 1;
  return Ones;
}

Interval bits(const IndexExpr &E, const Interval &A, const Interval &B) {
  if (E.Op == IndexOp::BitAnd) {
    if (A.Low >= 0 && B.Low >= 0)
      return {0, std::min(A.High, B.High)};
    if (A.Low >= 0)
      return {0, A.High};
    return B.Low >= 0 ? Interval{0, B.High} : Interval{};
  }
  if (A.Low < 0 || B.Low < 0 || isInfinite(A.High) || isInfinite(B.High))
    return {};
  return {0, onesAbove(std::max(A.High, B.High))};
}

Interval remainder(const Interval &A, const Interval &B) {
  if (B.Low <= 0)
    return {};
  if (A.Low >= 0)
    return {0, std::min(A.High, B.High - 1)};
  return {std::max(A.Low, -(B.High - 1)), std::max<Wide>(0, B.High - 1)};
}

} // namespace

Interval mep::typeRange(unsigned Bits, bool IsSigned) {
  if (IsSigned)
    return {-(Wide(1) << (Bits - 1)), (Wide(1) << (Bits - 1)) - 1};
  return {0, (Wide(1) << Bits) - 1};
}

Interval mep::intervalOf(const Index &E, const Ranges &Known) {
  const auto &O = E->Operands;
  auto Of = [&](size_t I) { return intervalOf(O[I], Known); };
  switch (E->Op) {
  case IndexOp::Number:
    return {E->Value, E->Value};
  case IndexOp::Symbol: {
    auto It = Known.find(E->Name);
    return It == Known.end() ? Interval() : It->second;
  }
  case IndexOp::Add: {
    Interval A = Of(0), B = Of(1);
    return {isInfinite(A.Low) || isInfinite(B.Low) ? -Interval::Infinite
                                                   : clamped(A.Low + B.Low),
            isInfinite(A.High) || isInfinite(B.High)
                ? Interval::Infinite
                : clamped(A.High + B.High)};
  }
  case IndexOp::Multiply:
    return product(Of(0), Of(1));
  case IndexOp::Divide: {
    Interval D = Of(1);
    return D.isPoint() ? quotient(Of(0), D.Low, false) : Interval();
  }
  case IndexOp::ShiftRight: {
    Interval D = Of(1);
    return D.isPoint() && D.Low >= 0 && D.Low < 63
               ? quotient(Of(0), Wide(1) << int(D.Low), true)
               : Interval();
  }
  case IndexOp::Remainder:
    return remainder(Of(0), Of(1));
  case IndexOp::BitAnd:
  case IndexOp::BitOr:
  case IndexOp::BitXor:
    return bits(*E, Of(0), Of(1));
  case IndexOp::Min: {
    Interval A = Of(0), B = Of(1);
    return {std::min(A.Low, B.Low), std::min(A.High, B.High)};
  }
  case IndexOp::Max: {
    Interval A = Of(0), B = Of(1);
    return {std::max(A.Low, B.Low), std::max(A.High, B.High)};
  }
  case IndexOp::Select: {
    Interval A = Of(1), B = Of(2);
    return {std::min(A.Low, B.Low), std::max(A.High, B.High)};
  }
  case IndexOp::Convert: {
    Interval A = Of(0), T = typeRange(E->Bits, E->IsSigned);
    return T.Low <= A.Low && A.High <= T.High ? A : T;
  }
  case IndexOp::Less:
  case IndexOp::LessEqual:
  case IndexOp::Equal:
    return compared(*E, Of(0), Of(1));
  case IndexOp::And:
  case IndexOp::Or: {
    Interval A = Of(0), B = Of(1);
    bool IsAnd = E->Op == IndexOp::And;
    auto False = [](const Interval &I) { return I.High == 0 && I.Low == 0; };
    auto True = [](const Interval &I) { return !I.contains(0); };
    return IsAnd ? truth(!True(A) || !True(B), !False(A) && !False(B))
                 : truth(!True(A) && !True(B), !False(A) || !False(B));
  }
  case IndexOp::Not: {
    Interval A = Of(0);
    return truth(!A.isPoint() || A.Low != 0, A.contains(0));
  }
  default:
    return {};
  }
}

namespace {

/// A sum of symbols times numbers and a constant. What is neither, a choice or
/// a quotient, is a symbol of its own with the bounds it has. Converts are
/// taken as if they changed nothing.
struct LinearForm {
  explicit LinearForm(const Ranges &Known) : Known(Known) {}

  void add(const Index &E, Wide By) {
    switch (E->Op) {
    case IndexOp::Number:
      Constant = clamped(Constant + times(E->Value, By));
      return;
    case IndexOp::Symbol:
      Coefficients[E->Name] = clamped(Coefficients[E->Name] + By);
      return;
    case IndexOp::Convert:
      return add(E->Operands[0], By);
    case IndexOp::Add:
      add(E->Operands[0], By);
      return add(E->Operands[1], By);
    case IndexOp::Multiply:
      if (E->Operands[0]->Op == IndexOp::Number)
        return add(E->Operands[1], times(By, E->Operands[0]->Value));
      break;
    default:
      break;
    }
    std::string Name = "{" + print(E) + "}";
    Coefficients[Name] = clamped(Coefficients[Name] + By);
    Atoms[Name] = intervalOf(E, Known);
  }

  Interval rangeOf(const std::string &Name) const {
    if (auto It = Atoms.find(Name); It != Atoms.end())
      return It->second;
    auto It = Known.find(Name);
    return It == Known.end() ? Interval() : It->second;
  }

  const Ranges &Known;
  std::map<std::string, Wide> Coefficients;
  Wide Constant = 0;
  Ranges Atoms;
};

/// `Sum <= 0` bounds each of its symbols.
void tightenSum(const LinearForm &Sum, Ranges &Known) {
  for (auto &[Name, C] : Sum.Coefficients) {
    auto It = Known.find(Name);
    if (C == 0 || It == Known.end())
      continue;
    Wide Others = Sum.Constant;
    bool Bounded = true;
    for (auto &[Other, D] : Sum.Coefficients) {
      if (Other == Name || D == 0)
        continue;
      Interval I = Sum.rangeOf(Other);
      Wide Least = D > 0 ? I.Low : I.High;
      Bounded &= !isInfinite(Least);
      Others = clamped(Others + times(D, Least));
    }
    if (!Bounded)
      continue;
    // C * Name <= -Others.
    if (C > 0)
      It->second.High = std::min(It->second.High, floorOf(-Others, C));
    else
      It->second.Low = std::max(It->second.Low, -floorOf(-Others, -C));
  }
}

} // namespace

void mep::tighten(const Index &Guard, Ranges &Known) {
  const auto &O = Guard->Operands;
  if (Guard->Op == IndexOp::And) {
    tighten(O[0], Known);
    tighten(O[1], Known);
    return;
  }
  bool Strict = Guard->Op == IndexOp::Less;
  if (!Strict && Guard->Op != IndexOp::LessEqual && Guard->Op != IndexOp::Equal)
    return;
  // The smaller side may be the least of several, the larger the greatest.
  if (O[1]->Op == IndexOp::Min && Guard->Op != IndexOp::Equal) {
    for (const Index &M : O[1]->Operands)
      tighten(binary(Guard->Op, O[0], M), Known);
    return;
  }
  if (O[0]->Op == IndexOp::Max && Guard->Op != IndexOp::Equal) {
    for (const Index &M : O[0]->Operands)
      tighten(binary(Guard->Op, M, O[1]), Known);
    return;
  }
  LinearForm Sum(Known);
  Sum.add(O[0], 1);
  Sum.add(O[1], -1);
  Sum.Constant += Strict ? 1 : 0;
  tightenSum(Sum, Known);
  if (Guard->Op != IndexOp::Equal)
    return;
  LinearForm Back(Known);
  Back.add(O[0], -1);
  Back.add(O[1], 1);
  tightenSum(Back, Known);
}
