#include "DeviceNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mep;
using llvm::StringRef;

// ---- what a name does ------------------------------------------------------

static bool startsWithAny(StringRef Name, llvm::ArrayRef<StringRef> Prefixes) {
  return llvm::any_of(Prefixes,
                      [&](StringRef P) { return Name.starts_with(P); });
}

bool mep::isBarrierName(StringRef Name) {
  static const StringRef Prefixes[] = {"__syncthreads",
                                       "__syncwarp",
                                       "__shfl",
                                       "__ballot",
                                       "__all",
                                       "__any",
                                       "__match_",
                                       "__reduce",
                                       "__activemask",
                                       "__barrier",
                                       "cooperative_groups",
                                       "__cluster",
                                       "__nvvm_barrier"};
  static const llvm::StringSet<> Names = {"cub", "wmma", "mma_sync", "barrier",
                                          "pipeline"};
  return startsWithAny(Name, Prefixes) || Names.contains(Name);
}

bool mep::isBarrierAssembly(StringRef Text) {
  static const StringRef Words[] = {"bar.", "barrier",  "shfl",   "vote",
                                    "mma",  "ldmatrix", "match.", "redux"};
  return llvm::any_of(Words, [&](StringRef W) { return Text.contains(W); });
}

bool mep::isAtomicName(StringRef Name) {
  return startsWithAny(Name, {"atomic", "__nv_atomic", "__iAtomic", "__uAtomic",
                              "__fAtomic", "__dAtomic", "__ullAtomic"});
}

bool mep::isAtomicAssembly(StringRef Text) {
  return Text.contains("atom.") || Text.contains("red.");
}

// ---- headers ---------------------------------------------------------------

bool mep::isStandardHeader(StringRef Header) {
  static const llvm::StringSet<> Names = {
      "algorithm",   "array",       "assert.h", "atomic",        "bitset",
      "cassert",     "cctype",      "cerrno",   "cfenv",         "cfloat",
      "chrono",      "cinttypes",   "climits",  "cmath",         "complex",
      "complex.h",   "cstddef",     "cstdarg",  "cstdint",       "cstdio",
      "cstdlib",     "cstring",     "ctime",    "ctype.h",       "deque",
      "errno.h",     "exception",   "fenv.h",   "float.h",       "fstream",
      "functional",  "inttypes.h",  "iomanip",  "iostream",      "iterator",
      "limits",      "limits.h",    "list",     "locale.h",      "map",
      "math.h",      "memory",      "new",      "numeric",       "optional",
      "ostream",     "random",      "ratio",    "set",           "sstream",
      "stdarg.h",    "stdbool.h",   "stddef.h", "stdexcept",     "stdint.h",
      "stdio.h",     "stdlib.h",    "string",   "string.h",      "strings.h",
      "sys/time.h",  "sys/types.h", "thread",   "time.h",        "tuple",
      "type_traits", "typeinfo",    "unistd.h", "unordered_map", "utility",
      "variant",     "vector"};
  return Names.contains(Header);
}

bool mep::isRuntimeHeader(StringRef Header) {
  static const llvm::StringSet<> Names = {"cuda.h",
                                          "cuda_runtime.h",
                                          "cuda_runtime_api.h",
                                          "driver_types.h",
                                          "device_launch_parameters.h",
                                          "builtin_types.h",
                                          "vector_types.h",
                                          "vector_functions.h",
                                          "device_functions.h",
                                          "math_functions.h"};
  return Names.contains(Header);
}

bool mep::nvrtcTakes(StringRef Header) {
  static const llvm::StringSet<> Host = {
      "cublas_v2.h", "cublas.h",     "cufft.h",  "cusparse.h", "cusolverDn.h",
      "nvml.h",      "nvToolsExt.h", "curand.h", "cudnn.h",    "nccl.h"};
  return !isStandardHeader(Header) && !Host.contains(Header) &&
         !startsWithAny(Header, {"cub/", "thrust/", "bits/", "sys/", "/"});
}

// ---- names -----------------------------------------------------------------

static StringRef withoutPrecision(StringRef Name) {
  return Name.ends_with("f") || Name.ends_with("l") ? Name.drop_back() : Name;
}

bool mep::nvrtcDeclares(StringRef Name) {
  static const llvm::StringSet<> Math = {
      "abs",       "acos",      "acosh",   "asin",      "asinh",    "atan",
      "atan2",     "atanh",     "cbrt",    "ceil",      "copysign", "cos",
      "cosh",      "erf",       "erfc",    "exp",       "exp2",     "expm1",
      "fabs",      "fdim",      "floor",   "fma",       "fmax",     "fmin",
      "fmod",      "frexp",     "hypot",   "ilogb",     "isfinite", "isinf",
      "isnan",     "labs",      "ldexp",   "lgamma",    "llabs",    "llrint",
      "llround",   "log",       "log10",   "log1p",     "log2",     "logb",
      "lrint",     "lround",    "max",     "min",       "modf",     "nan",
      "nearbyint", "nextafter", "pow",     "remainder", "remquo",   "rint",
      "round",     "rsqrt",     "scalbln", "scalbn",    "signbit",  "sin",
      "sincos",    "sinh",      "sqrt",    "tan",       "tanh",     "tgamma",
      "trunc",     "j0",        "j1",      "jn",        "y0",       "y1",
      "yn",        "exp10",     "rcbrt",   "rhypot",    "norm",     "cospi",
      "sinpi",     "erfinv",    "erfcinv", "normcdf"};
  static const llvm::StringSet<> Other = {"printf",
                                          "assert",
                                          "__assert_fail",
                                          "malloc",
                                          "free",
                                          "memcpy",
                                          "memset",
                                          "size_t",
                                          "ptrdiff_t",
                                          "NULL",
                                          "clock",
                                          "clock_t",
                                          "move",
                                          "forward",
                                          "nullptr_t",
                                          "operator new",
                                          "operator delete",
                                          "wchar_t",
                                          "initializer_list"};
  return Math.contains(Name) || Math.contains(withoutPrecision(Name)) ||
         Other.contains(Name);
}

namespace {
struct NamedText {
  StringRef Name, Text;
};
} // namespace

#define MEP_TYPE(Name, Type) {#Name, "typedef " Type " " #Name ";"}
#define MEP_MACRO(Name, Value) {#Name, "#define " #Name " " Value}

static const NamedText GlobalTexts[] = {
    MEP_TYPE(int8_t, "signed char"),
    MEP_TYPE(int16_t, "short"),
    MEP_TYPE(int32_t, "int"),
    MEP_TYPE(int64_t, "long"),
    MEP_TYPE(uint8_t, "unsigned char"),
    MEP_TYPE(uint16_t, "unsigned short"),
    MEP_TYPE(uint32_t, "unsigned int"),
    MEP_TYPE(uint64_t, "unsigned long"),
    MEP_TYPE(intptr_t, "long"),
    MEP_TYPE(uintptr_t, "unsigned long"),
    MEP_TYPE(int_fast32_t, "long"),
    MEP_TYPE(uint_fast32_t, "unsigned long"),
    MEP_TYPE(ssize_t, "long"),
    MEP_TYPE(u_int8_t, "unsigned char"),
    MEP_TYPE(u_int16_t, "unsigned short"),
    MEP_TYPE(u_int32_t, "unsigned int"),
    MEP_TYPE(u_int64_t, "unsigned long"),
    MEP_TYPE(uint, "unsigned int"),
    MEP_TYPE(ushort, "unsigned short"),
    MEP_TYPE(ulong, "unsigned long"),
    MEP_MACRO(CHAR_BIT, "8"),
    MEP_MACRO(SCHAR_MIN, "(-128)"),
    MEP_MACRO(SCHAR_MAX, "127"),
    MEP_MACRO(UCHAR_MAX, "255"),
    MEP_MACRO(CHAR_MIN, "(-128)"),
    MEP_MACRO(CHAR_MAX, "127"),
    MEP_MACRO(SHRT_MIN, "(-32768)"),
    MEP_MACRO(SHRT_MAX, "32767"),
    MEP_MACRO(USHRT_MAX, "65535"),
    MEP_MACRO(INT_MIN, "(-2147483647 - 1)"),
    MEP_MACRO(INT_MAX, "2147483647"),
    MEP_MACRO(UINT_MAX, "4294967295U"),
    MEP_MACRO(LONG_MIN, "(-9223372036854775807L - 1L)"),
    MEP_MACRO(LONG_MAX, "9223372036854775807L"),
    MEP_MACRO(ULONG_MAX, "18446744073709551615UL"),
    MEP_MACRO(LLONG_MIN, "(-9223372036854775807LL - 1LL)"),
    MEP_MACRO(LLONG_MAX, "9223372036854775807LL"),
    MEP_MACRO(ULLONG_MAX, "18446744073709551615ULL"),
    MEP_MACRO(INT8_MIN, "(-128)"),
    MEP_MACRO(INT8_MAX, "127"),
    MEP_MACRO(UINT8_MAX, "255"),
    MEP_MACRO(INT16_MIN, "(-32767 - 1)"),
    MEP_MACRO(INT16_MAX, "32767"),
    MEP_MACRO(UINT16_MAX, "65535"),
    MEP_MACRO(INT32_MIN, "(-2147483647 - 1)"),
    MEP_MACRO(INT32_MAX, "2147483647"),
    MEP_MACRO(UINT32_MAX, "4294967295U"),
    MEP_MACRO(INT64_MIN, "(-9223372036854775807L - 1)"),
    MEP_MACRO(INT64_MAX, "9223372036854775807L"),
    MEP_MACRO(UINT64_MAX, "18446744073709551615UL"),
    MEP_MACRO(SIZE_MAX, "18446744073709551615UL"),
    MEP_MACRO(FLT_MAX, "3.402823466e+38F"),
    MEP_MACRO(FLT_MIN, "1.175494351e-38F"),
    MEP_MACRO(FLT_EPSILON, "1.192092896e-07F"),
    MEP_MACRO(FLT_DIG, "6"),
    MEP_MACRO(FLT_MANT_DIG, "24"),
    MEP_MACRO(DBL_MAX, "1.7976931348623157e+308"),
    MEP_MACRO(DBL_MIN, "2.2250738585072014e-308"),
    MEP_MACRO(DBL_EPSILON, "2.2204460492503131e-16"),
    MEP_MACRO(DBL_DIG, "15"),
    MEP_MACRO(DBL_MANT_DIG, "53"),
    MEP_MACRO(INFINITY, "__int_as_float(0x7f800000)"),
    MEP_MACRO(NAN, "__int_as_float(0x7fffffff)"),
    MEP_MACRO(HUGE_VALF, "__int_as_float(0x7f800000)"),
    MEP_MACRO(HUGE_VAL, "__longlong_as_double(0x7ff0000000000000LL)"),
    MEP_MACRO(M_E, "2.7182818284590452354"),
    MEP_MACRO(M_LOG2E, "1.4426950408889634074"),
    MEP_MACRO(M_LOG10E, "0.43429448190325182765"),
    MEP_MACRO(M_LN2, "0.69314718055994530942"),
    MEP_MACRO(M_LN10, "2.30258509299404568402"),
    MEP_MACRO(M_PI, "3.14159265358979323846"),
    MEP_MACRO(M_PI_2, "1.57079632679489661923"),
    MEP_MACRO(M_PI_4, "0.78539816339744830962"),
    MEP_MACRO(M_1_PI, "0.31830988618379067154"),
    MEP_MACRO(M_2_PI, "0.63661977236758134308"),
    MEP_MACRO(M_2_SQRTPI, "1.12837916709551257390"),
    MEP_MACRO(M_SQRT2, "1.41421356237309504880"),
    MEP_MACRO(M_SQRT1_2, "0.70710678118654752440"),
};

#undef MEP_TYPE
#undef MEP_MACRO

static const NamedText StdTexts[] = {
    {"max", "namespace std { template <class T> __host__ __device__ constexpr "
            "const T &max(const T &A, const T &B) { return A < B ? B : A; } }"},
    {"min", "namespace std { template <class T> __host__ __device__ constexpr "
            "const T &min(const T &A, const T &B) { return B < A ? B : A; } }"},
    {"swap", "namespace std { template <class T> __host__ __device__ void "
             "swap(T &A, T &B) { T C = A; A = B; B = C; } }"},
    {"numeric_limits", "#include <cuda/std/limits>\n"
                       "namespace std { using cuda::std::numeric_limits; }"},
    {"is_same", "namespace std { template <class A, class B> struct is_same { "
                "static constexpr bool value = false; }; template <class A> "
                "struct is_same<A, A> { static constexpr bool value = true; }; "
                "}"},
    {"is_same_v",
     "namespace std { template <class A, class B> constexpr bool is_same_v = "
     "false; template <class A> constexpr bool is_same_v<A, A> = true; }"},
    {"enable_if", "namespace std { template <bool B, class T = void> struct "
                  "enable_if {}; template <class T> struct enable_if<true, T> "
                  "{ typedef T type; }; }"},
    {"conditional",
     "namespace std { template <bool B, class T, class F> struct conditional { "
     "typedef T type; }; template <class T, class F> struct "
     "conditional<false, T, F> { typedef F type; }; }"},
};

static StringRef lookUp(llvm::ArrayRef<NamedText> Table, StringRef Name) {
  for (const NamedText &Entry : Table)
    if (Entry.Name == Name)
      return Entry.Text;
  return {};
}

StringRef mep::nvrtcText(StringRef Name, bool InStd) {
  return InStd ? lookUp(StdTexts, Name) : lookUp(GlobalTexts, Name);
}

StringRef mep::standardHome(StringRef Name) {
  StringRef Text = nvrtcText(Name, /*InStd=*/false);
  if (Text.empty())
    return {};
  if (Text.starts_with("typedef"))
    return Name.ends_with("_t") ? "<cstdint>" : "<sys/types.h>";
  if (startsWithAny(Name, {"FLT_", "DBL_"}))
    return "<cfloat>";
  if (startsWithAny(Name, {"M_", "INFINITY", "NAN", "HUGE_VAL"}))
    return "<cmath>";
  if (startsWithAny(Name, {"INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16",
                           "UINT32", "UINT64", "SIZE"}))
    return "<cstdint>";
  return "<climits>";
}
