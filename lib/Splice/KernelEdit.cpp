#include "KernelEdit.h"
#include "SpliceText.h"
#include "mep/Frontend/ParsedUnit.h"
#include "mep/Support/Error.h"
#include "mep/Support/Files.h"

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

} // namespace

llvm::Expected<KernelEdit>
mep::editKernel(const ParsedUnit &Host, const KernelSite &Site,
                const Closure &C, const Candidate &Winner,
                const std::map<std::string, int64_t> &Tune, bool KeepOriginal) {
  auto Original = originalText(Host, Site, C);
  if (!Original)
    return Original.takeError();
  KernelEdit Result;
  Result.LaunchName = Site.Name;
  std::string Text = withTunables(Winner.DeviceText, Tune);
  if (withLineEnds(Text, false) == withLineEnds(*Original, false))
    return Result;
  if (KeepOriginal) {
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
