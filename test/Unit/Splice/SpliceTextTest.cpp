/// \file
/// Identifiers in code that is about to be spliced.

#include "../../../lib/Splice/SpliceText.h"
#include "gtest/gtest.h"

using namespace mep;

namespace {

TEST(SpliceText, ReplacesWholeIdentifiersOnly) {
  EXPECT_EQ(replaceNames("TILE + TILES + x.TILE + p->TILE + \"TILE\" // TILE",
                         {{"TILE", "16"}}),
            "16 + TILES + x.TILE + p->TILE + \"TILE\" // TILE");
}

TEST(SpliceText, DottedNamesTakeTheLongestKey) {
  EXPECT_EQ(replaceNames("p.n * p.m", {{"p.n", "count"}, {"p", "Range"}}),
            "count * Range.m");
}

TEST(SpliceText, MentionsSeesMembersOfAName) {
  EXPECT_TRUE(mentions("p.n + 1", "p"));
  EXPECT_FALSE(mentions("q.p + 1", "p"));
  EXPECT_FALSE(mentions("\"p\"", "p"));
}

TEST(SpliceText, ParenthesesOnlyWhereNeeded) {
  EXPECT_EQ(parenthesized("n"), "n");
  EXPECT_EQ(parenthesized("g.x"), "g.x");
  EXPECT_EQ(parenthesized("a + b"), "(a + b)");
}

TEST(SpliceText, ACalleeKeepsItsTemplateArguments) {
  EXPECT_EQ(replaceLastName("ns::k<float, k>", "k", "k_tuned"),
            "ns::k_tuned<float, k>");
  EXPECT_EQ(replaceLastName("k", "k", "j"), "j");
}

} // namespace
