/// \file
/// Kernels, launches and their exact places, one form of the language a test.
/// The stub headers serve, so no toolkit is needed.

#include "mep/Discovery/Discovery.h"
#include "../Frontend/TemporaryFolder.h"
#include "mep/Frontend/ParsedUnit.h"
#include "mep/Support/Error.h"
#include "clang/AST/Decl.h"
#include "gtest/gtest.h"

using namespace mep;
using llvm::StringRef;

namespace {

class DiscoveryTest : public ::testing::Test {
protected:
  std::unique_ptr<ParsedUnit> parse(StringRef Code, View Side = View::Host,
                                    StringRef Name = "a.cu") {
    CommandOptions Options;
    Options.Files = {Folder.write(Name, Code)};
    Options.HasFixedFlags = true;
    Options.ToolkitPath = "none";
    auto Commands = loadCommands(Options);
    if (!Commands) {
      ADD_FAILURE() << llvm::toString(Commands.takeError());
      return nullptr;
    }
    auto Unit = parseUnit(Commands->front(), Side);
    if (!Unit) {
      ADD_FAILURE() << llvm::toString(Unit.takeError());
      return nullptr;
    }
    for (const UnitDiagnostic &D : (*Unit)->errors())
      ADD_FAILURE() << D.Place.str() << ": " << D.Message;
    return std::move(*Unit);
  }

  std::vector<KernelSite> discover(StringRef Code, StringRef Name = "a.cu") {
    Text = Code.str();
    auto Unit = parse(Code, View::Host, Name);
    return Unit ? discoverKernels(*Unit) : std::vector<KernelSite>();
  }

  /// The only kernel of \p Code.
  KernelSite one(StringRef Code) {
    std::vector<KernelSite> Sites = discover(Code);
    EXPECT_EQ(Sites.size(), 1u) << Code.str();
    return Sites.empty() ? KernelSite() : Sites.front();
  }

  /// The text of \p Span in the code discovered last.
  StringRef at(const SourceSpan &Span) const {
    return StringRef(Text).slice(Span.Begin, Span.End);
  }

  TemporaryFolder Folder;
  std::string Text;
};

TEST_F(DiscoveryTest, AKernelAndItsLaunch) {
  KernelSite K = one("__global__ void add(int n, const float *a, float *) {}\n"
                     "void run(float *d) {\n"
                     "  dim3 grid(4), block(64);\n"
                     "  add<<<grid, block, 2 * 64, 0>>>(3 + 1, d, d + 1);\n"
                     "}\n");
  EXPECT_EQ(K.Name, "add");
  EXPECT_EQ(K.MangledName, "_Z3addiPKfPf");
  EXPECT_FALSE(K.IsTemplate);
  ASSERT_EQ(K.Instantiations.size(), 1u);
  EXPECT_EQ(at(K.Definition),
            "__global__ void add(int n, const float *a, float *) {}");
  EXPECT_EQ(at(K.Body), "{}");
  ASSERT_EQ(K.Parameters.size(), 3u);
  EXPECT_EQ(K.Parameters[1].Name, "a");
  EXPECT_EQ(K.Parameters[1].Type, "const float *");
  EXPECT_EQ(K.Parameters[2].Name, "arg2");
  ASSERT_EQ(K.Launches.size(), 1u);
  const LaunchSite &L = K.Launches.front();
  EXPECT_EQ(L.Kind, LaunchKind::Triple);
  EXPECT_EQ(at(L.Call), "add<<<grid, block, 2 * 64, 0>>>(3 + 1, d, d + 1)");
  EXPECT_EQ(at(L.Grid), "grid");
  EXPECT_EQ(at(L.Shared), "2 * 64");
  EXPECT_EQ(L.GridText, "grid");
  EXPECT_EQ(L.BlockText, "block");
  EXPECT_EQ(L.SharedText, "2 * 64");
  EXPECT_EQ(L.StreamText, "0");
  EXPECT_EQ(L.Arguments, (std::vector<std::string>{"3 + 1", "d", "d + 1"}));
  EXPECT_EQ(L.Function, "run");
  EXPECT_FALSE(L.InLoop);
}

TEST_F(DiscoveryTest, DefinitionsBeginAtTheirFirstSpecifier) {
  for (StringRef Code :
       {"static __global__ void k(int *p) { *p = 1; }",
        "__global__ static void k(int *p) { *p = 1; }",
        "extern \"C\" __global__ void k(int *p) { *p = 1; }",
        "template <class T, int N = 4> __global__ void k(T *p) { *p = N; }",
        "template <class T>\nstatic __global__ void k(T *p) { *p = 1; }",
        "__global__ void __launch_bounds__(128, 2) k(int *p) { *p = 1; }",
        "__launch_bounds__(128) __global__ void k(int *p) { *p = 1; }",
        "__attribute__((global)) void k(int *p) { *p = 1; }",
        "inline __global__ void k(int *p)\n{\n  *p = 1;\n}"}) {
    KernelSite K = one(("int before;\n" + Code + "\nint after;\n").str());
    EXPECT_EQ(at(K.Definition), Code);
    EXPECT_EQ(K.Definition.Line, 2u);
    EXPECT_EQ(K.Definition.Column, 1u);
    EXPECT_TRUE(at(K.Body).starts_with("{") && at(K.Body).ends_with("}"));
  }
}

TEST_F(DiscoveryTest, ABracedLinkageIsNotPartOfTheKernel) {
  KernelSite K = one("extern \"C\" {\n"
                     "__global__ void k(int *p) { *p = 1; }\n"
                     "}\n");
  EXPECT_EQ(at(K.Definition), "__global__ void k(int *p) { *p = 1; }");
  EXPECT_EQ(K.MangledName, "k");
}

TEST_F(DiscoveryTest, SpecifiersFromAMacroBelongToTheKernel) {
  KernelSite K = one("#define KERNEL static __global__ void\n"
                     "KERNEL k(int *p) { *p = 1; }\n");
  EXPECT_EQ(at(K.Definition), "KERNEL k(int *p) { *p = 1; }");
}

TEST_F(DiscoveryTest, NamespacesAndScopes) {
  KernelSite K = one("namespace app { namespace {\n"
                     "__global__ void k(int *p) { *p = 1; }\n"
                     "} }\n"
                     "struct App { void go(int *p) {\n"
                     "  app::k<<<1, 2>>>(p); } };\n");
  EXPECT_EQ(K.QualifiedName, "app::(anonymous namespace)::k");
  ASSERT_EQ(K.Launches.size(), 1u);
  EXPECT_EQ(K.Launches[0].Function, "App::go");
  EXPECT_EQ(at(K.Launches[0].Call), "app::k<<<1, 2>>>(p)");
}

TEST_F(DiscoveryTest, EachSetOfTemplateArgumentsIsOneInstantiation) {
  KernelSite K = one("template <class T, unsigned N, bool B>\n"
                     "__global__ void k(T *p) { if (B) *p = N; }\n"
                     "void run(float *f, double *d) {\n"
                     "  k<float, 4, true><<<1, 1>>>(f);\n"
                     "  k<double, 8, false><<<1, 1>>>(d);\n"
                     "  k<float, 4, true><<<2, 2>>>(f);\n"
                     "}\n");
  EXPECT_TRUE(K.IsTemplate);
  ASSERT_EQ(K.Instantiations.size(), 2u);
  EXPECT_EQ(K.Instantiations[0].MangledName, "_Z1kIfLj4ELb1EEvPT_");
  EXPECT_EQ(K.Instantiations[1].MangledName, "_Z1kIdLj8ELb0EEvPT_");
  EXPECT_EQ(K.MangledName, K.Instantiations[0].MangledName);
  ASSERT_EQ(K.Launches.size(), 3u);
  EXPECT_EQ(K.Launches[0].Instantiation, 0u);
  EXPECT_EQ(K.Launches[1].Instantiation, 1u);
  EXPECT_EQ(K.Launches[2].Instantiation, 0u);
}

/// One launch in the text is a launch of each kernel its function is used for.
TEST_F(DiscoveryTest, ALaunchInsideATemplate) {
  KernelSite K = one("template <class T> __global__ void k(T *p) { *p = 1; }\n"
                     "template <class T> void run(T *p) { k<<<1, 1>>>(p); }\n"
                     "void use(int *i, float *f) { run(i); run(f); }\n");
  ASSERT_EQ(K.Launches.size(), 2u);
  for (const LaunchSite &L : K.Launches) {
    EXPECT_EQ(L.Kind, LaunchKind::Templated);
    EXPECT_EQ(L.Call.Line, 2u);
  }
  EXPECT_NE(K.Launches[0].Instantiation, K.Launches[1].Instantiation);
}

TEST_F(DiscoveryTest, ExplicitSpecialisationsAreKernelsOfTheirOwn) {
  std::vector<KernelSite> Sites =
      discover("template <class T> __global__ void k(T *p) { *p = 1; }\n"
               "template <> __global__ void k(int *p) { *p = 2; }\n"
               "void run(int *i, float *f) {\n"
               "  k<<<1, 1>>>(i); k<<<2, 2>>>(f); }\n");
  ASSERT_EQ(Sites.size(), 2u);
  EXPECT_EQ(at(Sites[1].Definition),
            "template <> __global__ void k(int *p) { *p = 2; }");
  ASSERT_EQ(Sites[0].Launches.size(), 1u);
  EXPECT_EQ(Sites[0].Launches[0].GridText, "2");
  ASSERT_EQ(Sites[1].Launches.size(), 1u);
  EXPECT_EQ(Sites[1].Launches[0].GridText, "1");
}

TEST_F(DiscoveryTest, LaunchesInMacros) {
  KernelSite K =
      one("#define LAUNCH(K, G, B, ...) do { K<<<G, B>>>(__VA_ARGS__); } "
          "while (0)\n"
          "#define CHECKED(Call) do { Call; check(); } while (0)\n"
          "void check();\n"
          "__global__ void k(int *p, int n) { *p = n; }\n"
          "void run(int *p) {\n"
          "  LAUNCH(k, dim3(2), 32, p, 7);\n"
          "  CHECKED((k<<<1, 64>>>(p, 8)));\n"
          "}\n");
  ASSERT_EQ(K.Launches.size(), 2u);
  EXPECT_EQ(K.Launches[0].Kind, LaunchKind::Macro);
  EXPECT_EQ(K.Launches[0].Call.Line, 6u);
  EXPECT_EQ(K.Launches[0].GridText, "dim3(2)");
  EXPECT_EQ(K.Launches[0].Arguments, (std::vector<std::string>{"p", "7"}));
  EXPECT_FALSE(K.Launches[0].InLoop) << "do ... while (0) is no loop";
  EXPECT_EQ(K.Launches[1].Kind, LaunchKind::Triple);
  EXPECT_EQ(at(K.Launches[1].Call), "k<<<1, 64>>>(p, 8)");
}

TEST_F(DiscoveryTest, LaunchesThroughTheApi) {
  KernelSite K =
      one("__global__ void k(int *p, int n) { *p = n; }\n"
          "void run(int *p, int n, cudaStream_t s) {\n"
          "  void *args[] = {&p, &n};\n"
          "  cudaLaunchKernel((const void *)k, dim3(4), dim3(32), args, 128, "
          "s);\n"
          "  cudaLaunchKernel(&k, 1, 2, args);\n"
          "}\n");
  ASSERT_EQ(K.Launches.size(), 2u);
  const LaunchSite &L = K.Launches[0];
  EXPECT_EQ(L.Kind, LaunchKind::Api);
  EXPECT_EQ(L.GridText, "dim3(4)");
  EXPECT_EQ(L.BlockText, "dim3(32)");
  EXPECT_EQ(L.SharedText, "128");
  EXPECT_EQ(L.StreamText, "s");
  EXPECT_EQ(L.Arguments, (std::vector<std::string>{"p", "n"}));
  EXPECT_EQ(K.Launches[1].SharedText, "");
}

TEST_F(DiscoveryTest, LoopsRepeatALaunch) {
  KernelSite K = one("__global__ void k(int *p) { *p = 1; }\n"
                     "void once(int *p) { k<<<1, 1>>>(p); }\n"
                     "void step(int *p) { k<<<2, 1>>>(p); }\n"
                     "void inner(int *p) { step(p); }\n"
                     "void run(int *p) {\n"
                     "  once(p);\n"
                     "  for (int t = 0; t < 9; ++t) inner(p);\n"
                     "  while (*p) k<<<3, 1>>>(p);\n"
                     "  auto f = [=] { k<<<4, 1>>>(p); };\n"
                     "  f();\n"
                     "}\n");
  ASSERT_EQ(K.Launches.size(), 4u);
  EXPECT_FALSE(K.Launches[0].InLoop);
  EXPECT_TRUE(K.Launches[1].InLoop) << "called from a loop, two calls deep";
  EXPECT_TRUE(K.Launches[2].InLoop);
  EXPECT_FALSE(K.Launches[3].InLoop);
}

TEST_F(DiscoveryTest, HeadersOfTheProjectCountThoseOfTheSystemDoNot) {
  Folder.write("mine.cuh", "__global__ void mine(int *p) { *p = 1; }\n");
  Folder.write("sys/theirs.h", "#pragma GCC system_header\n"
                               "__global__ void theirs(int *p) { *p = 2; }\n");
  std::vector<KernelSite> Sites =
      discover("#include \"mine.cuh\"\n#include \"sys/theirs.h\"\n"
               "void run(int *p) { mine<<<1, 1>>>(p); }\n");
  ASSERT_EQ(Sites.size(), 1u);
  EXPECT_EQ(Sites[0].Definition.File, Folder.path("mine.cuh"));
  EXPECT_EQ(Sites[0].Unit, Folder.path("a.cu"));
  EXPECT_EQ(Sites[0].Launches.size(), 1u);
}

TEST_F(DiscoveryTest, AKernelThatIsOnlyDeclaredHasNoDefinition) {
  KernelSite K = one("__global__ void far(int *p);\n"
                     "void run(int *p) { far<<<1, 1>>>(p); }\n");
  EXPECT_FALSE(K.Definition.valid());
  EXPECT_EQ(K.MangledName, "_Z3farPi");
  EXPECT_EQ(K.Launches.size(), 1u);
}

TEST_F(DiscoveryTest, DeclarationsBeforeTheDefinitionDoNotMatter) {
  KernelSite K = one("__global__ void k(int *);\n"
                     "void run(int *p) { k<<<1, 1>>>(p); }\n"
                     "__global__ void k(int *q) { *q = 1; }\n");
  EXPECT_EQ(K.Definition.Line, 3u);
  EXPECT_EQ(K.Parameters[0].Name, "q");
  EXPECT_EQ(K.Launches.size(), 1u);
}

TEST_F(DiscoveryTest, TheSameKernelIsFoundInTheOtherView) {
  StringRef Code = "template <class T> __global__ void k(T *p) { *p = 1; }\n"
                   "__global__ void plain(int *p) {\n"
                   "#ifdef __CUDA_ARCH__\n  *p = 2;\n#endif\n}\n"
                   "void run(int *i, float *f) {\n"
                   "  k<<<1, 1>>>(f); k<<<1, 1>>>(i); plain<<<1, 1>>>(i); }\n";
  std::vector<KernelSite> Sites = discover(Code);
  ASSERT_EQ(Sites.size(), 2u);
  auto Device = parse(Code, View::Device);
  ASSERT_TRUE(Device);
  const auto *First = findKernel(*Device, Sites[0], 1);
  ASSERT_TRUE(First);
  EXPECT_EQ(First->getParamDecl(0)->getType().getAsString(), "int *");
  EXPECT_TRUE(First->hasBody());
  EXPECT_TRUE(findKernel(*Device, Sites[1]));
  KernelSite Unknown = Sites[1];
  Unknown.QualifiedName = "other";
  EXPECT_FALSE(findKernel(*Device, Unknown));
}

TEST_F(DiscoveryTest, HeatFollowsLoopsCalleesAndPlaces) {
  std::vector<KernelSite> Sites = discover(
      "__device__ float sum(const float *a, int n) {\n"
      "  float s = 0; for (int i = 0; i < n; ++i) s += a[i]; return s; }\n"
      "__global__ void flat(float *a) { a[threadIdx.x] = 1; }\n"
      "__global__ void shortLoop(float *a) {\n"
      "  for (int i = 0; i < 4; ++i) a[i] = 1; }\n"
      "__global__ void throughCallee(float *a, int n) { a[0] = sum(a, n); }\n"
      "__global__ void nested(float *a, int n) {\n"
      "  for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++j)\n"
      "    a[i] += a[j]; }\n"
      "__global__ void nearMemory(float *a) {\n"
      "  __shared__ float s[64]; s[threadIdx.x] = 1; }\n");
  ASSERT_EQ(Sites.size(), 5u);
  double Flat = Sites[0].Rank, Short = Sites[1].Rank, Callee = Sites[2].Rank,
         Nested = Sites[3].Rank, Near = Sites[4].Rank;
  EXPECT_LT(Near, Flat);
  EXPECT_LT(Flat, Short);
  EXPECT_LT(Short, Callee);
  EXPECT_LT(Callee, Nested);
  EXPECT_TRUE(StringRef(Sites[3].RankReason).contains("loop depth 2"));
}

/// HIP's launch macro is an interface, not a macro of the application.
TEST_F(DiscoveryTest, HipLaunches) {
  std::vector<KernelSite> Sites = discover(
      "#include <vector>\n"
      "#include <hip/hip_runtime.h>\n"
      "__global__ void k(float *p, int n) {\n"
      "  int i = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;\n"
      "  HIP_DYNAMIC_SHARED(float, s);\n"
      "  s[0] = sqrtf(p[i]); __syncthreads(); if (i < n) p[i] = s[0]; }\n"
      "void run(float *p, int n, hipStream_t s) {\n"
      "  hipLaunchKernelGGL(k, dim3(n / 64), dim3(64), 256, s, p, n);\n"
      "  k<<<1, 64>>>(p, n);\n"
      "  hipDeviceSynchronize(); }\n",
      "a.hip");
  ASSERT_EQ(Sites.size(), 1u);
  ASSERT_EQ(Sites[0].Launches.size(), 2u);
  const LaunchSite &L = Sites[0].Launches[0];
  EXPECT_EQ(L.Kind, LaunchKind::Api);
  EXPECT_EQ(L.GridText, "dim3(n / 64)");
  EXPECT_EQ(L.SharedText, "256");
  EXPECT_EQ(L.Arguments, (std::vector<std::string>{"p", "n"}));
  EXPECT_EQ(Sites[0].Launches[1].Kind, LaunchKind::Triple);
}

} // namespace
