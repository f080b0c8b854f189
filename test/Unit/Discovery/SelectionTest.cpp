/// \file
/// Filters, order and merging of kernel sites, on plain values.

#include "../Frontend/TemporaryFolder.h"
#include "mep/Discovery/Discovery.h"
#include "mep/Support/Error.h"
#include "gtest/gtest.h"

using namespace mep;
using llvm::StringRef;

namespace {

KernelSite kernel(std::string Name, double Rank, unsigned Launches = 1,
                  std::string Unit = "/p/a.cu") {
  KernelSite Site;
  Site.Name = Site.QualifiedName = Name;
  Site.MangledName = "_Z" + Name;
  Site.Unit = Unit;
  Site.Definition = {Unit, unsigned(Name.size()) * 10, 0, 1, 1};
  Site.Instantiations = {{"", Site.MangledName}};
  Site.Rank = Rank;
  for (unsigned I = 0; I < Launches; ++I) {
    Site.Launches.emplace_back();
    Site.Launches.back().Unit = Unit;
  }
  return Site;
}

/// A kernel that \p Unit declares and launches.
KernelSite launchOnly(std::string Name, std::string Unit) {
  KernelSite Site = kernel(Name, 0, 1, Unit);
  Site.Definition = {};
  Site.Launches[0].Call = {Unit, 5, 9, 3, 1};
  return Site;
}

std::string names(std::vector<KernelSite> Found, KernelFilter Filter = {}) {
  auto Chosen = selectKernels(std::move(Found), Filter);
  if (!Chosen)
    return llvm::toString(Chosen.takeError());
  std::string Text;
  for (const KernelSite &Site : *Chosen)
    Text += (Text.empty() ? "" : " ") + Site.QualifiedName;
  return Text;
}

std::string refusal(std::vector<KernelSite> Found, KernelFilter Filter,
                    Failure Kind) {
  auto Chosen = selectKernels(std::move(Found), Filter);
  if (Chosen) {
    ADD_FAILURE() << "something was selected";
    return {};
  }
  llvm::Error E = Chosen.takeError();
  EXPECT_EQ(failureOf(E), Kind);
  return llvm::toString(std::move(E));
}

#define EXPECT_HAS(Text, Word)                                                 \
  EXPECT_TRUE(StringRef(Text).contains(Word)) << (Text)

TEST(Selection, HottestFirstAndUnlaunchedLast) {
  EXPECT_EQ(names({kernel("cold", 1), kernel("hottest", 9),
                   kernel("idle", 99, 0), kernel("warm", 5)}),
            "hottest warm cold idle");
}

TEST(Selection, ARegularExpressionOnTheQualifiedName) {
  std::vector<KernelSite> All{kernel("app::one", 2), kernel("app::two", 1)};
  EXPECT_EQ(names(All, {"two$", ""}), "app::two");
  EXPECT_EQ(names(All, {"^app::", ""}), "app::one app::two");
}

TEST(Selection, WhatIsAskedForAndWhatThereIs) {
  std::vector<KernelSite> All{kernel("one", 2), kernel("two", 1)};
  std::string Text = refusal(All, {"three", ""}, Failure::NotFound);
  EXPECT_HAS(Text, "'three'");
  EXPECT_HAS(Text, "one, two");
  EXPECT_HAS(refusal({}, {}, Failure::NotFound), "no kernel");
  EXPECT_HAS(refusal(All, {"[", ""}, Failure::Usage), "--kernel=[");
}

TEST(Selection, APlaceInsideADefinitionOrALaunch) {
  TemporaryFolder Folder;
  std::string Code = "\nkernel {\n  body\n}\n\nrun(\n  args)\n";
  std::string File = Folder.write("a.cu", Code);
  KernelSite Site = kernel("k", 1, 1, File);
  Site.Definition = {File, 1, unsigned(Code.find('}') + 1), 2, 1};
  Site.Launches[0].Call = {File, unsigned(Code.find("run")),
                           unsigned(Code.find(')') + 1), 6, 1};
  auto At = [&](std::string Line) {
    return names({Site, kernel("other", 5)}, {"", File + ":" + Line});
  };
  EXPECT_EQ(At("2"), "k");
  EXPECT_EQ(At("4"), "k");
  EXPECT_EQ(At("7"), "k");
  EXPECT_EQ(At("3:9"), "k");
  EXPECT_HAS(At("5"), "no kernel at " + File + ":5");
  EXPECT_HAS(At("1"), "k, other");
}

TEST(Selection, PlacesThatAreNone) {
  std::vector<KernelSite> All{kernel("k", 1)};
  for (std::string At : {"a.cu", "a.cu:", "a.cu:x", "a.cu:0", ":3"})
    EXPECT_HAS(refusal(All, {"", At}, Failure::Usage), "--at=" + At);
}

TEST(Selection, AHeaderKernelSeenTwiceIsOneWithAllItsLaunches) {
  KernelSite First = kernel("k", 3, 0), Second = kernel("k", 4, 1);
  First.Definition.File = Second.Definition.File = "/p/k.cuh";
  Second.Unit = Second.Launches[0].Unit = "/p/b.cu";
  auto Chosen = selectKernels({First, Second}, {});
  ASSERT_TRUE(bool(Chosen));
  ASSERT_EQ(Chosen->size(), 1u);
  EXPECT_EQ(Chosen->front().Unit, "/p/b.cu") << "the unit that launches it";
  EXPECT_EQ(Chosen->front().Launches.size(), 1u);
  EXPECT_EQ(Chosen->front().Rank, 4);
}

TEST(Selection, InstantiationsOfTwoUnitsAreNumberedAnew) {
  KernelSite First = kernel("k", 1), Second = kernel("k", 1);
  First.IsTemplate = Second.IsTemplate = true;
  First.Instantiations = {{"int", "_Zi"}};
  Second.Instantiations = {{"float", "_Zf"}, {"int", "_Zi"}};
  Second.Launches[0].Instantiation = 1;
  LaunchSite OfFloat = Second.Launches[0];
  OfFloat.Instantiation = 0;
  Second.Launches.push_back(OfFloat);
  auto Chosen = selectKernels({First, Second}, {});
  ASSERT_TRUE(bool(Chosen));
  const KernelSite &K = Chosen->front();
  ASSERT_EQ(K.Instantiations.size(), 2u);
  ASSERT_EQ(K.Launches.size(), 3u);
  EXPECT_EQ(K.Launches[1].Instantiation, 0u);
  EXPECT_EQ(K.Launches[2].Instantiation, 1u);
}

TEST(Selection, ALaunchOfAnotherUnitsKernelJoinsIt) {
  auto Chosen = selectKernels(
      {kernel("k", 2, 0, "/p/k.cu"), launchOnly("k", "/p/main.cu")}, {});
  ASSERT_TRUE(bool(Chosen)) << llvm::toString(Chosen.takeError());
  ASSERT_EQ(Chosen->size(), 1u);
  EXPECT_EQ(Chosen->front().Unit, "/p/k.cu");
  ASSERT_EQ(Chosen->front().Launches.size(), 1u);
  EXPECT_EQ(Chosen->front().Launches[0].Unit, "/p/main.cu");
}

/// Two programs of one database may define the same name.
TEST(Selection, OfTwoDefinitionsTheOneBesideTheLaunch) {
  auto Chosen =
      selectKernels({kernel("k", 2, 0, "/p/k.cu"), kernel("k", 2, 0, "/q/k.cu"),
                     launchOnly("k", "/q/main.cu")},
                    {});
  ASSERT_TRUE(bool(Chosen));
  ASSERT_EQ(Chosen->size(), 2u);
  EXPECT_EQ(Chosen->front().Unit, "/q/k.cu");
  EXPECT_EQ(Chosen->front().Launches.size(), 1u);
  EXPECT_TRUE(Chosen->back().Launches.empty());
}

TEST(Selection, ALaunchWhoseKernelIsNowhereIsNamed) {
  std::string Text =
      refusal({launchOnly("far", "/p/main.cu")}, {}, Failure::NotFound);
  EXPECT_HAS(Text, "'far'");
  EXPECT_HAS(Text, "/p/main.cu:3:1");
  EXPECT_EQ(names({launchOnly("far", "/p/main.cu"), kernel("k", 1)}), "k");
}

} // namespace
