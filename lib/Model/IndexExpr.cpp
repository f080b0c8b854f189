/// \file
/// Index arithmetic: folding constructors, visits and text.

#include "mep/Model/IndexExpr.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <optional>

using namespace mep;
using llvm::StringRef;

namespace {

constexpr unsigned MaxSize = 2000;

Index make(IndexOp Op, std::vector<Index> Operands) {
  auto E = std::make_shared<IndexExpr>();
  E->Op = Op;
  for (const Index &O : Operands)
    E->Size += O->Size;
  if (E->Size > MaxSize)
    return unknown("an expression that is too long", "");
  E->Operands = std::move(Operands);
  return E;
}

std::optional<int64_t> powered(int64_t First, int64_t Factor, int64_t Count) {
  for (int64_t I = 0; I < Count; ++I)
    if (llvm::MulOverflow(First, Factor, First))
      return std::nullopt;
  return First;
}

int64_t roundedDown(int64_t A, int64_t B) {
  int64_t Q = A / B;
  return Q - (A % B != 0 && (A < 0) != (B < 0));
}

/// What \p Op makes of two numbers; nothing where C++ gives no value.
std::optional<int64_t> folded(IndexOp Op, int64_t A, int64_t B) {
  int64_t R = 0;
  switch (Op) {
  case IndexOp::Add:
    return llvm::AddOverflow(A, B, R) ? std::nullopt : std::optional(R);
  case IndexOp::Multiply:
    return llvm::MulOverflow(A, B, R) ? std::nullopt : std::optional(R);
  case IndexOp::Divide:
    return B == 0 || B == -1 ? std::nullopt : std::optional(A / B);
  case IndexOp::Remainder:
    return B == 0 || B == -1 ? std::nullopt : std::optional(A % B);
  case IndexOp::ShiftRight:
    return B < 0 || B > 63 ? std::nullopt : std::optional(A >> B);
  case IndexOp::BitAnd:
    return A & B;
  case IndexOp::BitOr:
    return A | B;
  case IndexOp::BitXor:
    return A ^ B;
  case IndexOp::Min:
    return std::min(A, B);
  case IndexOp::Max:
    return std::max(A, B);
  case IndexOp::Less:
    return A < B;
  case IndexOp::LessEqual:
    return A <= B;
  case IndexOp::Equal:
    return A == B;
  default:
    return std::nullopt;
  }
}

} // namespace

Index mep::number(int64_t Value) {
  auto E = std::make_shared<IndexExpr>();
  E->Value = Value;
  return E;
}

Index mep::symbol(StringRef Name, SymbolKind Kind) {
  auto E = std::make_shared<IndexExpr>();
  E->Op = IndexOp::Symbol;
  E->Name = Name.str();
  E->Kind = Kind;
  return E;
}

Index mep::unknown(StringRef Reason, StringRef Where) {
  auto E = std::make_shared<IndexExpr>();
  E->Op = IndexOp::Unknown;
  E->Name = Reason.str();
  E->Where = Where.str();
  return E;
}

Index mep::add(Index A, Index B) {
  return binary(IndexOp::Add, std::move(A), std::move(B));
}

Index mep::subtract(Index A, Index B) {
  return add(std::move(A), multiply(number(-1), std::move(B)));
}

Index mep::multiply(Index A, Index B) {
  return binary(IndexOp::Multiply, std::move(A), std::move(B));
}

Index mep::binary(IndexOp Op, Index A, Index B) {
  if (A->Op == IndexOp::Number && B->Op == IndexOp::Number)
    if (auto R = folded(Op, A->Value, B->Value))
      return number(*R);
  if (Op == IndexOp::Add) {
    if (A->isNumber(0))
      return B;
    if (B->isNumber(0))
      return A;
    // A number goes last, and two of them are one.
    if (A->Op == IndexOp::Number)
      std::swap(A, B);
    auto Ends = [](const Index &E) {
      return E->Op == IndexOp::Add && E->Operands[1]->Op == IndexOp::Number;
    };
    if (B->Op == IndexOp::Number) {
      if (Ends(A))
        if (auto R = folded(Op, A->Operands[1]->Value, B->Value))
          return add(A->Operands[0], number(*R));
    } else if (Ends(B)) {
      return add(add(std::move(A), B->Operands[0]), B->Operands[1]);
    } else if (Ends(A)) {
      return add(add(A->Operands[0], std::move(B)), A->Operands[1]);
    }
  }
  if (Op == IndexOp::Multiply) {
    if (A->isNumber(0) || B->isNumber(1))
      return A;
    if (B->isNumber(0) || A->isNumber(1))
      return B;
    // A number goes first, and two of them are one.
    if (B->Op == IndexOp::Number)
      std::swap(A, B);
    if (A->Op == IndexOp::Number && B->Op == IndexOp::Multiply &&
        B->Operands[0]->Op == IndexOp::Number)
      if (auto R = folded(Op, A->Value, B->Operands[0]->Value))
        return multiply(number(*R), B->Operands[1]);
  }
  if ((Op == IndexOp::Divide && B->isNumber(1)) ||
      (Op == IndexOp::ShiftRight && B->isNumber(0)))
    return A;
  return make(Op, {std::move(A), std::move(B)});
}

Index mep::select(Index Condition, Index A, Index B) {
  if (Condition->Op == IndexOp::Number)
    return Condition->Value ? A : B;
  return A == B ? A : make(IndexOp::Select, {Condition, A, B});
}

Index mep::convert(Index A, unsigned Bits, bool IsSigned) {
  if (A->Op == IndexOp::Number) {
    uint64_t Mask = Bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << Bits) - 1;
    uint64_t Low = uint64_t(A->Value) & Mask;
    if (IsSigned && Bits < 64 && Low >> (Bits - 1))
      return number(int64_t(Low | ~Mask));
    // Above the largest int64_t there is no number to hold it.
    if (IsSigned || Bits < 64 || A->Value >= 0)
      return number(int64_t(Low));
  }
  if (A->Op == IndexOp::Unknown ||
      (A->Op == IndexOp::Convert && A->Bits == Bits && A->IsSigned == IsSigned))
    return A;
  auto E = std::make_shared<IndexExpr>();
  E->Op = IndexOp::Convert;
  E->Bits = Bits;
  E->IsSigned = IsSigned;
  E->Size = A->Size + 1;
  E->Operands = {std::move(A)};
  return E;
}

Index mep::power(Index First, Index Factor, Index Count) {
  IndexExpr Empty;
  Empty.Op = IndexOp::Power;
  return withOperands(Empty,
                      {std::move(First), std::move(Factor), std::move(Count)});
}

Index mep::negation(Index C) {
  if (C->Op == IndexOp::Number)
    return number(!C->Value);
  if (C->Op == IndexOp::Not)
    return C->Operands[0];
  if (C->Op == IndexOp::Less)
    return binary(IndexOp::LessEqual, C->Operands[1], C->Operands[0]);
  if (C->Op == IndexOp::LessEqual)
    return binary(IndexOp::Less, C->Operands[1], C->Operands[0]);
  if (C->Op == IndexOp::And)
    return disjunction(negation(C->Operands[0]), negation(C->Operands[1]));
  if (C->Op == IndexOp::Or)
    return conjunction(negation(C->Operands[0]), negation(C->Operands[1]));
  return C->Op == IndexOp::Unknown ? C : make(IndexOp::Not, {C});
}

Index mep::conjunction(Index A, Index B) {
  if (A->Op == IndexOp::Number)
    return A->Value ? B : A;
  if (B->Op == IndexOp::Number)
    return B->Value ? A : B;
  return make(IndexOp::And, {A, B});
}

Index mep::disjunction(Index A, Index B) {
  if (A->Op == IndexOp::Number)
    return A->Value ? A : B;
  if (B->Op == IndexOp::Number)
    return B->Value ? B : A;
  return make(IndexOp::Or, {A, B});
}

// ---- visits ----------------------------------------------------------------

bool mep::everyPart(const Index &E,
                    llvm::function_ref<bool(const IndexExpr &)> Visit) {
  return Visit(*E) && llvm::all_of(E->Operands, [&](const Index &O) {
           return everyPart(O, Visit);
         });
}

const IndexExpr *mep::firstUnknown(const Index &E) {
  const IndexExpr *Found = nullptr;
  everyPart(E, [&](const IndexExpr &P) {
    if (P.Op == IndexOp::Unknown)
      Found = &P;
    return !Found;
  });
  return Found;
}

bool mep::mentions(const Index &E, StringRef Name) {
  return !everyPart(E, [&](const IndexExpr &P) {
    return P.Op != IndexOp::Symbol || P.Name != Name;
  });
}

Index mep::withOperands(const IndexExpr &E, std::vector<Index> O) {
  switch (E.Op) {
  case IndexOp::Select:
    return select(O[0], O[1], O[2]);
  case IndexOp::Convert:
    return convert(O[0], E.Bits, E.IsSigned);
  case IndexOp::Not:
    return negation(O[0]);
  case IndexOp::And:
    return conjunction(O[0], O[1]);
  case IndexOp::Or:
    return disjunction(O[0], O[1]);
  case IndexOp::Power:
    if (O[2]->isNumber(0))
      return O[0];
    if (llvm::all_of(O,
                     [](const Index &I) { return I->Op == IndexOp::Number; }))
      if (auto R = powered(O[0]->Value, O[1]->Value, O[2]->Value))
        return number(*R);
    return make(E.Op, std::move(O));
  case IndexOp::Decay:
    if (O[2]->isNumber(0))
      return O[0];
    if (llvm::all_of(O,
                     [](const Index &I) { return I->Op == IndexOp::Number; })) {
      int64_t V = O[0]->Value;
      for (int64_t I = 0; I < O[2]->Value && V != 0; ++I)
        V = roundedDown(V, O[1]->Value);
      return number(V);
    }
    return make(E.Op, std::move(O));
  default:
    return binary(E.Op, O[0], O[1]);
  }
}

Index mep::replaced(const Index &E,
                    llvm::function_ref<Index(const IndexExpr &)> By) {
  if (E->Op == IndexOp::Symbol) {
    Index New = By(*E);
    return New ? New : E;
  }
  std::vector<Index> Operands;
  bool Changed = false;
  for (const Index &O : E->Operands) {
    Operands.push_back(replaced(O, By));
    Changed |= Operands.back() != O;
  }
  return Changed ? withOperands(*E, std::move(Operands)) : E;
}

Index mep::substitute(const Index &E, StringRef Name, const Index &By) {
  return replaced(
      E, [&](const IndexExpr &S) { return S.Name == Name ? By : nullptr; });
}

void mep::appendParts(const Index &Condition, std::vector<Index> &Out) {
  if (Condition->Op == IndexOp::And) {
    appendParts(Condition->Operands[0], Out);
    appendParts(Condition->Operands[1], Out);
  } else if (!Condition->isNumber(1)) {
    Out.push_back(Condition);
  }
}

// ---- elements ----

std::optional<ElementIndex> mep::wholeElements(const Index &Offset,
                                               int64_t Size) {
  if (Size == 1)
    return ElementIndex{Offset, 0};
  switch (Offset->Op) {
  case IndexOp::Number: {
    int64_t Rest = ((Offset->Value % Size) + Size) % Size;
    return ElementIndex{number((Offset->Value - Rest) / Size), Rest};
  }
  case IndexOp::Multiply:
    if (Offset->Operands[0]->Op == IndexOp::Number &&
        Offset->Operands[0]->Value % Size == 0)
      return ElementIndex{multiply(number(Offset->Operands[0]->Value / Size),
                                   Offset->Operands[1]),
                          0};
    return std::nullopt;
  case IndexOp::Add: {
    auto A = wholeElements(Offset->Operands[0], Size),
         B = wholeElements(Offset->Operands[1], Size);
    if (!A || !B)
      return std::nullopt;
    int64_t Rest = A->Rest + B->Rest;
    return ElementIndex{add(add(A->Whole, B->Whole), number(Rest / Size)),
                        Rest % Size};
  }
  case IndexOp::Select: {
    auto A = wholeElements(Offset->Operands[1], Size),
         B = wholeElements(Offset->Operands[2], Size);
    if (!A || !B || A->Rest != B->Rest)
      return std::nullopt;
    return ElementIndex{select(Offset->Operands[0], A->Whole, B->Whole),
                        A->Rest};
  }
  default:
    return std::nullopt;
  }
}

// ---- text ------------------------------------------------------------------

namespace {

/// Binding strength, C++'s order.
unsigned strength(const IndexExpr &E) {
  switch (E.Op) {
  case IndexOp::Select:
    return 1;
  case IndexOp::Or:
    return 2;
  case IndexOp::And:
    return 3;
  case IndexOp::BitOr:
    return 4;
  case IndexOp::BitXor:
    return 5;
  case IndexOp::BitAnd:
    return 6;
  case IndexOp::Equal:
    return 7;
  case IndexOp::Less:
  case IndexOp::LessEqual:
    return 8;
  case IndexOp::ShiftRight:
    return 9;
  case IndexOp::Add:
    return 10;
  case IndexOp::Multiply:
  case IndexOp::Divide:
  case IndexOp::Remainder:
    return 11;
  case IndexOp::Not:
    return 12;
  default:
    return 13;
  }
}

const char *sign(IndexOp Op) {
  switch (Op) {
  case IndexOp::Multiply:
    return "*";
  case IndexOp::Divide:
    return "/";
  case IndexOp::Remainder:
    return "%";
  case IndexOp::ShiftRight:
    return " >> ";
  case IndexOp::BitAnd:
    return " & ";
  case IndexOp::BitOr:
    return " | ";
  case IndexOp::BitXor:
    return " ^ ";
  case IndexOp::Less:
    return " < ";
  case IndexOp::LessEqual:
    return " <= ";
  case IndexOp::Equal:
    return " == ";
  case IndexOp::And:
    return " && ";
  case IndexOp::Or:
    return " || ";
  default:
    return " + ";
  }
}

std::string operand(const Index &E, unsigned Least) {
  if (E->Op == IndexOp::Convert)
    return operand(E->Operands[0], Least);
  std::string Text = print(E);
  bool Negative = E->Op == IndexOp::Number && E->Value < 0 && Least > 10;
  return strength(*E) < Least || Negative ? "(" + Text + ")" : Text;
}

std::string sum(const Index &A, const Index &B) {
  std::string Left = operand(A, 10);
  if (B->Op == IndexOp::Number && B->Value < 0)
    return Left + " - " + std::to_string(-uint64_t(B->Value));
  const Index &First = B->Op == IndexOp::Multiply ? B->Operands[0] : B;
  if (B->Op == IndexOp::Multiply && First->Op == IndexOp::Number &&
      First->Value < 0)
    return Left + " - " +
           operand(multiply(number(-First->Value), B->Operands[1]), 11);
  return Left + " + " + operand(B, 10);
}

} // namespace

std::string mep::print(const Index &E) {
  const auto &O = E->Operands;
  switch (E->Op) {
  case IndexOp::Number:
    return std::to_string(E->Value);
  case IndexOp::Symbol:
    return E->Name;
  case IndexOp::Unknown:
    return "{" + E->Name + "}";
  case IndexOp::Convert:
    return print(O[0]);
  case IndexOp::Add:
    return sum(O[0], O[1]);
  case IndexOp::Min:
  case IndexOp::Max:
    return (E->Op == IndexOp::Min ? "min(" : "max(") + print(O[0]) + ", " +
           print(O[1]) + ")";
  case IndexOp::Power:
  case IndexOp::Decay:
    return operand(O[0], 11) + (E->Op == IndexOp::Power ? "*" : "/") +
           operand(O[1], 12) + "^" + operand(O[2], 12);
  case IndexOp::Select:
    return operand(O[0], 2) + " ? " + operand(O[1], 2) + " : " +
           operand(O[2], 1);
  case IndexOp::Not:
    return "!" + operand(O[0], 12);
  default:
    unsigned S = strength(*E);
    bool Chain =
        O[1]->Op == E->Op && (E->Op == IndexOp::Multiply ||
                              E->Op == IndexOp::And || E->Op == IndexOp::Or);
    return operand(O[0], S) + sign(E->Op) + operand(O[1], Chain ? S : S + 1);
  }
}
