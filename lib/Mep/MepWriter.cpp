/// \file
/// Writes the Minimal Executable Program's folder.

#include "mep/Mep/MepWriter.h"
#include "MainText.h"
#include "mep/Mep/CpuSource.h"
#include "mep/Support/Error.h"
#include "mep/Support/Files.h"
#include "mep/Support/Resources.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <nlohmann/json.hpp>

using namespace mep;
using llvm::Error;
using llvm::StringRef;
namespace path = llvm::sys::path;

namespace {

std::string inFolder(StringRef Folder, StringRef Name) {
  llvm::SmallString<256> Path(Folder);
  path::append(Path, Name);
  return Path.str().str();
}

/// The closure; where C++ has no word for what CUDA says, both versions.
std::string kernelText(const Closure &C) {
  std::string ForCpu = cpuSource(C.Text);
  if (ForCpu == C.Text)
    return C.Text;
  return "#if defined(MEP_CPU)\n" + ForCpu + "\n#else\n" + C.Text +
         "\n#endif\n";
}

std::string buildFlags(const Closure &C) {
  std::string Flags;
  for (StringRef Flag : C.Flags)
    if (!Flag.starts_with("-std="))
      Flags += " " + Flag.str();
  return Flags;
}

std::string cmakeText(const Closure &C) {
  return "cmake_minimum_required(VERSION 3.18)\n"
         "project(mep LANGUAGES CXX)\n"
         "include(CheckLanguage)\n"
         "check_language(CUDA)\n"
         "find_package(Threads REQUIRED)\n"
         "add_executable(mep main.cu)\n"
         "target_compile_features(mep PRIVATE cxx_std_17)\n"
         "if(CMAKE_CUDA_COMPILER)\n"
         "  enable_language(CUDA)\n"
         "  separate_arguments(Flags UNIX_COMMAND \"" +
         buildFlags(C) +
         "\")\n"
         "  target_compile_options(mep PRIVATE ${Flags})\n"
         "else()\n"
         "  set_source_files_properties(main.cu PROPERTIES LANGUAGE CXX\n"
         "    COMPILE_OPTIONS \"-x;c++;-O2\")\n"
         "endif()\n"
         "target_link_libraries(mep PRIVATE Threads::Threads)\n";
}

std::string readmeText(const Closure &C, const Workload &W) {
  std::string Text =
      "# " + C.NameExpression +
      "\n\n"
      "The kernel alone, with the types, globals and launch it needs and "
      "generated data. It depends on nothing but a compiler.\n\n"
      "    nvcc -std=c++17 -O3" +
      buildFlags(C) +
      " main.cu -o mep\n"
      "    c++ -std=c++17 -O2 -x c++ main.cu -o mep -pthread\n\n"
      "The first is for an NVIDIA GPU, the second runs the same source on the "
      "CPU. `./mep` prints one JSON object; `--repeat N`, `--trim PERCENT`, "
      "`--seed S`, `--shape NAME`, `--reference CHECKSUM`. Exit code 0: all "
      "checks hold; 1: one failed; 2: wrong usage; 3: the device failed.\n\n"
      "`kernel.cu` is the kernel, `workload.json` says what it runs on (edit "
      "it "
      "and pass it with `--workload`), `main.cu` is written from it.\n";
  if (!W.Notes.empty())
    Text += "\nAssumed:\n";
  for (const std::string &Note : W.Notes)
    Text += "- " + Note + "\n";
  return Text;
}

Error copyRuntime(StringRef Folder) {
  auto Root = resourcePath("runtime");
  if (!Root)
    return Root.takeError();
  std::error_code EC;
  llvm::SmallString<256> Real;
  // The build tree has a link there; iterate what it points to.
  if (llvm::sys::fs::real_path(*Root, Real))
    Real = *Root;
  for (llvm::sys::fs::recursive_directory_iterator It(Real, EC), End;
       It != End && !EC; It.increment(EC)) {
    if (It->type() != llvm::sys::fs::file_type::regular_file)
      continue;
    auto Text = readFile(It->path());
    if (!Text)
      return Text.takeError();
    StringRef Relative = StringRef(It->path()).drop_front(Real.size() + 1);
    if (Error E = writeFile(inFolder(Folder, Relative), *Text))
      return E;
  }
  if (EC)
    return makeError(Failure::Toolchain, EC.message(), *Root);
  return Error::success();
}

} // namespace

Error mep::writeMep(const Closure &C, const Workload &W,
                    const std::vector<ResolvedShape> &Shapes,
                    const MepOptions &Options, StringRef Folder) {
  const std::pair<const char *, std::string> Files[] = {
      {"kernel.cu", kernelText(C)},
      {"main.cu", mainText(C, W, Shapes, Options)},
      {"workload.json", printJson(toJson(W), /*Pretty=*/true)},
      {"CMakeLists.txt", cmakeText(C)},
      {"README.md", readmeText(C, W)}};
  for (const auto &[Name, Text] : Files)
    if (Error E = writeFile(inFolder(Folder, Name), Text))
      return E;
  return copyRuntime(Folder);
}
