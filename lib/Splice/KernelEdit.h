/// \file
/// The kernel's own text in the application.

#ifndef MEP_LIB_SPLICE_KERNELEDIT_H
#define MEP_LIB_SPLICE_KERNELEDIT_H

#include "mep/Model/Candidate.h"
#include "mep/Model/Closure.h"
#include "mep/Model/KernelSite.h"
#include "mep/Model/Patch.h"
#include <map>
#include <optional>

namespace mep {
class ParsedUnit;

/// What a splice does to the kernel.
struct KernelEdit {
  std::optional<Edit> Change; ///< Absent when the text stays as it is.
  std::string LaunchName;     ///< What edited launches call.
  /// Defined by the text where the winner stands, when other branches of
  /// conditional code in the kernel or around it have another text. Empty
  /// otherwise.
  std::string Marker;
};

/// What becomes of the original beside the winner.
enum class Beside {
  Nothing, ///< The winner stands in its place.
  Renamed, ///< It stays; the winner follows under a new name.
  /// It stays, a template; the winner follows as an explicit specialisation for
  /// the instantiation that was measured, so that no launch changes.
  Specialised
};

/// What happens to the launches.
enum class Launchers {
  Unchanged,
  Edited,
  /// Edited, and another kernel of the name stands in text that is not
  /// compiled: the edits are for where the winner is.
  FollowItsBranch
};

/// The winner's text in the kernel's file, the original as \p Original says.
/// \p Home is a host view that holds the kernel. Conditional code inside stays
/// with the original: the winner stands under the condition that was measured.
/// It defines the marker where launches must tell. Errors: Unsupported when the
/// application's text is not what was measured (macro-made) or a new name is
/// taken, with the place.
llvm::Expected<KernelEdit>
editKernel(const ParsedUnit &Home, const KernelSite &Site, const Closure &C,
           const Candidate &Winner, const std::map<std::string, int64_t> &Tune,
           Beside Original, Launchers Launches);

/// True if most lines of \p Text end with `\r\n`.
bool usesCarriageReturns(llvm::StringRef Text);

/// \p Text with the line ends of the file that holds it.
std::string withLineEnds(llvm::StringRef Text, bool CarriageReturns);

} // namespace mep

#endif // MEP_LIB_SPLICE_KERNELEDIT_H
