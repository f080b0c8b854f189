#include "ChunkTable.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Lex/Lexer.h"

using namespace mep;
using clang::Decl;
using clang::dyn_cast;
using clang::FileID;
using clang::isa;
using clang::SourceLocation;

ChunkTable::ChunkTable(const ParsedUnit &Unit, const SourceFiles &Files)
    : Unit(Unit), Files(Files) {
  std::vector<std::string> Scopes;
  collect(Unit.context().getTranslationUnitDecl(), Scopes);
}

static std::string opening(const clang::NamespaceDecl *N) {
  if (N->isAnonymousNamespace())
    return std::string("inline namespace ") + LocalNamespace + " {";
  return (N->isInline() ? "inline namespace " : "namespace ") +
         N->getName().str() + " {";
}

void ChunkTable::collect(const clang::DeclContext *Context,
                         std::vector<std::string> &Scopes) {
  for (const Decl *D : Context->decls()) {
    if (D->isImplicit() || D->getLocation().isInvalid() ||
        isa<clang::EmptyDecl>(D) || Unit.isSystem(D->getLocation()))
      continue;
    const auto *Linkage = dyn_cast<clang::LinkageSpecDecl>(D);
    if (const auto *N = dyn_cast<clang::NamespaceDecl>(D)) {
      Scopes.push_back(opening(N));
      collect(N, Scopes);
      Scopes.pop_back();
    } else if (Linkage && Linkage->hasBraces()) {
      bool IsC = Linkage->getLanguage() == clang::LinkageSpecLanguageIDs::C;
      Scopes.push_back(IsC ? "extern \"C\" {" : "extern \"C++\" {");
      collect(Linkage, Scopes);
      Scopes.pop_back();
    } else {
      add(D, Scopes);
    }
  }
}

void ChunkTable::add(const Decl *D, const std::vector<std::string> &Scopes) {
  FileRange Range = rangeOf(D);
  if (Range.File.isInvalid())
    return;
  auto &InFile = ByBegin[Range.File];
  auto Next = InFile.upper_bound(Range.Begin);
  if (Next != InFile.begin()) {
    Chunk &Before = Chunks[std::prev(Next)->second];
    if (Range.Begin < Before.Range.End) {
      Before.Range.End = std::max(Before.Range.End, Range.End);
      Before.Decls.push_back(D);
      return;
    }
  }
  InFile[Range.Begin] = Chunks.size();
  Chunks.push_back({Range, {D}, Scopes});
}

/// True if the text of \p D ends with its closing brace.
static bool endsWithBody(const Decl *D) {
  if (const auto *L = dyn_cast<clang::LinkageSpecDecl>(D)) {
    for (const Decl *Inner : L->decls())
      return endsWithBody(Inner);
    return true;
  }
  const clang::FunctionDecl *F = D->getAsFunction();
  return F && F->doesThisDeclarationHaveABody();
}

/// Specifiers and attributes that Clang's range leaves out stand between the
/// declaration and whatever ends before it.
static unsigned reachBack(const RawFile &Raw, unsigned Begin, unsigned Floor) {
  auto It = llvm::partition_point(
      Raw.Tokens, [&](const RawToken &T) { return T.Begin < Begin; });
  while (It != Raw.Tokens.begin()) {
    --It;
    if (It->InDirective || It->Begin < Floor || It->Kind == clang::tok::semi ||
        It->Kind == clang::tok::l_brace || It->Kind == clang::tok::r_brace)
      break;
    Begin = It->Begin;
  }
  return Begin;
}

/// The end of the next `;` after \p End at the same depth; \p End itself when
/// \p Optional and the next token is another.
static unsigned reachSemicolon(const RawFile &Raw, unsigned End,
                               bool Optional) {
  auto It = llvm::partition_point(
      Raw.Tokens, [&](const RawToken &T) { return T.Begin < End; });
  int Depth = 0;
  for (; It != Raw.Tokens.end(); ++It) {
    if (It->InDirective)
      continue;
    if (It->Kind == clang::tok::semi && Depth <= 0)
      return It->End;
    if (Optional)
      return End;
    if (It->Kind == clang::tok::l_brace || It->Kind == clang::tok::l_paren)
      ++Depth;
    if (It->Kind == clang::tok::r_brace || It->Kind == clang::tok::r_paren)
      --Depth;
  }
  return End;
}

FileRange ChunkTable::rangeOf(const Decl *D) const {
  const clang::SourceManager &SM = Unit.sources();
  FileRange Range;
  std::tie(Range.File, Range.Begin) =
      SM.getDecomposedLoc(SM.getExpansionLoc(D->getBeginLoc()));
  SourceLocation Last = SM.getExpansionRange(D->getEndLoc()).getEnd();
  if (!Files.offsetIn(Range.File, Last, Range.End))
    return {};
  // A place in an included file is the include's; otherwise step over the last
  // token.
  if (SM.getFileID(Last) == Range.File)
    Range.End += clang::Lexer::MeasureTokenLength(Last, SM, Unit.language());
  const RawFile &Raw = Files.file(Range.File);
  unsigned Floor = 0;
  if (auto InFile = ByBegin.find(Range.File); InFile != ByBegin.end()) {
    auto Next = InFile->second.upper_bound(Range.Begin);
    if (Next != InFile->second.begin())
      Floor = Chunks[std::prev(Next)->second].Range.End;
  }
  Range.Begin = reachBack(Raw, Range.Begin, std::min(Floor, Range.Begin));
  bool FromMacro = D->getEndLoc().isMacroID();
  if (!endsWithBody(D) || FromMacro)
    Range.End = reachSemicolon(Raw, Range.End, FromMacro);
  return Range;
}

std::optional<size_t> ChunkTable::at(SourceLocation Location) const {
  const clang::SourceManager &SM = Unit.sources();
  Location = SM.getExpansionLoc(Location);
  // A place in a file that is included inside a declaration belongs to it.
  while (Location.isValid()) {
    auto [File, Offset] = SM.getDecomposedLoc(Location);
    auto InFile = ByBegin.find(File);
    if (InFile != ByBegin.end()) {
      auto Next = InFile->second.upper_bound(Offset);
      if (Next != InFile->second.begin()) {
        size_t Index = std::prev(Next)->second;
        if (Offset < Chunks[Index].Range.End)
          return Index;
      }
    }
    Location = SM.getIncludeLoc(File);
    if (Location.isValid())
      Location = SM.getExpansionLoc(Location);
  }
  return std::nullopt;
}
