#include "WrapperCache.h"
#include "mep/Support/Files.h"
#include "clang/Basic/Version.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include <map>
#include <mutex>

using namespace mep;
using llvm::StringRef;
namespace path = llvm::sys::path;

namespace {

using Invocation = std::shared_ptr<clang::CompilerInvocation>;
using FileSystem = llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>;

/// An empty unit of this name stands for the one that includes the wrapper.
constexpr const char *EmptyUnit = "/mep-wrapper.cu";

bool isWrapper(StringRef Header) {
  return Header == "__clang_cuda_runtime_wrapper.h" ||
         Header == "__clang_hip_runtime_wrapper.h";
}

/// The cache folder; empty: none.
std::string cacheFolder() {
  if (auto Given = llvm::sys::Process::GetEnv("MEP_CACHE_DIR"))
    return *Given;
  llvm::SmallString<128> Folder;
  if (!path::cache_directory(Folder))
    return {};
  path::append(Folder, "clang-mep-opt");
  return Folder.str().str();
}

/// \p Unit's invocation for an empty file, to be run by an action of \p Kind.
Invocation forEmptyUnit(const clang::CompilerInvocation &Unit,
                        clang::frontend::ActionKind Kind) {
  auto Own = std::make_shared<clang::CompilerInvocation>(Unit);
  clang::FrontendOptions &Frontend = Own->getFrontendOpts();
  Frontend.ProgramAction = Kind;
  Frontend.Inputs = {{EmptyUnit, Frontend.Inputs.front().getKind()}};
  Frontend.OutputFile.clear();
  clang::PreprocessorOptions &Source = Own->getPreprocessorOpts();
  Source.Includes = {Source.Includes.front()};
  Source.clearRemappedFiles();
  Source.addRemappedFile(
      EmptyUnit,
      llvm::MemoryBuffer::getMemBufferCopy("\n", EmptyUnit).release());
  return Own;
}

/// What decides the wrapper's meaning: all flags but the file's own.
std::string keyOf(const clang::CompilerInvocation &Unit) {
  Invocation Own = forEmptyUnit(Unit, clang::frontend::GeneratePCH);
  std::string Words = clang::getClangFullVersion();
  for (const std::string &Word : Own->getCC1CommandLine())
    Words += '\0' + Word;
  return contentHash(Words);
}

template <typename Action> bool run(Invocation Own, FileSystem Disk) {
  clang::CompilerInstance Compiler(std::move(Own));
  Compiler.setVirtualFileSystem(Disk);
  Compiler.createDiagnostics(new clang::IgnoringDiagConsumer());
  Action Act;
  return Compiler.ExecuteAction(Act) &&
         !Compiler.getDiagnostics().hasErrorOccurred();
}

void takeFrom(clang::CompilerInvocation &Unit, const std::string &File) {
  clang::PreprocessorOptions &Source = Unit.getPreprocessorOpts();
  Source.Includes.erase(Source.Includes.begin());
  Source.ImplicitPCHInclude = File;
  // Headers of the toolkit and the library count too.
  Unit.getHeaderSearchOpts().ModulesValidateSystemHeaders = true;
}

/// True if \p File still fits its headers and \p Unit's flags.
bool fits(const clang::CompilerInvocation &Unit, const std::string &File,
          FileSystem Disk) {
  Invocation Own = forEmptyUnit(Unit, clang::frontend::ParseSyntaxOnly);
  takeFrom(*Own, File);
  return run<clang::SyntaxOnlyAction>(std::move(Own), Disk);
}

bool make(const clang::CompilerInvocation &Unit, const std::string &File,
          FileSystem Disk) {
  llvm::SmallString<128> Temporary;
  if (llvm::sys::fs::createUniqueFile(File + "-%%%%%%%%", Temporary))
    return false;
  Invocation Own = forEmptyUnit(Unit, clang::frontend::GeneratePCH);
  Own->getFrontendOpts().OutputFile = Temporary.str().str();
  if (run<clang::GeneratePCHAction>(std::move(Own), Disk) &&
      !llvm::sys::fs::rename(Temporary, File))
    return true;
  llvm::sys::fs::remove(Temporary);
  return false;
}

/// The precompiled header for \p Unit; empty if there can be none.
std::string provide(const clang::CompilerInvocation &Unit, StringRef Key,
                    FileSystem Disk) {
  std::string Folder = cacheFolder();
  if (Folder.empty() || llvm::sys::fs::create_directories(Folder))
    return {};
  llvm::SmallString<128> File(Folder);
  // The name by which llvm::pruneCache knows its files.
  path::append(File, "llvmcache-" + Key);
  std::string Name = File.str().str();
  if (llvm::sys::fs::exists(Name) && fits(Unit, Name, Disk))
    return Name;
  if (!make(Unit, Name, Disk))
    return {};
  llvm::CachePruningPolicy Policy;
  Policy.MaxSizeBytes = uint64_t(1) << 30;
  llvm::pruneCache(Folder, Policy);
  return Name;
}

} // namespace

bool mep::usePrecompiledWrapper(clang::CompilerInvocation &Unit,
                                FileSystem Disk) {
  struct Entry {
    std::once_flag Once;
    std::string File;
  };
  static std::mutex Lock;
  static std::map<std::string, Entry> Known;
  const auto &Includes = Unit.getPreprocessorOpts().Includes;
  if (Includes.empty() || !isWrapper(Includes.front()) ||
      !Unit.getPreprocessorOpts().ImplicitPCHInclude.empty())
    return false;
  std::string Key = keyOf(Unit);
  Entry *Own = nullptr;
  {
    std::lock_guard<std::mutex> Guard(Lock);
    Own = &Known[Key];
  }
  std::call_once(Own->Once, [&] { Own->File = provide(Unit, Key, Disk); });
  if (Own->File.empty())
    return false;
  takeFrom(Unit, Own->File);
  return true;
}
