#include "KernelEdit.h"
#include "SpliceText.h"
#include "mep/Discovery/Discovery.h"
#include "mep/Frontend/ParsedUnit.h"
#include "mep/Support/Error.h"
#include "mep/Support/Files.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"

using namespace mep;
using llvm::StringRef;

bool mep::usesCarriageReturns(StringRef Text) {
  return Text.count("\r\n") * 2 > Text.count('\n');
}

std::string mep::withLineEnds(StringRef Text, bool CarriageReturns) {
  std::string Out;
  for (char C : Text) {
    if (C == '\r')
      continue;
    if (C == '\n' && CarriageReturns)
      Out += '\r';
    Out += C;
  }
  return Out;
}

namespace {

std::string withTunables(StringRef Text,
                         const std::map<std::string, int64_t> &Tune) {
  std::map<std::string, std::string> Names;
  for (const auto &[Name, Value] : Tune)
    Names[Name] = std::to_string(Value);
  return replaceNames(Text, Names);
}

/// The kernel's text as it stands, if it is what was measured.
llvm::Expected<StringRef>
originalText(const ParsedUnit &Host, const KernelSite &Site, const Closure &C) {
  StringRef Text = Host.text(Site.Definition);
  if (Text.empty() || !Text.contains("__global__"))
    return makeError(Failure::Unsupported,
                     "kernel '" + Site.QualifiedName +
                         "' is made by a macro and cannot be edited safely",
                     Site.Definition.str());
  if (withLineEnds(Text, false) != withLineEnds(C.kernelText(), false))
    return makeError(Failure::Unsupported,
                     "the text of kernel '" + Site.QualifiedName +
                         "' holds conditional code, of which only one branch "
                         "was measured",
                     Site.Definition.str());
  return Text;
}

/// End of `template <...>` at the start of \p Text; npos if there is none.
size_t templateHeaderEnd(StringRef Text) {
  StringRef Rest = Text.ltrim();
  if (!Rest.consume_front("template"))
    return StringRef::npos;
  size_t At = Text.find('<');
  int Depth = 0;
  for (; At < Text.size(); ++At) {
    Depth += Text[At] == '<';
    Depth -= Text[At] == '>';
    if (Depth == 0)
      return At + 1;
  }
  return StringRef::npos;
}

/// Declarations that give the template's parameters their arguments, for the
/// start of a specialisation's body, and \p Values, the arguments by name. With
/// \p Why if one has no such declaration.
std::string parameterNames(const clang::FunctionDecl &Instance,
                           const clang::PrintingPolicy &Policy,
                           std::map<std::string, std::string> &Values,
                           std::string &Why) {
  const clang::TemplateParameterList *Parameters =
      Instance.getPrimaryTemplate()->getTemplateParameters();
  const clang::TemplateArgumentList *Arguments =
      Instance.getTemplateSpecializationArgs();
  std::string Out;
  for (unsigned I = 0; I < Parameters->size() && Why.empty(); ++I) {
    const clang::NamedDecl *P = Parameters->getParam(I);
    const clang::TemplateArgument &A = Arguments->get(I);
    std::string Name = P->getNameAsString(), Value;
    llvm::raw_string_ostream OS(Value);
    if (Name.empty())
      continue;
    if (A.getKind() == clang::TemplateArgument::Type) {
      A.getAsType().print(OS, Policy);
      Out += "\n  using " + Name + " = " + Value + ";";
    } else if (A.getKind() == clang::TemplateArgument::Integral) {
      A.print(Policy, OS, /*IncludeType=*/false);
      std::string Type = A.getIntegralType().getAsString(Policy);
      Out += "\n  constexpr " + Type + " " + Name + " = " + Value + ";";
    } else {
      Why = "template parameter '" + Name + "' is neither a type nor a number";
    }
    Values[Name] = Value;
  }
  return Out;
}

/// \p Text, the winner of a template kernel, as an explicit specialisation for
/// the instantiation that the closure names.
llvm::Expected<std::string> specialisation(const ParsedUnit &Host,
                                           const KernelSite &Site,
                                           const Closure &C, StringRef Text) {
  auto Refuse = [&](const llvm::Twine &Why) {
    return makeError(Failure::Unsupported,
                     ("kernel '" + Site.QualifiedName +
                      "' has several instantiations and cannot be specialised "
                      "for the measured one: " +
                      Why)
                         .str(),
                     Site.Definition.str());
  };
  unsigned Measured = 0;
  for (unsigned I = 0; I < Site.Instantiations.size(); ++I)
    if (Site.Instantiations[I].MangledName == C.Symbol)
      Measured = I;
  const clang::FunctionDecl *F = findKernel(Host, Site, Measured);
  size_t Header = templateHeaderEnd(Text);
  size_t Name = Text.find(Site.Name, Header == StringRef::npos ? 0 : Header);
  size_t Body = Text.find('{', Name);
  if (!F || !F->getPrimaryTemplate() || Header == StringRef::npos ||
      Name == StringRef::npos || Body == StringRef::npos ||
      Text.count("__global__") != 1)
    return Refuse("its text is not one template");
  if (llvm::isa<clang::CXXMethodDecl>(F))
    return Refuse("it is a member of a class");
  clang::PrintingPolicy Policy(Host.language());
  Policy.FullyQualifiedName = true;
  Policy.SuppressScope = false;
  std::string Why;
  std::map<std::string, std::string> Values;
  std::string Names = parameterNames(*F, Policy, Values, Why);
  if (!Why.empty())
    return Refuse(Why);
  StringRef Arguments = C.NameExpression;
  Arguments = Arguments.substr(Arguments.find('<'));
  // Launch bounds may name the parameters.
  std::string Out = "template <>\n" +
                    replaceNames(Text.slice(Header, Name).ltrim(), Values) +
                    Site.Name + Arguments.str() + "(";
  for (unsigned I = 0; I < F->getNumParams(); ++I) {
    const clang::ParmVarDecl *P = F->getParamDecl(I);
    std::string Typed = P->getNameAsString();
    P->getType().getAsStringInternal(Typed, Policy);
    Out += (I ? ", " : "") + Typed;
  }
  return Out + ") {" + Names + Text.substr(Body + 1).str();
}

} // namespace

llvm::Expected<KernelEdit>
mep::editKernel(const ParsedUnit &Host, const KernelSite &Site,
                const Closure &C, const Candidate &Winner,
                const std::map<std::string, int64_t> &Tune, Beside Keep) {
  auto Original = originalText(Host, Site, C);
  if (!Original)
    return Original.takeError();
  KernelEdit Result;
  Result.LaunchName = Site.Name;
  std::string Text = withTunables(Winner.DeviceText, Tune);
  if (withLineEnds(Text, false) == withLineEnds(*Original, false))
    return Result;
  if (Keep == Beside::Specialised) {
    auto Special = specialisation(Host, Site, C, Text);
    if (!Special)
      return Special.takeError();
    Text = Original->str() + "\n\n" + *Special;
  }
  if (Keep == Beside::Renamed) {
    Result.LaunchName = Site.Name + "_tuned";
    if (mentions(Host.fileText(Site.Definition.File), Result.LaunchName) ||
        mentions(Host.fileText(Site.Unit), Result.LaunchName))
      return makeError(Failure::Unsupported,
                       "the name '" + Result.LaunchName + "' is taken",
                       Site.Definition.str());
    Text = Original->str() + "\n\n" +
           replaceNames(Text, {{Site.Name, Result.LaunchName}});
  }
  bool CarriageReturns =
      usesCarriageReturns(Host.fileText(Site.Definition.File));
  Result.Change = Edit{Site.Definition, withLineEnds(Text, CarriageReturns),
                       contentHash(*Original)};
  return Result;
}
