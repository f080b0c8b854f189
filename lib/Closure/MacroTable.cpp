#include "MacroTable.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/Preprocessor.h"

using namespace mep;
using clang::MacroInfo;
using clang::SourceLocation;
using llvm::StringRef;

/// The value of `5`, `(5)`, `((-5))`, `512u`; nothing else is a literal.
static std::optional<int64_t> literalOf(const MacroInfo &Info,
                                        const clang::Preprocessor &PP) {
  if (!Info.isObjectLike())
    return std::nullopt;
  llvm::ArrayRef<clang::Token> Tokens = Info.tokens();
  while (Tokens.size() >= 3 && Tokens.front().is(clang::tok::l_paren) &&
         Tokens.back().is(clang::tok::r_paren))
    Tokens = Tokens.drop_front().drop_back();
  bool Negative = Tokens.size() == 2 && Tokens.front().is(clang::tok::minus);
  if (Negative)
    Tokens = Tokens.drop_front();
  if (Tokens.size() != 1 || Tokens[0].isNot(clang::tok::numeric_constant))
    return std::nullopt;
  std::string Spelling = PP.getSpelling(Tokens[0]);
  int64_t Value = 0;
  StringRef Digits = StringRef(Spelling).rtrim("uUlL");
  if (Digits.getAsInteger(0, Value))
    return std::nullopt;
  return Negative ? -Value : Value;
}

MacroTable::MacroTable(const ParsedUnit &Unit) : Unit(Unit) {
  const clang::Preprocessor &PP = Unit.preprocessor();
  for (const auto &Entry : PP.macros(/*IncludeExternalMacros=*/false)) {
    const clang::IdentifierInfo *Name = Entry.first;
    std::vector<const clang::MacroDirective *> History;
    for (const clang::MacroDirective *D =
             PP.getLocalMacroDirectiveHistory(Name);
         D; D = D->getPrevious())
      History.push_back(D);
    for (const clang::MacroDirective *D : llvm::reverse(History)) {
      if (const auto *Define = clang::dyn_cast<clang::DefMacroDirective>(D))
        add(Name->getName(), Define->getInfo()->getDefinitionLoc(),
            Define->getInfo());
      else if (clang::isa<clang::UndefMacroDirective>(D))
        add(Name->getName(), D->getLocation(), nullptr);
    }
  }
}

void MacroTable::add(StringRef Name, SourceLocation Place,
                     const MacroInfo *Info) {
  const clang::SourceManager &SM = Unit.sources();
  if (Place.isInvalid() || SM.isWrittenInBuiltinFile(Place))
    return;
  const clang::Preprocessor &PP = Unit.preprocessor();
  MacroEvent Event;
  Event.OnCommandLine = SM.isWrittenInCommandLineFile(Place);
  if (!Event.OnCommandLine && Unit.isSystem(Place)) {
    if (Info) {
      System[Name] = Place;
      for (const clang::Token &T : Info->tokens())
        if (const clang::IdentifierInfo *II = T.getIdentifierInfo())
          SystemBodies[Name].push_back(II->getName().str());
    }
    return;
  }
  Event.Name = Name.str();
  Event.Place = Place;
  Event.IsDefine = Info != nullptr;
  std::tie(Event.Range.File, Event.Range.Begin) = SM.getDecomposedLoc(Place);
  SourceLocation Last = Info ? Info->getDefinitionEndLoc() : Place;
  Event.Range.End = SM.getFileOffset(Last) +
                    clang::Lexer::MeasureTokenLength(Last, SM, Unit.language());
  Event.Body = SM.getBufferData(Event.Range.File)
                   .slice(Event.Range.Begin, Event.Range.End)
                   .str();
  if (Info)
    Event.Literal = literalOf(*Info, PP);
  Events[Name].push_back(std::move(Event));
}

llvm::ArrayRef<MacroEvent> MacroTable::history(StringRef Name) const {
  auto It = Events.find(Name);
  if (It == Events.end())
    return {};
  return It->second;
}

SourceLocation MacroTable::systemDefinition(StringRef Name) const {
  return System.lookup(Name);
}

llvm::StringSet<>
MacroTable::reach(const std::vector<std::string> &Seeds) const {
  llvm::StringSet<> Reached;
  std::vector<std::string> Queue = Seeds;
  while (!Queue.empty()) {
    std::string Name = std::move(Queue.back());
    Queue.pop_back();
    llvm::ArrayRef<MacroEvent> Known = history(Name);
    if ((Known.empty() && !System.count(Name)) || !Reached.insert(Name).second)
      continue;
    for (const MacroEvent &E : Known)
      if (E.IsDefine)
        for (std::string &Inner : identifiersIn(E.Body))
          Queue.push_back(std::move(Inner));
    if (auto It = SystemBodies.find(Name); It != SystemBodies.end())
      Queue.insert(Queue.end(), It->second.begin(), It->second.end());
  }
  return Reached;
}
