/// Terms print as C++ that means the same, and divide without remainders.
#include "../../../lib/Workload/Term.h"
#include "gtest/gtest.h"

using namespace mep;

namespace {

TermRef name(const char *N) { return nameTerm(N); }
TermRef number(int64_t V) { return integerTerm(V); }

TEST(Term, PrintsOnlyNeededParentheses) {
  TermRef Sum = binaryTerm("+", name("n"), number(31));
  EXPECT_EQ(print(binaryTerm("/", Sum, number(32))), "(n + 31) / 32");
  EXPECT_EQ(
      print(binaryTerm("-", name("a"), binaryTerm("-", name("b"), name("c")))),
      "a - (b - c)");
  EXPECT_EQ(print(castTerm("float", binaryTerm("+", name("n"), number(2)))),
            "(float)(n + 2)");
  EXPECT_EQ(print(unaryTerm("-", binaryTerm("*", name("a"), name("b")))),
            "-(a * b)");
}

TEST(Term, FoldsConstantsAndNeutralElements) {
  EXPECT_EQ(print(binaryTerm("<<", number(1), number(20))), "1048576");
  EXPECT_EQ(print(binaryTerm("*", name("n"), number(1))), "n");
  EXPECT_EQ(print(binaryTerm("+", number(0), name("n"))), "n");
  EXPECT_EQ(binaryTerm("+", nullptr, name("n")), nullptr);
}

TEST(Term, DividesExactlyWhereFactorsShowIt) {
  TermRef Bytes =
      binaryTerm("*", binaryTerm("*", number(4), name("n")), name("m"));
  EXPECT_EQ(print(dividedBy(Bytes, 4)), "n * m");
  TermRef Sum =
      binaryTerm("+", binaryTerm("*", name("n"), number(8)), number(16));
  EXPECT_EQ(print(dividedBy(Sum, 8)), "n + 2");
  EXPECT_EQ(print(dividedBy(name("bytes"), 4)), "bytes / 4");
}

TEST(Term, EvaluatesLikeCpp) {
  TermRef Grid = callTerm("ceil", {binaryTerm("/", castTerm("float", name("n")),
                                              castTerm("float", name("b")))});
  auto Value = evaluate(Grid, {{"n", 1000}, {"b", 256}});
  ASSERT_TRUE(Value.has_value());
  EXPECT_TRUE(Value->IsFloat);
  EXPECT_EQ(Value->Float, 4.0);
  EXPECT_FALSE(evaluate(binaryTerm("/", name("n"), number(0)), {{"n", 1}}));
  EXPECT_FALSE(evaluate(name("unknown"), {}).has_value());
  EXPECT_EQ(evaluate(binaryTerm("/", number(-7), number(2)), {})->Integer, -3);
}

TEST(Term, FloatsKeepTheirValue) {
  EXPECT_EQ(print(floatTerm(43532)), "43532.0");
  EXPECT_EQ(print(floatTerm(0.1)), "0.1");
  EXPECT_EQ(print(floatTerm(1e-30)), "1e-30");
}

} // namespace
