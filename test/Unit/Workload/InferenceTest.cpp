/// From host code to a workload, on applications written for each idea.
#include "mep/Closure/ClosureBuilder.h"
#include "mep/Discovery/Discovery.h"
#include "mep/Frontend/ParsedUnit.h"
#include "mep/Support/Error.h"
#include "mep/Support/Files.h"
#include "mep/Workload/Resolve.h"
#include "mep/Workload/WorkloadInference.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <map>

using namespace mep;

namespace {

/// An application in a temporary folder.
class Inference : public testing::Test {
protected:
  void TearDown() override { llvm::sys::fs::remove_directories(Folder); }

  llvm::Expected<Workload> infer(const std::string &Code,
                                 const std::string &Kernel,
                                 const std::string &UserFile = "",
                                 unsigned Launch = 0) {
    if (Folder.empty()) {
      llvm::SmallString<128> Made;
      if (llvm::sys::fs::createUniqueDirectory("mep-inference", Made))
        return makeError(Failure::Output, "no temporary folder");
      Folder = Made.str().str();
    }
    std::string File = Folder + "/app.cu";
    if (llvm::Error E = writeFile(File, "#include <cuda_runtime.h>\n"
                                        "#include <stdlib.h>\n" +
                                            Code))
      return E;
    // The bundled headers: quick, and the same with and without a toolkit.
    auto Command = deviceTextCommand({}, /*Stubs=*/true);
    if (!Command)
      return Command.takeError();
    Command->File = File;
    Command->Directory = Folder;
    auto Host = parseUnit(*Command, View::Host);
    if (!Host)
      return Host.takeError();
    auto Device = parseUnit(*Command, View::Device);
    if (!Device)
      return Device.takeError();
    for (const KernelSite &Site : discoverKernels(**Host)) {
      if (Site.Name != Kernel || Site.Launches.size() <= Launch)
        continue;
      auto Cut =
          buildClosure(**Device, Site, Site.Launches[Launch].Instantiation);
      if (!Cut)
        return Cut.takeError();
      InferenceOptions How;
      How.UserFile = UserFile;
      How.UserPath = "user.json";
      How.Arguments = Arguments;
      How.Assume = Assume;
      return inferWorkload(**Host, **Device, Site, Launch, *Cut, How);
    }
    return makeError(Failure::NotFound, "no kernel " + Kernel);
  }

  std::string Folder;
  std::optional<std::vector<std::string>> Arguments;
  bool Assume = false;
};

#define ASSERT_INFERRED(W) ASSERT_TRUE(bool(W)) << llvm::toString(W.takeError())

const Buffer &buffer(const Workload &W, const std::string &Name) {
  for (const Buffer &B : W.Buffers)
    if (B.Name == Name)
      return B;
  ADD_FAILURE() << "no buffer " << Name;
  static Buffer None;
  return None;
}

std::string value(const Workload &W, const std::string &Name) {
  for (const Argument &A : W.Arguments)
    for (const ArgumentPart &P : A.Parts)
      if (P.Name == Name)
        return P.Value;
  return "no part " + Name;
}

const Dimension &dimension(const Workload &W, const std::string &Name) {
  for (const Dimension &D : W.Dimensions)
    if (D.Name == Name)
      return D;
  ADD_FAILURE() << "no dimension " << Name;
  static Dimension None;
  return None;
}

/// What \p Text, a dimension's name or a number, is in the base shape.
std::string numbered(const Workload &W, const std::string &Text) {
  for (const Dimension &D : W.Dimensions)
    if (D.Name == Text)
      return std::to_string(D.Value);
  return Text;
}

const char *Add = R"(
__global__ void add(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = a[i] + 1;
}
)";

TEST_F(Inference, MacrosThroughCallersKeepTheirNames) {
  auto W =
      infer(std::string("#define COUNT 4096\n#define THREADS 128\n") + Add +
                R"(
void run(int n) {
  float *a, *b;
  cudaMalloc((void **)&a, n * sizeof(float));
  cudaMalloc((void **)&b, sizeof(float) * COUNT);
  dim3 block(THREADS), grid;
  grid.x = (n + block.x - 1) / block.x;
  add<<<grid, block>>>(a, b, n);
}
int main() { run(COUNT); })",
            "add");
  ASSERT_INFERRED(W);
  EXPECT_EQ(buffer(*W, "a").Extent, "COUNT");
  EXPECT_EQ(buffer(*W, "b").Extent, "COUNT");
  EXPECT_EQ(buffer(*W, "a").Use, Role::In);
  EXPECT_EQ(buffer(*W, "b").Use, Role::Out);
  EXPECT_EQ(value(*W, "n"), "COUNT");
  EXPECT_EQ(W->Launch.Grid[0], "(COUNT + block_x - 1) / block_x");
  EXPECT_EQ(W->Launch.Block[0], "THREADS");
  EXPECT_TRUE(dimension(*W, "THREADS").Fixed);
  EXPECT_FALSE(dimension(*W, "COUNT").Fixed);
  ASSERT_GE(W->Shapes.size(), 2u);
  EXPECT_EQ(W->Shapes[1].Dimensions.at("COUNT"), 1021);
  EXPECT_TRUE(bool(resolveShapes(*W)));
}

// One helper makes objects of different sizes: each has those of its own call,
// also where the numbers are written at the calls.
TEST_F(Inference, EachCallOfAHelperHasItsOwnNumbers) {
  const std::string Kernel = R"(
struct Grid { float *cells; int wide, high; };
__global__ void turn(Grid from, Grid to) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < from.wide && y < from.high)
    to.cells[x * to.wide + y] = from.cells[y * from.wide + x];
})";
  for (const std::string Make :
       {"Grid make(int w, int h) { Grid g{nullptr, w, h};"
        "  cudaMalloc(&g.cells, w * h * 4); return g; }"
        "int main() { Grid a = make(40, 30), b = make(30, 40);"
        "  turn<<<dim3(2, 30), 32>>>(a, b); }",
        "struct Field { float *cells; int wide, high;"
        "  Field(int w, int h) : wide(w), high(h) { get(); }"
        "  void get() { cudaMalloc(&cells, wide * high * 4); } };"
        "int main() { Field f(40, 30), g(30, 40);"
        "  Grid a{f.cells, f.wide, f.high}, b{g.cells, g.wide, g.high};"
        "  turn<<<dim3(2, 30), 32>>>(a, b); }",
        "struct Field : Grid { void init(int w, int h) {"
        "  wide = w; high = h; cudaMalloc(&cells, w * h * 4); } };"
        "int main() { Field f, g; f.init(40, 30); g.init(30, 40);"
        "  turn<<<dim3(2, 30), 32>>>(f, g); }"}) {
    SCOPED_TRACE(Make);
    auto W = infer(Kernel + Make, "turn");
    ASSERT_INFERRED(W);
    auto Now = resolveShapes(*W);
    ASSERT_TRUE(bool(Now)) << llvm::toString(Now.takeError());
    std::map<std::string, std::string> Parts;
    for (const Argument &A : W->Arguments)
      for (const ArgumentPart &P : A.Parts)
        Parts[P.Name] = P.Buffer + numbered(*W, P.Value);
    EXPECT_EQ(Parts["from.wide"], "40");
    EXPECT_EQ(Parts["from.high"], "30");
    EXPECT_EQ(Parts["to.wide"], "30");
    EXPECT_EQ(Parts["to.high"], "40");
    EXPECT_NE(Parts["from.cells"], Parts["to.cells"]);
    // They are one size: no shape has one of them without the other.
    EXPECT_EQ(W->Dimensions.size(), 2u);
  }
}

std::string bufferOf(const Workload &W, const std::string &Part) {
  for (const Argument &A : W.Arguments)
    for (const ArgumentPart &P : A.Parts)
      if (P.Name == Part)
        return P.Buffer;
  return "no part " + Part;
}

// Elements of an array of pointers are buffers of their own, however they are
// reached; the same element is one.
TEST_F(Inference, ElementsOfPointerArraysAreDifferentBuffers) {
  const std::string Start = "int main() { const int n = 4096; ";
  const std::string Loop = "for (int k = 0; k < 2; ++k)"
                           "  cudaMalloc((void **)&p[k], n * 4); ";
  const struct {
    std::string Code;
    bool IsOne;
  } Cases[] = {
      {Start + "float *p[2]; " + Loop + "add<<<16, 256>>>(p[0], p[1], n); }",
       false},
      {Start + "float *p[2]; " + Loop + "add<<<16, 256>>>(p[1], p[1], n); }",
       true},
      {Start + "float *p[2]; " + Loop +
           "float *now = p[0], *next = p[1];"
           "add<<<16, 256>>>(now, next, n); }",
       false},
      {Start + "float *p[2]; " + Loop +
           "for (int t = 0; t < 9; ++t)"
           "  add<<<16, 256>>>(p[t % 2], p[1 - t % 2], n); }",
       false},
      {Start + "float *a, *b; cudaMalloc((void **)&a, n * 4);"
               "cudaMalloc((void **)&b, n * 4); float *p[] = {a, b, a};"
               "add<<<16, 256>>>(p[0], p[1], n); }",
       false},
      {Start + "float *a, *b; cudaMalloc((void **)&a, n * 4);"
               "cudaMalloc((void **)&b, n * 4); float *p[] = {a, b, a};"
               "add<<<16, 256>>>(p[0], p[2], n); }",
       true},
      {"struct Pair { float *p[2]; }; " + Start +
           "Pair s; for (int k = 0; k < 2; ++k)"
           "  cudaMalloc((void **)&s.p[k], n * 4);"
           "add<<<16, 256>>>(s.p[0], s.p[1], n); }",
       false},
      {"struct Level { float *u; }; " + Start +
           "Level all[3]; for (int k = 0; k < 3; ++k)"
           "  cudaMalloc((void **)&all[k].u, n * 4);"
           "Level &fine = all[1];"
           "add<<<16, 256>>>(all[2].u, fine.u, n); }",
       false},
  };
  for (const auto &Case : Cases) {
    SCOPED_TRACE(Case.Code);
    auto W = infer(Add + Case.Code, "add");
    ASSERT_INFERRED(W);
    EXPECT_EQ(bufferOf(*W, "a") == bufferOf(*W, "b"), Case.IsOne);
    for (const Buffer &B : W->Buffers)
      EXPECT_EQ(B.Extent, "n");
  }
}

// An element has the size that its own trip of the loop gives it.
TEST_F(Inference, ElementsOfPointerArraysHaveTheirOwnSizes) {
  auto W = infer(std::string(Add) + R"(
int main() {
  float *p[3];
  for (int k = 0; k < 3; ++k)
    cudaMalloc((void **)&p[k], (1000 >> k) * sizeof(float));
  add<<<2, 128>>>(p[0], p[2], 250);
})",
                 "add");
  ASSERT_INFERRED(W);
  auto Now = resolveShapes(*W);
  ASSERT_TRUE(bool(Now)) << llvm::toString(Now.takeError());
  EXPECT_EQ(Now->front().Buffers[0].Count, 1000u);
  EXPECT_EQ(Now->front().Buffers[1].Count, 250u);
}

// Which of several buffers a launch gets may depend on the run: that is said.
TEST_F(Inference, UnknownElementsOfPointerArraysAreNoted) {
  auto W = infer(std::string(Add) + R"(
int main() {
  float *p[4];
  for (int k = 0; k < 4; ++k)
    cudaMalloc((void **)&p[k], 4096);
  int from = rand() % 4, to = rand() % 4;
  add<<<4, 256>>>(p[from], p[to], 1024);
})",
                 "add");
  ASSERT_INFERRED(W);
  EXPECT_NE(bufferOf(*W, "a"), bufferOf(*W, "b"));
  EXPECT_TRUE(llvm::any_of(W->Notes, [](const std::string &N) {
    return N.find("p[from]") != std::string::npos;
  }));
}

// What the device gives back in a loop is not what the loop began with.
TEST_F(Inference, SizesReadBackInALoopAreNotKnown) {
  Assume = true;
  auto W = infer(std::string(Add) + R"(
int main() {
  float *a, *b;
  int *left, n = 1;
  cudaMalloc((void **)&a, 1 << 20);
  cudaMalloc((void **)&b, 1 << 20);
  cudaMalloc((void **)&left, 4);
  while (n > 0) {
    add<<<(n + 127) / 128, 128>>>(a, b, n);
    cudaMemcpy(&n, left, sizeof(int), cudaMemcpyDeviceToHost);
  }
})",
                 "add");
  ASSERT_INFERRED(W);
  ASSERT_EQ(W->Assumptions.size(), 1u);
  EXPECT_NE(W->Assumptions[0].Text.find("'n' is 1024"), std::string::npos);
  EXPECT_EQ(value(*W, "n"), "n");
}

// The same where the host only copies from what the loop has: it keeps it.
TEST_F(Inference, SizesGivenToReadersInALoopAreKnown) {
  auto W = infer(std::string(Add) + R"(
void look(int *n) { if (*n > 5) exit(1); }
int main() {
  float *a, *b;
  int n = 3000;
  cudaMalloc((void **)&a, n * 4);
  cudaMalloc((void **)&b, n * 4);
  for (int t = 0; t < 10; ++t) {
    add<<<(n + 127) / 128, 128>>>(a, b, n);
    look(&n);
  }
})",
                 "add");
  ASSERT_INFERRED(W);
  EXPECT_EQ(numbered(*W, value(*W, "n")), "3000");
}

// An option's branch that a run may or may not take leaves the default.
TEST_F(Inference, OptionsInASwitchKeepTheDefault) {
  auto W = infer(std::string(Add) + R"(
extern int next_option();
struct Options { int n = 5000; bool flip = false; };
int main() {
  Options o;
  int c;
  while ((c = next_option()) != -1)
    switch (c) {
    case 'n': o.n = 77; break;
    case 'f': o.flip = true; break;
    }
  float *a, *b;
  cudaMalloc((void **)&a, 5000 * sizeof(float));
  cudaMalloc((void **)&b, 5000 * sizeof(float));
  add<<<40, 128>>>(a, b, o.flip ? 1 : o.n);
})",
                 "add");
  ASSERT_INFERRED(W);
  EXPECT_EQ(numbered(*W, value(*W, "n")), "5000");
  EXPECT_TRUE(llvm::any_of(W->Notes, [](const std::string &N) {
    return N.find("'flip'") != std::string::npos;
  }));
}

// Numbers that say how long a loop of the kernel runs are those of the host.
TEST_F(Inference, LoopBoundsHoldWhatTheHostPutsThere) {
  auto W = infer(R"(
__global__ void sums(const int *length, float *out, int m) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= m) return;
  float s = 0;
  for (int k = 0; k < length[r]; ++k) s += k;
  out[r] = s;
}
int main() {
  const int m = 300;
  int *h = new int[m], *d;
  float *out;
  for (int r = 0; r < m; ++r) h[r] = 100 * (r + 1);
  cudaMalloc((void **)&d, m * sizeof(int));
  cudaMalloc((void **)&out, m * sizeof(float));
  cudaMemcpy(d, h, m * sizeof(int), cudaMemcpyHostToDevice);
  sums<<<3, 128>>>(d, out, m);
})",
                 "sums");
  ASSERT_INFERRED(W);
  const FillRule &F = buffer(*W, "length").Fill;
  EXPECT_EQ(F.Rule, "iota");
  EXPECT_EQ(F.Low, "100");
  EXPECT_EQ(F.Step, "100");
}

/// A kernel that goes by \p p, which host code fills by \p Fill.
std::string goesBy(const std::string &Fill, const std::string &Type = "int",
                   const std::string &Size = "96") {
  return "__global__ void go(const " + Type +
         " *p, const float *in, float *out, int n) {"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;"
         "  if (i < n) out[p[i]] = in[i]; }"
         "extern int outside(int);"
         "int main() { const int n = " +
         Size + "; " + Type + " *h = new " + Type + "[n], *d;" + Fill +
         "float *a, *b; cudaMalloc((void **)&a, n * 4);"
         "cudaMalloc((void **)&b, n * 4); cudaMalloc((void **)&d, n * sizeof "
         "*d);"
         "cudaMemcpy(d, h, n * sizeof *d, cudaMemcpyHostToDevice);"
         "go<<<1, n>>>(d, a, b, n); }";
}

// What loops compute from their counters is computed as they do.
TEST_F(Inference, HostLoopsAreComputedElementByElement) {
  const struct {
    std::string Fill;
    double First, Second, Last;
  } Cases[] = {
      {"for (int i = 0; i < n; ++i) h[i] = i % 2 ? n / 2 + i / 2 : i / 2;", 0,
       48, 95},
      {"for (int i = 0; i < n; ++i) h[i] = i * i % 37;", 0, 1, 34},
      {"for (int i = 0; i < n; ++i) { int k = i ^ 1; h[k] = i; }", 1, 0, 94},
      {"for (int i = 0; i < n; ++i)"
       "  if (i & 1) h[i] = 0; else h[i] = i / 2 + 1;",
       1, 0, 0},
      {"for (int i = 0; i < n / 8; ++i) for (int j = 0; j < 8; ++j)"
       "  h[i * 8 + j] = (i + j) & 1;",
       0, 1, 0},
      {"for (int i = n - 1; i >= 0; i--) h[i] = (n - i) * (i % 3) / 3;", 0, 31,
       0},
  };
  for (const auto &Case : Cases) {
    SCOPED_TRACE(Case.Fill);
    auto W = infer(goesBy(Case.Fill), "go");
    ASSERT_INFERRED(W);
    const FillRule &F = buffer(*W, "p").Fill;
    ASSERT_EQ(F.Rule, "table");
    ASSERT_EQ(F.Table.size(), 96u);
    EXPECT_EQ(F.Table[0], Case.First);
    EXPECT_EQ(F.Table[1], Case.Second);
    EXPECT_EQ(F.Table[95], Case.Last);
  }
}

// What does not follow from the counter, wraps around or is left out is not
// taken for known; that random subscripts stand there is said.
TEST_F(Inference, HostLoopsThatCannotBeComputedAreNoted) {
  for (const std::string Fill :
       {"for (int i = 0; i < n; ++i) h[i] = outside(i);",
        "for (int i = 0; i < n; ++i) h[i] = (i * 40503u * 65537u ^ i) % 96;",
        "for (int i = 0; i < n; ++i) { if (outside(i)) break; h[i] = i ^ 1; }",
        "for (int i = 0; i < n; ++i) { int k; if (i & 1) k = 3; else k = 4;"
        "  h[i] = k; }",
        "for (int i = 0; i < n; i += 2) h[i] = i ^ 1;",
        "for (int i = 0; i < n; ++i) h[i] = (signed char)(i * 3) ^ 1;",
        "for (int i = 0; i < n; ++i) { h[i] = i ^ 1; h[0] = i ^ 3; }"}) {
    SCOPED_TRACE(Fill);
    auto W = infer(goesBy(Fill), "go");
    ASSERT_INFERRED(W);
    // As many as there are elements to write: each once.
    EXPECT_EQ(buffer(*W, "p").Fill.Rule, "permutation");
    EXPECT_TRUE(llvm::any_of(W->Notes, [](const std::string &N) {
      return N.find("'p' says which elements of 'out' are written") == 0;
    }));
  }
  auto W = infer("__global__ void pick(const int *p, const float *in,"
                 "                     float *out) {"
                 "  out[threadIdx.x] = in[p[threadIdx.x]]; }"
                 "int main() { int *p; float *a, *b;"
                 "  cudaMalloc((void **)&p, 256); cudaMalloc((void **)&a, 512);"
                 "  cudaMalloc((void **)&b, 256); pick<<<1, 64>>>(p, a, b); }",
                 "pick");
  ASSERT_INFERRED(W);
  EXPECT_EQ(buffer(*W, "p").Fill.Rule, "index");
  EXPECT_TRUE(llvm::any_of(W->Notes, [](const std::string &N) {
    return N.find("'p' is not known: it holds random") != std::string::npos;
  }));
}

TEST_F(Inference, LiteralsBecomeNamedDimensions) {
  auto W = infer(std::string(Add) + R"(
int main() {
  const int n = 1 << 12;
  float *a, *b;
  cudaMalloc(&a, n * 4); cudaMalloc(&b, n * 4);
  add<<<n / 64, 64>>>(a + 16, b, n - 16);
})",
                 "add");
  ASSERT_INFERRED(W);
  EXPECT_EQ(dimension(*W, "n_host").Value, 4096);
  EXPECT_FALSE(dimension(*W, "n_host").IsMacro);
  EXPECT_EQ(W->Arguments[0].Parts[0].BufferOffset, "16");
  // The parameter's own `n` is n - 16: the host's n has to give way.
  EXPECT_EQ(W->Arguments[2].Parts[0].Value, "n_host - 16");
  EXPECT_TRUE(bool(resolveShapes(*W)));
}

TEST_F(Inference, StructuresGlobalsAndConstants) {
  auto W = infer(R"(
struct Params { int n; float scale; float *out; const float *in; };
__constant__ float coeff[3];
__constant__ int shift;
__global__ void scale(Params p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p.n) p.out[i] = p.in[i] * p.scale + coeff[i % 3] + shift;
}
float *in, *out;
void setup(int n) { cudaMalloc(&in, n * sizeof(float)); cudaMalloc(&out, n * sizeof(float)); }
int main() {
  setup(5000);
  Params p = {5000, 2.5f, out, in};
  p.n = 4000;
  int s = 7;
  cudaMemcpyToSymbol(shift, &s, sizeof(s));
  scale<<<20, 256>>>(p);
})",
                 "scale");
  ASSERT_INFERRED(W);
  EXPECT_EQ(W->Arguments[0].Bytes, 24u);
  EXPECT_EQ(value(*W, "p.scale"), "2.5");
  EXPECT_EQ(dimension(*W, value(*W, "p.n")).Value, 4000);
  EXPECT_EQ(W->Arguments[0].Parts[3].Buffer, "p.in");
  EXPECT_EQ(W->Arguments[0].Parts[3].Offset, 16u);
  EXPECT_EQ(buffer(*W, "p.in").Use, Role::In);
  EXPECT_EQ(buffer(*W, "coeff").Element.Name, "float");
  EXPECT_EQ(buffer(*W, "shift").Fill.Rule, "constant");
  auto Shapes = resolveShapes(*W);
  ASSERT_TRUE(bool(Shapes)) << llvm::toString(Shapes.takeError());
  for (const ResolvedBuffer &B : (*Shapes)[0].Buffers) {
    if (B.Name == "coeff")
      EXPECT_EQ(B.Count, 3u);
    if (B.Name == "shift")
      EXPECT_EQ(B.Low, 7.0);
  }
}

TEST_F(Inference, WrappersMakeSeparateAllocationsAndIndexesStayInRange) {
  auto W = infer(R"(
template <typename T> T *make(size_t n) { T *p; cudaMalloc((void **)&p, n * sizeof(T)); return p; }
__global__ void spmv(const int *ptr, const int *col, const double *val, const double *x, double *y, int rows) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  double s = 0;
  for (int j = ptr[r]; j < ptr[r + 1]; ++j) s += val[j] * x[col[j]];
  y[r] = s;
}
int main() {
  const int rows = 3000, nnz = 50000;
  int *ptr = make<int>(rows + 1), *col = make<int>(nnz);
  double *val = make<double>(nnz), *x = make<double>(rows), *y = make<double>(rows);
  spmv<<<(rows + 127) / 128, 128>>>(ptr, col, val, x, y, rows);
})",
                 "spmv");
  ASSERT_INFERRED(W);
  EXPECT_EQ(W->Buffers.size(), 5u);
  EXPECT_EQ(buffer(*W, "ptr").Fill.Rule, "offsets");
  EXPECT_EQ(buffer(*W, "ptr").Fill.High, "nnz");
  EXPECT_EQ(buffer(*W, "col").Fill.Rule, "index");
  EXPECT_EQ(buffer(*W, "col").Fill.High, "rows");
  EXPECT_EQ(buffer(*W, "y").Use, Role::Out);
}

/// The launches of a templated launcher share their place in the source; each
/// is told by the kernel it names, whatever the type of a template argument.
TEST_F(Inference, EachInstantiationOfATemplatedLauncher) {
  const char *Code = R"(
template <unsigned N, bool F, typename... T>
__global__ void step(float *a, int n) {
  int i = blockIdx.x * N + threadIdx.x;
  if (i < n) a[i] = F ? a[i] * N : a[i] + N;
}
template <unsigned N, bool F, typename... T> void launch(float *a, int n) {
  step<N, F, T...><<<(n + N - 1) / N, N>>>(a, n);
}
int main() {
  float *a;
  cudaMalloc(&a, 8000 * sizeof(float));
  launch<32, false>(a, 8000);
  launch<64, true>(a, 4000);
  launch<128, true, int, char>(a, 2000);
})";
  const int Blocks[] = {32, 64, 128}, Sizes[] = {8000, 4000, 2000};
  for (unsigned Launch = 0; Launch < 3; ++Launch) {
    auto W = infer(Code, "step", "", Launch);
    ASSERT_INFERRED(W);
    auto Shapes = resolveShapes(*W);
    ASSERT_TRUE(bool(Shapes)) << llvm::toString(Shapes.takeError());
    EXPECT_EQ(Shapes->front().Launch.Block[0], Blocks[Launch]);
    EXPECT_EQ(Shapes->front().Launch.Grid[0],
              Sizes[Launch] / Blocks[Launch] + (Launch > 0));
  }
}

/// They are other machine code, of which this workload says nothing.
TEST_F(Inference, OtherInstantiationsAreNoted) {
  auto Noted = [&](const char *Main) {
    auto W = infer(std::string(R"(
template <typename T> __global__ void twice(T *a) { a[threadIdx.x] *= 2; }
int main() {
  float *a; double *b;
  cudaMalloc(&a, 64 * sizeof(float));
  cudaMalloc(&b, 64 * sizeof(double));
  twice<float><<<1, 64>>>(a);
)") + Main + "}",
                   "twice");
    std::string All;
    if (!W)
      return llvm::toString(W.takeError());
    for (const std::string &N : W->Notes)
      All += N + "\n";
    return All;
  };
  std::string All =
      Noted("for (int i = 0; i < 9; ++i) twice<double><<<1, 64>>>(b);");
  EXPECT_NE(All.find("the instantiation <double> is not measured and not "
                     "verified; it is launched at "),
            std::string::npos)
      << All;
  EXPECT_NE(All.find(", in a loop"), std::string::npos) << All;
  All = Noted("twice<float><<<1, 32>>>(a);");
  EXPECT_EQ(All.find("instantiation"), std::string::npos) << All;
}

/// In the middle of such a loop the guard leaves nothing of the shrunken grid.
TEST_F(Inference, ALoopOfShrinkingLaunchesIsThreeLaunches) {
  auto W = infer(R"(
__global__ void eliminate(float *a, int n, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j > k && j < n) a[k * n + j] /= a[k * n + k];
}
int main() {
  const int n = 1024;
  float *a;
  cudaMalloc(&a, n * n * sizeof(float));
  for (int k = 0; k < n; k++)
    eliminate<<<(n - (k + 1) + 63) / 64, 64>>>(a, n, k);
})",
                 "eliminate");
  ASSERT_INFERRED(W);
  // The last trip has no blocks and launches nothing.
  EXPECT_EQ(value(*W, "k"), "(which_launch == 1 ? n / 2 : 0)");
  auto Shapes = resolveShapes(*W);
  ASSERT_TRUE(bool(Shapes)) << llvm::toString(Shapes.takeError());
  ASSERT_GE(Shapes->size(), 3u);
  EXPECT_EQ((*Shapes)[0].Launch.Grid[0], 16u);
  EXPECT_EQ((*Shapes)[1].Launch.Grid[0], 8u);
  EXPECT_NEAR((*Shapes)[1].Weight, 4 * (*Shapes)[0].Weight, 1e-6);
  // The middle stays the middle of what an odd shape has.
  unsigned Odd = 0;
  for (const ResolvedShape &S : *Shapes)
    if (S.Name == "launch2_odd" && ++Odd)
      EXPECT_EQ(S.Launch.Grid[0],
                (S.Dimensions.at("n") - S.Dimensions.at("n") / 2 - 1 + 63) /
                    64);
}

/// Where the trips are not known one launch stands for all.
TEST_F(Inference, ALoopOfShrinkingLaunchesIsTakenEarly) {
  auto W = infer(R"(
int steps();
__global__ void eliminate(float *a, int n, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j > k && j < n) a[k * n + j] /= a[k * n + k];
}
int main() {
  const int n = 1024;
  float *a;
  cudaMalloc(&a, n * n * sizeof(float));
  for (int k = 0; k < n && steps(); k++)
    eliminate<<<(n - (k + 1) + 63) / 64, 64>>>(a, n, k);
})",
                 "eliminate");
  ASSERT_INFERRED(W);
  EXPECT_EQ(value(*W, "k"), "n / 4");
}

TEST_F(Inference, ALoopOfGrowingLaunchesIsThreeLaunches) {
  auto W = infer(R"(
__global__ void diagonal(float *a, int n, int d) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < d) a[j * n + d - j] += a[j * n];
}
int main() {
  const int n = 1024;
  float *a;
  cudaMalloc(&a, n * n * sizeof(float));
  for (int d = 1; d < n; d++)
    diagonal<<<(d + 63) / 64, 64>>>(a, n, d);
})",
                 "diagonal");
  ASSERT_INFERRED(W);
  EXPECT_EQ(value(*W, "d"), "(which_launch == 2 ? (1 + n) / 2 : (which_launch "
                            "== 1 ? 1 : n - 1))");
}

TEST_F(Inference, LoopsAndSwappedBuffers) {
  auto W = infer(R"(
__global__ void step(float *to, const float *from, int n, int t) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) to[i] = from[i - 1] + from[i + 1] + t;
}
int main() {
  const int n = 2048, steps = 100;
  float *a, *b;
  cudaMalloc(&a, n * sizeof(float)); cudaMalloc(&b, n * sizeof(float));
  for (int t = 0; t < steps; ++t) {
    step<<<(n + 127) / 128, 128>>>(b, a, n, t);
    float *tmp = a; a = b; b = tmp;
  }
})",
                 "step");
  ASSERT_INFERRED(W);
  EXPECT_EQ(W->Buffers.size(), 2u);
  EXPECT_EQ(value(*W, "t"), "(which_launch == 2 ? steps - 1 : (which_launch == "
                            "1 ? 0 : steps / 2))");
  EXPECT_TRUE(dimension(*W, "steps").Fixed);
  // The borders are not written: they keep what was there.
  EXPECT_EQ(buffer(*W, "to").Use, Role::InOut);
  ASSERT_FALSE(W->Notes.empty());
  EXPECT_NE(W->Notes[0].find("the first, the middle and the last"),
            std::string::npos);
}

TEST_F(Inference, RolesFollowDeviceFunctionsAndAtomics) {
  auto W = infer(R"(
__device__ void put(float *p, float v) { *p = v; }
__device__ float twice(const float &v) { return 2 * v; }
__global__ void k(float *sum, float *out, float *in, float *both, int *hist, const unsigned char *bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  put(&out[i], twice(in[i]));
  both[i] += 1 / in[i];
  atomicAdd(sum, in[i]);
  atomicAdd(&hist[bins[i]], 1);
}
int main() {
  float *s, *o, *i, *b; int *h; unsigned char *c;
  cudaMalloc(&s, 4); cudaMalloc(&o, 4096); cudaMalloc(&i, 4096); cudaMalloc(&b, 4096);
  cudaMalloc(&h, 64 * sizeof(int)); cudaMalloc(&c, 1024);
  k<<<4, 256>>>(s, o, i, b, h, c);
})",
                 "k");
  ASSERT_INFERRED(W);
  EXPECT_EQ(buffer(*W, "sum").Use, Role::InOut);
  EXPECT_EQ(buffer(*W, "out").Use, Role::Out);
  EXPECT_EQ(buffer(*W, "in").Use, Role::In);
  EXPECT_EQ(buffer(*W, "in").Fill.Low, "0.1");
  EXPECT_EQ(buffer(*W, "both").Use, Role::InOut);
  EXPECT_EQ(buffer(*W, "hist").Use, Role::InOut);
  EXPECT_EQ(buffer(*W, "bins").Fill.Rule, "index");
  EXPECT_EQ(buffer(*W, "bins").Fill.High, "64");
}

const char *Unknown = R"(
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  float *a, *b;
  cudaMalloc(&a, n * sizeof(float)); cudaMalloc(&b, n * sizeof(float));
  add<<<(n + 255) / 256, 256>>>(a, b, n);
})";

TEST_F(Inference, WhatTheRunDecidesIsAnErrorWithTheWayOut) {
  auto W = infer(std::string(Add) + Unknown, "add");
  ASSERT_FALSE(bool(W));
  llvm::Error E = W.takeError();
  EXPECT_EQ(failureOf(E), Failure::Workload);
  std::string Message = llvm::toString(std::move(E));
  EXPECT_NE(Message.find("app.cu:13:"), std::string::npos) << Message;
  EXPECT_NE(Message.find("cannot infer the value of 'n'"), std::string::npos);
  EXPECT_NE(Message.find("atoi(argv[1])"), std::string::npos);
  EXPECT_NE(Message.find(R"({"dimensions":[{"name":"n","value":1024}]})"),
            std::string::npos);
}

TEST_F(Inference, TheUsersFileSuppliesIt) {
  auto W = infer(std::string(Add) + Unknown, "add",
                 R"({"dimensions": [{"name": "n", "value": 5000}]})");
  ASSERT_INFERRED(W);
  EXPECT_EQ(dimension(*W, "n").Value, 5000);
  EXPECT_EQ(buffer(*W, "a").Extent, "n");
  EXPECT_EQ(W->Shapes.at(1).Dimensions.at("n"), 1249);
}

TEST_F(Inference, DefaultsOfOptionalArgumentsCount) {
  auto W = infer(std::string(Add) + R"(
int main(int argc, char **argv) {
  int n = 3000;
  if (argc > 1) n = atoi(argv[1]);
  float *a, *b;
  cudaMalloc(&a, n * sizeof(float)); cudaMalloc(&b, n * sizeof(float));
  add<<<(n + 255) / 256, 256>>>(a, b, n);
})",
                 "add");
  ASSERT_INFERRED(W);
  EXPECT_EQ(dimension(*W, "n").Value, 3000);
  EXPECT_NE(W->Notes.at(0).find("without command-line arguments"),
            std::string::npos);
}

TEST_F(Inference, AnAllocationThatIsNotFound) {
  auto W = infer(R"(
__global__ void pick(float *a, const int *at) { a[at[threadIdx.x]] = 0; }
float *elsewhere();
int main() { pick<<<4, 256>>>(elsewhere(), (int *)elsewhere()); })",
                 "pick");
  ASSERT_FALSE(bool(W));
  std::string Message = llvm::toString(W.takeError());
  EXPECT_NE(Message.find("no allocation of 'a' is found"), std::string::npos)
      << Message;
  EXPECT_NE(Message.find(R"("buffers":[{"name":"a","extent":"1024"})"),
            std::string::npos);
}

TEST_F(Inference, AnExtentFromWhatTheKernelTouches) {
  auto W = infer(std::string(Add) + R"(
float *elsewhere();
int main() { add<<<4, 256>>>(elsewhere(), elsewhere(), 1000); })",
                 "add");
  ASSERT_INFERRED(W);
  EXPECT_EQ(buffer(*W, "a").Extent, "n");
  EXPECT_EQ(buffer(*W, "a").Source, "the kernel's accesses");
}

TEST_F(Inference, ElementsOfLocalArrays) {
  auto W = infer(std::string(Add) + R"(
int main() {
  int sizes[2] = {2000, 3000};
  size_t work[1];
  work[0] = (sizes[1] + 255) / 256;
  float *a, *b;
  cudaMalloc(&a, sizes[1] * sizeof(float)); cudaMalloc(&b, sizes[1] * sizeof(float));
  add<<<work[0], 256>>>(a, b, sizes[1]);
})",
                 "add");
  ASSERT_INFERRED(W);
  EXPECT_EQ(buffer(*W, "a").Extent, "3000");
  EXPECT_EQ(value(*W, "n"), "3000");
  EXPECT_EQ(W->Launch.Grid[0], "12");
}

TEST_F(Inference, DivisorsAndRootsGetValuesTheyCanTake) {
  auto W = infer(R"(
__global__ void k(float *pivot, float *uniform) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  pivot[i] = pivot[i] - 1 / pivot[i];
  uniform[i] = sqrtf(-2 * logf(uniform[i]));
}
int main() {
  float *p, *u;
  cudaMalloc(&p, 4096); cudaMalloc(&u, 4096);
  k<<<4, 256>>>(p, u);
})",
                 "k");
  ASSERT_INFERRED(W);
  EXPECT_EQ(buffer(*W, "pivot").Fill.Low, "2");
  EXPECT_EQ(buffer(*W, "uniform").Fill.Low, "0.1");
  EXPECT_EQ(buffer(*W, "uniform").Fill.High, "1");
}

TEST_F(Inference, PointersThatHostCodeNeverSetsAreMissing) {
  auto W = infer(R"(
__global__ void k(float **rows) { rows[0][0] = 1; }
int main() { float **r; cudaMalloc(&r, 80); k<<<1, 1>>>(r); })",
                 "k");
  ASSERT_FALSE(bool(W));
  llvm::Error E = W.takeError();
  EXPECT_EQ(failureOf(E), Failure::Workload);
  std::string Text = llvm::toString(std::move(E));
  EXPECT_NE(Text.find("extent of buffer '*rows'"), std::string::npos) << Text;
}

const char *const FromCommandLine = R"(
__global__ void scale(float *a, int n, float f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= f;
}
static int count(char **words) { return atoi(words[1]); }
int main(int argc, char **argv) {
  if (argc != 3) return 1;
  int n = count(argv);
  float f = atof(argv[2]);
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  scale<<<(n + 255) / 256, 256>>>(a, n, f);
}
)";

TEST_F(Inference, ReadsTheCommandLine) {
  Arguments = {"5000", "0.5"};
  auto W = infer(FromCommandLine, "scale");
  ASSERT_TRUE(bool(W)) << llvm::toString(W.takeError());
  ASSERT_EQ(W->Dimensions.size(), 1u);
  EXPECT_EQ(W->Dimensions[0].Value, 5000);
  EXPECT_EQ(W->Arguments[2].Parts[0].Value, "0.5");
  EXPECT_TRUE(W->Notes.empty());
}

TEST_F(Inference, AssumesWhatOnlyARunWouldTellAndSaysSo) {
  auto Refused = infer(FromCommandLine, "scale");
  ASSERT_FALSE(bool(Refused));
  EXPECT_NE(llvm::toString(Refused.takeError()).find("atoi(words[1])"),
            std::string::npos);
  Assume = true;
  auto W = infer(FromCommandLine, "scale");
  ASSERT_TRUE(bool(W)) << llvm::toString(W.takeError());
  ASSERT_EQ(W->Dimensions.size(), 1u);
  EXPECT_EQ(W->Dimensions[0].Value, 1024);
  EXPECT_EQ(W->Arguments[2].Parts[0].Value, "1");
  std::string All;
  for (const Assumption &A : W->Assumptions)
    All += A.Text + "\n";
  EXPECT_NE(All.find("'n' is 1024 ('atoi(words[1])' is known only"),
            std::string::npos)
      << All;
  EXPECT_NE(All.find("'f' is 1"), std::string::npos) << All;
}

/// A count that starts as 0 and is only ever set from what the application
/// reads, in a structure and a variable that copies it.
const char *ReadLater = R"(
struct Options { int points = 0, neighbours = 1000; };
__global__ void each(float *a, const float *b, int n, int first) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = b[i] + first;
}
void run(const Options &o, float *b) {
  const int n = o.points;
  const int m = o.neighbours < n ? o.neighbours : n;
  int first = 0;
  float *a;
  cudaMalloc(&a, n * m * sizeof(float));
  each<<<(n + 255) / 256, 256>>>(a, b, n, first);
}
int main() {
  Options o;
  run(o, 0);
}
)";

TEST_F(Inference, ASizeOfNothingIsNotKnown) {
  Assume = true;
  auto W = infer(ReadLater, "each");
  ASSERT_INFERRED(W);
  auto Shapes = resolveShapes(*W);
  ASSERT_TRUE(bool(Shapes)) << llvm::toString(Shapes.takeError());
  EXPECT_EQ(Shapes->front().Launch.Grid[0], 4u);
  EXPECT_EQ(dimension(*W, "points").Value, 1024);
  // A 0 that no size rests on is what the host code says.
  EXPECT_EQ(value(*W, "first"), "0");
  EXPECT_EQ(W->Dimensions.size(), 2u);
  EXPECT_EQ(dimension(*W, "neighbours").Value, 1000);
  std::string All;
  for (const Assumption &A : W->Assumptions)
    All += A.Text + "\n";
  EXPECT_NE(All.find("'points' is 1024 (the host code says 0, which is no "
                     "size"),
            std::string::npos)
      << All;
  Assume = false;
  auto Given = infer(ReadLater, "each",
                     R"({"dimensions": [{"name": "points", "value": 300}]})");
  ASSERT_INFERRED(Given);
  EXPECT_EQ(dimension(*Given, "points").Value, 300);
  auto Refused = infer(ReadLater, "each");
  ASSERT_FALSE(bool(Refused));
  EXPECT_NE(llvm::toString(Refused.takeError())
                .find("cannot infer the value of 'points'"),
            std::string::npos);
}

/// The only extent that rests on it is what the kernel touches.
TEST_F(Inference, ASizeThatTheAccessesMakeNothingIsNotKnown) {
  Assume = true;
  auto W = infer(std::string(Add) + R"(
void run(const float *a, float *b, int n) { add<<<4, 256>>>(a, b, n); }
void start(const float *a, float *b) {
  int count = 0;
  run(a, b, count);
}
)",
                 "add");
  ASSERT_INFERRED(W);
  EXPECT_EQ(dimension(*W, "count").Value, 1024);
  EXPECT_EQ(buffer(*W, "b").Extent, "n");
}

/// Of an extent that is nothing whatever the variables are, none is to blame.
TEST_F(Inference, NothingThatIsNoVariableStays) {
  auto W = infer(R"(
__global__ void fill(float *a, int first) { a[threadIdx.x + first] = 1; }
int main() {
  int first = 0;
  float *a;
  cudaMalloc(&a, 1024 * 0);
  fill<<<1, 32>>>(a, first);
}
)",
                 "fill");
  ASSERT_INFERRED(W);
  EXPECT_EQ(value(*W, "first"), "0");
  EXPECT_TRUE(W->Dimensions.empty());
}

TEST_F(Inference, AssumedSizesStayWithinMemory) {
  Assume = true;
  auto W = infer(R"(
__global__ void fill(float *a, int x, int y, int z, int w) {
  a[((w - 1) * z + z - 1) * y * x + threadIdx.x] = 1;
}
int main(int argc, char **argv) {
  int x = atoi(argv[1]), y = atoi(argv[2]), z = atoi(argv[3]);
  int w = atoi(argv[4]);
  float *a;
  cudaMalloc(&a, sizeof(float) * x * y * z * w);
  fill<<<1, 32>>>(a, x, y, z, w);
}
)",
                 "fill");
  ASSERT_TRUE(bool(W)) << llvm::toString(W.takeError());
  auto Shapes = resolveShapes(*W);
  ASSERT_TRUE(bool(Shapes)) << llvm::toString(Shapes.takeError());
  EXPECT_LE(Shapes->front().totalBytes(), uint64_t(256) << 20);
  EXPECT_GE(Shapes->front().totalBytes(), uint64_t(1) << 20);
}

TEST_F(Inference, AssumesABlockOfUsualSize) {
  Assume = true;
  auto W = infer(R"(
__global__ void fill(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
int main(int argc, char **argv) {
  int threads = atoi(argv[1]);
  float *a;
  cudaMalloc(&a, 4096 * sizeof(float));
  fill<<<4096 / threads, threads>>>(a);
}
)",
                 "fill");
  ASSERT_TRUE(bool(W)) << llvm::toString(W.takeError());
  auto Shapes = resolveShapes(*W);
  ASSERT_TRUE(bool(Shapes)) << llvm::toString(Shapes.takeError());
  EXPECT_EQ(Shapes->front().Launch.Block[0], 256u);
  EXPECT_EQ(Shapes->front().Launch.Grid[0], 16u);
}

TEST_F(Inference, AsksNoDeviceForItsSize) {
  auto W = infer(R"(
__global__ void fill(float *a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    a[i] = 1;
}
int main() {
  const int n = 4096;
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  fill<<<2 * properties.multiProcessorCount, 256>>>(a, n);
}
)",
                 "fill");
  ASSERT_TRUE(bool(W)) << llvm::toString(W.takeError());
  EXPECT_EQ(W->Launch.Grid[0], "256");
  ASSERT_FALSE(W->Notes.empty());
  EXPECT_NE(W->Notes[0].find("multiProcessorCount"), std::string::npos);
}

/// Conditions that hang on members that hang on conditions: a chain whose every
/// link may come from many places must end soon.
TEST_F(Inference, EndsOnEntangledConditions) {
  std::string Code = "__global__ void k(int *a, int n) { a[0] = n; }\n"
                     "struct S { int v[1]; int m0";
  for (int I = 1; I < 12; ++I)
    Code += ", m" + std::to_string(I);
  Code += "; };\nstatic void set(S *s) {\n";
  for (int Round = 0; Round < 12; ++Round)
    for (int I = 0; I < 12; ++I)
      Code += "  if (s->m" + std::to_string((I + 1) % 12) + " > s->m" +
              std::to_string((I + 5) % 12) + ") s->m" + std::to_string(I) +
              " = s->m" + std::to_string((I + 7) % 12) + ";\n";
  Code += "}\nint main() {\n  S *s = (S *)malloc(sizeof(S));\n  set(s);\n"
          "  int *a;\n  cudaMalloc(&a, 4);\n  k<<<1, 1>>>(a, s->m0);\n}\n";
  Assume = true;
  auto W = infer(Code, "k");
  ASSERT_TRUE(bool(W)) << llvm::toString(W.takeError());
}

/// A write that only the access model follows; the user's word stands all the
/// same.
TEST_F(Inference, AWriteThroughACalleesResultIsAnUpdate) {
  std::string Code = R"(
__device__ float *at(float *p, int i) { return p + i; }
__global__ void bump(float *a) { *at(a, threadIdx.x) += 1; }
int main() {
  float *a;
  cudaMalloc(&a, 64 * sizeof(float));
  bump<<<1, 64>>>(a);
}
)";
  auto W = infer(Code, "bump");
  ASSERT_TRUE(bool(W)) << llvm::toString(W.takeError());
  EXPECT_EQ(W->Buffers[0].Use, Role::InOut);
  auto Given =
      infer(Code, "bump", R"({"buffers": [{"name": "a", "role": "in"}]})");
  ASSERT_TRUE(bool(Given)) << llvm::toString(Given.takeError());
  EXPECT_EQ(Given->Buffers[0].Use, Role::In);
}

TEST_F(Inference, AnAssumedOffsetLeavesTheBuffer) {
  Assume = true;
  auto W = infer(R"(
__global__ void fill(float *a) { a[threadIdx.x] = 1; }
int main(int argc, char **argv) {
  int n = atoi(argv[1]), first = atoi(argv[2]);
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  fill<<<1, 32>>>(a + first);
}
)",
                 "fill");
  ASSERT_INFERRED(W);
  for (const Dimension &D : W->Dimensions)
    EXPECT_EQ(D.Value, D.Name == "n" ? 1024 : 0) << D.Name;
}

TEST_F(Inference, AnAssumedGridCoversWithAllAxesOfTheBlock) {
  Assume = true;
  auto W = infer(R"(
__global__ void fill(float *a) { a[threadIdx.x] = 1; }
void decide(int *blocks);
int main(int argc, char **argv) {
  float *a;
  cudaMalloc(&a, 6400 * sizeof(float));
  int blocks[2];
  decide(blocks);
  fill<<<blocks[argc], dim3(16, 4)>>>(a);
}
)",
                 "fill");
  ASSERT_INFERRED(W);
  auto Shapes = resolveShapes(*W);
  ASSERT_TRUE(bool(Shapes));
  EXPECT_EQ(Shapes->front().Launch.Grid[0], 100u);
}

TEST_F(Inference, ALoopBeforeTheUseIsNotTheFirstValue) {
  auto W = infer(R"(
__global__ void fill(float *a) { a[threadIdx.x] = 1; }
int main() {
  const int sizes[2] = {64, 32};
  int count = 1;
  for (int i = 0; i < 2; ++i)
    count *= sizes[i];
  float *a;
  cudaMalloc(&a, count * sizeof(float));
  fill<<<1, 32>>>(a);
}
)",
                 "fill");
  ASSERT_FALSE(bool(W));
  EXPECT_NE(llvm::toString(W.takeError()).find("'count' is changed in a loop"),
            std::string::npos);
}

TEST_F(Inference, WhatTheHostSetsMemoryToIsKept) {
  auto W = infer(R"(
__global__ void count(unsigned *table, unsigned *hits, float *other) {
  if (table[threadIdx.x] != 0xffffffff)
    atomicAdd(hits, 1u);
  other[threadIdx.x] = 1;
}
int main() {
  unsigned *table, *hits;
  float *other;
  cudaMalloc(&table, 32 * sizeof(unsigned));
  cudaMalloc(&hits, sizeof(unsigned));
  cudaMalloc(&other, 32 * sizeof(float));
  cudaMemset(table, 0xff, 32 * sizeof(unsigned));
  cudaMemset(hits, 0, sizeof(unsigned));
  count<<<1, 32>>>(table, hits, other);
}
)",
                 "count");
  ASSERT_INFERRED(W);
  EXPECT_EQ(buffer(*W, "table").SetTo, 255);
  EXPECT_EQ(buffer(*W, "hits").SetTo, 0);
  EXPECT_EQ(buffer(*W, "other").SetTo, -1);
}

std::string said(const FillRule &F) {
  if (F.Rule.empty())
    return "";
  std::string Text = F.Rule;
  for (double Each : F.Table)
    Text += " " + std::to_string(Each).substr(0, 5);
  if (F.Rule == "table")
    return Text;
  Text += " " + F.Low + " " + F.High;
  if (F.counts())
    Text += " step " + F.Step + " each " + F.Each + " period " + F.Period +
            " modulus " + F.Modulus;
  return Text;
}

/// The rule a buffer would be filled by if the host code's data were asked for.
std::string hostFill(const Workload &W, const std::string &Name) {
  return said(buffer(W, Name).HostFill);
}

TEST_F(Inference, WhatTheHostPutsIntoElementsIsARule) {
  auto W = infer(R"(
#include <stdlib.h>
__global__ void gather(float *to, const float *from, const int *at,
                       const int *lengths, const int *rows, const int *odd,
                       const int *twice, float *managed, int n, int words) {
  int i = threadIdx.x;
  if (i < n && lengths[i] > words)
    to[i] = from[at[i]] + rows[i] + odd[i] + twice[i] + managed[i];
}
const int n = 64, top = 12;
int main() {
  int words = 900;
  float *hfrom = (float *)malloc(words * sizeof(float));
  int at[n], lengths[n], rows[n], odd[n], twice[n];
  for (int i = 0; i < words; ++i)
    hfrom[i] = (float)rand() / RAND_MAX * 4 - 2;
  for (int i = 0; i < n; ++i) {
    at[i] = 5 + rand() % words;
    lengths[i] = top;
    rows[i] = i;
    odd[i] = 2 * i + 1;
    twice[i] = 0;
  }
  twice[3] = 1;
  float *to, *from, *managed;
  int *dat, *dlengths, *drows, *dodd, *dtwice;
  cudaMalloc(&to, n * sizeof(float));
  cudaMalloc(&from, words * sizeof(float));
  cudaMalloc(&dat, n * sizeof(int));
  cudaMalloc(&dlengths, n * sizeof(int));
  cudaMalloc(&drows, n * sizeof(int));
  cudaMalloc(&dodd, n * sizeof(int));
  cudaMalloc(&dtwice, n * sizeof(int));
  cudaMallocManaged(&managed, n * sizeof(float));
  for (int i = 0; i < n; ++i)
    managed[i] = -1.5f;
  cudaMemcpy(from, hfrom, words * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(dat, at, n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(dlengths, lengths, n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(drows, rows, n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(dodd, odd, n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(dtwice, twice, n * sizeof(int), cudaMemcpyHostToDevice);
  gather<<<1, n>>>(to, from, dat, dlengths, drows, dodd, dtwice, managed, n,
                   words);
}
)",
                 "gather");
  ASSERT_INFERRED(W);
  EXPECT_EQ(hostFill(*W, "from"), "uniform -2.0 2.0");
  EXPECT_EQ(hostFill(*W, "at"), "uniform 5 5 + (words - 1)");
  // No dimension for its own sake.
  EXPECT_EQ(hostFill(*W, "lengths"), "constant 12 12");
  EXPECT_EQ(hostFill(*W, "rows"), "iota 0 0");
  EXPECT_EQ(hostFill(*W, "managed"), "constant -1.5 -1.5");
  EXPECT_EQ(hostFill(*W, "odd"), "iota 1 1 step 2 each 1 period 0 modulus 0");
  // What two places differ in.
  EXPECT_EQ(hostFill(*W, "twice"), "");
  EXPECT_EQ(hostFill(*W, "to"), "");
  EXPECT_EQ(buffer(*W, "lengths").Fill.Rule, "uniform");
}

/// The host fill of `int *d`, which \p Fills gives its values in `h`.
#define EXPECT_HOST_FILL(Fills, Rule)                                          \
  do {                                                                         \
    auto W = infer(R"(
#include <algorithm>
__global__ void use(float *y, const int *d) { y[threadIdx.x] = d[threadIdx.x]; }
const int n = 240, m = 12;
int main() {
  int *h = new int[n];
)" Fills                                                                       \
                   R"(
  float *y;
  int *d;
  cudaMalloc(&y, n * sizeof(float));
  cudaMalloc(&d, n * sizeof(int));
  cudaMemcpy(d, h, n * sizeof(int), cudaMemcpyHostToDevice);
  use<<<1, n>>>(y, d);
}
)",                                                                            \
                   "use");                                                     \
    ASSERT_INFERRED(W);                                                        \
    EXPECT_EQ(hostFill(*W, "d"), Rule);                                        \
  } while (false)

TEST_F(Inference, ElementsThatFollowFromTheirNumber) {
  EXPECT_HOST_FILL("for (int i = 0; i < n; i++) h[i] = i + 1;", "iota 1 1");
  EXPECT_HOST_FILL("for (int i = 0; i < n; i++) { int k = 2 * i; h[i] = k; }",
                   "iota 0 0 step 2 each 1 period 0 modulus 0");
  EXPECT_HOST_FILL("for (int i = 1; i <= n; i++) h[i - 1] = i;", "iota 1 1");
  EXPECT_HOST_FILL("for (int i = 0; i < n; i++) h[239 - i] = i;",
                   "iota 239 239 step -1 each 1 period 0 modulus 0");
  EXPECT_HOST_FILL("for (int i = 0; i < n; i++) h[i] = 7 - i % 5;",
                   "iota 7 7 step -1 each 1 period 5 modulus 0");
  EXPECT_HOST_FILL("for (int i = 0; i < n; i++) h[i] = (3 * i + 1) % 17;",
                   "iota 1 1 step 3 each 1 period 0 modulus 17");
  EXPECT_HOST_FILL("for (int i = 0; i < n; i++) h[i] = i / 4;",
                   "iota 0 0 step 1 each 4 period 0 modulus 0");
}

TEST_F(Inference, ElementsUnderNestedLoops) {
  EXPECT_HOST_FILL("for (int i = 0; i < 20; i++) for (int j = 0; j < 12; j++) "
                   "h[i * 12 + j] = j;",
                   "iota 0 0 step 1 each 1 period 12 modulus 0");
  EXPECT_HOST_FILL("for (int i = 0; i < 20; i++) for (int j = 0; j < 12; j++) "
                   "h[i * 12 + j] = 2 * i + 1;",
                   "iota 1 1 step 2 each 12 period 0 modulus 0");
  EXPECT_HOST_FILL("for (int i = 0; i < 20; i++) for (int j = 0; j < 12; j++) "
                   "h[i * 12 + j] = i * 12 + j + 1;",
                   "iota 1 1");
  // Ten of each row of twelve.
  EXPECT_HOST_FILL("for (int i = 0; i < 20; i++) for (int j = 0; j < 10; j++) "
                   "h[i * 12 + j] = j;",
                   "");
}

TEST_F(Inference, ElementsThatDoNotFollow) {
  EXPECT_HOST_FILL("for (int i = 0; i < n; i += 2) h[i] = i;", "");
  EXPECT_HOST_FILL("for (int i = 0; i < n; i++) { h[i] = i; if (h[i] % 3) i++; "
                   "}",
                   "");
  EXPECT_HOST_FILL("for (int i = 0; i < n; i++) if (rand() % 2) h[i] = i;", "");
  EXPECT_HOST_FILL("int k = 0; for (int i = 0; i < n; i++) h[k++] = i;", "");
  EXPECT_HOST_FILL("int k = 0; for (int i = 0; i < n; i++) { k += i; h[i] = k; "
                   "}",
                   "");
  EXPECT_HOST_FILL("for (int i = 0; i < n; i++) h[i] = i * i * i * i * i;", "");
  EXPECT_HOST_FILL("for (int i = 0; i < n; i++) h[i] = i; h[0] = 9;", "");
}

TEST_F(Inference, ABranchThatIsNotTakenAssignsNothing) {
  EXPECT_HOST_FILL("if (m == 12) for (int i = 0; i < n; i++) h[i] = i + 1; "
                   "else for (int i = 0; i < n; i++) h[i] = 0;",
                   "iota 1 1");
}

TEST_F(Inference, ElementsThatChangePlaces) {
  EXPECT_HOST_FILL("for (int i = 0; i < n; i++) h[i] = i + 1; "
                   "for (int i = 0; i < n; i++) { int j = rand() % n, t = "
                   "h[i]; h[i] = h[j]; h[j] = t; }",
                   "permutation 1 1");
}

/// What \p Index makes of an index array that the host code reads from a file.
#define EXPECT_SUBSCRIPTS(Index, Rule)                                         \
  do {                                                                         \
    auto W = infer(R"(
#define STRIDE 4
__global__ void take(float *y, const float *x, const int *at, int n, int k) {
  int i = threadIdx.x;
  for (int j = 0; j < k; ++j)
    y[i] += x[)" Index                                                         \
                   R"(];
}
int main() {
  const int n = 64;
  float *y, *x;
  int *at;
  cudaMalloc(&y, n * sizeof(float));
  cudaMalloc(&x, 512 * sizeof(float));
  cudaMalloc(&at, n * sizeof(int));
  take<<<1, n>>>(y, x, at, n, 8);
}
)",                                                                            \
                   "take");                                                    \
    ASSERT_INFERRED(W);                                                        \
    EXPECT_EQ(said(buffer(*W, "at").Subscripts), Rule);                        \
    EXPECT_EQ(said(buffer(*W, "at").Fill), Rule);                              \
  } while (false)

TEST_F(Inference, SubscriptsAreValidWithWhatIsDoneToThem) {
  EXPECT_SUBSCRIPTS("at[i]", "index 0 512");
  EXPECT_SUBSCRIPTS("at[i] - 1", "index 1 513");
  EXPECT_SUBSCRIPTS("at[i] + 3", "index -3 509");
  EXPECT_SUBSCRIPTS("511 - at[i]", "index 0 512");
  EXPECT_SUBSCRIPTS("at[i] / 2", "index 0 1024");
  EXPECT_SUBSCRIPTS("at[i] >> 2", "index 0 512 * (1 << 2)");
  EXPECT_SUBSCRIPTS("(at[i] - 1) * 2", "index 1 257");
  EXPECT_SUBSCRIPTS("at[i] % 100", "index 0 min(512, 100)");
  EXPECT_SUBSCRIPTS("at[i] * STRIDE", "index 0 ((512 + STRIDE) - 1) / STRIDE");
  // j goes from 0 to k - 1.
  EXPECT_SUBSCRIPTS("at[i] * k + j", "index 0 512 / k");
  EXPECT_SUBSCRIPTS("at[i] + j", "index 0 512 - (k - 1)");
  // The rest of the row is not followed.
  EXPECT_SUBSCRIPTS("(i % 3) * 8 + at[i]", "index 0 min(512, 8)");
}

TEST_F(Inference, AVariableThatMovesOnIsNoElementAnyMore) {
  auto W = infer(R"(
__global__ void walk(float *y, const float *x, const int *at, const int *fix,
                     int n, int k) {
  int i = threadIdx.x;
  int j = at[i];
  const int kept = fix[i];
  for (int c = 0; c < k; ++c) {
    y[i] += x[i + 64 * (3 + 2 * j)] + x[2 * (kept - 1)];
    j += c;
  }
}
int main() {
  const int n = 64;
  float *y, *x;
  int *at, *fix;
  cudaMalloc(&y, n * sizeof(float));
  cudaMalloc(&x, 4096 * sizeof(float));
  cudaMalloc(&at, n * sizeof(int));
  cudaMalloc(&fix, n * sizeof(int));
  walk<<<1, n>>>(y, x, at, fix, n, 8);
}
)",
                 "walk");
  ASSERT_INFERRED(W);
  EXPECT_EQ(said(buffer(*W, "at").Subscripts), "");
  EXPECT_EQ(said(buffer(*W, "at").Fill), "constant 0 0");
  EXPECT_EQ(said(buffer(*W, "fix").Fill), "index 1 2049");
}

TEST_F(Inference, IndexArraysHoldWhatTheHostPutsThere) {
  auto W = infer(R"(
__global__ void take(float *y, const float *x, const int *at, const int *off,
                     const int *any, int n) {
  int i = threadIdx.x;
  y[i] = x[at[i] - 1] + x[off[i]] + x[any[i]];
}
int main() {
  const int n = 100;
  int h[n], g[n], r[n];
  for (int i = 0; i < n; ++i) {
    h[i] = i + 1;
    g[i] = i + 1;
    r[i] = 10 + rand() % n;
  }
  float *y, *x;
  int *at, *off, *any;
  cudaMalloc(&y, n * sizeof(float));
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&at, n * sizeof(int));
  cudaMalloc(&off, n * sizeof(int));
  cudaMalloc(&any, n * sizeof(int));
  cudaMemcpy(at, h, n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(off, g, n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(any, r, n * sizeof(int), cudaMemcpyHostToDevice);
  take<<<1, n>>>(y, x, at, off, any, n);
}
)",
                 "take");
  ASSERT_INFERRED(W);
  EXPECT_EQ(said(buffer(*W, "at").Fill), "iota 1 1");
  // x[n] is outside, whoever says so.
  EXPECT_EQ(said(buffer(*W, "off").Fill), "index 0 n");
  auto Shapes = resolveShapes(*W);
  ASSERT_TRUE(bool(Shapes)) << llvm::toString(Shapes.takeError());
  const ResolvedBuffer &Any = (*Shapes)[0].Buffers[4];
  EXPECT_EQ(Any.Name, "any");
  EXPECT_EQ(Any.Low, 10);
  EXPECT_EQ(Any.High, 100);
}

TEST_F(Inference, RowStartsThatCountFromOne) {
  auto W = infer(R"(
__global__ void rows(float *y, const float *x, const int *start, int n) {
  int i = threadIdx.x;
  for (int j = start[i] - 1; j < start[i + 1] - 1; ++j)
    y[i] += x[j];
}
int main() {
  const int n = 100, m = 700;
  float *y, *x;
  int *start;
  cudaMalloc(&y, n * sizeof(float));
  cudaMalloc(&x, m * sizeof(float));
  cudaMalloc(&start, (n + 1) * sizeof(int));
  rows<<<1, n>>>(y, x, start, n);
}
)",
                 "rows");
  ASSERT_INFERRED(W);
  EXPECT_EQ(said(buffer(*W, "start").Fill), "offsets 1 m + 1");
}

TEST_F(Inference, NumbersThatTheSourceLists) {
  auto W = infer(R"(
struct Pair { float Weight; int Shift; };
const float shared[4] = {0.5f, 1.0f / 4, -2};
__global__ void use(float *y, const float *a, const int *b, const Pair *c,
                    const int *d, const int *e) {
  int i = threadIdx.x % 4;
  y[i] = a[i] + b[i] + c[i].Weight + d[i] + e[i];
}
void read(int *h);
int main() {
  int h[4], two[2][2] = {{1, 2}, {3}}, unknown[4] = {1, 2, 3, 4};
  h[0] = 3;
  h[1] = 4;
  h[2] = 9;
  h[1] = 5;
  Pair pairs[2] = {{1.5f, 2}, {2.5f, -7}};
  read(unknown);
  float *y, *a;
  int *b, *d, *e;
  Pair *c;
  cudaMalloc(&y, 4 * sizeof(float));
  cudaMalloc(&a, 4 * sizeof(float));
  cudaMalloc(&b, 4 * sizeof(int));
  cudaMalloc(&c, 2 * sizeof(Pair));
  cudaMalloc(&d, 4 * sizeof(int));
  cudaMalloc(&e, 4 * sizeof(int));
  cudaMemcpy(a, shared, sizeof(shared), cudaMemcpyHostToDevice);
  cudaMemcpy(b, h, sizeof(h), cudaMemcpyHostToDevice);
  cudaMemcpy(c, pairs, sizeof(pairs), cudaMemcpyHostToDevice);
  cudaMemcpy(d, two, sizeof(two), cudaMemcpyHostToDevice);
  cudaMemcpy(e, unknown, sizeof(unknown), cudaMemcpyHostToDevice);
  h[0] = 100;
  use<<<1, 4>>>(y, a, b, c, d, e);
}
)",
                 "use");
  ASSERT_INFERRED(W);
  EXPECT_EQ(said(buffer(*W, "a").Fill), "table 0.500 0.250 -2.00 0.000");
  EXPECT_EQ(said(buffer(*W, "b").Fill), "table 3.000 5.000 9.000");
  EXPECT_EQ(said(buffer(*W, "c").Fill), "table 1.500 2.000 2.500 -7.00");
  EXPECT_EQ(said(buffer(*W, "d").Fill), "table 1.000 2.000 3.000 0.000");
  EXPECT_EQ(hostFill(*W, "e"), "");
}

TEST_F(Inference, WhatIsCopiedToSymbols) {
  auto W = infer(R"(
__constant__ float weights[3], halves[4], counted[8], lost[2];
__device__ int pair[2];
__global__ void use(float *y) {
  int i = threadIdx.x % 2;
  y[i] = weights[i] + halves[i] + counted[i] + lost[i] + pair[i];
}
void read(float *h);
void upload(const float *h) {
  cudaMemcpyToSymbolAsync(halves, h, 2 * sizeof(float), 2 * sizeof(float),
                          cudaMemcpyHostToDevice, 0);
}
int main() {
  const float w[] = {1, 2, 4};
  float low[2] = {5, 6}, high[2] = {7, 8}, c[8], l[2];
  int p[2];
  for (int i = 0; i < 8; ++i)
    c[i] = i + 1;
  p[0] = 3;
  p[1] = -3;
  read(l);
  cudaMemcpyToSymbol(weights, w, sizeof(w));
  cudaMemcpyToSymbol(halves, low, sizeof(low));
  upload(high);
  cudaMemcpyToSymbol(counted, c, sizeof(c));
  cudaMemcpyToSymbol(pair, &p[0], sizeof(p));
  cudaMemcpyToSymbol(lost, l, sizeof(l));
  float *y;
  cudaMalloc(&y, 2 * sizeof(float));
  use<<<1, 2>>>(y);
}
)",
                 "use");
  ASSERT_INFERRED(W);
  EXPECT_EQ(said(buffer(*W, "weights").Fill), "table 1.000 2.000 4.000");
  EXPECT_EQ(said(buffer(*W, "halves").Fill), "table 5.000 6.000 7.000 8.000");
  EXPECT_EQ(said(buffer(*W, "counted").Fill), "iota 1 1");
  EXPECT_EQ(said(buffer(*W, "pair").Fill), "table 3.000 -3.00");
  EXPECT_TRUE(buffer(*W, "weights").Fill.Given);
  EXPECT_FALSE(buffer(*W, "lost").Fill.Given);
  EXPECT_TRUE(llvm::is_contained(
      W->Notes, "'lost': its value is not known; a random one is taken"));
}

TEST_F(Inference, WhatAFunctionPutsIntoElementsIsARule) {
  auto W = infer(R"(
#include <stdlib.h>
__global__ void sum(float *to, const float *a, const float *b,
                    const float *c) {
  to[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x] + c[threadIdx.x];
}
void read_all(float *p, int count);
void fill(float *p, int count, float top) {
  for (int i = 0; i < count; ++i)
    p[i] = top * (rand() / (float)RAND_MAX);
}
void show(const float *p) {}
int main() {
  float a[64], b[64], c[64];
  fill(c, 64, 8);
  read_all(c, 64);
  fill(a, 64, 8);
  fill(b, 64, 8);
  for (int i = 0; i < 32; ++i)
    b[i] = b[63 - i] = 0.5f;
  show(a);
  float *to, *da, *db, *dc;
  cudaMalloc(&dc, 64 * sizeof(float));
  cudaMemcpy(dc, c, 64 * sizeof(float), cudaMemcpyHostToDevice);
  cudaMalloc(&to, 64 * sizeof(float));
  cudaMalloc(&da, 64 * sizeof(float));
  cudaMalloc(&db, 64 * sizeof(float));
  cudaMemcpy(da, a, 64 * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(db, b, 64 * sizeof(float), cudaMemcpyHostToDevice);
  sum<<<1, 64>>>(to, da, db, dc);
  cudaMemcpy(a, to, 64 * sizeof(float), cudaMemcpyDeviceToHost);
}
)",
                 "sum");
  ASSERT_INFERRED(W);
  EXPECT_EQ(hostFill(*W, "a"), "uniform 0.0 8.0");
  EXPECT_EQ(hostFill(*W, "b"), "");
  EXPECT_EQ(hostFill(*W, "c"), "");
}

// ---- pointers inside elements ----------------------------------------------

const ElementPointer &pointerIn(const Workload &W, const std::string &Holder,
                                const std::string &Name) {
  for (const ElementPointer &P : buffer(W, Holder).Pointers)
    if (P.Name == Name)
      return P;
  ADD_FAILURE() << Holder << " holds no pointer " << Name;
  static ElementPointer None;
  return None;
}

TEST_F(Inference, PointersOfACopiedStructure) {
  auto W = infer(R"(
struct Cells { float *mass; int *next; int count; float unknown; };
__global__ void step(Cells *c) {
  int i = threadIdx.x;
  if (i < c->count) c->mass[i] += c->mass[c->next[i]];
}
int main() {
  int n = 256;
  Cells host, *c;
  host.count = n;
  cudaMalloc(&host.mass, n * sizeof(float));
  cudaMalloc(&host.next, n * sizeof(int));
  cudaMalloc(&c, sizeof(Cells));
  cudaMemcpy(c, &host, sizeof(Cells), cudaMemcpyHostToDevice);
  step<<<1, 256>>>(c);
})",
                 "step");
  ASSERT_INFERRED(W);
  const Buffer &Holder = buffer(*W, "c");
  EXPECT_EQ(Holder.Extent, "1");
  EXPECT_EQ(Holder.Use, Role::In);
  ASSERT_EQ(Holder.Element.Components.size(), 2u); // The pointers are none.
  EXPECT_EQ(pointerIn(*W, "c", "c->mass").Buffer, "c->mass");
  EXPECT_EQ(pointerIn(*W, "c", "c->next").Offset, 8u);
  EXPECT_EQ(buffer(*W, "c->mass").Extent, "n");
  EXPECT_EQ(buffer(*W, "c->mass").Use, Role::InOut);
  // Subscripts stay inside what they subscript.
  EXPECT_EQ(buffer(*W, "c->next").Fill.Rule, "index");
  EXPECT_EQ(buffer(*W, "c->next").Fill.High, "n");
  // What host code says of a member holds; of the others it says nothing.
  ASSERT_EQ(Holder.Values.size(), 1u);
  EXPECT_EQ(Holder.Values[0].Name, "c->count");
  EXPECT_EQ(Holder.Values[0].Value, "n");
  auto Shapes = resolveShapes(*W);
  ASSERT_TRUE(bool(Shapes)) << llvm::toString(Shapes.takeError());
  EXPECT_EQ((*Shapes)[0].Buffers[0].Values[0].Bytes,
            std::vector<uint8_t>({0, 1, 0, 0}));
}

TEST_F(Inference, PointersAllocatedInALoopGetTheirOwnMemory) {
  auto W = infer(R"(
__global__ void sum(float **rows, int m) {
  for (int j = 0; j < m; ++j) rows[threadIdx.x][0] += rows[threadIdx.x][j];
}
int main() {
  int n = 64, m = 48;
  float **list = (float **)malloc(n * sizeof(float *)), **rows;
  for (int i = 0; i < n; ++i) cudaMalloc(&list[i], m * sizeof(float));
  cudaMalloc(&rows, n * sizeof(float *));
  cudaMemcpy(rows, list, n * sizeof(float *), cudaMemcpyHostToDevice);
  sum<<<1, 64>>>(rows, m);
})",
                 "sum");
  ASSERT_INFERRED(W);
  EXPECT_EQ(buffer(*W, "rows").Extent, "n");
  EXPECT_EQ(buffer(*W, "rows").Use, Role::In);
  EXPECT_EQ(buffer(*W, "*rows").Extent, "n * m");
  EXPECT_EQ(buffer(*W, "*rows").Use, Role::InOut);
  EXPECT_EQ(pointerIn(*W, "rows", "*rows").Stride, "m");
  auto Shapes = resolveShapes(*W);
  ASSERT_TRUE(bool(Shapes)) << llvm::toString(Shapes.takeError());
  EXPECT_EQ((*Shapes)[0].Buffers[0].Pointers[0].ByteStride, 48u * 4);
}

TEST_F(Inference, PointersCountedThroughOneAllocation) {
  auto W = infer(R"(
__global__ void sum(float **rows) { rows[threadIdx.x][0] = 1; }
int main() {
  int n = 64, m = 48;
  float *all, **list = (float **)malloc(n * sizeof(float *)), **rows;
  cudaMalloc(&all, n * m * sizeof(float));
  for (int i = 0; i < n; ++i) list[i] = all + i * m;
  cudaMalloc(&rows, n * sizeof(float *));
  cudaMemcpy(rows, list, n * sizeof(float *), cudaMemcpyHostToDevice);
  sum<<<1, 64>>>(rows);
})",
                 "sum");
  ASSERT_INFERRED(W);
  EXPECT_EQ(buffer(*W, "*rows").Extent, "n * m");
  EXPECT_EQ(pointerIn(*W, "rows", "*rows").Stride, "m");
  EXPECT_EQ(pointerIn(*W, "rows", "*rows").BufferOffset, "0");
}

TEST_F(Inference, PointersOfManagedMemory) {
  auto W = infer(R"(
struct Mesh { double *x; int n; };
__global__ void move(Mesh *m) { if (threadIdx.x < m->n) m->x[threadIdx.x] = 1; }
int main() {
  Mesh *m;
  cudaMallocManaged(&m, sizeof(Mesh));
  m->n = 128;
  cudaMallocManaged(&m->x, 128 * sizeof(double));
  move<<<1, 128>>>(m);
})",
                 "move");
  ASSERT_INFERRED(W);
  EXPECT_EQ(pointerIn(*W, "m", "m->x").Buffer, "m->x");
  auto Shapes = resolveShapes(*W);
  ASSERT_TRUE(bool(Shapes)) << llvm::toString(Shapes.takeError());
  EXPECT_EQ((*Shapes)[0].Buffers[1].Count, 128u);
  ASSERT_EQ(buffer(*W, "m").Values.size(), 1u);
  EXPECT_EQ((*Shapes)[0].Buffers[0].Values[0].Bytes[0], 128);
}

TEST_F(Inference, PointersInDeviceGlobals) {
  auto W = infer(R"(
struct Table { const float *v; int n; };
namespace app { __constant__ float *weights; __device__ Table table; }
__device__ int *unset = nullptr;
__global__ void apply(float *a) {
  a[threadIdx.x] = app::weights[threadIdx.x] * app::table.v[0] + app::table.n;
}
int main() {
  int n = 32;
  float *w, *v, *a;
  cudaMalloc(&w, n * sizeof(float)); cudaMalloc(&v, 7 * sizeof(float));
  cudaMalloc(&a, n * sizeof(float));
  cudaMemcpyToSymbol(app::weights, &w, sizeof(w));
  Table t;
  t.v = v;
  t.n = 7;
  cudaMemcpyToSymbol(app::table, &t, sizeof(t));
  apply<<<1, 32>>>(a);
})",
                 "apply");
  ASSERT_INFERRED(W);
  EXPECT_EQ(buffer(*W, "app::weights").Symbol, "app::weights");
  EXPECT_EQ(pointerIn(*W, "app::weights", "*app::weights").Buffer,
            "*app::weights");
  EXPECT_EQ(buffer(*W, "*app::weights").Extent, "n");
  EXPECT_EQ(buffer(*W, "app::table->v").Extent, "7");
  ASSERT_EQ(buffer(*W, "app::table").Values.size(), 1u);
  auto Shapes = resolveShapes(*W);
  ASSERT_TRUE(bool(Shapes)) << llvm::toString(Shapes.takeError());
  for (const ResolvedBuffer &B : (*Shapes)[0].Buffers)
    if (B.Name == "app::table")
      EXPECT_EQ(B.Values[0].Bytes, std::vector<uint8_t>({7, 0, 0, 0}));
}

TEST_F(Inference, TwoStructuresThatShareAnArray) {
  auto W = infer(R"(
struct View { float *data; };
__global__ void copy(View *from, View *to) { to->data[threadIdx.x] = from->data[0]; }
int main() {
  float *d;
  cudaMalloc(&d, 64 * sizeof(float));
  View a = {d}, b = {d}, *da, *db;
  cudaMalloc(&da, sizeof(View)); cudaMalloc(&db, sizeof(View));
  cudaMemcpy(da, &a, sizeof(View), cudaMemcpyHostToDevice);
  cudaMemcpy(db, &b, sizeof(View), cudaMemcpyHostToDevice);
  copy<<<1, 64>>>(da, db);
})",
                 "copy");
  ASSERT_INFERRED(W);
  EXPECT_EQ(W->Buffers.size(), 3u);
  EXPECT_EQ(pointerIn(*W, "to", "to->data").Buffer, "from->data");
  EXPECT_EQ(buffer(*W, "from->data").Use, Role::InOut);
}

TEST_F(Inference, ListsAndCodeInElementsAreRefused) {
  auto List = infer(R"(
struct Node { Node *next; float v; };
__global__ void walk(Node *n) { n->v = n->next->v; }
int main() {
  Node *n;
  cudaMalloc(&n, sizeof(Node));
  walk<<<1, 1>>>(n);
})",
                    "walk");
  ASSERT_FALSE(bool(List));
  EXPECT_NE(llvm::toString(List.takeError()).find("a list or a tree"),
            std::string::npos);
  auto Code = infer(R"(
struct Op { float (*f)(float); };
__global__ void run(Op *o, float *a) { a[0] = o->f(a[0]); }
int main() {
  Op *o; float *a;
  cudaMalloc(&o, sizeof(Op)); cudaMalloc(&a, 4);
  run<<<1, 1>>>(o, a);
})",
                    "run");
  ASSERT_FALSE(bool(Code));
  EXPECT_NE(llvm::toString(Code.takeError()).find("pointer to code"),
            std::string::npos);
}

TEST_F(Inference, BitFieldsAndUnionsAreTheirStorage) {
  auto W = infer(R"(
struct Packed { unsigned low : 3, high : 7; unsigned short rest; };
union Word { float f; int i; };
__global__ void touch(Packed *p, Word *w) {
  w[threadIdx.x].i += p[threadIdx.x].high;
}
int main() {
  Packed *p; Word *w;
  cudaMalloc(&p, 32 * sizeof(Packed)); cudaMalloc(&w, 32 * sizeof(Word));
  touch<<<1, 32>>>(p, w);
})",
                 "touch");
  ASSERT_INFERRED(W);
  const ElementType &P = buffer(*W, "p").Element;
  ASSERT_EQ(P.Components.size(), 2u);
  EXPECT_EQ(P.Components[0].Kind, ScalarKind::U8);
  EXPECT_EQ(P.Components[0].Count, 2u); // Ten bits.
  EXPECT_EQ(P.Components[1].Kind, ScalarKind::U16);
  const ElementType &U = buffer(*W, "w").Element;
  ASSERT_EQ(U.Components.size(), 1u); // Exact, as an integer must be.
  EXPECT_EQ(U.Components[0].Kind, ScalarKind::U32);
}

// ---- lambdas ---------------------------------------------------------------

TEST_F(Inference, CapturesOfALambdaAreItsMembers) {
  auto W = infer(R"(
template <class F> __global__ void each(int n, F f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) f(i);
}
template <class F> void launch(int n, F f) { each<<<n / 64, 64>>>(n, f); }
int main() {
  int n = 4096;
  float *a, s = 3;
  cudaMalloc(&a, n * sizeof(float));
  auto scale = [=] __device__(int i) { a[i] *= s; };
  launch(n, scale);
})",
                 "each");
  ASSERT_INFERRED(W);
  EXPECT_EQ(value(*W, "f.s"), "(float)3");
  EXPECT_EQ(buffer(*W, "f.a").Extent, "n");
  EXPECT_EQ(buffer(*W, "f.a").Use, Role::InOut);
}

} // namespace
