/// \file
/// What the closure of a kernel holds, one construct of the language a test.
/// The texts use nothing of a toolkit, so the stub headers do.

#include "mep/Closure/ClosureBuilder.h"
#include "mep/Discovery/Discovery.h"
#include "mep/Frontend/ParsedUnit.h"
#include "mep/Support/Error.h"
#include "gtest/gtest.h"

using namespace mep;

namespace {

/// The closure of the last kernel in \p Text.
llvm::Expected<Closure> cut(llvm::StringRef Text,
                            std::string Standard = "-std=c++17") {
  auto Unit = parseDeviceText(Text, {std::move(Standard)});
  if (!Unit)
    return Unit.takeError();
  std::vector<KernelSite> Sites = discoverKernels(**Unit);
  if (Sites.empty())
    return makeError(Failure::NotFound, "no kernel in the test's text");
  return buildClosure(**Unit, Sites.back());
}

Closure mustCut(llvm::StringRef Text) {
  auto Cut = cut(Text);
  if (!Cut) {
    ADD_FAILURE() << llvm::toString(Cut.takeError());
    return {};
  }
  return std::move(*Cut);
}

bool has(const Closure &C, llvm::StringRef Text) {
  return llvm::StringRef(C.Text).contains(Text);
}

size_t at(const Closure &C, llvm::StringRef Text) {
  size_t Place = llvm::StringRef(C.Text).find(Text);
  EXPECT_NE(Place, llvm::StringRef::npos) << Text.str() << "\n" << C.Text;
  return Place;
}

TEST(ClosureBuilder, KeepsOnlyWhatTheKernelNeeds) {
  Closure C = mustCut("int hostOnly() { return 1; }\n"
                      "__device__ int unused() { return 2; }\n"
                      "__device__ int used() { return 3; }\n"
                      "__global__ void k(int *a) { a[0] = used(); }\n");
  EXPECT_EQ(C.Text, "__device__ int used() { return 3; }\n"
                    "__global__ void k(int *a) { a[0] = used(); }\n");
  EXPECT_EQ(C.kernelText(), "__global__ void k(int *a) { a[0] = used(); }");
  EXPECT_EQ(C.NameExpression, "k");
  EXPECT_EQ(C.Symbol, "_Z1kPi");
}

TEST(ClosureBuilder, MacroDefinedTwiceKeepsItsHistory) {
  Closure C =
      mustCut("#define V 1\n"
              "__device__ int first() { return V; }\n"
              "#undef V\n"
              "#define V 2\n"
              "__device__ int second() { return V; }\n"
              "__global__ void k(int *a) { a[0] = first() + second(); }\n");
  EXPECT_LT(at(C, "#define V 1"), at(C, "first() {"));
  EXPECT_LT(at(C, "first() {"), at(C, "#undef V"));
  EXPECT_LT(at(C, "#define V 2"), at(C, "second() {"));
  EXPECT_TRUE(C.Dimensions.empty());
}

TEST(ClosureBuilder, MacroReachedThroughTheLastWordOfAnother) {
  Closure C = mustCut("#define INNER(x) (x)\n"
                      "#define OUTER INNER\n"
                      "__global__ void k(int *a) { a[0] = OUTER(3); }\n");
  EXPECT_TRUE(has(C, "#define INNER(x) (x)"));
}

TEST(ClosureBuilder, IntegerMacroIsADimension) {
  Closure C = mustCut("#define N (64)\n#define HALF (N / 2)\n"
                      "__global__ void k(int *a) { a[0] = HALF; }\n");
  ASSERT_EQ(C.Dimensions.size(), 1u);
  EXPECT_EQ(C.Dimensions[0].Name, "N");
  EXPECT_EQ(C.Dimensions[0].Value, 64);
  EXPECT_TRUE(has(C, "#ifndef N\n#define N (64)\n#endif\n"));
}

TEST(ClosureBuilder, MacroDefinedInsideTheBodyStaysThere) {
  Closure C = mustCut("__global__ void k(int *a) {\n"
                      "#define ONE 1\n"
                      "  a[0] = ONE;\n"
                      "#undef ONE\n"
                      "}\n");
  EXPECT_EQ(C.Text, "__global__ void k(int *a) {\n#define ONE 1\n"
                    "  a[0] = ONE;\n#undef ONE\n}\n");
}

TEST(ClosureBuilder, TakenBranchOnly) {
  Closure C = mustCut("#ifdef WIDE\n"
                      "__global__ void k(double *a)\n"
                      "#else\n"
                      "__global__ void k(float *a)\n"
                      "#endif\n"
                      "{\n"
                      "#ifdef __CUDA_ARCH__\n"
                      "  a[0] = 1; // device\n"
                      "#else\n"
                      "  a[0] = 2;\n"
                      "#endif\n"
                      "}\n");
  EXPECT_EQ(C.Text, "__global__ void k(float *a)\n{\n"
                    "  a[0] = 1; // device\n}\n");
}

TEST(ClosureBuilder, NamespacesAndTypes) {
  Closure C =
      mustCut("namespace a { inline namespace v1 {\n"
              "enum Mode { Fast = 3 };\n"
              "typedef int Word;\n"
              "struct Point { Word x; Mode m; };\n"
              "struct Other {};\n"
              "} }\n"
              "namespace { const int Width = 4; }\n"
              "namespace b { using P = a::Point;\n"
              "__global__ void k(P *p) { p->x = a::Fast + Width; } }\n");
  EXPECT_TRUE(has(C, "namespace a {\ninline namespace v1 {\nenum Mode"));
  EXPECT_TRUE(has(C, "struct Point"));
  EXPECT_TRUE(has(C, "using P = a::Point;"));
  EXPECT_TRUE(has(C, "const int Width = 4;"));
  EXPECT_FALSE(has(C, "Other"));
  EXPECT_EQ(C.NameExpression, "b::k");
}

TEST(ClosureBuilder, UnnamedNamespaceGetsAStableSymbol) {
  Closure C = mustCut("namespace { __device__ int g;\n"
                      "__global__ void k(int *a) { a[0] = g; } }\n");
  EXPECT_EQ(C.Symbol, "_ZN9mep_local1kEPi");
  ASSERT_EQ(C.Globals.size(), 1u);
  EXPECT_EQ(C.Globals[0].Symbol, "_ZN9mep_local1gE");
  EXPECT_EQ(C.NameExpression, "k");
}

TEST(ClosureBuilder, TemplateKernelIsInstantiated) {
  Closure C = mustCut("template <typename T> __device__ T twice(T v) "
                      "{ return v + v; }\n"
                      "template <> __device__ int twice<int>(int v) "
                      "{ return v << 1; }\n"
                      "template <typename T, int N> __global__ void k(T *a) "
                      "{ a[0] = twice(a[N]); }\n"
                      "void launch(int *a) { k<int, 4><<<1, 1>>>(a); }\n");
  EXPECT_TRUE(has(C, "__device__ int twice<int>(int v)"));
  EXPECT_TRUE(has(C, "template __global__ void k<int, 4>(int *);"));
  EXPECT_EQ(C.NameExpression, "k<int, 4>");
  EXPECT_EQ(C.Symbol, "_Z1kIiLi4EEvPT_");
}

TEST(ClosureBuilder, DefinitionAfterUseNeedsItsDeclaration) {
  Closure C = mustCut("__device__ int late(int v = 2);\n"
                      "__device__ int late(int v) { return v; }\n"
                      "__global__ void k(int *a) { a[0] = late(); }\n");
  EXPECT_LT(at(C, "late(int v = 2);"), at(C, "late(int v) {"));
}

TEST(ClosureBuilder, HostMethodLosesABodyThatNeedsHostCode) {
  Closure C = mustCut("int compute();\n"
                      "struct P { int n; void fill() { n = compute(); }\n"
                      "  __device__ int get() const { return n; } };\n"
                      "__global__ void k(P p, int *a) { a[0] = p.get(); }\n");
  EXPECT_TRUE(has(C, "void fill() ;"));
  EXPECT_FALSE(has(C, "compute"));
}

TEST(ClosureBuilder, DeclarationsThatShareTextStayTogether) {
  Closure C = mustCut("__device__ int zero() { return 0; }\n"
                      "__device__ int x = 1, y[2] = {5, 6};\n"
                      "__constant__ struct S { int v; } s;\n"
                      "__global__ void k(int *a) { a[0] = y[0] + s.v; }\n");
  EXPECT_TRUE(has(C, "__device__ int x = 1, y[2] = {5, 6};"));
  EXPECT_TRUE(has(C, "__constant__ struct S { int v; } s;"));
  EXPECT_FALSE(has(C, "zero"));
}

TEST(ClosureBuilder, GlobalsCarryLayoutAndExtent) {
  Closure C =
      mustCut("#define N 8\n"
              "struct Cell { float v[3]; int tag; };\n"
              "namespace m { __constant__ Cell cells[N][2]; }\n"
              "__global__ void k(float *a) { a[0] = m::cells[1][1].v[2]; }\n");
  ASSERT_EQ(C.Globals.size(), 1u);
  const DeviceGlobal &G = C.Globals[0];
  EXPECT_EQ(G.Name, "m::cells");
  EXPECT_EQ(G.Symbol, "_ZN1m5cellsE");
  EXPECT_EQ(G.Extent, "(N) * (2)");
  EXPECT_TRUE(G.IsConstant);
  EXPECT_FALSE(G.HasInitializer);
  EXPECT_EQ(G.Element.Bytes, 16u);
  ASSERT_EQ(G.Element.Components.size(), 2u);
  EXPECT_EQ(G.Element.Components[0].Count, 3u);
  EXPECT_EQ(G.Element.Components[1].Offset, 12u);
}

TEST(ClosureBuilder, SharedMemoryAndBarriers) {
  Closure C =
      mustCut("__device__ void meet() { __syncthreads(); }\n"
              "__global__ void k(float *a) {\n"
              "  __shared__ float t[32][2]; extern __shared__ float d[];\n"
              "  t[0][0] = a[0]; d[0] = 1; meet(); atomicAdd(a, 1.0f);\n"
              "}\n");
  EXPECT_EQ(C.StaticSharedBytes, 256u);
  EXPECT_TRUE(C.UsesDynamicShared);
  EXPECT_TRUE(C.UsesBarrier);
  EXPECT_TRUE(C.UsesAtomics);
}

TEST(ClosureBuilder, KernelMadeByAMacro) {
  Closure C = mustCut("#define MAKE(name, op) __global__ void name(int *a) "
                      "{ a[0] op 1; }\n"
                      "MAKE(add, +=)\n");
  EXPECT_EQ(C.kernelText(), "MAKE(add, +=)");
  EXPECT_EQ(C.Symbol, "_Z3addPi");
}

TEST(ClosureBuilder, PiecesPointToTheirOrigin) {
  llvm::StringRef Text = "\n__device__ int f() { return 1; }\n"
                         "__global__ void k(int *a) { a[0] = f(); }\n";
  Closure C = mustCut(Text);
  ASSERT_EQ(C.Pieces.size(), 2u);
  for (const ClosurePiece &P : C.Pieces)
    EXPECT_EQ(Text.slice(P.Origin.Begin, P.Origin.End),
              llvm::StringRef(C.Text).slice(P.Begin, P.End));
  EXPECT_EQ(C.Pieces[0].Origin.Line, 2u);
}

TEST(ClosureBuilder, ConceptsOfATemplateComeAlong) {
  auto Cut = cut("template <class T> concept Small = sizeof(T) <= 4;\n"
                 "template <class T> concept Large = sizeof(T) > 4;\n"
                 "template <Small T> __device__ T same(T t) { return t; }\n"
                 "__global__ void k(int *a) { a[0] = same(1); }\n",
                 "-std=c++20");
  ASSERT_TRUE(bool(Cut)) << llvm::toString(Cut.takeError());
  EXPECT_TRUE(has(*Cut, "concept Small"));
  EXPECT_FALSE(has(*Cut, "concept Large"));
}

TEST(ClosureBuilder, PackedTypesKeepTheirLayout) {
  Closure C = mustCut("struct Loose { char a; int b; };\n"
                      "#pragma pack(push, 1)\n"
                      "struct Tight { char a; int b; };\n"
                      "#pragma pack(pop)\n"
                      "__global__ void k(Tight *t, Loose *l) {\n"
                      "  t->b = l->b;\n"
                      "}\n");
  EXPECT_TRUE(has(C, "#pragma pack(push, 1)\n"
                     "struct Tight { char a; int b; };\n"
                     "#pragma pack(pop)\n"));
  EXPECT_LT(at(C, "struct Loose"), at(C, "#pragma"));
}

TEST(ClosureBuilder, LambdaOfHostCodeBecomesAFunctionObject) {
  Closure C = mustCut("namespace app {\n"
                      "#define HALF(x) ((x) / 2)\n"
                      "__device__ float twice(float v) { return 2 * v; }\n"
                      "template <class F> __global__ void each(float *a, F f) "
                      "{ a[0] = f(1); }\n"
                      "template <class T, int N> void run(float *a, T s) {\n"
                      "  constexpr int Own = 5;\n"
                      "  using Value = T;\n"
                      "  each<<<1, 1>>>(a, [=] __device__(int i) -> T {\n"
                      "    return twice(HALF(s)) + Value(i + N + Own) * T(1);\n"
                      "  });\n"
                      "}\n"
                      "void main() { run<float, 3>(nullptr, 2); }\n"
                      "}\n");
  EXPECT_FALSE(has(C, "run("));
  size_t Object = at(C, "struct mep_lambda_0 {");
  EXPECT_LT(at(C, "using T = float;"), at(C, "float s;"));
  at(C, "static constexpr int N = static_cast<int>(3);");
  at(C, "static constexpr int Own = 5;");
  at(C, "using Value = float;");
  at(C, "__device__ float operator()(int i) const {");
  EXPECT_LT(at(C, "twice(float v)"), Object);
  EXPECT_LT(at(C, "#define HALF"), Object);
  EXPECT_EQ(C.NameExpression, "app::each<app::mep_lambda_0>");
  EXPECT_GT(at(C, "template __global__ void each<app::mep_lambda_0>(float *, "
                  "app::mep_lambda_0);"),
            Object);
  // What was written compiles.
  auto Again = parseDeviceText(C.Text, {"-std=c++17"});
  ASSERT_TRUE(bool(Again));
  for (const UnitDiagnostic &D : (*Again)->errors())
    ADD_FAILURE() << D.Message;
}

TEST(ClosureBuilder, LambdasThatCannotBeCarriedAreNamed) {
  auto Refused = [](llvm::StringRef Lambda, llvm::StringRef Why) {
    auto C = cut(("template <class F> __global__ void each(F f) { f(1); }\n"
                  "void main() { int x = 1; each<<<1, 1>>>(" +
                  Lambda + "); }\n")
                     .str());
    ASSERT_FALSE(bool(C)) << Lambda.str();
    std::string Message = llvm::toString(C.takeError());
    EXPECT_NE(Message.find(Why.str()), std::string::npos) << Message;
  };
  Refused("[&] __device__(int i) { x = i; }", "captures by reference");
  Refused("[] __device__(auto i) { }", "is generic");
}

TEST(ClosureBuilder, VariableTemplateAsADeviceGlobal) {
  Closure C = mustCut("template <class T> __constant__ T mask[4];\n"
                      "template <class T> __global__ void k(T *a) "
                      "{ a[0] = mask<T>[1]; }\n"
                      "void f() { k<double><<<1, 1>>>(nullptr); }\n");
  ASSERT_EQ(C.Globals.size(), 1u);
  EXPECT_EQ(C.Globals[0].Name, "mask<double>");
  EXPECT_EQ(C.Globals[0].Extent, "(4)");
}

TEST(ClosureBuilder, NamesWhatOtherUnitsDefine) {
  auto Unit = parseDeviceText("__device__ int far(int);\n"
                              "extern __device__ int value;\n"
                              "__global__ void k(int *a) "
                              "{ a[0] = far(value); }\n",
                              {"-std=c++17", "-rdc=true"});
  ASSERT_TRUE(bool(Unit));
  EXPECT_EQ(definedElsewhere(**Unit, discoverKernels(**Unit)[0], 0)[0], "far");
}

TEST(ClosureBuilder, RefusesWhatItCannotCarry) {
  auto Reason = [](llvm::StringRef Text) {
    auto Cut = cut(Text);
    EXPECT_FALSE(bool(Cut));
    return Cut ? std::string() : llvm::toString(Cut.takeError());
  };
  std::string Elsewhere =
      Reason("__device__ int other(int);\n"
             "__global__ void k(int *a) { a[0] = other(1); }\n");
  EXPECT_NE(Elsewhere.find("'other' is defined in another unit"),
            std::string::npos);
  EXPECT_NE(Elsewhere.find(":1:"), std::string::npos);
  EXPECT_NE(
      Reason("__global__ void k(int (*f)(int), int *a) { a[0] = f(1); }\n")
          .find("function pointer"),
      std::string::npos);
  EXPECT_NE(Reason("__global__ void k(int *a) { a[0] = missing; }\n")
                .find("has an error"),
            std::string::npos);
}

TEST(ClosureBuilder, WholeUnitKeepsDeviceCodeAndDropsHostCode) {
  auto Unit = parseDeviceText("__device__ int unused() { return 2; }\n"
                              "int host() { return 1; }\n"
                              "__global__ void k(int *a) { a[0] = 1; }\n",
                              {});
  ASSERT_TRUE(bool(Unit));
  auto Sites = discoverKernels(**Unit);
  ASSERT_EQ(Sites.size(), 1u);
  auto Cut = buildWholeUnitClosure(**Unit, Sites[0]);
  ASSERT_TRUE(bool(Cut));
  EXPECT_TRUE(Cut->WholeUnit);
  EXPECT_TRUE(has(*Cut, "unused"));
  EXPECT_FALSE(has(*Cut, "host"));
}

} // namespace
