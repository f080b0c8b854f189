/// \file
/// What a candidate may contain at all.

#include "../../../lib/Optimize/Admission.h"
#include "../../../lib/Optimize/KernelView.h"
#include "gtest/gtest.h"

using namespace mep;

namespace {

const std::string Kernel = "__global__ void k(float *a, int n) {\n"
                           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "  if (i < n)\n    a[i] = 1;\n}";

std::optional<Evaluation> judged(const std::string &Text) {
  Closure C;
  C.Kernel = C.NameExpression = "k";
  C.Text = Kernel;
  C.Flags = {"-std=c++17"};
  ClosurePiece Piece;
  Piece.Kind = PieceKind::Kernel;
  Piece.End = Kernel.size();
  C.Pieces.push_back(Piece);
  auto View = KernelView::parse(C, Kernel, {});
  EXPECT_TRUE(bool(View));
  if (!View) {
    llvm::consumeError(View.takeError());
    return std::nullopt;
  }
  Candidate Proposal;
  Proposal.Id = "x";
  Proposal.DeviceText = Text;
  return admit(C, (*View)->signature(), Proposal);
}

void expectRejected(const std::string &Text, llvm::StringRef Why,
                    Status Outcome = Status::Rejected) {
  auto E = judged(Text);
  ASSERT_TRUE(E) << Text;
  EXPECT_EQ(E->Outcome, Outcome);
  EXPECT_TRUE(llvm::StringRef(E->Message).contains(Why)) << E->Message;
}

TEST(Admission, LetsDeviceCodeThrough) {
  EXPECT_FALSE(judged(Kernel));
  EXPECT_FALSE(judged("__device__ float one() { return 1; }\n" + Kernel));
  EXPECT_FALSE(judged("__constant__ const float W[2] = {1, 2};\n" + Kernel));
}

TEST(Admission, StopsWhatKeepsValues) {
  expectRejected("__device__ int calls;\n" + Kernel, "global variable 'calls'");
}

TEST(Admission, StopsHostCode) {
  expectRejected("int f() { return 1; }\n" + Kernel, "host function 'f'");
  expectRejected("struct S { S() {} };\nS s;\n" + Kernel, "not allowed");
}

TEST(Admission, StopsIncludesAndAssembly) {
  expectRejected("#include \"secret.h\"\n" + Kernel, "#include");
  expectRejected("  # embed \"secret\"\n" + Kernel, "#embed");
  expectRejected("__device__ void f() { asm(\"exit;\"); }\n" + Kernel,
                 "inline assembly");
}

TEST(Admission, SeesDirectivesAsCompilersDo) {
  for (const char *Line :
       {"/**/ #include \"secret.h\"", "#\\\n  include \"secret.h\"",
        "%:include \"secret.h\"", "/* a\n */ # /* b */ include \"secret.h\"",
        "?\?=include \"secret.h\"", "#include_next \"secret.h\""})
    expectRejected(std::string(Line) + "\n" + Kernel, "#include");
  expectRejected("#inc\\\nlude \"secret.h\"\n" + Kernel, "end of a line");
  expectRejected("__device__ void f() { const char *t = R\"(\n"
                 "#include \"secret.h\"\n)\"; }\n" +
                     Kernel,
                 "raw string");
  expectRejected("#line 1 \"other\"\n" + Kernel, "#line");
  EXPECT_FALSE(judged("// #include \"a\"\n/*\n#include \"a\"\n*/\n" + Kernel));
}

TEST(Admission, StopsConditionalCode) {
  // Admission and the compilers would see different branches.
  expectRejected("#ifndef __CUDA__\n__device__ int calls;\n#endif\n" + Kernel,
                 "conditional code (#ifndef)");
  expectRejected("#if __has_include(\"secret.h\")\n#endif\n" + Kernel,
                 "conditional code");
}

TEST(Admission, LetsOnlyUnrollingPragmasThrough) {
  for (const char *Pragma :
       {"#pragma unroll", "#pragma unroll 4", "#pragma nounroll",
        "_Pragma(\"unroll\")", "#pragma GCC unroll 8"})
    EXPECT_FALSE(judged("__global__ void k(float *a, int n) {\n" +
                        std::string(Pragma) +
                        "\n  for (int i = 0; i < n; ++i) a[i] = 1;\n}"))
        << Pragma;
  expectRejected("#pragma clang attribute push(__attribute__((constructor)), "
                 "apply_to = function)\n" +
                     Kernel,
                 "#pragma");
  expectRejected("#pragma GCC dependency \"secret\"\n" + Kernel, "#pragma");
  expectRejected("_Pragma(\"GCC dependency\")\n" + Kernel, "_Pragma");
}

TEST(Admission, StopsMacrosOfOthersNames) {
  expectRejected("#define float half\n" + Kernel, "'float'");
  expectRejected("#define __global__\n" + Kernel, "'__global__'");
  expectRejected("#define _Secret\n" + Kernel, "'_Secret'");
  expectRejected("#define mep_cpu mine\n" + Kernel, "harness");
  expectRejected("namespace mep_cpu { __device__ void f() {} }\n" + Kernel,
                 "harness");
  expectRejected("#define PASTE(a, b) a##b\nnamespace PASTE(mep, _cpu) {}\n" +
                     Kernel,
                 "harness");
  EXPECT_FALSE(
      judged("#define SQUARE(x) ((x) * (x))\n#undef SQUARE\n" + Kernel));
}

TEST(Admission, SeesThroughMacros) {
  expectRejected("#define STATE(n) struct A##n; __device__ int n; struct B##n\n"
                 "STATE(calls);\n" +
                     Kernel,
                 "global variable 'calls'");
  expectRejected("#define HOST(n) int n() { return 1; }\nHOST(f)\n" + Kernel,
                 "host function 'f'");
  expectRejected("#define PASTE(a, b) a##b\n__device__ void f() { "
                 "PASTE(a, sm)(\"exit;\"); }\n" +
                     Kernel,
                 "inline assembly");
  expectRejected("#define PASTE(a, b) a##b\nPASTE(a, sm)(\".byte 0\");\n" +
                     Kernel,
                 "inline assembly");
}

TEST(Admission, StopsWhatIsNotItsOwnCode) {
  expectRejected("extern \"C\" __device__ int getpid() noexcept;\n" + Kernel,
                 "function 'getpid' without a body");
  EXPECT_FALSE(judged("__device__ int one();\n"
                      "__device__ int one() { return 1; }\n" +
                      Kernel));
  expectRejected("__device__ void f() {}\n__attribute__((section(\"x\"))) "
                 "__device__ void (*const hook)() = f;\n" +
                     Kernel,
                 "attribute 'section'");
}

TEST(Admission, StopsStateInConstants) {
  const std::string Cell = "struct Cell { mutable int v; };\n";
  expectRejected(Cell + "__device__ constexpr Cell cell = {0};\n" + Kernel,
                 "'cell'");
  expectRejected(Cell + "__device__ const Cell cell = {0};\n" + Kernel,
                 "'cell'");
  expectRejected("__shared__ int kept[32];\n" + Kernel, "'kept'");
  expectRejected("template <typename T> struct S { static int n; };\n"
                 "template <typename T> int S<T>::n = 0;\n" +
                     Kernel,
                 "'n'");
  EXPECT_FALSE(judged("extern __shared__ float part[];\n" + Kernel));
  EXPECT_FALSE(judged(
      "template <int N> struct W { static constexpr int n = N; };\n" + Kernel));
}

TEST(Admission, StopsAnotherSignature) {
  expectRejected("__global__ void k(double *a, int n) { a[0] = n; }",
                 "signature changed");
  expectRejected("__global__ void other(float *a, int n) { a[0] = n; }",
                 "no body of kernel 'k'");
}

TEST(Admission, SaysWhatDoesNotCompile) {
  expectRejected("__global__ void k(float *a, int n) { a[0] = unknown; }",
                 "unknown", Status::CompileError);
}

} // namespace
