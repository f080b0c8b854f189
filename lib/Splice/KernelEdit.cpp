#include "KernelEdit.h"
#include "SpliceText.h"
#include "mep/Discovery/Discovery.h"
#include "mep/Frontend/ParsedUnit.h"
#include "mep/Frontend/TakenBranches.h"
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
originalText(const ParsedUnit &Home, const KernelSite &Site, const Closure &C) {
  StringRef Text = Home.text(Site.Definition);
  if (Text.empty() || !Text.contains("__global__"))
    return makeError(Failure::Unsupported,
                     "kernel '" + Site.QualifiedName +
                         "' is made by a macro and cannot be edited safely",
                     Site.Definition.str());
  if (C.kernelPiece()->Condition.empty() &&
      withLineEnds(Text, false) != withLineEnds(C.kernelText(), false)) {
    auto Taken = takenCondition(Home, Site.Definition);
    if (!Taken)
      return Taken.takeError();
    return makeError(Failure::Unsupported,
                     "the text of kernel '" + Site.QualifiedName +
                         "' is put together from more than one place",
                     Site.Definition.str());
  }
  return Text;
}

/// \p New under the condition it was measured under, the original otherwise
/// where \p Instead says so.
std::string guarded(StringRef Condition, StringRef Marker, StringRef New,
                    std::optional<StringRef> Instead) {
  std::string Text = "#if " + Condition.str() + "\n";
  if (!Marker.empty())
    Text += "#define " + Marker.str() + "\n";
  Text += New;
  if (Instead)
    Text += "\n#else\n" + Instead->str();
  return Text + "\n#endif";
}

/// \p Text, which ends or begins with a directive, on lines of its own.
std::string onOwnLines(const std::string &Text, StringRef File,
                       const SourceSpan &Place) {
  StringRef Before = File.take_front(Place.Begin),
            After = File.drop_front(Place.End);
  bool Starts = Before.substr(Before.rfind('\n') + 1).trim(" \t").empty();
  bool Ends = After.take_until([](char C) { return C == '\n'; }).trim().empty();
  return (Starts || !StringRef(Text).starts_with("#") ? "" : "\n") + Text +
         (Ends ? "" : "\n");
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
llvm::Expected<std::string> specialisation(const ParsedUnit &Home,
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
  const clang::FunctionDecl *F = findKernel(Home, Site, Measured);
  size_t Header = templateHeaderEnd(Text);
  size_t Name = Text.find(Site.Name, Header == StringRef::npos ? 0 : Header);
  size_t Body = Text.find('{', Name);
  if (!F || !F->getPrimaryTemplate() || Header == StringRef::npos ||
      Name == StringRef::npos || Body == StringRef::npos ||
      Text.count("__global__") != 1)
    return Refuse("its text is not one template");
  if (llvm::isa<clang::CXXMethodDecl>(F))
    return Refuse("it is a member of a class");
  clang::PrintingPolicy Policy(Home.language());
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
mep::editKernel(const ParsedUnit &Home, const KernelSite &Site,
                const Closure &C, const Candidate &Winner,
                const std::map<std::string, int64_t> &Tune, Beside Keep,
                Launchers Launches) {
  auto Original = originalText(Home, Site, C);
  if (!Original)
    return Original.takeError();
  KernelEdit Result;
  Result.LaunchName = Site.Name;
  std::string Text = withTunables(Winner.DeviceText, Tune);
  if (withLineEnds(Text, false) == withLineEnds(C.kernelText(), false))
    return Result;
  StringRef File = Home.fileText(Site.Definition.File),
            Condition = C.kernelPiece()->Condition;
  auto IsTaken = [&](StringRef Name) {
    return mentions(File, Name) || mentions(Home.fileText(Site.Unit), Name);
  };
  if (Keep == Beside::Specialised) {
    auto Special = specialisation(Home, Site, C, Text);
    if (!Special)
      return Special.takeError();
    Text = std::move(*Special);
  } else if (Keep == Beside::Renamed) {
    Result.LaunchName = Site.Name + "_tuned";
    Text = replaceNames(Text, {{Site.Name, Result.LaunchName}});
  }
  if (Launches == Launchers::FollowItsBranch ||
      (!Condition.empty() && Launches == Launchers::Edited))
    Result.Marker = Site.Name + "_IS_TUNED";
  for (const std::string &Name : {Result.LaunchName, Result.Marker})
    if (!Name.empty() && Name != Site.Name && IsTaken(Name))
      return makeError(Failure::Unsupported, "the name '" + Name + "' is taken",
                       Site.Definition.str());
  if (!Condition.empty())
    Text = guarded(Condition, Result.Marker, Text,
                   Keep == Beside::Nothing ? std::optional(*Original)
                                           : std::nullopt);
  else if (!Result.Marker.empty())
    Text = "#define " + Result.Marker + "\n" + Text;
  if (Keep != Beside::Nothing)
    Text = Original->str() + "\n\n" + Text;
  if (!Condition.empty() || !Result.Marker.empty())
    Text = onOwnLines(Text, File, Site.Definition);
  Result.Change =
      Edit{Site.Definition, withLineEnds(Text, usesCarriageReturns(File)),
           contentHash(*Original)};
  return Result;
}
