#include "ArgumentOverlap.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include <map>

using namespace mep;
using llvm::StringRef;

namespace {

using Texts = std::vector<std::string>;

/// Variables that \p Text may name; members and words of the language are none.
llvm::StringSet<> variables(StringRef Text) {
  static const llvm::StringSet<> Language = {"float",
                                             "double",
                                             "int",
                                             "char",
                                             "unsigned",
                                             "signed",
                                             "long",
                                             "short",
                                             "const",
                                             "void",
                                             "volatile",
                                             "struct",
                                             "bool",
                                             "sizeof",
                                             "size_t",
                                             "this",
                                             "static_cast",
                                             "const_cast",
                                             "reinterpret_cast",
                                             "nullptr",
                                             "NULL"};
  llvm::StringSet<> Found;
  char Before = 0;
  for (size_t I = 0; I < Text.size();) {
    if (!llvm::isAlpha(Text[I]) && Text[I] != '_') {
      Before = llvm::isSpace(Text[I]) ? Before : Text[I];
      ++I;
      continue;
    }
    StringRef Word = Text.substr(I).take_while(
        [](char C) { return llvm::isAlnum(C) || C == '_'; });
    bool IsMember =
        Before == '.' ||
        (Before == '>' && Text.substr(0, I).rtrim().ends_with("->"));
    if (!IsMember && !Language.contains(Word))
      Found.insert(Word);
    Before = Word.back();
    I += Word.size();
  }
  return Found;
}

enum class Overlap : char { None, Possible, Same };

Overlap overlapOf(StringRef A, StringRef B) {
  if (A.trim() == B.trim())
    return Overlap::Same;
  llvm::StringSet<> OfA = variables(A);
  for (const auto &Word : variables(B))
    if (OfA.contains(Word.getKey()))
      return Overlap::Possible;
  return Overlap::None;
}

/// Of each pair of pointer arguments.
std::vector<Overlap> patternOf(const Texts &Pointers) {
  std::vector<Overlap> Pattern;
  for (size_t I = 0; I < Pointers.size(); ++I)
    for (size_t J = I + 1; J < Pointers.size(); ++J)
      Pattern.push_back(overlapOf(Pointers[I], Pointers[J]));
  return Pattern;
}

bool isCovered(const std::vector<Overlap> &Other,
               const std::vector<Overlap> &Measured) {
  if (Other.size() != Measured.size())
    return false;
  for (size_t I = 0; I < Other.size(); ++I)
    if (Other[I] != Measured[I] &&
        (Other[I] == Overlap::Same || Measured[I] == Overlap::Same ||
         Other[I] > Measured[I]))
      return false;
  return true;
}

Texts pointerArguments(const KernelSite &Site, const LaunchSite &Launch) {
  Texts Pointers;
  for (size_t I = 0; I < Launch.Arguments.size(); ++I)
    if (I < Site.Parameters.size() &&
        StringRef(Site.Parameters[I].CanonicalType).contains('*'))
      Pointers.push_back(Launch.Arguments[I]);
  return Pointers;
}

/// Calls of the function that holds a launch, as texts by parameter.
class Callers : public clang::RecursiveASTVisitor<Callers> {
public:
  Callers(const ParsedUnit &Unit, StringRef Function)
      : Unit(Unit), Function(Function) {
    for (clang::Decl *D : Unit.context().getTranslationUnitDecl()->decls())
      if (!Unit.isSystem(D->getLocation()))
        TraverseDecl(D);
  }
  bool VisitCallExpr(clang::CallExpr *Call) {
    const clang::FunctionDecl *Callee = Call->getDirectCallee();
    if (!Callee || Callee->getQualifiedNameAsString() != Function)
      return true;
    std::map<std::string, std::string> Given;
    for (unsigned I = 0; I < Call->getNumArgs() && I < Callee->getNumParams();
         ++I)
      for (const clang::FunctionDecl *D : Callee->redecls())
        if (D->getParamDecl(I)->getType()->isPointerType())
          Given[D->getParamDecl(I)->getNameAsString()] =
              Unit.text(Call->getArg(I)->getSourceRange()).str();
    Found.push_back(std::move(Given));
    Places.push_back(Unit.span(Call->getSourceRange()));
    return true;
  }
  std::vector<std::map<std::string, std::string>> Found;
  std::vector<SourceSpan> Places;

private:
  const ParsedUnit &Unit;
  StringRef Function;
};

/// The arguments as the caller would write them.
Texts asCalled(const Texts &Pointers,
               const std::map<std::string, std::string> &Given) {
  Texts Out;
  for (const std::string &Text : Pointers) {
    auto Whole = Given.find(StringRef(Text).trim().str());
    if (Whole != Given.end()) {
      Out.push_back(Whole->second);
      continue;
    }
    std::string Replaced = Text;
    for (const auto &Word : variables(Text))
      if (auto Known = Given.find(Word.getKey().str()); Known != Given.end())
        Replaced += " " + Known->second;
    Out.push_back(std::move(Replaced));
  }
  return Out;
}

} // namespace

std::string mep::overlapsOtherwise(const ParsedUnit &Host,
                                   const KernelSite &Site,
                                   const LaunchSite &Launch) {
  Texts Pointers = pointerArguments(Site, Launch);
  if (!isCovered(patternOf(Pointers),
                 patternOf(pointerArguments(Site, Site.Launches.front()))))
    return "its pointer arguments overlap otherwise than those of the measured "
           "launch";
  if (Launch.Unit != Host.command().File)
    return "";
  Callers Calls(Host, Launch.Function);
  for (size_t I = 1; I < Calls.Found.size(); ++I)
    if (!isCovered(patternOf(asCalled(Pointers, Calls.Found[I])),
                   patternOf(asCalled(Pointers, Calls.Found[0]))))
      return "the call of '" + Launch.Function + "' at " +
             Calls.Places[I].str() +
             " gives it pointers that overlap otherwise than the first call's";
  return "";
}
