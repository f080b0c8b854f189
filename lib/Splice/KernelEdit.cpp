#include "KernelEdit.h"
#include "SpliceText.h"
#include "mep/Frontend/ParsedUnit.h"
#include "mep/Support/Error.h"
#include "mep/Support/Files.h"

using namespace mep;
using llvm::StringRef;

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
  if (Text != C.kernelText())
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
                const std::map<std::string, int64_t> &Tune) {
  auto Original = originalText(Host, Site, C);
  if (!Original)
    return Original.takeError();
  KernelEdit Result;
  Result.LaunchName = Site.Name;
  std::string Text = withTunables(Winner.DeviceText, Tune);
  if (Text == *Original)
    return Result;
  // A header's kernel may be launched by units nobody looked at. If launches
  // must change with it, it gets a new name and the original stays.
  if (!Winner.Plan.isOriginal() && Site.Definition.File != Site.Unit) {
    Result.LaunchName = Site.Name + "_tuned";
    if (mentions(Host.fileText(Site.Definition.File), Result.LaunchName))
      return makeError(Failure::Unsupported,
                       "the name '" + Result.LaunchName + "' is taken",
                       Site.Definition.str());
    Text = Original->str() + "\n\n" +
           replaceNames(Text, {{Site.Name, Result.LaunchName}});
  }
  Result.Change = Edit{Site.Definition, Text, contentHash(*Original)};
  return Result;
}
