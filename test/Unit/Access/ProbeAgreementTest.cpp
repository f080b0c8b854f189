/// What a comparison of the access model with a probe finds.
#include "mep/Access/ProbeAgreement.h"
#include "gtest/gtest.h"

using namespace mep;

namespace {

AccessedElements said(AccessedElements::State Reads, int64_t First,
                      int64_t Last, std::optional<uint64_t> Count) {
  AccessedElements T;
  T.Buffer = "a";
  T.ElementBytes = 4;
  T.Reads = Reads;
  T.Read = ElementRange{First, Last};
  T.ReadCount = Count;
  T.WriteCount = 0;
  return T;
}

ProbeReport seen(uint64_t Elements, int64_t First, int64_t Last) {
  ProbeReport R;
  ProbedBuffer B;
  B.Name = "a";
  B.ElementBytes = 4;
  B.Reads = {Elements, Elements * 4, First, Last};
  R.Buffers.push_back(B);
  return R;
}

constexpr auto Exact = AccessedElements::Exact;
constexpr auto AtMost = AccessedElements::AtMost;
constexpr auto Open = AccessedElements::Open;

} // namespace

TEST(ProbeAgreement, ExactSetsAreEqual) {
  EXPECT_TRUE(compareWithProbe({said(Exact, 3, 9, 7)}, seen(7, 3, 9)).agrees());
  EXPECT_FALSE(
      compareWithProbe({said(Exact, 3, 9, 7)}, seen(6, 3, 9)).agrees());
  EXPECT_FALSE(
      compareWithProbe({said(Exact, 3, 9, std::nullopt)}, seen(6, 3, 8))
          .agrees());
  AccessCheck C = compareWithProbe({said(Exact, 3, 9, 7)}, seen(6, 3, 9));
  ASSERT_EQ(C.Differences.size(), 1u);
  EXPECT_EQ(C.Differences[0], "'a': the kernel reads elements 3 to 9 (6), by "
                              "the access model 3 to 9 (7)");
}

TEST(ProbeAgreement, WhatIsNeverUsedNeedNotBeRead) {
  AccessedElements T = said(Exact, 3, 9, 7);
  EXPECT_TRUE(compareWithProbe({T}, seen(0, 0, -1)).agrees());
  T.Written = ElementRange{3, 9};
  T.WriteCount = 7;
  AccessCheck C = compareWithProbe({T}, seen(0, 0, -1));
  ASSERT_EQ(C.Differences.size(), 1u); // But it has to be written.
  EXPECT_EQ(C.Differences[0], "'a': the kernel writes elements none, by the "
                              "access model 3 to 9 (7)");
}

TEST(ProbeAgreement, WhatMayNotBeUsedNeedNotBeRead) {
  AccessedElements T = said(Exact, 3, 9, 7);
  T.MayBeUnused = true;
  AccessCheck Fewer = compareWithProbe({T}, seen(5, 4, 9));
  EXPECT_TRUE(Fewer.agrees());
  EXPECT_EQ(Fewer.AtMost, 1u);
  EXPECT_EQ(compareWithProbe({T}, seen(7, 3, 9)).Exact, 2u); // And the writes.
  EXPECT_FALSE(compareWithProbe({T}, seen(8, 3, 10)).agrees());
}

TEST(ProbeAgreement, WhatMayBeTouchedHoldsWhatWas) {
  EXPECT_TRUE(
      compareWithProbe({said(AtMost, 3, 9, std::nullopt)}, seen(2, 4, 9))
          .agrees());
  EXPECT_FALSE(
      compareWithProbe({said(AtMost, 3, 9, std::nullopt)}, seen(2, 4, 10))
          .agrees());
}

TEST(ProbeAgreement, OpenSidesClaimNothing) {
  AccessCheck C =
      compareWithProbe({said(Open, 3, 9, std::nullopt)}, seen(2, 0, 100));
  EXPECT_TRUE(C.agrees());
  EXPECT_EQ(C.Open, 1u);
  EXPECT_EQ(C.Exact, 1u); // Its writes: none, and none were seen.
}

TEST(ProbeAgreement, WrittenElementsNeedNotBeReadAgain) {
  AccessedElements T = said(Exact, 3, 9, 7);
  T.Written = ElementRange{3, 9};
  T.WriteCount = 7;
  ProbeReport R = seen(0, 0, -1);
  R.Buffers[0].Writes = {7, 28, 3, 9};
  EXPECT_TRUE(compareWithProbe({T}, R).agrees());
  T.ReadsInput = true;
  EXPECT_TRUE(compareWithProbe({T}, R).agrees());
  R.Buffers[0].Reads = R.Buffers[0].ReadFirst = {7, 28, 3, 9};
  EXPECT_TRUE(compareWithProbe({T}, R).agrees());
  T.ReadsInput = false;
  EXPECT_FALSE(compareWithProbe({T}, R).agrees());
}

TEST(ProbeAgreement, RunCutShortShowsLess) {
  ProbeReport R = seen(2, 4, 5);
  R.Outcome = ProbeReport::Time;
  EXPECT_TRUE(compareWithProbe({said(Exact, 3, 9, 7)}, R).agrees());
  R.Buffers[0].Reads.Last = 10;
  EXPECT_FALSE(compareWithProbe({said(Exact, 3, 9, 7)}, R).agrees());
}

TEST(ProbeAgreement, BufferWithoutAccess) {
  EXPECT_FALSE(compareWithProbe({}, seen(1, 0, 0)).agrees());
  EXPECT_TRUE(compareWithProbe({}, seen(0, 0, -1)).agrees());
  // An access that is not known may be of this buffer.
  EXPECT_TRUE(compareWithProbe({}, seen(1, 0, 0), /*KnowsAll=*/false).agrees());
}
