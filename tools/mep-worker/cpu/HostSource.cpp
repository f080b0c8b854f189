/// \file
/// The translation unit that a host compiler gets.

#include "HostCompiler.h"
#include "mep/Mep/CpuSource.h"

using namespace mepworker;

const std::vector<std::string> mepworker::RuntimeHeaders = {
    "atomic", "condition_variable", "memory", "mutex", "thread"};

namespace {

std::string define(const std::string &Text) {
  size_t Equals = Text.find('=');
  if (Equals == std::string::npos)
    return "#define " + Text + " 1\n";
  return "#define " + Text.substr(0, Equals) + " " + Text.substr(Equals + 1) +
         "\n";
}

/// A compiler that leaves calls of these to its sanitizer's runtime gets them
/// here, bound inside the library.
constexpr const char *RecordedCopies =
    "#if defined(MEP_CPU_PROBE) && !defined(__clang__)\n"
    "#define MEP_OWN extern \"C\" __attribute__((visibility(\"hidden\"), "
    "no_sanitize(\"thread\"))) void *\n"
    "extern \"C\" void *__tsan_memcpy(void *, const void *, size_t);\n"
    "extern \"C\" void *__tsan_memmove(void *, const void *, size_t);\n"
    "extern \"C\" void *__tsan_memset(void *, int, size_t);\n"
    "MEP_OWN memcpy(void *mep_to, const void *mep_from, size_t mep_bytes) "
    "noexcept { return __tsan_memcpy(mep_to, mep_from, mep_bytes); }\n"
    "MEP_OWN memmove(void *mep_to, const void *mep_from, size_t mep_bytes) "
    "noexcept { return __tsan_memmove(mep_to, mep_from, mep_bytes); }\n"
    "MEP_OWN memset(void *mep_to, int mep_value, size_t mep_bytes) "
    "noexcept { return __tsan_memset(mep_to, mep_value, mep_bytes); }\n"
    "#undef MEP_OWN\n#endif\n";

std::string kernelEntry(unsigned Number, const std::string &Kernel) {
  std::string N = std::to_string(Number);
  return "extern \"C\" void mep_entry_" + N +
         "(const uint64_t *mep_grid, const uint64_t *mep_block, "
         "size_t mep_shared, void **mep_arguments) {\n"
         "  mep_cpu::invoke<&" +
         Kernel +
         ">(mep_grid, mep_block, mep_shared, mep_arguments);\n}\n"
         "extern \"C\" unsigned mep_parameters_" +
         N + "() { return mep_count_parameters(&" + Kernel + "); }\n";
}

std::string symbolEntry(unsigned Number, const std::string &Symbol) {
  return "extern \"C\" void mep_symbol_" + std::to_string(Number) +
         "(void **mep_address, uint64_t *mep_bytes) {\n"
         "  *mep_address = const_cast<void *>("
         "static_cast<const volatile void *>(&" +
         Symbol + "));\n  *mep_bytes = sizeof(" + Symbol + ");\n}\n";
}

} // namespace

std::string mepworker::hostSource(const CompileRequest &Request) {
  // Standard headers use spellings that CUDA gives another meaning, so those
  // of the runtime come first, and __noinline__ ends up empty: that is right
  // both alone and inside the attribute of a header that the source includes.
  std::string Text;
  for (const std::string &Header : RuntimeHeaders)
    Text += "#include <" + Header + ">\n";
  Text += "#include \"mep_cpu.h\"\n"
          "#undef __noinline__\n#define __noinline__\n"
          "template <typename... mep_types> static unsigned "
          "mep_count_parameters(void (*)(mep_types...)) "
          "{ return sizeof...(mep_types); }\n";
  if (Request.Recorded)
    Text += RecordedCopies;
  for (const std::string &Each : Request.Defines)
    Text += define(Each);
  Text += "#line 1 \"kernel.cu\"\n" + mep::cpuSource(Request.Source) +
          "\n#line 1 \"launches\"\n"
          // The source may have macros of what is said from here on.
          "#undef invoke\n#undef uint64_t\n#undef size_t\n#undef mep_cpu\n";
  Text += "extern \"C\" void mep_place(uint64_t mep_first) "
          "{ mep_cpu::crew().place(mep_first); }\n";
  for (unsigned I = 0; I < Request.Kernels.size(); ++I)
    Text += kernelEntry(I, Request.Kernels[I]);
  for (unsigned I = 0; I < Request.Symbols.size(); ++I)
    Text += symbolEntry(I, Request.Symbols[I]);
  return Text;
}
