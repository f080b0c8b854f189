#include "UnseenMentions.h"
#include "LaunchIndex.h"
#include "mep/Discovery/Discovery.h"
#include "mep/Frontend/ParsedUnit.h"
#include "mep/Splice/Splicer.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/PreprocessingRecord.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/STLExtras.h"

using namespace mep;
using llvm::StringRef;

namespace {

class MentionSearch {
public:
  MentionSearch(const ParsedUnit &Unit, const KernelSite &Site,
                UnseenMentions &Out)
      : Unit(Unit), Site(Site), Out(Out) {}

  void run() {
    for (clang::SourceRange R : Unit.record().getSkippedRanges())
      search(R.getBegin(), R.getEnd());
    for (clang::PreprocessedEntity *E : Unit.record())
      if (auto *Macro = llvm::dyn_cast<clang::MacroDefinitionRecord>(E))
        searchMacro(*Macro);
  }

private:
  void search(clang::SourceLocation Begin, clang::SourceLocation End);
  void searchMacro(const clang::MacroDefinitionRecord &Macro);
  bool isParameter(const clang::IdentifierInfo *Macro) const;
  void add(clang::SourceLocation Place, bool AfterType);
  static bool holds(const SourceSpan &Span, const SourceSpan &Part) {
    return Span.File == Part.File && Span.Begin <= Part.Begin &&
           Part.End <= Span.End;
  }

  const ParsedUnit &Unit;
  const KernelSite &Site;
  UnseenMentions &Out;
};

/// A parameter of that name in the last macro \p Macro.
bool MentionSearch::isParameter(const clang::IdentifierInfo *Macro) const {
  const clang::MacroInfo *Info = Unit.preprocessor().getMacroInfo(Macro);
  return Info &&
         llvm::any_of(Info->params(), [&](const clang::IdentifierInfo *P) {
           return P->getName() == Site.Name;
         });
}

void MentionSearch::searchMacro(const clang::MacroDefinitionRecord &Macro) {
  clang::SourceRange R = Macro.getSourceRange();
  if (!isParameter(Macro.getName()))
    search(R.getBegin(), clang::Lexer::getLocForEndOfToken(
                             R.getEnd(), 0, Unit.sources(), Unit.language()));
}

void MentionSearch::search(clang::SourceLocation Begin,
                           clang::SourceLocation End) {
  const clang::SourceManager &SM = Unit.sources();
  if (Begin.isInvalid() || !Begin.isFileID() || Unit.isSystem(Begin))
    return;
  auto [File, From] = SM.getDecomposedLoc(Begin);
  unsigned To = SM.getFileOffset(End);
  StringRef Text = SM.getBufferData(File);
  if (To > Text.size() || !Text.slice(From, To).contains(Site.Name))
    return;
  clang::Lexer Lex(SM.getLocForStartOfFile(File), Unit.language(), Text.begin(),
                   Text.begin() + From, Text.end());
  clang::Token T;
  bool AfterType = false, AtEnd = false;
  while (!AtEnd) {
    AtEnd = Lex.LexFromRawLexer(T);
    if (T.is(clang::tok::eof) || SM.getFileOffset(T.getLocation()) >= To)
      return;
    bool IsName = T.is(clang::tok::raw_identifier);
    if (IsName && T.getRawIdentifier() == Site.Name)
      add(T.getLocation(), AfterType);
    AfterType = IsName && T.getRawIdentifier() == "void";
  }
}

void MentionSearch::add(clang::SourceLocation Place, bool AfterType) {
  SourceSpan At = Unit.span({Place, Place});
  if (holds(Site.Definition, At) ||
      llvm::any_of(Site.Launches,
                   [&](const LaunchSite &L) { return holds(L.Call, At); }))
    return;
  Out.Defines |= AfterType;
  if (!llvm::is_contained(Out.Places, At.str()))
    Out.Places.push_back(At.str());
}

} // namespace

void mep::addUnseenMentions(const ParsedUnit &Unit, const KernelSite &Site,
                            UnseenMentions &Out) {
  MentionSearch(Unit, Site, Out).run();
}

/// A kernel of its own, which has nothing to do with \p Site's but the name.
static bool definesItsOwn(const ParsedUnit &Unit, const KernelSite &Site) {
  return llvm::any_of(discoverKernels(Unit), [&](const KernelSite &K) {
    return K.QualifiedName == Site.QualifiedName && K.Definition.valid() &&
           (K.Definition.File != Site.Definition.File ||
            K.Definition.Begin != Site.Definition.Begin);
  });
}

void mep::addOtherUnits(const ParsedUnit &Host, const KernelSite &Site,
                        const SpliceSurroundings &Around, UnseenMentions &Out) {
  constexpr size_t MostParsed = 8;
  const clang::FunctionDecl *Kernel = findKernel(Host, Site);
  if (!Around.FilesNaming || (Kernel && !Kernel->isExternallyVisible()))
    return;
  size_t Parsed = 0;
  for (const std::string &File : Around.FilesNaming(Site.Name)) {
    if (File == Host.command().File ||
        llvm::any_of(Site.Launches,
                     [&](const LaunchSite &L) { return L.Unit == File; }))
      continue;
    const ParsedUnit *Unit =
        Around.UnitOf && ++Parsed <= MostParsed ? Around.UnitOf(File) : nullptr;
    if (Unit && definesItsOwn(*Unit, Site))
      continue;
    if (Unit)
      addUnseenMentions(*Unit, Site, Out);
    if (!Unit || indexLaunches(*Unit, Site).Uses)
      Out.Places.push_back(File);
  }
}
