#include "WrapperCache.h"
#include "CommandTranslation.h"
#include "mep/Support/Files.h"
#include "clang/Basic/Version.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/xxhash.h"
#include <map>
#include <mutex>
#include <set>

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

bool isProjects(const clang::HeaderSearchOptions::Entry &Folder) {
  return Folder.Group == clang::frontend::Quoted ||
         Folder.Group == clang::frontend::Angled;
}

/// \p Unit's invocation without what is of its project alone (folders of `-I`,
/// where it is compiled), so that many units share one.
Invocation withoutProject(const clang::CompilerInvocation &Unit) {
  auto Own = std::make_shared<clang::CompilerInvocation>(Unit);
  Own->getLangOpts().CUID.clear();
  clang::CodeGenOptions &Code = Own->getCodeGenOpts();
  Code.DebugCompilationDir.clear();
  Code.CoverageCompilationDir.clear();
  Code.MainFileName.clear();
  auto &Folders = Own->getHeaderSearchOpts().UserEntries;
  llvm::erase_if(Folders, isProjects);
  if (llvm::all_of(Folders, [](const auto &Folder) {
        return path::is_absolute(Folder.Path);
      }))
    Own->getFileSystemOpts().WorkingDir.clear();
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

template <typename Action>
bool run(Invocation Own, FileSystem Disk, Action &&Act) {
  clang::CompilerInstance Compiler(std::move(Own));
  Compiler.setVirtualFileSystem(Disk);
  Compiler.createDiagnostics(new clang::IgnoringDiagConsumer());
  return Compiler.ExecuteAction(Act) &&
         !Compiler.getDiagnostics().hasErrorOccurred();
}

// ---- headers that a project's folder could put in front ---------------------

/// Every header that is included or asked for, as it is written.
class HeaderNames : public clang::PPCallbacks {
public:
  explicit HeaderNames(std::set<std::string> &Names) : Names(Names) {}
  void InclusionDirective(clang::SourceLocation, const clang::Token &,
                          StringRef Name, bool, clang::CharSourceRange,
                          clang::OptionalFileEntryRef, StringRef, StringRef,
                          const clang::Module *, bool,
                          clang::SrcMgr::CharacteristicKind) override {
    Names.insert(Name.str());
  }
  void HasInclude(clang::SourceLocation, StringRef Name, bool,
                  clang::OptionalFileEntryRef,
                  clang::SrcMgr::CharacteristicKind) override {
    Names.insert(Name.str());
  }

private:
  std::set<std::string> &Names;
};

class PrecompileAction : public clang::GeneratePCHAction {
public:
  std::set<std::string> Names;

private:
  bool BeginSourceFileAction(clang::CompilerInstance &Compiler) override {
    Compiler.getPreprocessor().addPPCallbacks(
        std::make_unique<HeaderNames>(Names));
    return GeneratePCHAction::BeginSourceFileAction(Compiler);
  }
};

/// The names lie beside the header, one a line, after a line with the sum of
/// both files.
std::string namesFile(const std::string &Header) { return Header + "-names"; }

std::string sumOf(StringRef Header, StringRef Names) {
  llvm::XXH128_hash_t Sum = llvm::xxh3_128bits(llvm::ArrayRef(
      reinterpret_cast<const uint8_t *>(Header.data()), Header.size()));
  return llvm::utohexstr(Sum.high64) + "-" + llvm::utohexstr(Sum.low64) + "-" +
         llvm::utohexstr(llvm::xxh3_64bits(Names));
}

/// True if \p File and its names are as they were written: Clang trusts what
/// it reads, and crashes over a byte that changed. Milliseconds for the 10 MB
/// of a header.
bool isIntact(const std::string &File) {
  auto Header = llvm::MemoryBuffer::getFile(File);
  auto Beside = llvm::MemoryBuffer::getFile(namesFile(File));
  if (!Header || !Beside)
    return false;
  auto [Sum, Names] = (*Beside)->getBuffer().split('\n');
  return Sum == sumOf((*Header)->getBuffer(), Names);
}

/// True if one of \p Unit's own folders has a file by a name that the wrapper
/// includes, so that it would be taken in its place.
bool hidesHeaders(const clang::CompilerInvocation &Unit,
                  const std::string &Header, llvm::vfs::FileSystem &Disk) {
  auto Beside = llvm::MemoryBuffer::getFile(namesFile(Header));
  if (!Beside)
    return true;
  for (const auto &Folder : Unit.getHeaderSearchOpts().UserEntries) {
    if (!isProjects(Folder))
      continue;
    std::string Path =
        absolutePath(Folder.Path, Unit.getFileSystemOpts().WorkingDir);
    if (!Disk.exists(Path))
      continue;
    for (llvm::line_iterator Name(**Beside); !Name.is_at_end(); ++Name) {
      if (Name.line_number() == 1) // The sum.
        continue;
      llvm::SmallString<256> File(Path);
      path::append(File, *Name);
      if (Disk.exists(File))
        return true;
    }
  }
  return false;
}

// ---- the files --------------------------------------------------------------

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
  return run(std::move(Own), Disk, clang::SyntaxOnlyAction());
}

bool make(const clang::CompilerInvocation &Unit, const std::string &File,
          FileSystem Disk) {
  llvm::SmallString<128> Temporary;
  if (llvm::sys::fs::createUniqueFile(File + "-%%%%%%%%", Temporary))
    return false;
  Invocation Own = forEmptyUnit(Unit, clang::frontend::GeneratePCH);
  Own->getFrontendOpts().OutputFile = Temporary.str().str();
  PrecompileAction Precompile;
  if (run(std::move(Own), Disk, Precompile)) {
    std::string Names = llvm::join(Precompile.Names, "\n");
    auto Header = llvm::MemoryBuffer::getFile(Temporary);
    std::string Sum = Header ? sumOf((*Header)->getBuffer(), Names) : "";
    if (llvm::Error E = writeFile(namesFile(File), Sum + "\n" + Names))
      llvm::consumeError(std::move(E));
    else if (!llvm::sys::fs::rename(Temporary, File))
      return true;
  }
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
  if (isIntact(Name) && fits(Unit, Name, Disk))
    return Name;
  if (!make(Unit, Name, Disk))
    return {};
  llvm::CachePruningPolicy Policy;
  Policy.MaxSizeBytes = uint64_t(1) << 30;
  llvm::pruneCache(Folder, Policy);
  return Name;
}

/// As provide(), once for each key of a run.
std::string provideOnce(const clang::CompilerInvocation &Unit,
                        FileSystem Disk) {
  struct Entry {
    std::once_flag Once;
    std::string File;
  };
  static std::mutex Lock;
  static std::map<std::string, Entry> Known;
  std::string Key = keyOf(Unit);
  Entry *Own = nullptr;
  {
    std::lock_guard<std::mutex> Guard(Lock);
    Own = &Known[Key];
  }
  std::call_once(Own->Once, [&] { Own->File = provide(Unit, Key, Disk); });
  return Own->File;
}

} // namespace

bool mep::usePrecompiledWrapper(clang::CompilerInvocation &Unit,
                                FileSystem Disk) {
  const auto &Includes = Unit.getPreprocessorOpts().Includes;
  if (Includes.empty() || !isWrapper(Includes.front()) ||
      !Unit.getPreprocessorOpts().ImplicitPCHInclude.empty())
    return false;
  std::string File = provideOnce(*withoutProject(Unit), Disk);
  if (!File.empty() && hidesHeaders(Unit, File, *Disk))
    File = provideOnce(Unit, Disk);
  if (File.empty())
    return false;
  takeFrom(Unit, File);
  return true;
}
