/// \file
/// Arithmetic on values: integers, pointers, comparisons, and one value of two.

#include "BodyWalk.h"
#include "mep/Frontend/ParsedUnit.h"

using namespace mep;
using namespace clang;

Value BodyWalk::advance(const Value &Pointer, const Index &Steps,
                        int64_t ElementBytes) {
  Value V = Pointer;
  if (V.Is != Value::Pointer)
    return V;
  if (V.Buffer >= 0)
    V.Offset = add(V.Offset, multiply(number(ElementBytes), Steps));
  else if (V.Target && !Steps->isNumber(0)) {
    V.Target.reset();
    V.IsPrivate = true;
  }
  return V;
}

Index BodyWalk::arithmetic(BinaryOperatorKind Op, const Index &A,
                           const Index &B, QualType T, const Expr *E) {
  for (const Index &N : {A, B})
    if (N->Op == IndexOp::Unknown)
      return N;
  // Unsigned arithmetic wraps around; signed overflow has no meaning.
  auto Wrapped = [&](Index N) {
    return T->isUnsignedIntegerType() ? asType(std::move(N), T) : N;
  };
  switch (Op) {
  case BO_Add:
    return Wrapped(add(A, B));
  case BO_Sub:
    return Wrapped(subtract(A, B));
  case BO_Mul:
    return Wrapped(multiply(A, B));
  case BO_Div:
    return binary(IndexOp::Divide, A, B);
  case BO_Rem:
    return binary(IndexOp::Remainder, A, B);
  case BO_Shl:
    if (B->Op == IndexOp::Number && B->Value >= 0 && B->Value < 62)
      return Wrapped(multiply(A, number(int64_t(1) << B->Value)));
    return Wrapped(multiply(A, power(number(1), number(2), B)));
  case BO_Shr:
    return binary(IndexOp::ShiftRight, A, B);
  case BO_And:
    return binary(IndexOp::BitAnd, A, B);
  case BO_Or:
    return binary(IndexOp::BitOr, A, B);
  case BO_Xor:
    return binary(IndexOp::BitXor, A, B);
  default:
    break;
  }
  return unknown("'" + text(E) + "' is no affine operation", where(E));
}

Index BodyWalk::comparison(BinaryOperatorKind Op, const Value &L,
                           const Value &R, const Expr *E) {
  Index A, B;
  bool LeftIsNull = L.Is == Value::Pointer && L.Reason == "null pointer";
  bool RightIsNull = R.Is == Value::Pointer && R.Reason == "null pointer";
  if (LeftIsNull != RightIsNull && (Op == BO_EQ || Op == BO_NE)) {
    Index NotNull = isNotNull(LeftIsNull ? R : L, E);
    return Op == BO_NE ? NotNull : negation(NotNull);
  }
  if (L.isBuffer() && R.isBuffer() && L.Buffer == R.Buffer) {
    A = L.Offset;
    B = R.Offset;
  } else if (L.Is == Value::Integer && R.Is == Value::Integer) {
    A = L.Number;
    B = R.Number;
  }
  if (!A || !B)
    return unknown("'" + text(E) + "' compares no integers", where(E));
  for (const Index &N : {A, B})
    if (N->Op == IndexOp::Unknown)
      return N;
  switch (Op) {
  case BO_LT:
    return binary(IndexOp::Less, A, B);
  case BO_GT:
    return binary(IndexOp::Less, B, A);
  case BO_LE:
    return binary(IndexOp::LessEqual, A, B);
  case BO_GE:
    return binary(IndexOp::LessEqual, B, A);
  case BO_EQ:
    return binary(IndexOp::Equal, A, B);
  case BO_NE:
    return negation(binary(IndexOp::Equal, A, B));
  default:
    return unknown("a comparison that is not followed", where(E));
  }
}

/// \p L \p Op \p R; \p T is the type it is computed in.
Value BodyWalk::compute(BinaryOperatorKind Op, const Value &L, const Value &R,
                        QualType LeftType, QualType T, const Expr *E) {
  if (BinaryOperator::isComparisonOp(Op))
    return Value::of(comparison(Op, L, R, E));
  if (LeftType->isPointerType() || T->isPointerType()) {
    bool PointerLeft = L.Is == Value::Pointer;
    const Value &P = PointerLeft ? L : R;
    const Value &N = PointerLeft ? R : L;
    if (PointerLeft && R.Is == Value::Pointer) { // Difference.
      int64_t Bytes = sizeOf(LeftType->getPointeeType());
      if (L.isBuffer() && R.isBuffer() && L.Buffer == R.Buffer)
        return Value::of(binary(IndexOp::Divide, subtract(L.Offset, R.Offset),
                                number(Bytes)));
      return opaque(T, "difference of pointers", E);
    }
    Index Steps = asInteger(N, E);
    if (Op == BO_Sub)
      Steps = multiply(number(-1), Steps);
    QualType Pointer = PointerLeft ? LeftType : T;
    return advance(P, Steps, sizeOf(Pointer->getPointeeType()));
  }
  if (!T->isIntegralOrEnumerationType())
    return opaque(T, "'" + text(E) + "' is no integer", E);
  return Value::of(arithmetic(Op, asInteger(L, E), asInteger(R, E), T, E));
}

/// \p A where \p C holds, else \p B.
Value BodyWalk::merged(const Index &C, const Value &A, const Value &B,
                       const Expr *E) {
  if (C->Op == IndexOp::Number)
    return C->Value ? A : B;
  if (isUninitialised(A) || isUninitialised(B))
    return isUninitialised(A) ? B : A;
  Value V;
  V.Is = A.Is;
  if (A.Is == Value::Integer && B.Is == Value::Integer) {
    if (!A.Number || !B.Number)
      return A.Number ? B : A;
    if (print(A.Number) == print(B.Number) && A.Number->Op != IndexOp::Unknown)
      V.Number = A.Number;
    else if (A.Number->Op == IndexOp::Unknown)
      V.Number = A.Number;
    else if (B.Number->Op == IndexOp::Unknown)
      V.Number = B.Number;
    else if (C->Op == IndexOp::Unknown)
      V.Number = C;
    else
      V.Number = select(C, A.Number, B.Number);
    return V;
  }
  if (A.isBuffer() && B.isBuffer() && A.Buffer == B.Buffer) {
    V.Buffer = A.Buffer;
    if (print(A.Offset) == print(B.Offset))
      V.Offset = A.Offset;
    else if (C->Op == IndexOp::Unknown)
      V.Offset = C;
    else
      V.Offset = select(C, A.Offset, B.Offset);
    return V;
  }
  if (A.Is == Value::Record && B.Is == Value::Record) {
    for (auto &[Name, Field] : A.Fields)
      if (auto Other = B.Fields.find(Name); Other != B.Fields.end())
        V.Fields[Name] = merged(C, Field, Other->second, E);
    return V;
  }
  if (A.Is == Value::Pointer && B.Is == Value::Pointer) {
    if ((A.IsPrivate || A.Target) && (B.IsPrivate || B.Target)) {
      V.IsPrivate = true;
      return V;
    }
    V.Reason = "one of several pointers";
    V.Where = E ? where(E) : "";
    return V;
  }
  V = Value::of(unknown("one of several values", E ? where(E) : ""));
  return V;
}
