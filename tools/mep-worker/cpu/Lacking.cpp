/// \file
/// What device code may use and the CPU platform has not: said in a line of its
/// own in front of what the host compiler made of it.

#include "HostCompiler.h"
#include <algorithm>
#include <cctype>

using namespace mepworker;

namespace {

/// A word of device code that stands for what only a GPU has; one that ends in
/// `*` is the beginning of a word.
struct GpuOnly {
  const char *Word, *What;
};

constexpr GpuOnly Table[] = {
    {"cooperative_groups*", "cooperative groups"},
    {"cub", "CUB"},
    {"thrust", "Thrust"},
    {"nvcuda", "tensor-core fragments (wmma)"},
    {"wmma", "tensor-core fragments (wmma)"},
    {"cudaTextureObject_t", "textures"},
    {"tex1D*", "textures"},
    {"tex2D*", "textures"},
    {"tex3D*", "textures"},
    {"cudaSurfaceObject_t", "surfaces"},
    {"surf2D*", "surfaces"},
    {"curand*", "cuRAND's device functions"},
    {"__nv_fp8*", "8-bit floating types"},
    {"__pipeline_*", "asynchronous copies to shared memory"},
    {"__nv_atomic*", "scoped atomics"},
    {"asm", "inline PTX"},
    {"__asm__", "inline PTX"},
};

bool isLetter(char C) {
  return std::isalnum(static_cast<unsigned char>(C)) || C == '_';
}

/// \p Line without what is in quotes or behind `//`.
std::string codeOf(const std::string &Line) {
  std::string Code;
  char Quote = 0;
  for (size_t I = 0; I < Line.size(); ++I) {
    if (!Quote && Line.compare(I, 2, "//") == 0)
      break;
    if (Quote && Line[I] == '\\')
      ++I;
    else if (Quote ? Line[I] == Quote : Line[I] == '"' || Line[I] == '\'')
      Quote = Quote ? 0 : Line[I];
    else if (!Quote)
      Code += Line[I];
  }
  return Code;
}

bool names(const std::string &Code, std::string Word) {
  const bool Begins = Word.back() == '*';
  if (Begins)
    Word.pop_back();
  for (size_t At = Code.find(Word); At != std::string::npos;
       At = Code.find(Word, At + 1)) {
    size_t End = At + Word.size();
    bool Starts = At == 0 || !isLetter(Code[At - 1]);
    if (Starts && (Begins || End == Code.size() || !isLetter(Code[End])))
      return true;
  }
  return false;
}

} // namespace

std::string mepworker::lackingOnCpu(const std::string &DeviceText) {
  for (size_t At = 0; At < DeviceText.size();) {
    size_t End = std::min(DeviceText.find('\n', At), DeviceText.size());
    std::string Line = DeviceText.substr(At, End - At);
    At = End + 1;
    const std::string Code = codeOf(Line);
    for (const GpuOnly &Each : Table) {
      if (!names(Code, Each.Word))
        continue;
      size_t First = Line.find_first_not_of(" \t");
      return std::string("error: the CPU platform has no ") + Each.What +
             "; this kernel needs a GPU: '" + Line.substr(First, 100) + "'\n";
    }
  }
  return "";
}
