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

/// What a splice does to the kernel's name: with a new name the original stays
/// for launches that were not seen.
struct KernelEdit {
  std::optional<Edit> Change; ///< Absent when the text stays as it is.
  std::string LaunchName;     ///< What launches call.
};

/// Errors: Unsupported when the application's text is not what was measured
/// (conditional code inside, macro-made) with the place.
llvm::Expected<KernelEdit>
editKernel(const ParsedUnit &Host, const KernelSite &Site, const Closure &C,
           const Candidate &Winner, const std::map<std::string, int64_t> &Tune);

} // namespace mep

#endif // MEP_LIB_SPLICE_KERNELEDIT_H
