/// \file
/// Constant expressions by Clang's rules, and the words of each refusal.

#include "mep/Frontend/ConstantEvaluator.h"
#include "mep/Support/Error.h"
#include "gtest/gtest.h"

using namespace mep;

namespace {

ConstantValue value(std::string Expression,
                    std::vector<NamedConstant> Constants = {}) {
  auto Values = evaluateConstants(Constants, {Expression}, "the test");
  if (!Values) {
    ADD_FAILURE() << llvm::toString(Values.takeError());
    return {};
  }
  return Values->front();
}

int64_t integer(std::string Expression,
                std::vector<NamedConstant> Constants = {}) {
  ConstantValue V = value(Expression, Constants);
  EXPECT_FALSE(V.IsFloat) << Expression;
  return V.Integer;
}

/// The message of a refusal; also checks its class.
std::string refusal(std::string Expression,
                    std::vector<NamedConstant> Constants = {}) {
  auto Values = evaluateConstants(Constants, {Expression}, "workload.json");
  if (Values) {
    ADD_FAILURE() << Expression << " was evaluated";
    return {};
  }
  llvm::Error E = Values.takeError();
  EXPECT_EQ(failureOf(E), Failure::Workload);
  return llvm::toString(std::move(E));
}

bool mentions(const std::string &Text, llvm::StringRef Word) {
  return llvm::StringRef(Text).contains(Word);
}

TEST(ConstantEvaluator, FollowsIntegerArithmetic) {
  EXPECT_EQ(integer("(1000 + 255) / 256"), 4);
  EXPECT_EQ(integer("-7 / 2"), -3);
  EXPECT_EQ(integer("1 << 5 | 3 & 2"), 34);
  EXPECT_EQ(integer("5 > 3 ? 'a' : 0"), 97);
  EXPECT_EQ(integer("true"), 1);
}

TEST(ConstantEvaluator, ResultsKeepTheOrderOfTheExpressions) {
  auto Values = evaluateConstants({}, {"1", "2.5", "3"}, "");
  ASSERT_TRUE(bool(Values));
  ASSERT_EQ(Values->size(), 3u);
  EXPECT_EQ((*Values)[0].Integer, 1);
  EXPECT_TRUE((*Values)[1].IsFloat);
  EXPECT_EQ((*Values)[1].Float, 2.5);
  EXPECT_EQ((*Values)[2].asDouble(), 3.0);
}

TEST(ConstantEvaluator, NoExpressionIsNoWork) {
  auto Values = evaluateConstants({{"n", "int", "1 / 0"}}, {}, "");
  ASSERT_TRUE(bool(Values));
  EXPECT_TRUE(Values->empty());
}

TEST(ConstantEvaluator, ConstantsMayUseThoseBeforeThem) {
  EXPECT_EQ(integer("rows * columns",
                    {{"rows", "int", "6"}, {"columns", "int", "rows + 1"}}),
            42);
}

TEST(ConstantEvaluator, DottedNamesStandForMembers) {
  std::vector<NamedConstant> Constants{
      {"p.n", "int", "7"}, {"p.n.x", "int", "5"}, {"n", "int", "3"}};
  EXPECT_EQ(integer("p.n * n", Constants), 21);
  EXPECT_EQ(integer("p.n.x + p.n", Constants), 12);
}

TEST(ConstantEvaluator, LibraryFunctionsWithAndWithoutStd) {
  EXPECT_EQ(value("ceil(1000 / 256.0)").Float, 4);
  EXPECT_EQ(value("std::floor(-1.5)").Float, -2);
  EXPECT_EQ(integer("min(3, 5) + std::max(3, 5)"), 8);
  EXPECT_EQ(integer("std::max<int>(2, 9L)"), 9);
  EXPECT_EQ(integer("abs(-4)"), 4);
  EXPECT_NEAR(value("sqrt(2.0)").Float, 1.4142135623730951, 1e-12);
  EXPECT_EQ(value("std::log2(1024.0)").Float, 10);
  EXPECT_EQ(value("pow(2, 10)").Float, 1024);
  EXPECT_NEAR(value("exp(1.0)").Float, 2.718281828459045, 1e-9);
}

TEST(ConstantEvaluator, SizesFollowTheHostsTypes) {
  EXPECT_EQ(integer("100 * sizeof(double)"), 800);
  EXPECT_EQ(integer("(size_t)ceil(5 / 2.0f)"), 3);
  EXPECT_EQ(integer("static_cast<int>(2.9)"), 2);
  EXPECT_EQ(integer("dim3(4, 2).y"), 2);
}

TEST(ConstantEvaluator, DivisionByZeroIsNamed) {
  EXPECT_TRUE(mentions(refusal("8 / (2 - 2)"), "division by zero"));
  EXPECT_TRUE(mentions(refusal("8 % 0"), "division by zero"));
  EXPECT_TRUE(mentions(refusal("1.0 / 0"), "division by zero"));
  std::string InConstant = refusal("n", {{"n", "int", "1 / 0"}});
  EXPECT_TRUE(mentions(InConstant, "'1 / 0': division by zero")) << InConstant;
}

TEST(ConstantEvaluator, UnknownNamesAreNamed) {
  std::string Text = refusal("width * 2");
  EXPECT_TRUE(mentions(Text, "'width'")) << Text;
  EXPECT_TRUE(mentions(Text, "workload.json")) << Text;
}

TEST(ConstantEvaluator, OverflowIsNoValue) {
  std::vector<NamedConstant> Large{{"n", "int", "100000"}};
  EXPECT_TRUE(mentions(refusal("n * n", Large), "10000000000"));
  EXPECT_EQ(integer("(long)n * n", Large), 10000000000);
  EXPECT_TRUE(mentions(refusal("1 << 40"), "shift count"));
  EXPECT_TRUE(mentions(refusal("18446744073709551615ull"), "too large"));
}

TEST(ConstantEvaluator, AValueThatItsTypeCannotHoldIsRefused) {
  std::string Text = refusal("n", {{"n", "int", "3000000000"}});
  EXPECT_TRUE(mentions(Text, "does not fit its type int")) << Text;
  EXPECT_EQ(integer("n", {{"n", "long", "3000000000"}}), 3000000000);
  EXPECT_EQ(integer("f", {{"f", "bool", "4"}}), 1);
}

TEST(ConstantEvaluator, OnlyExpressionsPass) {
  for (const char *Text : {"", "  ", "1; int x", "1) + (1", "#if 1", "\"abc\"",
                           "1 \\\n", "[]{ return 1; }()"})
    refusal(Text);
  refusal("n++", {{"n", "int", "1"}});
  refusal("1 <");
  refusal("nullptr");
  refusal("1", {{"n", "nosuchtype", "1"}});
}

TEST(ConstantEvaluator, EndlessEvaluationEnds) {
  refusal("pow(1.0000001, 1ll << 62) + log2(0.0)");
}

} // namespace
