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
                           "\"t // no comment\", \"bytes\": 4,},],\n}";
  for (const char *Label : {"json", "JSON5", ""}) {
    Candidate C = understood(fenced(Kernel) + fenced(Plan, Label));
    EXPECT_EQ(C.DeviceText, Kernel);
    ASSERT_EQ(C.Plan.Scratch.size(), 1u);
    EXPECT_EQ(C.Plan.Scratch[0].Name, "t // no comment");
  }
}

TEST(Reply, OtherLineEndsMarksAndBytes) {
  EXPECT_EQ(
      understood("\xef\xbb\xbf```cuda\r\n// a\r\n" + Kernel + "\r\n```\r\n")
          .DeviceText,
      "// a\n" + Kernel);
  EXPECT_EQ(understood(fenced("// \xff\xc3(\x1b[2J\x07\xc3\xa4\n" + Kernel))
                .DeviceText,
            "// ?\?([2J\xc3\xa4\n" + Kernel);
}

TEST(Reply, HelpersMayLieInABlockOfTheirOwn) {
  std::string Helper = "__device__ float one() { return 1; }";
  EXPECT_EQ(understood(fenced(Helper) + fenced(Kernel)).DeviceText,
            Helper + "\n" + Kernel);
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
