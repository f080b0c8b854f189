/// The order of a sweep: small spaces whole, large ones by climbing, nothing
/// twice, and nothing that has no launch.

#include "../../../lib/Optimize/Sweep.h"
#include "gtest/gtest.h"
#include <cmath>
#include <set>

using namespace mep;

namespace {

LaunchPlan planOf(std::vector<size_t> Sizes) {
  LaunchPlan Plan;
  for (size_t I = 0; I < Sizes.size(); ++I) {
    Tunable T{"T" + std::to_string(I), {}};
    for (size_t V = 0; V < Sizes[I]; ++V)
      T.Values.push_back(int64_t(1) << V);
    Plan.Tunables.push_back(std::move(T));
  }
  return Plan;
}

const auto Any = [](const Tune &) { return true; };

TEST(Sweep, NoTunableIsOneVariant) {
  Sweep S({}, 64, Any);
  EXPECT_EQ(S.next(), std::vector<Tune>{Tune()});
  S.tell({}, 2);
  EXPECT_TRUE(S.next().empty());
}

TEST(Sweep, ASmallSpaceIsMeasuredWholeMiddleFirst) {
  Sweep S(planOf({4, 3}), 64, Any);
  std::vector<Tune> All = S.next();
  EXPECT_EQ(All.front(), (Tune{{"T0", 4}, {"T1", 2}}));
  EXPECT_EQ(std::set<Tune>(All.begin(), All.end()).size(), size_t(12));
  for (const Tune &Each : All)
    S.tell(Each, 1);
  EXPECT_TRUE(S.next().empty());
}

TEST(Sweep, ALargeSpaceIsClimbedToItsTop) {
  // One hill with its top at 64, 2, 8.
  auto Height = [](const Tune &At) {
    auto Off = [&](const char *Name, double Top) {
      return std::fabs(std::log2(double(At.at(Name))) - Top);
    };
    return 100 - Off("T0", 6) - Off("T1", 1) - Off("T2", 3);
  };
  Sweep S(planOf({8, 8, 8}), 200, Any);
  std::set<Tune> Seen;
  for (auto Batch = S.next(); !Batch.empty(); Batch = S.next())
    for (const Tune &Each : Batch) {
      EXPECT_TRUE(Seen.insert(Each).second);
      S.tell(Each, Height(Each));
    }
  EXPECT_TRUE(Seen.count({{"T0", 64}, {"T1", 2}, {"T2", 8}}));
  EXPECT_LT(Seen.size(), size_t(120));
}

TEST(Sweep, KeepsToItsLimitAndToWhatHasALaunch) {
  auto Fits = [](const Tune &At) { return At.at("T0") * At.at("T1") <= 64; };
  Sweep S(planOf({8, 8}), 20, Fits);
  size_t Count = 0;
  for (auto Batch = S.next(); !Batch.empty(); Batch = S.next())
    for (const Tune &Each : Batch) {
      ++Count;
      EXPECT_TRUE(Fits(Each));
      S.tell(Each, double(Each.at("T0") + Each.at("T1")));
    }
  EXPECT_GT(Count, size_t(8));
  EXPECT_LE(Count, size_t(20));
}

TEST(Sweep, EndsWhenEverythingFails) {
  Sweep S(planOf({8, 8}), 64, Any);
  for (const Tune &Each : S.next())
    S.tell(Each, 0);
  EXPECT_TRUE(S.next().empty());
  Sweep None(planOf({4}), 64, [](const Tune &) { return false; });
  EXPECT_TRUE(None.next().empty());
}

} // namespace
