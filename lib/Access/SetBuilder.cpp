/// \file
/// Index arithmetic in isl's terms.

#include "SetBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace mep;
using namespace mep::isl;

SetBuilder::SetBuilder(isl::Context &Context, std::vector<std::string> Names,
                       const Ranges &Known)
    : Context(Context), Names(std::move(Names)), Known(Known) {}

isl_local_space *SetBuilder::localSpace() const {
  return isl_local_space_from_space(
      isl_space_set_alloc(Context.raw(), 0, unsigned(Names.size())));
}

Set SetBuilder::universe() const {
  return Set(isl_set_universe(
      isl_space_set_alloc(Context.raw(), 0, unsigned(Names.size()))));
}

static isl_val *value(isl::Context &Context, Wide N) {
  bool Negative = N < 0;
  unsigned __int128 Size = Negative ? -static_cast<unsigned __int128>(N)
                                    : static_cast<unsigned __int128>(N);
  uint64_t Chunks[2] = {uint64_t(Size), uint64_t(Size >> 64)};
  isl_val *V = isl_val_int_from_chunks(Context.raw(), 2, 8, Chunks);
  return Negative ? isl_val_neg(V) : V;
}

Set SetBuilder::bounded(Set S, unsigned Dimension, const Interval &I) const {
  if (I.Low > -Interval::Infinite)
    S = Set(isl_set_lower_bound_val(S.take(), isl_dim_set, Dimension,
                                    value(Context, I.Low)));
  if (I.High < Interval::Infinite)
    S = Set(isl_set_upper_bound_val(S.take(), isl_dim_set, Dimension,
                                    value(Context, I.High)));
  return S;
}

// ---- functions -------------------------------------------------------------

PwAff SetBuilder::constant(Wide N) const {
  return PwAff(isl_pw_aff_from_aff(
      isl_aff_val_on_domain(localSpace(), value(Context, N))));
}

/// \p A / \p By, towards zero or down.
PwAff SetBuilder::divided(const PwAff &A, Wide By, bool Down,
                          const Interval &Range) const {
  if (By == 0)
    return PwAff();
  if (By < 0 || (!Down && Range.Low < 0))
    return Down ? PwAff()
                : PwAff(isl_pw_aff_tdiv_q(A.take(), constant(By).take()));
  return PwAff(isl_pw_aff_floor(
      isl_pw_aff_scale_down_val(A.take(), value(Context, By))));
}

PwAff SetBuilder::remainder(const PwAff &A, Wide By, bool OfFloor,
                            const Interval &Range) const {
  if (By == 0)
    return PwAff();
  if (By < 0 || (!OfFloor && Range.Low < 0))
    return OfFloor ? PwAff()
                   : PwAff(isl_pw_aff_tdiv_r(A.take(), constant(By).take()));
  if (Range.Low >= 0 && Range.High < By)
    return A;
  return PwAff(isl_pw_aff_mod_val(A.take(), value(Context, By)));
}

/// The bits of \p Mask, a run of ones at a time.
PwAff SetBuilder::masked(const PwAff &A, uint64_t Mask) const {
  PwAff Sum = constant(0);
  for (unsigned At = 0; At < 62 && Mask >> At;) {
    if (!(Mask >> At & 1)) {
      ++At;
      continue;
    }
    unsigned Length = unsigned(llvm::countr_one(Mask >> At));
    PwAff Part = divided(A, Wide(1) << At, true, {});
    // Ones up to the top keep the sign.
    if (At + Length < 64)
      Part = remainder(Part, Wide(1) << Length, true, {});
    Part =
        PwAff(isl_pw_aff_scale_val(Part.take(), value(Context, Wide(1) << At)));
    Sum = PwAff(isl_pw_aff_add(Sum.take(), Part.take()));
    At += Length;
  }
  return Sum;
}

/// How many low bits of \p E are zero.
static unsigned zeroBits(const Index &E) {
  switch (E->Op) {
  case IndexOp::Number:
    return E->Value == 0 ? 62 : unsigned(llvm::countr_zero(uint64_t(E->Value)));
  case IndexOp::Multiply:
    return std::min(62u, zeroBits(E->Operands[0]) + zeroBits(E->Operands[1]));
  case IndexOp::Add:
    return std::min(zeroBits(E->Operands[0]), zeroBits(E->Operands[1]));
  default:
    return 0;
  }
}

PwAff SetBuilder::bitOperation(const IndexExpr &E) const {
  Index A = E.Operands[0], B = E.Operands[1];
  if (A->Op == IndexOp::Number)
    std::swap(A, B);
  PwAff Left = affine(A), Right = affine(B);
  if (B->Op == IndexOp::Number) {
    PwAff Common = masked(Left, uint64_t(B->Value));
    if (E.Op == IndexOp::BitAnd)
      return Common;
    Common = PwAff(isl_pw_aff_scale_val(
        Common.take(), value(Context, E.Op == IndexOp::BitOr ? -1 : -2)));
    return PwAff(isl_pw_aff_add(isl_pw_aff_add(Left.take(), Right.take()),
                                Common.take()));
  }
  // Numbers without a common bit: their sum, or nothing.
  for (unsigned Swapped = 0; Swapped < 2; ++Swapped, std::swap(A, B)) {
    Interval I = intervalOf(B, Known);
    if (I.Low >= 0 && I.High < Wide(1) << zeroBits(A))
      return E.Op == IndexOp::BitAnd
                 ? constant(0)
                 : PwAff(isl_pw_aff_add(Left.take(), Right.take()));
  }
  return PwAff();
}

PwAff SetBuilder::wrapped(const IndexExpr &E) const {
  PwAff A = affine(E.Operands[0]);
  Interval I = intervalOf(E.Operands[0], Known),
           T = typeRange(E.Bits, E.IsSigned);
  if (T.Low <= I.Low && I.High <= T.High)
    return A;
  Wide Modulus = Wide(1) << E.Bits;
  A = PwAff(isl_pw_aff_add(A.take(), constant(-T.Low).take()));
  A = PwAff(isl_pw_aff_mod_val(A.take(), value(Context, Modulus)));
  return PwAff(isl_pw_aff_add(A.take(), constant(T.Low).take()));
}

PwAff SetBuilder::selected(const IndexExpr &E) const {
  bool IsExact = true;
  Set Where = holds(E.Operands[0], false, IsExact);
  if (!IsExact || !Where)
    return PwAff();
  Set Elsewhere(isl_set_complement(Where.take()));
  return PwAff(isl_pw_aff_union_add(
      isl_pw_aff_intersect_domain(affine(E.Operands[1]).take(), Where.take()),
      isl_pw_aff_intersect_domain(affine(E.Operands[2]).take(),
                                  Elsewhere.take())));
}

PwAff SetBuilder::combined(const IndexExpr &E) const {
  const auto &O = E.Operands;
  PwAff A = affine(O[0]), B = affine(O[1]);
  if (!A || !B)
    return PwAff();
  Interval I = intervalOf(O[0], Known), D = intervalOf(O[1], Known);
  switch (E.Op) {
  case IndexOp::Add:
    return PwAff(isl_pw_aff_add(A.take(), B.take()));
  case IndexOp::Multiply:
    if (!I.isPoint() && !D.isPoint())
      return PwAff();
    return I.isPoint()
               ? PwAff(isl_pw_aff_scale_val(B.take(), value(Context, I.Low)))
               : PwAff(isl_pw_aff_scale_val(A.take(), value(Context, D.Low)));
  case IndexOp::Divide:
    return D.isPoint() ? divided(A, D.Low, false, I) : PwAff();
  case IndexOp::Remainder:
    return D.isPoint() ? remainder(A, D.Low, false, I) : PwAff();
  case IndexOp::ShiftRight:
    return D.isPoint() && D.Low >= 0 && D.Low < 63
               ? divided(A, Wide(1) << int(D.Low), true, I)
               : PwAff();
  case IndexOp::Min:
    return PwAff(isl_pw_aff_min(A.take(), B.take()));
  case IndexOp::Max:
    return PwAff(isl_pw_aff_max(A.take(), B.take()));
  default:
    return PwAff();
  }
}

PwAff SetBuilder::affine(const Index &E) const {
  switch (E->Op) {
  case IndexOp::Number:
    return constant(E->Value);
  case IndexOp::Symbol: {
    auto It = llvm::find(Names, E->Name);
    if (It == Names.end())
      return PwAff();
    return PwAff(isl_pw_aff_var_on_domain(localSpace(), isl_dim_set,
                                          unsigned(It - Names.begin())));
  }
  case IndexOp::BitAnd:
  case IndexOp::BitOr:
  case IndexOp::BitXor:
    return bitOperation(*E);
  case IndexOp::Convert:
    return wrapped(*E);
  case IndexOp::Select:
    return selected(*E);
  case IndexOp::Less:
  case IndexOp::LessEqual:
  case IndexOp::Equal:
  case IndexOp::And:
  case IndexOp::Or:
  case IndexOp::Not: {
    bool IsExact = true;
    Set S = holds(E, false, IsExact);
    return IsExact ? PwAff(isl_set_indicator_function(S.take())) : PwAff();
  }
  case IndexOp::Unknown:
  case IndexOp::Power:
  case IndexOp::Decay:
    return PwAff();
  default:
    return combined(*E);
  }
}

// ---- sets ------------------------------------------------------------------

Set SetBuilder::compared(const IndexExpr &E, bool Negated,
                         bool &IsExact) const {
  PwAff A = affine(E.Operands[0]), B = affine(E.Operands[1]);
  if (!A || !B) {
    IsExact = false;
    return universe();
  }
  switch (E.Op) {
  case IndexOp::Less:
    return Set(Negated ? isl_pw_aff_ge_set(A.take(), B.take())
                       : isl_pw_aff_lt_set(A.take(), B.take()));
  case IndexOp::LessEqual:
    return Set(Negated ? isl_pw_aff_gt_set(A.take(), B.take())
                       : isl_pw_aff_le_set(A.take(), B.take()));
  default:
    return Set(Negated ? isl_pw_aff_ne_set(A.take(), B.take())
                       : isl_pw_aff_eq_set(A.take(), B.take()));
  }
}

Set SetBuilder::holds(const Index &E, bool Negated, bool &IsExact) const {
  const auto &O = E->Operands;
  switch (E->Op) {
  case IndexOp::Number:
    return (E->Value != 0) != Negated
               ? universe()
               : Set(isl_set_empty(isl_space_set_alloc(
                     Context.raw(), 0, unsigned(Names.size()))));
  case IndexOp::And:
  case IndexOp::Or: {
    Set A = holds(O[0], Negated, IsExact), B = holds(O[1], Negated, IsExact);
    return (E->Op == IndexOp::And) != Negated ? A & B : A | B;
  }
  case IndexOp::Not:
    return holds(O[0], !Negated, IsExact);
  case IndexOp::Less:
  case IndexOp::LessEqual:
  case IndexOp::Equal:
    return compared(*E, Negated, IsExact);
  case IndexOp::Unknown:
    IsExact = false;
    return universe();
  default: {
    auto Zero = std::make_shared<IndexExpr>();
    Zero->Op = IndexOp::Equal;
    Zero->Operands = {E, number(0)};
    return compared(*Zero, !Negated, IsExact);
  }
  }
}
