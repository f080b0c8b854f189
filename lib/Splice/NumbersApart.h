/// \file
/// Proofs that two numbers of the host code differ whenever both are
/// evaluated: the indices of `buf[now]` and `buf[1 - now]`. PointersApart asks.

#ifndef MEP_LIB_SPLICE_NUMBERSAPART_H
#define MEP_LIB_SPLICE_NUMBERSAPART_H

#include "HostStores.h"

namespace clang {
class BinaryOperator;
}

namespace mep {

class NumbersApart {
public:
  explicit NumbersApart(const HostStores &Stores) : Stores(Stores) {}

  /// True if \p A and \p B, which stand in one expression, always differ.
  bool areApart(const clang::Expr *A, const clang::Expr *B) const;

private:
  bool differ(const clang::Expr *A, const clang::Expr *B) const;
  bool isParityOther(const clang::Expr *A,
                     const clang::BinaryOperator *Remainder) const;
  const clang::Expr *onlyValue(const clang::Expr *E) const;
  bool areKeptApart(const clang::Expr *A, const clang::Expr *B) const;
  bool isSame(const clang::Expr *A, const clang::Expr *B) const;

  const HostStores &Stores;
};

} // namespace mep

#endif // MEP_LIB_SPLICE_NUMBERSAPART_H
