/// \file
/// Replies taken as they are meant, and refused where that is not plain.

#include "mep/Optimize/Reply.h"
#include "gtest/gtest.h"

using namespace mep;

namespace {

const std::string Kernel = "__global__ void k(float *p) { p[0] = 1; }";

std::string fenced(const std::string &Text, const std::string &Label = "cuda") {
  return "```" + Label + "\n" + Text + "\n```\n";
}

Candidate understood(const std::string &Text) {
  auto Read = parseReply(Text);
  EXPECT_TRUE(bool(Read)) << (Read ? "" : llvm::toString(Read.takeError()));
  return Read ? *Read : Candidate();
}

std::string refused(const std::string &Text) {
  auto Read = parseReply(Text);
  EXPECT_FALSE(bool(Read));
  return Read ? "" : llvm::toString(Read.takeError());
}

} // namespace

TEST(Reply, CodeWithProseAroundIt) {
  for (const char *Label : {"cuda", "cpp", "C++", "hip", ""})
    EXPECT_EQ(
        understood("Here:\n" + fenced(Kernel, Label) + "Done.").DeviceText,
        Kernel);
  EXPECT_EQ(understood("~~~~cuda\n" + Kernel + "\n~~~~~\n").DeviceText, Kernel);
  EXPECT_EQ(understood(Kernel + "\n").DeviceText, Kernel);
}

TEST(Reply, PlanWithMovesAndSummary) {
  Candidate C = understood(
      fenced(Kernel) +
      fenced(R"({"plan": {"launches": [{"kernel": "k", "grid": ["n / T"],
                 "block": ["T"]}], "tune": {"T": [64, 128]}},
                 "moves": ["block-shape"], "summary": "wider"})",
             "json"));
  EXPECT_EQ(C.Plan.Launches.at(0).Grid[0], "n / T");
  EXPECT_EQ(C.Plan.Tunables.at(0).Values, (std::vector<int64_t>{64, 128}));
  EXPECT_EQ(C.Moves, std::vector<std::string>{"block-shape"});
  EXPECT_EQ(C.Summary, "wider");
}

TEST(Reply, JsonAsPeopleWriteIt) {
  const std::string Plan = "{ // a comment, \"quoted\"\n"
                           "/* another, */ \"scratch\": [{\"name\": "
                           "\"t\", \"bytes\": \"4 // no comment\",},],\n}";
  for (const char *Label : {"json", "JSON5", ""}) {
    Candidate C = understood(fenced(Kernel) + fenced(Plan, Label));
    EXPECT_EQ(C.DeviceText, Kernel);
    ASSERT_EQ(C.Plan.Scratch.size(), 1u);
    EXPECT_EQ(C.Plan.Scratch[0].Bytes, "4 // no comment");
  }
}

TEST(Reply, OtherLineEndsMarksAndBytes) {
  EXPECT_EQ(
      understood("\xef\xbb\xbf```cuda\r\n// a\r\n" + Kernel + "\r\n```\r\n")
          .DeviceText,
      "// a\n" + Kernel);
  EXPECT_EQ(understood(fenced("// \xff(\x1b[2J\x07\xc2\x9b"
                              "2J\x7f\xc3\xa4\n" +
                              Kernel))
                .DeviceText,
            "// \xef\xbf\xbd([2J2J\xc3\xa4\n" + Kernel);
}

TEST(Reply, HelpersMayLieInABlockOfTheirOwn) {
  std::string Helper = "__device__ float one() { return 1; }";
  EXPECT_EQ(understood(fenced(Helper) + fenced(Kernel)).DeviceText,
            Helper + "\n" + Kernel);
}

TEST(Reply, NamesOfAPlanHoldNoCode) {
  auto withPlan = [](const std::string &Plan) {
    return fenced(Kernel) + fenced(Plan, "json");
  };
  for (const char *Name :
       {"k", "::ns::k", "ns::k<float, 16>", "k<float *, -1>"})
    understood(withPlan("{\"launches\": [{\"kernel\": \"" + std::string(Name) +
                        "\"}]}"));
  for (
      const char *Plan :
      {R"J({"launches": [{"kernel": "k>(0); } int x = [] { return 3; }();"}]})J",
       R"J({"launches": [{"kernel": "k\n#include \"a\""}]})J",
       R"J({"launches": [{"kernel": "k<sizeof(x)>"}]})J",
       R"J({"tune": {"T 1\n#include \"a\"\n#define U": [1]}})J",
       R"J({"tune": {"f(x)" : [1]}
})J",
       R"J({"tune": {"": [1]}})J",
       R"J({"scratch": [{"name": "p; float *q", "bytes": 4}]})J",
       R"J({"scratch": [{"name": "p", "type": "float; x", "bytes": 4}]})J"})
    EXPECT_NE(refused(withPlan(Plan)).find("expected "), std::string::npos)
        << Plan;
}

TEST(Reply, WhatIsNotPlainIsRefused) {
  EXPECT_NE(refused("I cannot do this.").find("holds no kernel"),
            std::string::npos);
  EXPECT_NE(refused("").find("holds no kernel"), std::string::npos);
  EXPECT_NE(refused(fenced("int x;")).find("holds no kernel"),
            std::string::npos);
  EXPECT_NE(refused("```cuda\n" + Kernel).find("cut off"), std::string::npos);
  EXPECT_NE(refused(fenced(Kernel) + fenced("__global__ void\n"
                                            "__launch_bounds__(32) k (int);"))
                .find("'k' is defined twice"),
            std::string::npos);
  EXPECT_NE(
      refused(fenced(Kernel) + fenced("{}", "json") + fenced("{}", "json"))
          .find("two plans"),
      std::string::npos);
  EXPECT_NE(refused(fenced(Kernel) + fenced("{\"launches\": [}", "json"))
                .find("plan"),
            std::string::npos);
  EXPECT_NE(refused(fenced(Kernel) + fenced("{\"launch\": []}", "json"))
                .find("launch"),
            std::string::npos);
  EXPECT_NE(refused(std::string(MostReplyBytes + 1, 'x')).find("more than"),
            std::string::npos);
}
