/// The CUDA platform's compilers: flags, diagnostics and names, and real
/// compiles where a toolkit is installed. No GPU is needed.

#include "Elf.h"
#include "cuda/CompilePool.h"
#include "cuda/CubinSymbols.h"
#include "cuda/NvccFallback.h"
#include "cuda/Toolkit.h"
#include "gtest/gtest.h"
#include <algorithm>

using namespace mepworker;
using namespace mepworker::cuda;
using Words = std::vector<std::string>;

namespace {

TEST(CudaCompile, FlagsAsNvrtcSpellsThem) {
  EXPECT_EQ(nvrtcFlags({"-std=gnu++17", "-use_fast_math", "-maxrregcount", "64",
                        "--fmad=false", "-DX=1", "-I", "inc"}),
            (Words{"--std=c++17", "--use_fast_math", "--maxrregcount=64",
                   "--fmad=false", "-DX=1", "-Iinc"}));
  EXPECT_EQ(nvrtcFlags({"--expt-relaxed-constexpr", "-lineinfo"}), Words());
  EXPECT_EQ(nvrtcFlags({"-maxrregcount"}), (Words{"--maxrregcount="}));
}

TEST(CudaCompile, NvccHasNoGnuDialect) {
  EXPECT_EQ(nvccFlags({"-std=gnu++14", "-fmad=false"}),
            (Words{"--std=c++14", "-fmad=false"}));
}

TEST(CudaCompile, DiagnosticsNameFileAndLine) {
  EXPECT_EQ(tidyLog("kernel.cu(12): error: x\nin kernel.cu(f) of kernel.cu(7"),
            "kernel.cu:12: error: x\nin kernel.cu(f) of kernel.cu(7");
  EXPECT_LT(tidyLog(std::string(1 << 20, 'x')).size(), size_t(20 << 10));
}

TEST(CudaCompile, HeaderTroubleIsToldFromCodeTrouble) {
  EXPECT_TRUE(wantsHostHeaders("cannot open source file \"cstdint\""));
  EXPECT_TRUE(wantsHostHeaders("identifier \"uint32_t\" is undefined"));
  EXPECT_FALSE(wantsHostHeaders("kernel.cu:5: error: expected a \";\""));
}

TEST(CudaSymbols, TagsOnlySpecialisations) {
  EXPECT_EQ(nameTags({"k", "ns::q"}), "");
  EXPECT_NE(
      nameTags({"k", "q<float>"}).find("mep_name_tag<1, decltype(&q<float>"),
      std::string::npos);
}

TEST(CudaSymbols, FindsKernelsByTheirCxxName) {
  CubinSymbols S;
  S.Functions = {"_ZN2ns1kEPf", "_Z1kPf", "plain", "_Z1tIfEvPT_",
                 "_Z1tIdEvPT_"};
  S.Objects = {"_Z12mep_name_tagILi3EPFvPdEXadL_Z1tIdEvPT_EEE"};
  Words Kernels = {"k", "ns::k", "plain", "t<double>", "t<int>"};
  EXPECT_EQ(findKernel(S, Kernels, 0), "_Z1kPf");
  EXPECT_EQ(findKernel(S, Kernels, 1), "_ZN2ns1kEPf");
  EXPECT_EQ(findKernel(S, Kernels, 2), "plain");
  EXPECT_EQ(findKernel(S, Kernels, 3), "_Z1tIdEvPT_");
  EXPECT_EQ(findKernel(S, Kernels, 4), "");
}

TEST(CudaSymbols, BrokenImagesHaveNone) {
  EXPECT_TRUE(readSymbols("").Functions.empty());
  EXPECT_TRUE(readSymbols("\x7f"
                          "ELF")
                  .Functions.empty());
  std::string Header(64, '\xff');
  Header.replace(0, 5,
                 std::string("\x7f"
                             "ELF\x02"));
  EXPECT_TRUE(readSymbols(Header).Functions.empty());
}

/// A template in a namespace, a static constant, an anonymous kernel.
DeviceCompile sample() {
  DeviceCompile R;
  R.Arch = "90";
  R.Defines = {"N=4"};
  R.Flags = {"-std=gnu++17"};
  R.Source = "#include <cuda_runtime.h>\n"
             "namespace ns {\n"
             "static __constant__ float table[4];\n"
             "template <typename T, int M> __global__ void k(T *p) {\n"
             "  p[threadIdx.x] = M + N + table[1];\n"
             "}\n"
             "}\n"
             "namespace { __global__ void hidden(int *p) { *p = 1; } }\n";
  R.Kernels = {"ns::k<float, 16>", "hidden"};
  R.Symbols = {"ns::table"};
  return R;
}

/// Starts \p Server with the NVRTC found; why there is none, else empty.
std::string startFailure(CompileServer &Server, const Toolkit &Tools) {
  std::string Version, Error;
  Server.start(Tools.Nvrtc, /*AtOnce=*/true);
  return Server.ready(Version, Error) ? "" : Error;
}

void expectNames(const DeviceImage &Image) {
  ASSERT_TRUE(Image.Ok) << Image.Log;
  CubinSymbols Inside = readSymbols(Image.Image);
  ASSERT_EQ(Image.KernelNames.size(), 2u);
  EXPECT_EQ(Image.KernelNames[0], "_ZN2ns1kIfLi16EEEvPT_");
  for (const std::string &Name : Image.KernelNames)
    EXPECT_NE(std::find(Inside.Functions.begin(), Inside.Functions.end(), Name),
              Inside.Functions.end())
        << Name;
  ASSERT_EQ(Image.SymbolNames.size(), 1u);
  EXPECT_NE(std::find(Inside.Objects.begin(), Inside.Objects.end(),
                      Image.SymbolNames[0]),
            Inside.Objects.end());
}

TEST(CudaCompile, NvrtcGivesCodeAndNames) {
  CompileServer Server;
  Toolkit Tools = findToolkit("");
  if (std::string Why = startFailure(Server, Tools); !Why.empty())
    GTEST_SKIP() << Why;
  expectNames(Server.compile(sample(), Tools.Includes));
  DeviceCompile Wrong = sample();
  Wrong.Source += "__global__ void bad() { int x = 1 }\n";
  DeviceImage Refused = Server.compile(Wrong, Tools.Includes);
  EXPECT_FALSE(Refused.Ok);
  EXPECT_NE(Refused.Log.find("kernel.cu:9: error"), std::string::npos)
      << Refused.Log;
  expectNames(Server.compile(sample(), Tools.Includes));
}

TEST(CudaCompile, EqualCodeHasEqualDigests) {
  CompileServer Server;
  Toolkit Tools = findToolkit("");
  if (std::string Why = startFailure(Server, Tools); !Why.empty())
    GTEST_SKIP() << Why;
  auto digest = [&](const char *Factor, const char *Beside) {
    DeviceCompile R;
    R.Arch = "90";
    R.Source =
        std::string("extern \"C\" __global__ void k(float *p) { p[0] *= ") +
        Factor + "; }\n" + Beside;
    R.Kernels = {"k"};
    DeviceImage Image = Server.compile(R, Tools.Includes);
    EXPECT_TRUE(Image.Ok) << Image.Log;
    return codeDigest(Image.Image);
  };
  const uint64_t Known = digest("3.0f", "");
  EXPECT_NE(Known, 0u);
  EXPECT_EQ(digest("(1.0f + 2.0f)", "// Only text.\n#define TILE 4\n"), Known);
  EXPECT_NE(digest("4.0f", ""), Known);
  EXPECT_NE(digest("3.0f", "__device__ int one = 1;\n"), Known);
}

TEST(CudaCompile, WhatIsNoElfFileHasNoDigest) {
  EXPECT_EQ(codeDigest(""), 0u);
  EXPECT_EQ(codeDigest("\x7f"
                       "ELF"),
            0u);
  std::string Header(sizeof(Elf64_Ehdr), '\0');
  Header.replace(0, 5,
                 std::string("\x7f"
                             "ELF") +
                     char(ELFCLASS64));
  Header[offsetof(Elf64_Ehdr, e_shnum)] = 9;
  EXPECT_EQ(codeDigest(Header), 0u);
}

TEST(CudaCompile, ThePoolCompilesWhatWasAnnouncedAndWhatWasNot) {
  Toolkit Tools = findToolkit("");
  CompilePool Pool;
  std::string Version, Error;
  Pool.start(Tools.Nvrtc);
  if (!Pool.open(Tools.Includes, Tools.Nvcc, Version, Error))
    GTEST_SKIP() << Error;
  std::vector<DeviceCompile> Variants;
  for (int Tile : {1, 2, 4, 8}) {
    Variants.push_back(sample());
    Variants.back().Defines.push_back("TILE=" + std::to_string(Tile));
    Variants.back().Source += "__device__ int tile = TILE;\n";
  }
  DeviceCompile Wrong = sample();
  Wrong.Source += "__global__ void bad() { int x = 1 }\n";
  Pool.announce({Variants[0], Variants[1], Wrong}, /*Next=*/false);
  Pool.announce({Variants[2]}, /*Next=*/true);
  expectNames(Pool.compile(Variants[3]).Image); // Never announced.
  std::string First = Pool.compile(Variants[0]).Image.Image;
  for (const DeviceCompile &Each : Variants)
    expectNames(Pool.compile(Each).Image);
  // Each request gets its own code, and the same again.
  EXPECT_NE(Pool.compile(Variants[1]).Image.Image, First);
  EXPECT_EQ(Pool.compile(Variants[0]).Image.Image, First);
  EXPECT_NE(Pool.compile(Wrong).Image.Log.find("kernel.cu:9: error"),
            std::string::npos);
  Pool.announce(Variants, /*Next=*/false); // Ends with what is queued.
}

TEST(CudaCompile, ThePoolTurnsToNvccForHostHeaders) {
  Toolkit Tools = findToolkit("");
  CompilePool Pool;
  std::string Version, Error;
  Pool.start(Tools.Nvrtc);
  if (!Pool.open(Tools.Includes, Tools.Nvcc, Version, Error) ||
      Tools.Nvcc.empty())
    GTEST_SKIP() << "no toolkit";
  DeviceCompile R = sample();
  R.Source = "#include <vector>\n" + R.Source;
  PoolResult Made = Pool.compile(R);
  EXPECT_TRUE(Made.ByNvcc);
  expectNames(Made.Image);
}

TEST(CudaCompile, NvccTakesHostHeaders) {
  Toolkit Tools = findToolkit("");
  if (Tools.Nvcc.empty())
    GTEST_SKIP() << "no nvcc";
  DeviceCompile R = sample();
  R.Source = "#include <vector>\n" + R.Source;
  expectNames(compileWithNvcc(Tools.Nvcc, R));
}

TEST(CudaCompile, WithoutAToolkitThereIsAReason) {
  CompileServer Server;
  std::string Version, Error;
  Server.start({"/nonexistent/libnvrtc.so"}, /*AtOnce=*/true);
  EXPECT_FALSE(Server.ready(Version, Error));
  EXPECT_NE(Error.find("/nonexistent/libnvrtc.so"), std::string::npos) << Error;
}

} // namespace
