/// Folding and text of index arithmetic.
#include "mep/Model/IndexExpr.h"
#include "gtest/gtest.h"

using namespace mep;

namespace {

Index n() { return symbol("n", SymbolKind::Parameter); }
Index m() { return symbol("m", SymbolKind::Parameter); }

TEST(IndexExpr, NumbersGatherAtTheEndOfASum) {
  EXPECT_EQ(print(add(add(number(1), n()), add(m(), number(2)))), "n + m + 3");
  EXPECT_EQ(print(subtract(add(n(), number(1)), number(1))), "n");
}

TEST(IndexExpr, TextKeepsTheMeaningOfIntegerDivision) {
  EXPECT_EQ(print(multiply(n(), binary(IndexOp::Divide, m(), number(4)))),
            "n*(m/4)");
  EXPECT_EQ(print(binary(IndexOp::Divide, multiply(n(), m()), number(4))),
            "n*m/4");
  EXPECT_EQ(print(subtract(n(), add(m(), number(1)))), "n - (m + 1)");
}

TEST(IndexExpr, ConversionsOfNumbersWrapAround) {
  EXPECT_TRUE(convert(number(-1), 8, false)->isNumber(255));
  EXPECT_TRUE(convert(number(200), 8, true)->isNumber(-56));
  EXPECT_TRUE(convert(number(-1), 32, false)->isNumber(4294967295));
}

TEST(IndexExpr, NegationTurnsComparisonsAround) {
  EXPECT_EQ(print(negation(binary(IndexOp::Less, n(), m()))), "m <= n");
  EXPECT_EQ(print(negation(conjunction(binary(IndexOp::Less, n(), m()),
                                       binary(IndexOp::Equal, n(), m())))),
            "m <= n || !(n == m)");
}

TEST(IndexExpr, OffsetsAreSplitIntoElements) {
  auto At = wholeElements(add(multiply(number(24), n()), number(20)), 12);
  ASSERT_TRUE(At);
  EXPECT_EQ(print(At->Whole), "2*n + 1");
  EXPECT_EQ(At->Rest, 8);
  EXPECT_FALSE(wholeElements(multiply(number(6), n()), 12));
}

TEST(IndexExpr, ARunawayFormulaBecomesUnknown) {
  Index E = n();
  for (int I = 0; I < 40; ++I)
    E = select(binary(IndexOp::Less, E, m()), add(E, m()), E);
  EXPECT_TRUE(firstUnknown(E));
}

} // namespace
