/// \file
/// Parses one translation unit from one side and answers where things stand.

#include "mep/Frontend/ParsedUnit.h"
#include "CommandTranslation.h"
#include "WrapperCache.h"
#include "mep/Support/Error.h"
#include "mep/Support/Resources.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Driver/CreateInvocationFromArgs.h"
#include "clang/Frontend/ASTUnit.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/PreprocessingRecord.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/TimeProfiler.h"

using namespace mep;
using llvm::Expected;
using llvm::StringRef;

namespace {

using Overlay = std::vector<std::pair<std::string, std::string>>;

/// Absolute name of the file \p Id: the main file as the command names it,
/// another one without symbolic links.
std::string fileName(const clang::SourceManager &Sources,
                     const UnitCommand &Command, clang::FileID Id,
                     clang::FileEntryRef Entry) {
  if (Id == Sources.getMainFileID())
    return Command.File;
  StringRef Real = Entry.getFileEntry().tryGetRealPathName();
  return absolutePath(Real.empty() ? Entry.getName() : Real, Command.Directory);
}

SourceSpan spanOf(const clang::SourceManager &Sources,
                  const UnitCommand &Command, clang::SourceLocation Begin,
                  clang::SourceLocation End) {
  auto [File, From] = Sources.getDecomposedLoc(Begin);
  auto [EndFile, To] = Sources.getDecomposedLoc(End);
  auto Entry = Sources.getFileEntryRefForID(File);
  if (File != EndFile || !Entry || To < From)
    return {};
  SourceSpan Span;
  Span.File = fileName(Sources, Command, File, *Entry);
  Span.Begin = From;
  Span.End = To;
  Span.Line = Sources.getLineNumber(File, From);
  Span.Column = Sources.getColumnNumber(File, From);
  return Span;
}

/// Errors only; each is placed where its expansion stands.
std::vector<UnitDiagnostic> collectErrors(clang::ASTUnit &Unit,
                                          const UnitCommand &Command) {
  std::vector<UnitDiagnostic> Errors;
  const clang::SourceManager &Sources = Unit.getSourceManager();
  for (auto It = Unit.stored_diag_begin(); It != Unit.stored_diag_end(); ++It) {
    if (It->getLevel() < clang::DiagnosticsEngine::Error)
      continue;
    UnitDiagnostic D;
    D.Message = It->getMessage().str();
    clang::SourceLocation Place = It->getLocation();
    if (Place.isValid()) {
      Place = Sources.getExpansionLoc(Place);
      D.Place = spanOf(Sources, Command, Place, Place);
      D.Offset = D.Place.Begin;
    }
    Errors.push_back(std::move(D));
  }
  return Errors;
}

Expected<std::vector<std::string>> commandLine(const UnitCommand &Command,
                                               View Side) {
  auto Resources = clangResourceDir();
  if (!Resources)
    return Resources.takeError();
  std::vector<std::string> Line{"clang++"};
  llvm::append_range(Line, Command.Arguments);
  if (Command.IsCuda || Command.IsHip)
    Line.push_back(Side == View::Host ? "--cuda-host-only"
                                      : "--cuda-device-only");
  llvm::append_range(Line, std::initializer_list<std::string>{
                               "-fsyntax-only", "-w", "-resource-dir",
                               *Resources, "-working-directory",
                               Command.Directory, Command.File});
  return Line;
}

std::unique_ptr<clang::CompilerInvocation>
makeInvocation(const std::vector<std::string> &Line,
               llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Disk,
               std::string &Problem) {
  clang::DiagnosticOptions Options;
  struct FirstError : clang::DiagnosticConsumer {
    std::string Text;
    void HandleDiagnostic(clang::DiagnosticsEngine::Level Level,
                          const clang::Diagnostic &Info) override {
      if (Level < clang::DiagnosticsEngine::Error || !Text.empty())
        return;
      llvm::SmallString<128> Message;
      Info.FormatDiagnostic(Message);
      Text = Message.str().str();
    }
  } First;
  auto Engine =
      clang::CompilerInstance::createDiagnostics(*Disk, Options, &First,
                                                 /*ShouldOwnClient=*/false);
  clang::CreateInvocationOptions How;
  How.Diags = Engine;
  How.VFS = Disk;
  // A command Clang only half understands still gives a useful parse.
  How.RecoverOnError = true;
  std::vector<const char *> Arguments;
  for (const std::string &Word : Line)
    Arguments.push_back(Word.c_str());
  auto Invocation = clang::createInvocation(Arguments, How);
  Problem = First.Text;
  return Invocation;
}

Expected<std::unique_ptr<ParsedUnit>> parseOnce(const UnitCommand &Command,
                                                View Side,
                                                const Overlay &Overlays,
                                                bool Precompiled = true) {
  llvm::TimeTraceScope Trace(Side == View::Host ? "mep: parse, host view"
                                                : "mep: parse, device view",
                             Command.File);
  auto Line = commandLine(Command, Side);
  if (!Line)
    return Line.takeError();
  // A file system of its own: the driver enters the command's directory, which
  // on the process's file system would move the tool itself, and every other
  // parse that runs at the same time.
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Disk =
      llvm::vfs::createPhysicalFileSystem();
  std::string Problem;
  std::shared_ptr<clang::CompilerInvocation> Invocation =
      makeInvocation(*Line, Disk, Problem);
  if (!Invocation)
    return makeError(Failure::Input,
                     "Clang cannot make sense of the command: " + Problem,
                     Command.File);
  Invocation->getPreprocessorOpts().DetailedRecord = true;
  Invocation->getDiagnosticOpts().ErrorLimit = 0;
  Invocation->getFrontendOpts().DisableFree = false;
  Precompiled = Precompiled && usePrecompiledWrapper(*Invocation, Disk);
  for (const auto &[File, Text] : Overlays)
    Invocation->getPreprocessorOpts().addRemappedFile(
        File, llvm::MemoryBuffer::getMemBufferCopy(Text, File).release());

  auto DiagOptions = std::make_shared<clang::DiagnosticOptions>(
      Invocation->getDiagnosticOpts());
  auto Diagnostics = clang::CompilerInstance::createDiagnostics(
      *Disk, *DiagOptions, new clang::IgnoringDiagConsumer(),
      /*ShouldOwnClient=*/true);
  auto Files = llvm::makeIntrusiveRefCnt<clang::FileManager>(
      Invocation->getFileSystemOpts(), Disk);
  std::unique_ptr<clang::ASTUnit> Unit =
      clang::ASTUnit::LoadFromCompilerInvocation(
          Invocation, std::make_shared<clang::PCHContainerOperations>(),
          DiagOptions, Diagnostics, Files, /*OnlyLocalDecls=*/false,
          clang::CaptureDiagsKind::AllWithoutNonErrorsFromIncludes);
  // The cache is shared: what was there a moment ago may be gone.
  if (!Unit && Precompiled)
    return parseOnce(Command, Side, Overlays, /*Precompiled=*/false);
  // Clang does not say why it has nothing.
  if (auto There = Disk->status(Command.File); !Unit && !There)
    return makeError(Failure::Input,
                     "cannot be read: " + There.getError().message(),
                     Command.File);
  if (!Unit)
    return makeError(Failure::Input,
                     "cannot be parsed" +
                         (Problem.empty() ? "" : ": " + Problem),
                     Command.File);
  auto Errors = collectErrors(*Unit, Command);
  return std::make_unique<ParsedUnit>(Command, Side, std::move(Unit),
                                      std::move(Errors));
}

/// True if a file of the project names a macro that only nvcc defines.
bool asksForNvcc(const clang::SourceManager &Sources) {
  for (unsigned I = 1; I < Sources.local_sloc_entry_size(); ++I) {
    const clang::SrcMgr::SLocEntry &Entry = Sources.getLocalSLocEntry(I);
    if (!Entry.isFile() ||
        clang::SrcMgr::isSystem(Entry.getFile().getFileCharacteristic()))
      continue;
    auto Text = Entry.getFile().getContentCache().getBufferDataIfLoaded();
    if (Text && (Text->contains("__NVCC__") || Text->contains("__CUDACC_VER")))
      return true;
  }
  return false;
}

/// Code that asks for nvcc's macros by name is taken at its word when it has
/// errors without them, provided it then has fewer.
Expected<std::unique_ptr<ParsedUnit>>
parse(const UnitCommand &Command, View Side, const Overlay &Overlays) {
  auto Plain = parseOnce(Command, Side, Overlays);
  if (!Plain || !Command.IsCuda || (*Plain)->errors().empty() ||
      !asksForNvcc((*Plain)->sources()))
    return Plain;
  UnitCommand AsNvcc = Command;
  llvm::append_range(AsNvcc.Arguments, nvccMacros(Command));
  auto Second = parseOnce(AsNvcc, Side, Overlays);
  if (Second && (*Second)->errors().size() < (*Plain)->errors().size())
    return Second;
  llvm::consumeError(Second.takeError());
  return Plain;
}

} // namespace

ParsedUnit::ParsedUnit(UnitCommand Command, View Side,
                       std::unique_ptr<clang::ASTUnit> Unit,
                       std::vector<UnitDiagnostic> Errors)
    : Command(std::move(Command)), Side(Side), Unit(std::move(Unit)),
      Errors(std::move(Errors)) {}

ParsedUnit::~ParsedUnit() = default;

clang::ASTContext &ParsedUnit::context() const { return Unit->getASTContext(); }

clang::SourceManager &ParsedUnit::sources() const {
  return Unit->getSourceManager();
}

const clang::LangOptions &ParsedUnit::language() const {
  return Unit->getLangOpts();
}

clang::Preprocessor &ParsedUnit::preprocessor() const {
  return Unit->getPreprocessor();
}

clang::PreprocessingRecord &ParsedUnit::record() const {
  return *Unit->getPreprocessor().getPreprocessingRecord();
}

SourceSpan ParsedUnit::span(clang::SourceRange Range) const {
  if (Range.isInvalid())
    return {};
  auto Written = clang::Lexer::makeFileCharRange(
      clang::CharSourceRange::getTokenRange(Range), sources(), language());
  if (Written.isInvalid()) {
    // Part of a macro's body: the whole expansion is where it stands.
    clang::CharSourceRange Expanded = sources().getExpansionRange(Range);
    clang::SourceLocation End = Expanded.getEnd();
    if (Expanded.isTokenRange())
      End = clang::Lexer::getLocForEndOfToken(End, 0, sources(), language());
    Written = clang::CharSourceRange::getCharRange(Expanded.getBegin(), End);
  }
  return spanOf(sources(), Command, Written.getBegin(), Written.getEnd());
}

StringRef ParsedUnit::text(clang::SourceRange Range) const {
  return text(span(Range));
}

StringRef ParsedUnit::text(const SourceSpan &Span) const {
  if (!Span.valid())
    return {};
  StringRef Whole = fileText(Span.File);
  return Span.End <= Whole.size() ? Whole.slice(Span.Begin, Span.End)
                                  : StringRef();
}

StringRef ParsedUnit::fileText(StringRef File) const {
  auto Entry = sources().getFileManager().getOptionalFileRef(File);
  if (!Entry)
    return {};
  clang::FileID Id = sources().translateFile(*Entry);
  return Id.isValid() ? sources().getBufferData(Id) : StringRef();
}

bool ParsedUnit::hasErrorIn(const SourceSpan &Span) const {
  return llvm::any_of(Errors, [&](const UnitDiagnostic &D) {
    return D.Place.File == Span.File && D.Offset >= Span.Begin &&
           D.Offset < Span.End;
  });
}

bool ParsedUnit::isSystem(clang::SourceLocation Location) const {
  if (Location.isInvalid())
    return true;
  Location = sources().getExpansionLoc(Location);
  return sources().isInSystemHeader(Location) ||
         sources().isWrittenInBuiltinFile(Location) ||
         sources().isWrittenInCommandLineFile(Location);
}

Expected<std::unique_ptr<ParsedUnit>> mep::parseUnit(const UnitCommand &Command,
                                                     View Side) {
  return parse(Command, Side, {});
}

Expected<std::unique_ptr<ParsedUnit>>
mep::parseUnit(const UnitCommand &Command, View Side, const Overlay &Overlays) {
  return parse(Command, Side, Overlays);
}

Expected<std::unique_ptr<ParsedUnit>>
mep::parseDeviceText(StringRef Text, const std::vector<std::string> &Flags) {
  // The stub headers know what nearly every kernel uses and parse in a tenth of
  // the time; a text that needs more gets the toolkit's.
  auto ParseWith = [&](bool Stubs) -> Expected<std::unique_ptr<ParsedUnit>> {
    auto Command = deviceTextCommand(Flags, Stubs);
    if (!Command)
      return Command.takeError();
    return parse(*Command, View::Device, {{Command->File, Text.str()}});
  };
  auto Quick = ParseWith(/*Stubs=*/true);
  if (!Quick || (*Quick)->errors().empty() || findCudaToolkit().empty())
    return Quick;
  return ParseWith(/*Stubs=*/false);
}
