/// \file
/// Extents as expressions, from what small runs touch: plain numbers.

#include "../../../lib/Pipeline/ExtentFit.h"
#include "gtest/gtest.h"
#include <functional>

using namespace mep;

namespace {

/// Fits what \p End gives for three assignments of n, m and k.
std::string fit(const std::function<uint64_t(int64_t, int64_t, int64_t)> &End) {
  std::vector<ExtentSample> Samples;
  for (auto [N, M, K] : {std::array<int64_t, 3>{80, 112, 176},
                         std::array<int64_t, 3>{112, 208, 304},
                         std::array<int64_t, 3>{176, 272, 80}})
    Samples.push_back({{{"n", N}, {"m", M}, {"k", K}}, End(N, M, K)});
  return fitExtent({"n", "m", "k"}, Samples);
}

TEST(ExtentFit, TakesTheSimplestExactExpression) {
  EXPECT_EQ(fit([](auto N, auto, auto) { return N; }), "n");
  EXPECT_EQ(fit([](auto, auto M, auto) { return M + 1; }), "m + 1");
  EXPECT_EQ(fit([](auto N, auto, auto K) { return N * K; }), "n * k");
  EXPECT_EQ(fit([](auto N, auto, auto) { return 3 * N * N - 2; }),
            "3 * n * n - 2");
  EXPECT_EQ(fit([](auto N, auto M, auto K) { return N * M * K; }), "n * m * k");
  EXPECT_EQ(fit([](auto, auto, auto) { return 27; }), "27");
}

TEST(ExtentFit, CoversWhatIsNotQuiteAProduct) {
  EXPECT_EQ(fit([](auto N, auto M, auto) { return N * M - M - 1; }), "n * m");
  EXPECT_EQ(fit([](auto N, auto, auto) { return N / 16 * 16 - 30; }), "n - 30");
  EXPECT_EQ(fit([](auto N, auto, auto) { return (N - 1) / 3 * 2 + 1; }), "n");
}

TEST(ExtentFit, SaysNothingWhereNothingComesNear) {
  EXPECT_EQ(fit([](auto N, auto M, auto K) { return 100 * N * M * K; }), "");
  EXPECT_EQ(fitExtent({"n"}, {{{{"n", 4}}, 4}, {{{"n", 8}}, 8}}), "");
}

} // namespace
