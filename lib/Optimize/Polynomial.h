/// \file
/// Index arithmetic of a kernel as polynomials, so that the catalogue can
/// compare and differentiate subscripts instead of their spelling.

#ifndef MEP_LIB_OPTIMIZE_POLYNOMIAL_H
#define MEP_LIB_OPTIMIZE_POLYNOMIAL_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace mep {

/// Sum of integer multiples of products of atoms. An atom is a variable, a
/// dimension macro or an expression that arithmetic does not look into; equal
/// keys are equal values within one execution of a statement.
class Polynomial {
public:
  Polynomial() = default;
  static Polynomial constant(int64_t Value);
  static Polynomial atom(const std::string &Key);

  Polynomial operator+(const Polynomial &Other) const;
  Polynomial operator-(const Polynomial &Other) const;
  Polynomial operator*(const Polynomial &Other) const;
  bool operator==(const Polynomial &Other) const {
    return Terms == Other.Terms;
  }
  bool operator!=(const Polynomial &Other) const { return !(*this == Other); }

  std::optional<int64_t> asConstant() const;
  std::set<std::string> atoms() const;
  bool uses(llvm::StringRef Key) const;
  /// P in `this = P * Key + rest`; empty unless \p Key occurs to the first
  /// power only.
  std::optional<Polynomial> coefficient(const std::string &Key) const;
  /// \p A and \p B exchanged.
  Polynomial swapped(const std::string &A, const std::string &B) const;
  /// As a C++ expression, each atom spelled by \p Spell; empty if Spell
  /// refuses (returns an empty string for) one of them.
  template <typename Fn> std::string spelled(Fn Spell) const {
    std::string Out;
    for (const auto &[Product, Factor] : Terms) {
      std::string Term = std::to_string(Factor);
      for (const std::string &Atom : Product) {
        std::string Name = Spell(Atom);
        if (Name.empty())
          return "";
        Term = Term == "1" ? Name : Term + "*" + Name;
      }
      Out += (Out.empty() ? "" : " + ") + Term;
    }
    return Out.empty() ? "0" : Out;
  }

private:
  using Monomial = std::vector<std::string>; ///< Sorted.
  void add(const Monomial &Product, int64_t Factor);
  std::map<Monomial, int64_t> Terms; ///< No zero factor.
};

} // namespace mep

#endif // MEP_LIB_OPTIMIZE_POLYNOMIAL_H
