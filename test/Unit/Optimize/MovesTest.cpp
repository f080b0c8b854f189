/// \file
/// Each move of the catalogue: the text it makes, that the text compiles, and
/// what its precondition refuses.

#include "../../../lib/Optimize/Builtin/Move.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "gtest/gtest.h"

using namespace mep;

namespace {

/// A closure whose kernel piece is \p Text, after two dimension macros.
Closure closureOf(const std::string &Text) {
  Closure C;
  C.Kernel = C.NameExpression = "k";
  std::string Head = "#ifndef N\n#define N 64\n#endif\n"
                     "#ifndef M\n#define M 64\n#endif\n";
  C.Text = Head + Text + "\n";
  C.Dimensions = {{"N", 64}, {"M", 64}};
  ClosurePiece Piece;
  Piece.Kind = PieceKind::Kernel;
  Piece.Name = "k";
  Piece.Begin = Head.size();
  Piece.End = Head.size() + Text.size();
  C.Pieces.push_back(Piece);
  C.Flags = {"-std=c++17"};
  return C;
}

MoveOutcome apply(const Closure &C, const Draft &From,
                  MoveOutcome (*Apply)(const MoveInput &),
                  const Workload &Data = {}) {
  std::vector<std::string> Defines;
  for (const Tunable &T : From.Plan.Tunables)
    Defines.push_back(T.Name + "=" + std::to_string(T.Values.front()));
  auto View = KernelView::parse(C, From.Text, Defines);
  if (!View) {
    ADD_FAILURE() << llvm::toString(View.takeError()) << "\n" << From.Text;
    return MoveOutcome::refuse("does not parse");
  }
  return Apply({**View, From, Data, Device()});
}

/// Local variables that nothing refers to: compilers warn of them.
std::string unusedVariables(const KernelView &View) {
  struct Finder : clang::RecursiveASTVisitor<Finder> {
    bool VisitVarDecl(clang::VarDecl *V) {
      if (!V->isReferenced())
        Names += V->getNameAsString() + " ";
      return true;
    }
    std::string Names;
  } F;
  F.TraverseStmt(const_cast<clang::CompoundStmt *>(View.Body));
  return F.Names;
}

/// Applies the moves one after another; each must succeed, compile and leave
/// no variable unused.
Draft made(const std::string &Text,
           std::vector<MoveOutcome (*)(const MoveInput &)> Moves) {
  Closure C = closureOf(Text);
  Draft D;
  D.Text = Text;
  for (auto *M : Moves) {
    MoveOutcome O = apply(C, D, M);
    EXPECT_TRUE(O.Result) << O.WhyNot << "\n" << D.Text;
    if (!O.Result)
      return D;
    D = *O.Result;
  }
  std::vector<std::string> Defines;
  for (const Tunable &T : D.Plan.Tunables)
    Defines.push_back(T.Name + "=" + std::to_string(T.Values.front()));
  auto View = KernelView::parse(C, D.Text, Defines);
  EXPECT_TRUE(bool(View)) << D.Text;
  if (!View)
    ADD_FAILURE() << llvm::toString(View.takeError());
  else
    EXPECT_EQ(unusedVariables(**View), "") << D.Text;
  return D;
}

std::string refused(const std::string &Text,
                    MoveOutcome (*Apply)(const MoveInput &)) {
  Closure C = closureOf(Text);
  Draft D;
  D.Text = Text;
  MoveOutcome O = apply(C, D, Apply);
  EXPECT_FALSE(O.Result) << O.Result->Text;
  return O.WhyNot;
}

bool has(const std::string &Text, llvm::StringRef Part) {
  return llvm::StringRef(Text).contains(Part);
}

const char *RowSum = R"(__global__ void k(float *a, float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) {
    int j;
    y[i] = 0;
    for (j = 0; j < M; j++) {
      y[i] += a[i * M + j] * x[j];
    }
  }
})";

const char *ColumnSum = R"(__global__ void k(float *a, float *x, float *y) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= M)
    return;
  for (int i = 0; i < N; i++)
    y[j] += a[i * M + j] * x[i];
})";

const char *Product =
    R"(__global__ void k(float *a, float *b, float *c, float s) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < N && j < M) {
    c[i * M + j] *= s;
    int q;
    for (q = 0; q < N; ++q) {
      c[i * M + j] += s * a[i * N + q] * b[q * M + j];
    }
  }
})";

const char *Gram = R"(__global__ void k(float *d, float *g) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  int q, r;
  if (p < M - 1) {
    g[p * M + p] = 1.0f;
    for (q = p + 1; q < M; q++) {
      g[p * M + q] = 0.0f;
      for (r = 0; r < N; r++) {
        g[p * M + q] += d[r * M + p] * d[r * M + q];
      }
      g[q * M + p] = g[p * M + q];
    }
  }
})";

TEST(AccumulateInRegister, FoldsTheInitialStore) {
  Draft D = made(RowSum, {accumulateInRegister});
  EXPECT_TRUE(has(D.Text, "float y_value = 0;")) << D.Text;
  EXPECT_TRUE(has(D.Text, "y_value += a[i * M + j] * x[j];")) << D.Text;
  EXPECT_TRUE(has(D.Text, "y[i] = y_value;")) << D.Text;
}

TEST(AccumulateInRegister, LoadsWhatWasThere) {
  Draft D = made(ColumnSum, {accumulateInRegister});
  EXPECT_TRUE(has(D.Text, "float y_value = y[j];")) << D.Text;
}

TEST(AccumulateInRegister, StaysInsideTheOuterLoop) {
  Draft D = made(Gram, {accumulateInRegister});
  EXPECT_TRUE(has(D.Text, "float g_value = 0.0f;")) << D.Text;
  EXPECT_TRUE(has(D.Text, "g[q * M + p] = g[p * M + q];")) << D.Text;
}

TEST(AccumulateInRegister, RefusesAnElementThatMoves) {
  std::string Why = refused(R"(__global__ void k(float *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N)
    for (int j = 1; j < M; j++)
      a[i * M + j] += a[i * M + j - 1];
})",
                            accumulateInRegister);
  EXPECT_TRUE(has(Why, "more than one element of 'a'")) << Why;
}

TEST(AccumulateInRegister, RefusesSharedBuffers) {
  Closure C = closureOf(RowSum);
  Draft D;
  D.Text = RowSum;
  Workload W;
  for (const char *Name : {"x", "y"}) {
    Argument A;
    A.Name = Name;
    ArgumentPart P;
    P.Name = Name;
    P.Buffer = "same";
    A.Parts.push_back(P);
    W.Arguments.push_back(A);
  }
  MoveOutcome O = apply(C, D, accumulateInRegister, W);
  EXPECT_FALSE(O.Result);
  EXPECT_TRUE(has(O.WhyNot, "one buffer")) << O.WhyNot;
}

TEST(AccumulateInRegister, RefusesConditionalUse) {
  std::string Why = refused(R"(__global__ void k(float *a, float *s) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N)
    for (int j = 0; j < M; j++)
      if (a[j] > 0)
        s[i] += a[j];
})",
                            accumulateInRegister);
  EXPECT_TRUE(has(Why, "under a condition")) << Why;
}

TEST(Restrict, QualifiesEveryPointer) {
  Draft D = made(RowSum, {addRestrict});
  EXPECT_TRUE(has(D.Text, "float *__restrict__ a, float *__restrict__ x"))
      << D.Text;
  EXPECT_TRUE(has(refused("__global__ void k(int n) { }", addRestrict),
                  "no pointer parameter"));
}

TEST(BlockShape, CoversTheOriginalThreads) {
  Draft D = made(Product, {blockShape});
  ASSERT_EQ(D.Plan.Launches.size(), 1u);
  EXPECT_EQ(D.Plan.Launches[0].Kernel, "k");
  EXPECT_EQ(D.Plan.Launches[0].Block[0], "BLOCK_X");
  EXPECT_EQ(D.Plan.Launches[0].Grid[0],
            "(grid_x * block_x + BLOCK_X - 1) / BLOCK_X");
  EXPECT_EQ(D.Plan.Tunables.size(), 2u);
}

TEST(BlockShape, RefusesAKernelThatKnowsItsBlock) {
  EXPECT_TRUE(has(refused(R"(__global__ void k(float *a) {
  __shared__ float t[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  t[threadIdx.x] = a[i];
  __syncthreads();
  a[i] = t[0];
})",
                          blockShape),
                  "barriers"));
  EXPECT_TRUE(has(refused(R"(__global__ void k(float *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = 1;
})",
                          blockShape),
                  "not compared with its bound"));
}

TEST(ThreadAxisSwap, PutsXOnTheContiguousSide) {
  std::string Text = R"(__global__ void k(float *a, float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < N && j < M)
    b[i * M + j] = 2 * a[i * M + j];
})";
  Draft D = made(Text, {swapThreadAxes});
  EXPECT_TRUE(has(D.Text, "int i = blockIdx.y * blockDim.y + threadIdx.y;"))
      << D.Text;
  EXPECT_EQ(D.Plan.Launches[0].Grid[0], "grid_y");
  EXPECT_TRUE(has(refused(Product, swapThreadAxes), "already"));
}

TEST(Unroll, MarksInnermostLoops) {
  Draft D = made(Gram, {unrollLoops});
  EXPECT_TRUE(has(D.Text, "#pragma unroll (unroll_factor)\n      for (r = 0;"))
      << D.Text;
  EXPECT_TRUE(has(D.Text, "{\n  constexpr int unroll_factor = UNROLL;"))
      << D.Text;
  EXPECT_TRUE(
      has(refused("__global__ void k(float *a) { a[0] = 1; }", unrollLoops),
          "no innermost"));
}

TEST(LaunchBounds, NeedAPlanWithBlocks) {
  Draft D = made(Product, {blockShape, launchBounds});
  EXPECT_TRUE(
      has(D.Text, "__launch_bounds__(BLOCK_X * BLOCK_Y, MIN_BLOCKS) k("))
      << D.Text;
  EXPECT_TRUE(has(refused(Product, launchBounds), "does not choose"));
}

TEST(LaunchBounds, AskForNoMoreThreadsThanFit) {
  auto WithBlock = [](const MoveInput &In) {
    MoveOutcome O = blockShape(In);
    for (Tunable &Each : O.Result->Plan.Tunables)
      Each.Values = {32};
    return O;
  };
  Draft D = made(Product, {WithBlock, launchBounds});
  EXPECT_EQ(D.Plan.Tunables.back().Name, "MIN_BLOCKS");
  EXPECT_EQ(D.Plan.Tunables.back().Values, (std::vector<int64_t>{1, 2}));
}

TEST(LoopToThreads, SpreadsATriangle) {
  Draft D = made(Gram, {loopToThreads});
  EXPECT_TRUE(has(D.Text, "int q = blockIdx.y * blockDim.y + threadIdx.y;"))
      << D.Text;
  EXPECT_TRUE(has(D.Text, "if (q >= p + 1 && q < M)")) << D.Text;
  EXPECT_EQ(D.Plan.Launches[0].Grid[1], "(M + 8 - 1) / 8");
}

TEST(LoopToThreads, RefusesARecurrence) {
  std::string Why = refused(R"(__global__ void k(float *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N)
    for (int j = 1; j < M; j++)
      a[i * M + j] += a[i * M + j - 1];
})",
                            loopToThreads);
  EXPECT_TRUE(has(Why, "passes may meet in 'a'")) << Why;
}

TEST(LoopToThreads, RefusesACarriedVariable) {
  std::string Why = refused(R"(__global__ void k(float *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float t = 0;
  if (i < N)
    for (int j = 0; j < M; j++) {
      t = 0.5f * t + 1;
      a[i * M + j] = t;
    }
})",
                            loopToThreads);
  EXPECT_TRUE(has(Why, "'t' is carried")) << Why;
}

TEST(WarpPerRow, SharesARow) {
  Draft D = made(RowSum, {accumulateInRegister, warpPerRow});
  EXPECT_TRUE(
      has(D.Text, "int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32;"))
      << D.Text;
  EXPECT_TRUE(has(D.Text, "for (j = lane; j < M; j += 32)")) << D.Text;
  EXPECT_TRUE(has(D.Text, "__shfl_xor_sync")) << D.Text;
  EXPECT_TRUE(has(refused(RowSum, warpPerRow), "more than add to local sums"));
}

TEST(WarpPerRow, RefusesColumns) {
  Closure C = closureOf(ColumnSum);
  Draft D = made(ColumnSum, {accumulateInRegister});
  MoveOutcome O = apply(C, D, warpPerRow);
  EXPECT_FALSE(O.Result);
  EXPECT_TRUE(has(O.WhyNot, "contiguous along the loop")) << O.WhyNot;
}

TEST(SplitReduction, SplitsColumns) {
  Draft D = made(ColumnSum, {accumulateInRegister, splitReduction});
  EXPECT_TRUE(has(D.Text, "for (int i = threadIdx.y; i < N; i += SPLIT)"))
      << D.Text;
  EXPECT_TRUE(has(D.Text, "__syncthreads();")) << D.Text;
  EXPECT_EQ(D.Plan.Launches[0].Block[1], "SPLIT");
  Draft Rows = made(RowSum, {accumulateInRegister});
  EXPECT_FALSE(apply(closureOf(RowSum), Rows, splitReduction).Result);
}

/// The loop's part and the rest's each get the declarations they use.
TEST(SplitReduction, LeavesNoDeclarationUnused) {
  Draft D = made(R"(__global__ void k(float *a, float *x, float *y, float *z) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < M) {
    int i, last = M - 1;
    float sum = 0, scale = z[j];
    int first = M % 3;
    for (i = first; i < N; i++)
      sum += a[i * M + j] * x[i];
    y[j] = sum * scale + last;
  }
})",
                 {splitReduction});
  llvm::StringRef Text = D.Text;
  EXPECT_EQ(Text.count("int i"), 1u) << D.Text;
  EXPECT_EQ(Text.count("first = M % 3"), 1u) << D.Text;
  EXPECT_EQ(Text.count("z[j]"), 1u) << D.Text;
  EXPECT_EQ(Text.count("last = M - 1"), 1u) << D.Text;
  EXPECT_LT(Text.find("first = M % 3"), Text.find("__syncthreads"));
  EXPECT_GT(Text.find("z[j]"), Text.find("__syncthreads"));
}

TEST(TileContraction, TilesAProduct) {
  Draft D = made(Product, {accumulateInRegister, tileContraction});
  EXPECT_TRUE(has(D.Text, "__shared__ float a_rows[TILE_K]")) << D.Text;
  EXPECT_TRUE(has(D.Text, "c_value += part[m][n];")) << D.Text;
}

TEST(TileContraction, TilesATriangleOfThreads) {
  Draft D = made(Gram, {accumulateInRegister, loopToThreads, tileContraction});
  EXPECT_TRUE(has(D.Text, "__shared__ float")) << D.Text;
}

TEST(TileContraction, RefusesOneIndex) {
  std::string Why = refused(RowSum, tileContraction);
  EXPECT_TRUE(has(Why, "x and y axes")) << Why;
}

} // namespace
