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
