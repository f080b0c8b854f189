/// \file
/// Arithmetic on index polynomials.

#include "Polynomial.h"
#include <algorithm>

using namespace mep;

void Polynomial::add(const Monomial &Product, int64_t Factor) {
  int64_t &Sum = Terms[Product];
  Sum = int64_t(uint64_t(Sum) + uint64_t(Factor));
  if (Sum == 0)
    Terms.erase(Product);
}

Polynomial Polynomial::constant(int64_t Value) {
  Polynomial P;
  P.add({}, Value);
  return P;
}

Polynomial Polynomial::atom(const std::string &Key) {
  Polynomial P;
  P.add({Key}, 1);
  return P;
}

Polynomial Polynomial::operator+(const Polynomial &Other) const {
  Polynomial Sum = *this;
  for (const auto &[Product, Factor] : Other.Terms)
    Sum.add(Product, Factor);
  return Sum;
}

Polynomial Polynomial::operator-(const Polynomial &Other) const {
  return *this + Other * constant(-1);
}

Polynomial Polynomial::operator*(const Polynomial &Other) const {
  Polynomial Result;
  for (const auto &[Left, A] : Terms)
    for (const auto &[Right, B] : Other.Terms) {
      Monomial Product = Left;
      Product.insert(Product.end(), Right.begin(), Right.end());
      std::sort(Product.begin(), Product.end());
      Result.add(Product, int64_t(uint64_t(A) * uint64_t(B)));
    }
  return Result;
}

std::optional<int64_t> Polynomial::asConstant() const {
  if (Terms.empty())
    return 0;
  if (Terms.size() == 1 && Terms.begin()->first.empty())
    return Terms.begin()->second;
  return std::nullopt;
}

std::set<std::string> Polynomial::atoms() const {
  std::set<std::string> All;
  for (const auto &Term : Terms)
    All.insert(Term.first.begin(), Term.first.end());
  return All;
}

bool Polynomial::uses(llvm::StringRef Key) const {
  return atoms().count(Key.str()) != 0;
}

std::optional<Polynomial>
Polynomial::coefficient(const std::string &Key) const {
  Polynomial Result;
  for (const auto &[Product, Factor] : Terms) {
    auto Power = std::count(Product.begin(), Product.end(), Key);
    if (Power == 0)
      continue;
    if (Power > 1)
      return std::nullopt;
    Monomial Rest = Product;
    Rest.erase(std::find(Rest.begin(), Rest.end(), Key));
    Result.add(Rest, Factor);
  }
  return Result;
}

Polynomial Polynomial::swapped(const std::string &A,
                               const std::string &B) const {
  Polynomial Result;
  for (const auto &[Product, Factor] : Terms) {
    Monomial Other = Product;
    for (std::string &Atom : Other)
      Atom = Atom == A ? B : Atom == B ? A : Atom;
    std::sort(Other.begin(), Other.end());
    Result.add(Other, Factor);
  }
  return Result;
}
