/// \file
/// Winners spliced into applications: the text, what is refused, and that the
/// result compiles and computes the same.

#include "mep/Splice/Splicer.h"
#include "../Frontend/TemporaryFolder.h"
#include "mep/Closure/ClosureBuilder.h"
#include "mep/Discovery/Discovery.h"
#include "mep/Frontend/ParsedUnit.h"
#include "mep/Support/Error.h"
#include "mep/Support/Files.h"
#include "llvm/Support/Program.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <regex>

using namespace mep;
using llvm::StringRef;

namespace {

/// An application of one unit, the kernel `k` in it, and a winner for it.
class Splicer : public testing::Test {
protected:
  /// Swaps \p From in the kernel's text for \p To.
  void swap(StringRef From, StringRef To) { Swaps.push_back({From, To}); }

  PlannedLaunch &launch() {
    Winner.Plan.Launches.emplace_back();
    Winner.Plan.Launches.back().Kernel = "k";
    return Winner.Plan.Launches.back();
  }

  void addSize(StringRef Name, bool IsMacro) {
    Dimension D;
    D.Name = Name.str();
    D.Value = 100;
    D.IsMacro = IsMacro;
    Data.Dimensions.push_back(D);
  }

  llvm::Expected<std::string> splice(StringRef Code) {
    File = Folder.write("app.cu", "#include <cuda_runtime.h>\n" + Code.str());
    auto Command = deviceTextCommand({}, /*Stubs=*/true);
    if (!Command)
      return Command.takeError();
    Command->File = File;
    Command->Directory = Folder.Root;
    auto Host = parseUnit(*Command, View::Host);
    if (!Host)
      return Host.takeError();
    auto Device = parseUnit(*Command, View::Device);
    if (!Device)
      return Device.takeError();
    for (const KernelSite &Site : discoverKernels(**Host)) {
      if (Site.Name != "k")
        continue;
      auto Cut = buildClosure(**Device, Site, 0);
      if (!Cut)
        return Cut.takeError();
      return spliceOne(**Host, Site, *Cut, *Command);
    }
    return makeError(Failure::NotFound, "no kernel k");
  }

  llvm::Expected<std::string> spliceOne(const ParsedUnit &Host,
                                        const KernelSite &Site,
                                        const Closure &Cut,
                                        const UnitCommand &Command) {
    Winner.DeviceText = Cut.kernelText().str();
    for (const auto &[From, To] : Swaps) {
      size_t At = Winner.DeviceText.find(From);
      if (At == std::string::npos)
        return makeError(Failure::General, "nothing to swap: " + From.str());
      Winner.DeviceText.replace(At, From.size(), To.str());
    }
    Notes.clear();
    auto Edits =
        spliceKernel(Host, Host, Site, Cut, Data, Winner, Tune,
                     {nullptr, [&](StringRef) { return Elsewhere; }, &Notes});
    if (!Edits)
      return Edits.takeError();
    auto P = makePatch(*Edits);
    if (!P)
      return P.takeError();
    if (llvm::Error E = checkPatch(*P, {Command}))
      return std::move(E);
    return P->Files.empty() ? textOf(File) : P->Files[0].After;
  }

  static std::string textOf(const std::string &Path) {
    auto Text = readFile(Path);
    return Text ? *Text : llvm::toString(Text.takeError());
  }

  std::string refusal(StringRef Code) {
    auto Text = splice(Code);
    if (Text)
      return "not refused:\n" + *Text;
    return llvm::toString(Text.takeError());
  }

  std::string accepted(StringRef Code) {
    auto Text = splice(Code);
    return Text ? *Text : "refused: " + llvm::toString(Text.takeError());
  }

  /// Compiles \p Code as C++ on the CPU runtime and runs it: its exit code.
  int run(const std::string &Code) {
    static const std::regex Launch(
        R"(([\w:]+)<<<([^;]*?), ([^;]*?)>>>\(([^;]*)\);)");
    std::string Text = std::regex_replace(
        Code, Launch,
        "mep_cpu::launch($2, $3, 0, [Given = std::make_tuple($4)] "
        "{ std::apply($1, Given); });");
    std::string Runtime =
        std::string(MEP_TEST_SOURCE_DIR) + "/../../lib/Mep/runtime";
    std::string Source = Folder.write("run.cpp", Text);
    std::string Build = "c++ -std=c++17 -w -I" + Runtime + " -I" + Runtime +
                        "/cpu " + Source + " -o " + Folder.path("run") +
                        " -pthread";
    if (std::system(Build.c_str()) != 0)
      return 1000;
    return std::system(Folder.path("run").c_str());
  }

  TemporaryFolder Folder;
  std::string File;
  Workload Data;
  Candidate Winner;
  std::map<std::string, int64_t> Tune;
  std::vector<std::pair<StringRef, StringRef>> Swaps;
  std::vector<std::string> Elsewhere; ///< Units that name any kernel.
  std::vector<std::string> Notes;     ///< Of the last splice.
};

bool has(const std::string &Text, StringRef Wanted) {
  return StringRef(Text).contains(Wanted);
}

const char *const Simple = "static __global__ void k(int n, int *a) {\n"
                           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "  if (i < n)\n"
                           "    a[i] += 1;\n"
                           "}\n"
                           "void f(int n, int *a) {\n"
                           "  k<<<(n + 127) / 128, 128>>>(n, a);\n"
                           "}\n";

TEST_F(Splicer, OnlyTheKernelTextChanges) {
  swap("a[i] += 1", "a[i] = a[i] + 1");
  std::string Text = accepted(Simple);
  EXPECT_TRUE(has(Text, "static __global__ void k(int n, int *a) {")) << Text;
  EXPECT_TRUE(has(Text, "a[i] = a[i] + 1;")) << Text;
  EXPECT_TRUE(has(Text, "k<<<(n + 127) / 128, 128>>>(n, a);")) << Text;
}

TEST_F(Splicer, TunablesAreWrittenIn) {
  swap("a[i] += 1", "a[i] += STEP");
  Tune["STEP"] = 4;
  std::string Text = accepted(Simple);
  EXPECT_TRUE(has(Text, "a[i] += 4;")) << Text;
}

TEST_F(Splicer, AnIntegerConfigurationBecomesAnother) {
  PlannedLaunch &L = launch();
  L.Grid[0] = "(grid_x * block_x + TILE - 1) / TILE";
  L.Block[0] = "TILE";
  Tune["TILE"] = 64;
  std::string Text = accepted(Simple);
  EXPECT_TRUE(has(Text, "k<<<dim3((((n + 127) / 128) * 128 + 64 - 1) / 64), "
                        "dim3(64)>>>(n, a);"))
      << Text;
}

TEST_F(Splicer, ParametersBecomeThatLaunchsArguments) {
  launch().Grid[0] = "(n + 255) / 256";
  std::string Text = accepted(
      "static __global__ void k(int n, int *a) { a[threadIdx.x % n] = 1; }\n"
      "void f(int rows, int cols, int *a) {\n"
      "  dim3 grid(rows, cols);\n"
      "  k<<<grid, 64>>>(rows * cols, a);\n"
      "}\n");
  EXPECT_TRUE(has(Text, "k<<<dim3(((rows * cols) + 255) / 256, grid.y, "
                        "grid.z), 64>>>(rows * cols, a);"))
      << Text;
}

TEST_F(Splicer, MembersOfAStructure) {
  launch().Block[0] = "p.n < 64 ? 32 : 64";
  std::string Text =
      accepted("struct P { int n; int *a; };\n"
               "static __global__ void k(P p) { p.a[threadIdx.x % p.n] = 1; }\n"
               "void f(P q) { k<<<1, 64>>>(q); }\n");
  EXPECT_TRUE(has(Text, "k<<<1, dim3(q.n < 64 ? 32 : 64)>>>(q);")) << Text;
}

TEST_F(Splicer, ArgumentsWithSideEffectsAreEvaluatedOnce) {
  launch().Grid[0] = "(n + 31) / 32";
  std::string Text = accepted(
      "static __global__ void k(int n, int *a) { a[threadIdx.x % n] = 1; }\n"
      "int next();\n"
      "void f(int *a, bool c) {\n"
      "  if (c)\n"
      "    k<<<1, 32>>>(next(), a);\n"
      "  else\n"
      "    next();\n"
      "}\n");
  EXPECT_TRUE(has(Text, "{\n      auto n_arg = next();\n"
                        "      k<<<dim3((n_arg + 31) / 32), 32>>>(n_arg, a);\n"
                        "    }\n  else"))
      << Text;
}

TEST_F(Splicer, AConfigurationThatCallsIsEvaluatedOnce) {
  launch().Block[0] = "32";
  Winner.Plan.Launches[0].Grid[0] = "grid_x * 2";
  std::string Text =
      accepted("static __global__ void k(int *a) { a[threadIdx.x] = 1; }\n"
               "dim3 choose();\n"
               "void f(int *a) {\n"
               "  k<<<choose(), 64>>>(a);\n"
               "}\n");
  EXPECT_TRUE(has(Text, "dim3 grid_dim = choose();")) << Text;
  EXPECT_TRUE(has(Text, "dim3(grid_dim.x * 2, grid_dim.y, grid_dim.z)"))
      << Text;
}

TEST_F(Splicer, SeveralLaunchesUnderAnIfWithoutBraces) {
  launch().Grid[0] = "grid_x / 2";
  launch().Block[0] = "block_x / 2";
  std::string Text =
      accepted("static __global__ void k(int *a) { a[threadIdx.x] = 1; }\n"
               "void f(int *a, bool c) {\n"
               "  if (c)\n"
               "    k<<<4, 64>>>(a);\n"
               "  else\n"
               "    *a = 0;\n"
               "}\n");
  EXPECT_TRUE(has(Text, "  if (c)\n    {\n      k<<<dim3(4 / 2), 64>>>(a);\n"
                        "      k<<<4, dim3(64 / 2)>>>(a);\n    }\n  else"))
      << Text;
}

TEST_F(Splicer, AnotherKernelOfTheText) {
  swap("static __global__ void k",
       "static __global__ void first(int *a) { a[0] = 0; }\n\n"
       "static __global__ void k");
  launch().Kernel = "first";
  launch();
  std::string Text =
      accepted("static __global__ void k(int *a) { a[threadIdx.x] = 1; }\n"
               "void f(int *a) {\n"
               "  k<<<4, 64>>>(a);\n"
               "}\n");
  EXPECT_TRUE(has(Text, "  first<<<4, 64>>>(a);\n  k<<<4, 64>>>(a);\n"))
      << Text;
}

TEST_F(Splicer, ScratchBuffersAreAllocatedInTheStream) {
  Winner.Plan.Scratch.push_back({"partial", "float", "grid_x * 4"});
  launch();
  std::string Text =
      accepted("static __global__ void k(float *a) { a[threadIdx.x] = 1; }\n"
               "void f(float *a, cudaStream_t s) {\n"
               "  k<<<4, 64, 0, s>>>(a);\n"
               "}\n");
  EXPECT_TRUE(has(Text, "float *partial = nullptr;")) << Text;
  EXPECT_TRUE(has(Text, "cudaMallocAsync(&partial, 4 * 4, s);")) << Text;
  EXPECT_TRUE(has(Text, "cudaFreeAsync(partial, s);")) << Text;
}

TEST_F(Splicer, StreamAndSharedMemoryStay) {
  launch().Block[0] = "128";
  std::string Text =
      accepted("static __global__ void k(int *a) { a[threadIdx.x] = 1; }\n"
               "void f(int *a, cudaStream_t s) { k<<<4, 64, 256, s>>>(a); }\n");
  EXPECT_TRUE(has(Text, "k<<<4, dim3(128), 256, s>>>(a);")) << Text;
}

TEST_F(Splicer, AMacroSizeStaysAName) {
  addSize("N", true);
  launch().Grid[0] = "(N + 31) / 32";
  std::string Text =
      accepted("#define N 100\n"
               "static __global__ void k(int *a) { a[threadIdx.x % N] = 1; }\n"
               "void f(int *a) { k<<<1, 32>>>(a); }\n");
  EXPECT_TRUE(has(Text, "k<<<dim3((N + 31) / 32), 32>>>(a);")) << Text;
}

TEST_F(Splicer, AMacroThatIsAnotherAtTheLaunchIsRefused) {
  addSize("N", true);
  launch().Grid[0] = "(N + 31) / 32";
  EXPECT_TRUE(has(refusal("#define N 100\n"
                          "static __global__ void k(int *a) { a[N] = 1; }\n"
                          "#undef N\n#define N 7\n"
                          "void f(int *a) { k<<<1, 32>>>(a); }\n"),
                  "not the same at the launch"));
}

TEST_F(Splicer, AValueWithoutANameIsRefused) {
  addSize("rows", false);
  launch().Grid[0] = "(rows + 31) / 32";
  std::string Message =
      refusal("static __global__ void k(int *a) { a[0] = 1; }\n"
              "void f(int *a) { k<<<1, 32>>>(a); }\n");
  EXPECT_TRUE(has(Message, "'rows', which has no name there")) << Message;
  EXPECT_TRUE(has(Message, "app.cu:3:")) << Message;
}

const char *const Conditional =
    "#define LEVEL 2\n"
    "static __global__ void k(int *a) {\n"
    "#ifdef OTHER\n  a[0] = 3;\n#else\n  a[0] = 1;\n#endif\n"
    "#if LEVEL > 4 /* high */\n  a[1] = 1;\n"
    "# if NESTED\n  a[2] = 1;\n# endif\n"
    "#elif LEVEL > 1\n  a[3] = 4;\n#endif\n"
    "#ifndef QUIET\n  a[5] = 1;\n#endif\n"
    "}\n"
    "void f(int *a) { k<<<1, 32>>>(a); }\n";

TEST_F(Splicer, ConditionalCodeStaysInTheOtherBranches) {
  swap("a[0] = 1", "a[0] = 2");
  std::string Text = accepted(Conditional);
  EXPECT_TRUE(has(Text, "#if !defined(OTHER) && !(LEVEL > 4) && (LEVEL > 1) && "
                        "!defined(QUIET)\n"
                        "static __global__ void k(int *a) {\n  a[0] = 2;\n"))
      << Text;
  EXPECT_TRUE(has(Text, "#else\nstatic __global__ void k(int *a) {\n"
                        "#ifdef OTHER\n  a[0] = 3;\n"))
      << Text;
  EXPECT_TRUE(has(Text, "}\n#endif\nvoid f(int *a) { k<<<1, 32>>>(a); }\n"))
      << Text;
}

TEST_F(Splicer, ALaunchFollowsTheBranchOfItsKernel) {
  swap("a[0] = 1", "a[0] = 2");
  launch().Block[0] = "64";
  std::string Text = accepted(Conditional);
  EXPECT_TRUE(has(Text, "!defined(QUIET)\n#define k_IS_TUNED\nstatic")) << Text;
  EXPECT_TRUE(has(Text, "void f(int *a) { \n#ifdef k_IS_TUNED\n"
                        "k<<<1, dim3(64)>>>(a);\n#else\n"
                        "k<<<1, 32>>>(a);\n#endif\n }\n"))
      << Text;
}

TEST_F(Splicer, ALaunchCannotFollowABranchOfTheDevicesSide) {
  StringRef Code = "static __global__ void k(int *a) {\n"
                   "#if __CUDA_ARCH__ >= 300\n  a[0] = 1;\n#else\n"
                   "  a[0] = 3;\n#endif\n}\n"
                   "void f(int *a) { k<<<1, 32>>>(a); }\n";
  swap("a[0] = 1", "a[0] = 2");
  EXPECT_TRUE(has(accepted(Code), "#if (__CUDA_ARCH__ >= 300)\nstatic"));
  launch().Block[0] = "64";
  EXPECT_TRUE(has(refusal(Code), "conditional on the side"));
}

TEST_F(Splicer, AConditionOnAMacroOfTheKernelItselfIsRefused) {
  swap("a[0] = 1", "a[0] = 2");
  std::string Message = refusal("static __global__ void k(int *a) {\n"
                                "#define INNER 1\n#define OUTER (INNER + 1)\n"
                                "#if OUTER\n  a[0] = 1;\n#endif\n}\n"
                                "void f(int *a) { k<<<1, 32>>>(a); }\n");
  EXPECT_TRUE(has(Message, "macro 'OUTER', which is defined beside it"))
      << Message;
  EXPECT_TRUE(has(Message, "app.cu:2:")) << Message;
}

TEST_F(Splicer, AMacroMadeKernelIsRefused) {
  launch().Block[0] = "64";
  std::string Message = refusal(
      "#define KERNEL(name) __global__ void name(int *a) { a[0] = 1; }\n"
      "KERNEL(k)\n"
      "void f(int *a) { k<<<1, 32>>>(a); }\n");
  EXPECT_TRUE(has(Message, "app.cu:")) << Message;
}

TEST_F(Splicer, AMacroLaunchIsRefused) {
  launch().Block[0] = "64";
  std::string Message =
      refusal("static __global__ void k(int *a) { a[threadIdx.x] = 1; }\n"
              "#define RUN(a) k<<<1, 32>>>(a)\n"
              "void f(int *a) { RUN(a); }\n");
  EXPECT_TRUE(has(Message, "macro")) << Message;
}

TEST_F(Splicer, LaunchesThatWereNotMeasuredKeepTheOriginal) {
  swap("= 1", "= 1 + 0");
  launch().Block[0] = "128";
  std::string Text =
      accepted("static __global__ void k(int *a) { a[threadIdx.x] = 1; }\n"
               "void f(int *a) { k<<<4, 64>>>(a); }\n"
               "void g(int *a) { k<<<4, 32>>>(a); }\n");
  EXPECT_TRUE(has(Text, "void k(int *a) { a[threadIdx.x] = 1; }")) << Text;
  EXPECT_TRUE(has(Text, "void k_tuned(int *a) { a[threadIdx.x] = 1 + 0; }"))
      << Text;
  EXPECT_TRUE(has(Text, "k_tuned<<<4, dim3(128)>>>(a)")) << Text;
  EXPECT_TRUE(has(Text, "k<<<4, 32>>>(a)")) << Text;
  ASSERT_EQ(Notes.size(), 1u);
  EXPECT_TRUE(has(Notes[0], "app.cu:4:18 keeps the original, and what was "
                            "measured for it is not in the patch: "))
      << Notes[0];
}

TEST_F(Splicer, ALaunchThatIsNotCompiledKeepsTheOriginal) {
  swap("= 1", "= 1 + 0");
  launch().Block[0] = "128";
  std::string Text =
      accepted("static __global__ void k(int *a) { a[threadIdx.x] = 1; }\n"
               "void f(int *a) {\n"
               "#ifdef ASYNC\n"
               "  k<<<4, 64, 0, 1>>>(a);\n"
               "#else\n"
               "  k<<<4, 64>>>(a);\n"
               "#endif\n"
               "}\n");
  EXPECT_TRUE(has(Text, "void k(int *a) { a[threadIdx.x] = 1; }")) << Text;
  EXPECT_TRUE(has(Text, "  k<<<4, 64, 0, 1>>>(a);")) << Text;
  EXPECT_TRUE(has(Text, "k_tuned<<<4, dim3(128)>>>(a)")) << Text;
  ASSERT_EQ(Notes.size(), 1u);
  EXPECT_TRUE(has(Notes[0], "does not look: ")) << Notes[0];
  EXPECT_TRUE(has(Notes[0], "app.cu:5:3")) << Notes[0];
}

TEST_F(Splicer, ALaunchInAnUnusedMacroKeepsTheOriginal) {
  swap("= 1", "= 1 + 0");
  launch().Block[0] = "128";
  std::string Text =
      accepted("static __global__ void k(int *a) { a[threadIdx.x] = 1; }\n"
               "#define RUN(a) k<<<4, 64>>>(a)\n"
               "void f(int *a) { k<<<4, 64>>>(a); }\n");
  EXPECT_TRUE(has(Text, "k_tuned<<<4, dim3(128)>>>(a)")) << Text;
  EXPECT_TRUE(has(Text, "void k(int *a) { a[threadIdx.x] = 1; }")) << Text;
}

TEST_F(Splicer, AUnitThatIsNotParsedKeepsTheOriginal) {
  swap("= 1", "= 1 + 0");
  launch().Block[0] = "128";
  const char *Visible = "__global__ void k(int *a) { a[threadIdx.x] = 1; }\n"
                        "void f(int *a) { k<<<4, 64>>>(a); }\n";
  EXPECT_FALSE(has(accepted(Visible), "k_tuned"));
  Elsewhere = {"/far/other.cu"};
  std::string Text = accepted(Visible);
  EXPECT_TRUE(has(Text, "k_tuned<<<4, dim3(128)>>>(a)")) << Text;
  ASSERT_EQ(Notes.size(), 1u);
  EXPECT_TRUE(has(Notes[0], "/far/other.cu")) << Notes[0];
  Text = accepted("static " + std::string(Visible));
  EXPECT_FALSE(has(Text, "k_tuned")) << Text;
}

TEST_F(Splicer, ALaunchOfAnotherBuildsKernelStaysAsItIs) {
  swap("= 1", "= 1 + 0");
  launch().Block[0] = "128";
  std::string Text =
      accepted("#ifdef WIDE\n"
               "static __global__ void k(int *a) { a[threadIdx.x] = 5; }\n"
               "#else\n"
               "static __global__ void k(int *a) { a[threadIdx.x] = 1; }\n"
               "#endif\n"
               "void f(int *a) { k<<<4, 64>>>(a); }\n");
  EXPECT_TRUE(has(Text, "#define k_IS_TUNED\nstatic __global__ void k_tuned"))
      << Text;
  EXPECT_TRUE(has(Text, "#ifdef k_IS_TUNED\nk_tuned<<<4, dim3(128)>>>(a);\n"
                        "#else\nk<<<4, 64>>>(a);\n#endif"))
      << Text;
}

TEST_F(Splicer, OtherInstantiationsKeepTheOriginal) {
  swap("T(1)", "T(2) / 2");
  std::string Text = accepted(
      "template <typename T> __global__ void k(T *a) { a[0] = T(1); }\n"
      "void f(float *a, int *b) {\n"
      "  k<float><<<4, 64>>>(a);\n"
      "  k<int><<<4, 64>>>(b);\n"
      "}\n");
  EXPECT_TRUE(has(Text, "template <typename T> __global__ void k(T *a) { "
                        "a[0] = T(1); }"))
      << Text;
  EXPECT_TRUE(has(Text, "template <>\n__global__ void k<float>(float *a) {\n"
                        "  using T = float; a[0] = T(2) / 2; }"))
      << Text;
  EXPECT_TRUE(has(Text, "k<float><<<4, 64>>>(a);")) << Text;
  EXPECT_TRUE(has(Text, "k<int><<<4, 64>>>(b);")) << Text;
}

TEST_F(Splicer, ATemplatedLauncherGetsASpecialisation) {
  swap("a[i] = T(N)", "a[i] = T(N + 0)");
  std::string Text = accepted(
      "struct Pair { int x; __device__ explicit Pair(int v) : x(v) {} };\n"
      "template <typename T, int N>\n"
      "__global__ void k(T *a, const int i) { a[i] = T(N); }\n"
      "template <typename T, int N> void launch(T *a) { k<T, N><<<1, "
      "1>>>(a, 0); "
      "}\n"
      "void f(Pair *a, int *b) {\n"
      "  launch<Pair, 3>(a);\n"
      "  launch<int, 5>(b);\n"
      "}\n");
  EXPECT_TRUE(has(Text, "constexpr int N = ")) << Text;
  EXPECT_TRUE(has(Text, "a[i] = T(N + 0);")) << Text;
  EXPECT_TRUE(has(Text, "k<T, N><<<1, 1>>>(a, 0);")) << Text;
}

TEST_F(Splicer, CarriageReturnsOfTheFileStay) {
  swap("a[0] = 1;", "a[0] = 1;\n  a[1] = 2;");
  std::string Code =
      "static __global__ void k(int *a) {\r\n  a[0] = 1;\r\n}\r\n"
      "void f(int *a) { k<<<1, 32>>>(a); }\r\n";
  File = Folder.write("app.cu", "");
  std::string Text = accepted("\r\n" + Code);
  EXPECT_TRUE(has(Text, "  a[0] = 1;\r\n  a[1] = 2;\r\n}")) << Text;
}

TEST_F(Splicer, ACandidateThatDoesNotFitIsRefused) {
  swap("a[0] = 1", "a[0] = unknown");
  std::string Message =
      refusal("static __global__ void k(int *a) { a[0] = 1; }\n"
              "void f(int *a) { k<<<1, 32>>>(a); }\n");
  EXPECT_TRUE(has(Message, "the spliced unit does not compile")) << Message;
  EXPECT_TRUE(has(Message, "unknown")) << Message;
}

TEST_F(Splicer, TheSplicedProgramComputesTheSame) {
  if (!llvm::sys::findProgramByName("c++"))
    GTEST_SKIP() << "no host compiler";
  swap("__syncthreads();", "if (threadIdx.x >= WIDTH)\n    return;\n");
  swap("int i = blockIdx.x * blockDim.x + threadIdx.x;",
       "int i = blockIdx.x * WIDTH + threadIdx.x;");
  PlannedLaunch &L = launch();
  L.Grid[0] = "(n + WIDTH - 1) / WIDTH";
  L.Block[0] = "WIDTH";
  Tune["WIDTH"] = 32;
  std::string Code =
      "static __global__ void k(int n, const int *in, int *out) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  __syncthreads();\n"
      "  if (i < n)\n"
      "    out[i] = in[n - 1 - i];\n"
      "}\n"
      "static int draws = 0;\n"
      "static int size() { return ++draws * 1000; }\n"
      "int main() {\n"
      "  int *in, *out;\n"
      "  cudaMalloc(&in, 1000 * sizeof(int));\n"
      "  cudaMalloc(&out, 1000 * sizeof(int));\n"
      "  int host[1000];\n"
      "  for (int i = 0; i < 1000; ++i)\n"
      "    host[i] = i;\n"
      "  cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);\n"
      "  if (host[1] == 1)\n"
      "    k<<<(1000 + 127) / 128, 128>>>(size(), in, out);\n"
      "  else\n"
      "    return 2;\n"
      "  cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);\n"
      "  for (int i = 0; i < 1000; ++i)\n"
      "    if (host[i] != 999 - i)\n"
      "      return 3;\n"
      "  return draws == 1 ? 0 : 4;\n"
      "}\n";
  std::string Text = accepted(Code);
  EXPECT_TRUE(has(Text, "dim3(32)>>>")) << Text;
  EXPECT_EQ(run(textOf(File)), 0);
  EXPECT_EQ(run(Text), 0) << Text;
}

/// Reads and writes through pointers that the winner takes for separate.
constexpr const char *Grow = R"(
__global__ void k(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] += in[i];
}
)";

TEST_F(Splicer, ALaunchInPlaceKeepsTheOriginal) {
  swap("const float *in, float *out",
       "const float *__restrict__ in, float *__restrict__ out");
  std::string Text = accepted(std::string(Grow) + R"(
void run(float *a, float *b, int n) {
  k<<<n, 32>>>(a, b, n);
  k<<<n, 32>>>(b, b, n);
  k<<<n, 32>>>(b + n, b, n);
  k<<<n, 32>>>(b, a, n);
}
)");
  EXPECT_NE(Text.find("k_tuned<<<n, 32>>>(a, b, n);"), std::string::npos)
      << Text;
  EXPECT_NE(Text.find("  k<<<n, 32>>>(b, b, n);"), std::string::npos) << Text;
  EXPECT_NE(Text.find("  k<<<n, 32>>>(b + n, b, n);"), std::string::npos);
  EXPECT_NE(Text.find("k_tuned<<<n, 32>>>(b, a, n);"), std::string::npos);
  EXPECT_NE(Text.find("k(const float *in, float *out, int n)"),
            std::string::npos);
}

TEST_F(Splicer, ALaunchInPlaceThroughACallerIsRefused) {
  swap("const float *in, float *out",
       "const float *__restrict__ in, float *__restrict__ out");
  std::string Launcher = std::string(Grow) + R"(
void step(const float *p, float *q, int n) { k<<<n, 32>>>(p, q, n); }
)";
  std::string Why = refusal(Launcher + R"(
void run(float *a, float *b, int n) {
  step(a, b, n);
  step(b, b, n);
}
)");
  EXPECT_NE(Why.find("overlap otherwise than those of the measured launch"),
            std::string::npos)
      << Why;
  std::string Text = accepted(Launcher + R"(
void run(float *a, float *b, int n) {
  step(a, b, n);
  step(b, a, n);
  step(a + 2 * n, b + n, n);
}
)");
  EXPECT_NE(Text.find("__restrict__"), std::string::npos) << Text;
  Why = refusal(Launcher + R"(
struct S { float *in, *out; };
void run(S s, float **list, int n) {
  step(s.in, s.out, n);
  step(s.in, &s.in[n], n);
}
)");
  EXPECT_NE(Why.find("overlap otherwise than those of the measured launch"),
            std::string::npos)
      << Why;
}

} // namespace
