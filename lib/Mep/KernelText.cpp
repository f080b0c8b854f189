/// \file
/// kernel.cu: the closure, with a second form of the few lines that a host
/// compiler cannot take.

#include "MepText.h"
#include "mep/Mep/CpuSource.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mep;
using llvm::StringRef;

namespace {

/// Lines without their ends; the last is empty if \p Text ends with one.
llvm::SmallVector<StringRef> lines(StringRef Text) {
  llvm::SmallVector<StringRef> Result;
  Text.split(Result, '\n');
  return Result;
}

/// `#include <cuda_fp16.h>` names a header that the CPU runtime stands in for:
/// then its own include, else nothing.
std::string cpuInclude(StringRef Line, const llvm::StringSet<> &CpuHeaders) {
  StringRef Rest = Line.trim();
  if (!Rest.consume_front("#"))
    return "";
  Rest = Rest.ltrim();
  if (!Rest.consume_front("include"))
    return "";
  Rest = Rest.ltrim();
  char Close = Rest.starts_with("<") ? '>' : '"';
  if (!Rest.consume_front("<") && !Rest.consume_front("\""))
    return "";
  StringRef Header = Rest.take_until([&](char C) { return C == Close; });
  if (!CpuHeaders.contains(Header))
    return "";
  return ("#include \"cpu/" + Header + "\"").str();
}

bool continues(StringRef Line) { return Line.rtrim("\r").ends_with("\\"); }

} // namespace

std::string mep::kernelFile(const std::string &Text,
                            const llvm::StringSet<> &CpuHeaders) {
  std::string Cpu = cpuSource(Text);
  auto Device = lines(Text), Host = lines(Cpu);
  std::string Out;
  for (size_t I = 0; I < Device.size();) {
    // A directive must not split a line that is continued.
    size_t End = I + 1;
    while (End < Device.size() && continues(Device[End - 1]))
      ++End;
    std::string Include = cpuInclude(Device[I], CpuHeaders);
    bool Differs = !Include.empty();
    for (size_t J = I; J < End && J < Host.size(); ++J)
      Differs |= Device[J] != Host[J];
    while (Differs && Include.empty() && End < Device.size() &&
           Device[End] != Host[End])
      ++End;
    auto Device1 = llvm::join(llvm::ArrayRef(Device).slice(I, End - I), "\n");
    auto Host1 = llvm::join(llvm::ArrayRef(Host).slice(I, End - I), "\n");
    if (Differs)
      Out += "#ifdef MEP_CPU\n" + (Include.empty() ? Host1 : Include) +
             "\n#else\n" + Device1 + "\n#endif\n";
    else
      Out += Device1 + (End < Device.size() ? "\n" : "");
    I = End;
  }
  return Out;
}
