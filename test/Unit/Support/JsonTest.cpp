/// \file
/// Outside JSON gives values or one error that names origin, path and problem.

#include "mep/Support/Json.h"
#include "mep/Support/Error.h"
#include "gtest/gtest.h"
#include <nlohmann/json.hpp>

using namespace mep;

namespace {

std::string errorText(llvm::Error E) { return llvm::toString(std::move(E)); }

Json parsed(const char *Text) {
  auto Value = parseJson(Text, "f.json");
  if (!Value) {
    ADD_FAILURE() << errorText(Value.takeError());
    return Json::object();
  }
  return *Value;
}

TEST(Json, SyntaxErrorNamesLineAndColumn) {
  auto Value = parseJson("{\n  \"a\": 1,\n  \"b\": }\n", "f.json");
  ASSERT_FALSE(bool(Value));
  EXPECT_EQ(errorText(Value.takeError()), "f.json:3:8: not valid JSON");
}

TEST(Json, EmptyAndTruncatedTextAreErrors) {
  for (const char *Text : {"", "{", "[1,", "\"abc"}) {
    auto Value = parseJson(Text, "f.json");
    EXPECT_FALSE(bool(Value)) << Text;
    llvm::consumeError(Value.takeError());
  }
}

TEST(Json, DeepNestingIsRefusedWithoutRecursion) {
  std::string Deep(100000, '[');
  auto Value = parseJson(Deep, "f.json");
  ASSERT_FALSE(bool(Value));
  EXPECT_EQ(errorText(Value.takeError()), "f.json: JSON nested too deeply");
}

TEST(Json, CommentsAreAccepted) {
  EXPECT_EQ(parsed("{ // why\n \"a\": 1 }")["a"].get<int>(), 1);
}

TEST(Json, InvalidUtf8PrintsAsReplacement) {
  Json Value = {{"a", "x\xff"}};
  EXPECT_EQ(printJson(Value), "{\"a\":\"x\xef\xbf\xbd\"}");
}

TEST(JsonReader, ReadsEveryKind) {
  Json Value =
      parsed(R"({"s":"t","b":true,"i":-3,"u":7,"d":1.5,"e":"n*2","f":4})");
  JsonReader R(Value, "f.json");
  std::string S, E, F;
  bool B = false;
  int64_t I = 0;
  uint64_t U = 0;
  double D = 0;
  R.read("s", S);
  R.read("b", B);
  R.read("i", I);
  R.read("u", U);
  R.read("d", D);
  R.readExpression("e", E);
  R.readExpression("f", F);
  EXPECT_FALSE(bool(R.takeError()));
  EXPECT_EQ(S, "t");
  EXPECT_TRUE(B);
  EXPECT_EQ(I, -3);
  EXPECT_EQ(U, 7u);
  EXPECT_EQ(D, 1.5);
  EXPECT_EQ(E, "n*2");
  EXPECT_EQ(F, "4");
}

TEST(JsonReader, FirstProblemInANestedObjectIsReported) {
  Json Value = parsed(R"({"list":[{"n":1},{"n":"x"},{}]})");
  JsonReader R(Value, "f.json");
  int Visited = 0;
  R.objects("list", [&](JsonReader &Inner) {
    int64_t N;
    Inner.read("n", N);
    ++Visited;
  });
  EXPECT_EQ(errorText(R.takeError()), "f.json.list[1].n: expected an integer");
  EXPECT_EQ(Visited, 2);
}

TEST(JsonReader, NegativeAndHugeNumbersDoNotWrap) {
  Json Value = parsed(R"({"a":-1,"b":18446744073709551615,"c":4294967296})");
  uint64_t U;
  int64_t I;
  unsigned N;
  for (auto Read : {+[](JsonReader &R, uint64_t &U, int64_t &, unsigned &) {
                      R.read("a", U);
                    },
                    +[](JsonReader &R, uint64_t &, int64_t &I, unsigned &) {
                      R.read("b", I);
                    },
                    +[](JsonReader &R, uint64_t &, int64_t &, unsigned &N) {
                      R.read("c", N);
                    }}) {
    JsonReader R(Value, "f.json");
    Read(R, U, I, N);
    EXPECT_TRUE(R.failed());
    llvm::consumeError(R.takeError());
  }
}

TEST(JsonReader, UnknownMemberListsTheKnownOnes) {
  Json Value = parsed(R"({"extend":1})");
  JsonReader R(Value, "f.json");
  R.rejectUnknown({"extent", "role"});
  EXPECT_EQ(errorText(R.takeError()),
            "f.json.extend: unknown member; known are extent, role");
}

} // namespace
