/// \file
/// Device declarations that C++ has no word for.

#include "mep/Mep/CpuSource.h"
#include "gtest/gtest.h"
#include <algorithm>

using mep::cpuSource;

namespace {

TEST(CpuSource, DynamicSharedBecomesAPointer) {
  EXPECT_EQ(
      cpuSource("void k() { extern __shared__ float s[]; s[0] = 1; }"),
      "void k() { float *s = mep_cpu::dynamicShared<float>(); s[0] = 1; }");
}

TEST(CpuSource, AlignmentAndQualifiersInAnyOrder) {
  EXPECT_EQ(cpuSource("void k() { extern __shared__ __align__(16) unsigned "
                      "char raw[]; }"),
            "void k() { unsigned char *raw = mep_cpu::dynamicShared<unsigned "
            "char>(); }");
  EXPECT_EQ(cpuSource("void k() { extern volatile __shared__ int s[]; }"),
            "void k() { volatile int *s = mep_cpu::dynamicShared<volatile "
            "int>(); }");
  EXPECT_EQ(cpuSource("void k() { extern float __shared__ s[]; }"),
            "void k() { float *s = mep_cpu::dynamicShared<float>(); }");
}

TEST(CpuSource, TemplateTypesKeepTheirText) {
  EXPECT_EQ(cpuSource("void k() { extern __shared__ V<float, 4> s[]; }"),
            "void k() { V<float,4> *s = mep_cpu::dynamicShared<V<float,4>>(); "
            "}");
}

TEST(CpuSource, LinesStay) {
  std::string Text = "void k() {\n  extern __shared__\n      int\n  s[];\n}\n";
  std::string Out = cpuSource(Text);
  EXPECT_EQ(std::count(Out.begin(), Out.end(), '\n'), 5);
  EXPECT_NE(Out.find("int *s = mep_cpu::dynamicShared<int>();"),
            std::string::npos);
}

TEST(CpuSource, OutsideOfFunctionsAMacro) {
  EXPECT_EQ(cpuSource("namespace n {\nextern __shared__ int s[];\n}\n"),
            "namespace n {\n#define s (mep_cpu::dynamicShared<int>())\n}\n");
}

TEST(CpuSource, CommentsStringsAndOtherExternsStay) {
  for (const char *Text :
       {"// extern __shared__ float s[];\n",
        "/* extern __shared__ float s[]; */",
        "const char *p = \"extern __shared__ float s[];\";",
        "const char *p = R\"x(extern __shared__ float s[];)x\";",
        "extern __device__ int g[];", "extern \"C\" { int f(int x[]); }",
        "void k() { __shared__ float s[32]; }", "extern", "extern __shared__"})
    EXPECT_EQ(cpuSource(Text), Text);
}

TEST(CpuSource, AlignasBehindSharedMoves) {
  EXPECT_EQ(cpuSource("void k() { __shared__ alignas(16) float s[4]; }"),
            "void k() { __shared__ __align__(16) float s[4]; }");
  EXPECT_EQ(cpuSource("struct alignas(16) S {};"), "struct alignas(16) S {};");
}

} // namespace
