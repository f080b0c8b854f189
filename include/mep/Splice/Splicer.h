/// \file
/// Last step of the walk: the winner back into the application.

#ifndef MEP_SPLICE_SPLICER_H
#define MEP_SPLICE_SPLICER_H

#include "mep/Frontend/UnitCommand.h"
#include "mep/Model/Closure.h"
#include "mep/Model/KernelSite.h"
#include "mep/Model/Patch.h"
#include "mep/Model/Result.h"
#include <functional>

namespace mep {
class ParsedUnit;

/// What else a splice may ask, and where it says what it took for granted.
struct SpliceSurroundings {
  /// Host view of another unit that launches the kernel, by its main file;
  /// null, or none set: it cannot be had.
  std::function<const ParsedUnit *(llvm::StringRef)> UnitOf;
  /// Main files of all other units of the database whose text holds a name;
  /// none set: there are none.
  std::function<std::vector<std::string>(llvm::StringRef)> FilesNaming;
  /// Launches that keep the original and why, and what was assumed of code
  /// that is not seen; for the reader of the patch.
  std::vector<std::string> *Notes = nullptr;
};

/// The edits that replace \p Site's kernel by \p Winner's text and, where the
/// plan differs from the original launch, rewrite every launch of it in
/// \p Host. \p Home is a host view of the unit that defines the kernel, \p Host
/// of the one that launches it; often the same. \p Tune are the winning values
/// of the tunables (written into the text). Errors: Unsupported with reason and
/// place (macro-made kernel or launch, text changed, a launch that cannot be
/// proven equal).
llvm::Expected<std::vector<Edit>>
spliceKernel(const ParsedUnit &Home, const ParsedUnit &Host,
             const KernelSite &Site, const Closure &C, const Workload &Data,
             const Candidate &Winner,
             const std::map<std::string, int64_t> &Tune,
             const SpliceSurroundings &Around = {});

/// Applies \p Edits to the files in memory. Error (Input) when a file changed
/// since, or edits overlap.
llvm::Expected<Patch> makePatch(std::vector<Edit> Edits);

/// Re-parses each of \p Units, both views, with \p P's files in place of the
/// originals. Error (Unsupported) with the first new diagnostic.
llvm::Error checkPatch(const Patch &P, const std::vector<UnitCommand> &Units);

/// `git apply` and `patch -p1` take it; paths relative to \p Root.
std::string unifiedDiff(const Patch &P, llvm::StringRef Root);

/// clang-apply-replacements takes it.
std::string replacementsYaml(const Patch &P);

/// Writes all files of \p P or none. Error (Output).
llvm::Error applyPatch(const Patch &P);

} // namespace mep

#endif // MEP_SPLICE_SPLICER_H
