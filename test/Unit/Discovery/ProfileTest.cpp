/// Times from the CSV that profilers write. The texts follow the column names
/// that their documentation gives.
#include "mep/Discovery/Profile.h"
#include "mep/Support/Error.h"
#include "gtest/gtest.h"

using namespace mep;

namespace {

Profile parsed(llvm::StringRef Text) {
  auto P = parseProfile(Text, "p.csv");
  if (!P) {
    ADD_FAILURE() << llvm::toString(P.takeError());
    return {};
  }
  return *P;
}

TEST(Profile, NsysSummary) {
  Profile P = parsed(
      "Processing [app.sqlite] with [cuda_gpu_kern_sum.py]...\n\n"
      "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),"
      "StdDev (ns),Name\n"
      "80.0,8000,4,2000.0,2000.0,1900,2100,50.0,\"void ns::scale<float, "
      "(int)16>(T1 *, int)\"\n"
      "15.0,1500,1,1500.0,1500.0,1500,1500,0.0,\"add(float *, int)\"\n"
      "5.0,500,1,500.0,500.0,500,500,0.0,\"(anonymous namespace)::fill(int "
      "*)\"\n");
  ASSERT_EQ(P.Entries.size(), 3u);
  EXPECT_EQ(P.Entries[0].Name, "ns::scale");
  EXPECT_EQ(P.Entries[0].TotalNs, 8000);
  EXPECT_EQ(P.Entries[0].Calls, 4u);
  EXPECT_EQ(P.Entries[1].Name, "add");
  EXPECT_EQ(P.Entries[2].Name, "fill");
  EXPECT_EQ(P.totalNs(), 10000);
}

TEST(Profile, NsysTraceInAnotherUnitWithoutCopies) {
  Profile P = parsed("Start (us),Duration (us),CorrId,Name\n"
                     "1.5,2.5,7,\"k(int)\"\n"
                     "9.0,100,8,[CUDA memcpy HtoD]\n"
                     "20,3.5,9,\"k(int)\"\n");
  ASSERT_EQ(P.Entries.size(), 1u);
  EXPECT_EQ(P.Entries[0].TotalNs, 6000);
  EXPECT_EQ(P.Entries[0].Calls, 2u);
}

TEST(Profile, NcuDetailsAndRawPages) {
  Profile Details =
      parsed("==PROF== Connected to process 1\n"
             "\"ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric "
             "Unit\",\"Metric Value\"\n"
             "\"0\",\"k(float *)\",\"Speed\",\"Duration\",\"us\",\"1,234.5\"\n"
             "\"0\",\"k(float *)\",\"Speed\",\"Elapsed "
             "Cycles\",\"cycle\",\"99\"\n");
  ASSERT_EQ(Details.Entries.size(), 1u);
  EXPECT_EQ(Details.Entries[0].TotalNs, 1234500);
  Profile Raw = parsed("\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n"
                       "\"\",\"\",\"us\"\n"
                       "\"0\",\"k\",\"2.0\"\n");
  ASSERT_EQ(Raw.Entries.size(), 1u);
  EXPECT_EQ(Raw.Entries[0].TotalNs, 2000);
}

TEST(Profile, RocprofOldAndNew) {
  Profile Stats = parsed("\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\","
                         "\"Percentage\"\n"
                         "\"_Z1kPfi.kd\",3,900,300,90.0\n"
                         "\"void t<int>(int*) [clone .kd]\",1,100,100,10.0\n");
  ASSERT_EQ(Stats.Entries.size(), 2u);
  EXPECT_EQ(Stats.Entries[0].Name, "k");
  EXPECT_EQ(Stats.Entries[1].Name, "t");
  Profile Trace = parsed("\"Kind\",\"Kernel_Name\",\"Start_Timestamp\",\"End_"
                         "Timestamp\"\n"
                         "\"KERNEL_DISPATCH\",\"k(float*)\",1000,1400\n"
                         "\"KERNEL_DISPATCH\",\"k(float*)\",2000,2500\n");
  ASSERT_EQ(Trace.Entries.size(), 1u);
  EXPECT_EQ(Trace.Entries[0].TotalNs, 900);
}

TEST(Profile, SaysWhatIsWrongAndWhere) {
  auto NoTable = parseProfile("a,b\n1,2\n", "p.csv");
  ASSERT_FALSE(bool(NoTable));
  EXPECT_NE(llvm::toString(NoTable.takeError()).find("p.csv"),
            std::string::npos);
  auto NoNumber = parseProfile("Name,Calls,TotalDurationNs\nk,1,soon\n", "p");
  ASSERT_FALSE(bool(NoNumber));
  EXPECT_EQ(llvm::toString(NoNumber.takeError()), "p:2: 'soon' is no time");
  EXPECT_FALSE(bool(llvm::expectedToOptional(parseProfile("", "p"))));
}

TEST(Profile, RanksByTime) {
  std::vector<KernelSite> Sites(3);
  Sites[0].Name = Sites[0].QualifiedName = "cold";
  Sites[1].Name = "hot";
  Sites[1].QualifiedName = "(anonymous namespace)::hot";
  Sites[2].Name = Sites[2].QualifiedName = "absent";
  Sites[2].Rank = 1e9;
  Profile P;
  P.Entries = {{"hot", 750, 3}, {"library::sort", 150, 1}, {"cold", 100, 1}};
  std::vector<ProfileEntry> Foreign = rankByProfile(P, Sites);
  ASSERT_EQ(Foreign.size(), 1u);
  EXPECT_EQ(Foreign[0].Name, "library::sort");
  EXPECT_GT(Sites[1].Rank, Sites[0].Rank);
  EXPECT_GT(Sites[0].Rank, Sites[2].Rank);
  EXPECT_EQ(Sites[1].RankReason,
            "75.0 % of the kernels' time, 3 calls of 0.2 us");
  EXPECT_EQ(Sites[2].RankReason, "not in the profile");
}

} // namespace
