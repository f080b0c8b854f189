/// \file
/// Index polynomials and text edits.

#include "../../../lib/Optimize/Polynomial.h"
#include "../../../lib/Optimize/TextEdits.h"
#include "gtest/gtest.h"

using namespace mep;

namespace {

Polynomial atom(const char *Name) { return Polynomial::atom(Name); }

TEST(Polynomial, DoesNotCareForOrder) {
  EXPECT_EQ(atom("i") * atom("N") + atom("j"),
            atom("j") + atom("N") * atom("i"));
  EXPECT_NE(atom("i") * atom("N"), atom("i") * atom("M"));
  EXPECT_EQ(atom("i") - atom("i"), Polynomial::constant(0));
  EXPECT_EQ((atom("i") - atom("i")).asConstant(), 0);
}

TEST(Polynomial, HasCoefficients) {
  Polynomial P = (atom("i") + Polynomial::constant(1)) * atom("N") + atom("j");
  EXPECT_EQ(P.coefficient("i"), atom("N"));
  EXPECT_EQ(P.coefficient("j")->asConstant(), 1);
  EXPECT_EQ(P.coefficient("k")->asConstant(), 0);
  EXPECT_FALSE((atom("i") * atom("i")).coefficient("i"));
}

TEST(Polynomial, SwapsAtoms) {
  EXPECT_EQ((atom("i") * atom("N") + atom("j")).swapped("i", "j"),
            atom("j") * atom("N") + atom("i"));
}

TEST(Polynomial, IsSpelledOnlyAsAWhole) {
  Polynomial P = atom("n") * Polynomial::constant(2) + atom("m");
  EXPECT_EQ(P.spelled([](const std::string &A) { return A; }), "m + 2*n");
  EXPECT_EQ(P.spelled([](const std::string &A) { return A == "n" ? "" : A; }),
            "");
}

TEST(TextEdits, AppliesInOrderAndRefusesOverlap) {
  TextEdits Edits;
  Edits.insert(3, "X");
  Edits.insert(3, "Y");
  Edits.replace({0, 1}, "Z");
  EXPECT_EQ(Edits.apply("abcdef"), "ZbcXYdef");
  EXPECT_EQ(Edits.applyWithin("abcdef", {1, 4}), "bcXYd");
  Edits.replace({2, 5}, "");
  EXPECT_FALSE(Edits.apply("abcdef"));
}

} // namespace
