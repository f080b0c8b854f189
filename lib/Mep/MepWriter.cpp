/// \file
/// Writes the folder of a Minimal Executable Program: its own texts, rendered
/// from templates, and the runtime headers as they are.

#include "mep/Mep/MepWriter.h"
#include "MepText.h"
#include "mep/Support/Error.h"
#include "mep/Support/Files.h"
#include "mep/Support/Resources.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Mustache.h"
#include "llvm/Support/Path.h"
#include <nlohmann/json.hpp>

using namespace mep;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

Expected<std::string> render(StringRef Template,
                             const llvm::json::Value &Data) {
  auto Text = resourceText(("mep/" + Template + ".mustache").str());
  if (!Text)
    return Text.takeError();
  llvm::BumpPtrAllocator Allocator;
  llvm::StringSaver Saver(Allocator);
  llvm::mustache::MustacheContext Context(Allocator, Saver);
  llvm::mustache::Template Parsed(*Text, Context);
  std::string Result;
  llvm::raw_string_ostream OS(Result);
  Parsed.render(Data, OS);
  return Result;
}

std::string inFolder(StringRef Folder, StringRef Name) {
  llvm::SmallString<256> Path(Folder);
  path::append(Path, Name);
  return Path.str().str();
}

/// The runtime's files, relative to its folder.
Expected<std::vector<std::string>> runtimeFiles(StringRef Runtime) {
  std::vector<std::string> Files;
  std::error_code Problem;
  for (fs::recursive_directory_iterator It(Runtime, Problem), End;
       It != End && !Problem; It.increment(Problem))
    if (StringRef(It->path()).ends_with(".h"))
      Files.push_back(
          StringRef(It->path()).drop_front(Runtime.size()).ltrim("/\\").str());
  if (Problem)
    return makeError(Failure::Toolchain,
                     "cannot list the runtime headers: " + Problem.message(),
                     Runtime.str());
  llvm::sort(Files);
  return Files;
}

Error copyRuntime(StringRef Runtime, const std::vector<std::string> &Files,
                  StringRef Folder) {
  for (const std::string &Name : Files) {
    auto Text = readFile(inFolder(Runtime, Name));
    if (!Text)
      return Text.takeError();
    if (Error E = writeFile(inFolder(Folder, Name), *Text))
      return E;
  }
  return Error::success();
}

} // namespace

Error mep::writeMep(const Closure &C, const Workload &W,
                    const std::vector<ResolvedShape> &Shapes,
                    const MepOptions &Options, StringRef Folder) {
  auto Runtime = resourcePath("runtime");
  if (!Runtime)
    return Runtime.takeError();
  auto Headers = runtimeFiles(*Runtime);
  if (!Headers)
    return Headers.takeError();
  llvm::StringSet<> CpuHeaders;
  for (StringRef Name : *Headers)
    if (Name.consume_front("cpu/"))
      CpuHeaders.insert(Name);

  if (Error E = writeFile(inFolder(Folder, "kernel.cu"),
                          kernelFile(C.Text, CpuHeaders)))
    return E;
  if (Error E = writeFile(inFolder(Folder, "workload.json"),
                          printJson(toJson(W), true)))
    return E;
  llvm::json::Value Data = templateData(C, W, Shapes, Options);
  for (StringRef Name : {"main.cu", "CMakeLists.txt", "README.md"}) {
    auto Text = render(Name, Data);
    if (!Text)
      return Text.takeError();
    if (Error E = writeFile(inFolder(Folder, Name), *Text))
      return E;
  }
  return copyRuntime(*Runtime, *Headers, Folder);
}
