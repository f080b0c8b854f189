/// \file
/// What a GPU does in place of the host must give the same bytes. Without a GPU
/// there is nothing to compare.

#include "Elements.h"
#include "HostDevice.h"
#include "gtest/gtest.h"

using namespace mepworker;
using mep_fill::Kind;
using mep_fill::Rule;

namespace {

class CudaDevice : public testing::Test {
protected:
  void SetUp() override {
    std::string Why;
    Gpu = makeCudaPlatform(0, "", Why);
    if (!Gpu)
      GTEST_SKIP() << Why;
    ASSERT_TRUE(Gpu->fillsBuffers());
  }

  /// Two scalars of \p Scalar with padding, and a byte: fills and nudges both
  /// sides and compares.
  void expectEqual(Kind Scalar, Rule How) {
    const uint64_t Size = mep_fill::byteSize(Scalar);
    BufferSpec Buffer;
    Buffer.Name = "b";
    Buffer.ElementBytes = 4 * Size;
    Buffer.Count = 70001;
    Buffer.Components = {{Scalar, 0, 2}, {Kind::U8, 3 * Size, 1}};
    Buffer.Rule = How;
    Buffer.Low = How == Rule::Uniform ? -3 : 0;
    Buffer.High = How == Rule::Uniform ? 5 : 100;
    Buffer.Counts = {-3, 2, 1000, 70};
    std::vector<uint8_t> Expected(Buffer.bytes());
    mep_fill::fill(Expected.data(), Buffer.ElementBytes,
                   Buffer.Components.data(), Buffer.Components.size(),
                   Buffer.Count, Buffer.Rule, Buffer.Low, Buffer.High, 7,
                   mep_fill::nameHash(Buffer.Name), Buffer.details());
    DeviceMemory Data(*Gpu, Buffer.bytes());
    std::string Error;
    ASSERT_TRUE(Gpu->fill(Buffer, 7, Data.address(), Error)) << Error;
    EXPECT_TRUE(contentOf(Data, Expected.size()) == Expected) << "fill";
    nudge(Buffer, Expected.data(), 0, Buffer.Count);
    ASSERT_TRUE(Gpu->nudge(Buffer, Data.address(), Error)) << Error;
    EXPECT_TRUE(contentOf(Data, Expected.size()) == Expected) << "nudge";
    expectEqualDigests(Expected, Data);
  }

  std::vector<uint8_t> contentOf(DeviceMemory &Data, uint64_t Bytes) {
    std::vector<uint8_t> Content(Bytes);
    std::string Error;
    EXPECT_TRUE(
        Gpu->download(Content.data(), Data.address(), Content.size(), Error));
    return Content;
  }

  void expectEqualDigests(const std::vector<uint8_t> &Expected,
                          DeviceMemory &Data) {
    HostDevice Host;
    for (unsigned Unit : {1, 2, 4, 8}) {
      const uint64_t Bytes = Expected.size() / Unit * Unit;
      uint64_t OnHost = 0, OnDevice = 0;
      std::string Error;
      Host.digest(Expected.data(), Bytes, Unit, 5, 99, OnHost, Error);
      ASSERT_TRUE(
          Gpu->digest(Data.address(), Bytes, Unit, 5, 99, OnDevice, Error));
      EXPECT_EQ(OnHost, OnDevice) << Unit;
    }
  }

  std::unique_ptr<Platform> Gpu;
};

} // namespace

TEST_F(CudaDevice, FillsNudgesAndHashesAsTheHostDoes) {
  for (Kind Scalar : {Kind::F16, Kind::Bf16, Kind::F32, Kind::F64, Kind::I8,
                      Kind::I16, Kind::I32, Kind::I64, Kind::U8, Kind::U16,
                      Kind::U32, Kind::U64, Kind::Bool})
    for (Rule How : {Rule::Uniform, Rule::Zero, Rule::Constant, Rule::Index,
                     Rule::Iota, Rule::Permutation, Rule::Offsets}) {
      SCOPED_TRACE("kind " + std::to_string(unsigned(Scalar)) + ", rule " +
                   std::to_string(unsigned(How)));
      expectEqual(Scalar, How);
    }
}
