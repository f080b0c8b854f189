/// \file
/// Fifth step of the walk: the data the kernel runs on, from the launch site
/// and the host code around it.

#ifndef MEP_WORKLOAD_WORKLOADINFERENCE_H
#define MEP_WORKLOAD_WORKLOADINFERENCE_H

#include "mep/Model/Closure.h"
#include "mep/Model/KernelSite.h"
#include "mep/Model/Workload.h"
#include <functional>
#include <optional>

namespace mep {
class ParsedUnit;

/// What the inference looks at beside the kernel's own units.
struct InferenceOptions {
  /// Text of `--workload=FILE`: members it has override what analysis finds, so
  /// that a file with one scalar is enough. Empty without one.
  std::string UserFile;
  std::string UserPath; ///< Names UserFile in errors.
  /// The application's command line after its name (`--args`); nothing: not
  /// known, and conditions on it are those of a run without arguments.
  std::optional<std::vector<std::string>> Arguments;
  /// Host views of the application's other units that mention a name; may be
  /// empty. They must outlive the call.
  std::function<std::vector<const ParsedUnit *>(llvm::StringRef Name)>
      UnitsNaming;
  /// Sizes that are known only when the application runs get a value of ours,
  /// and a note that says so; without it they are an error.
  bool Assume = true;
};

/// Infers the workload of \p Site's launch \p Launch. Errors: Workload naming
/// the parameter that cannot be inferred and the line of workload.json that
/// would supply it; Unsupported with a place.
llvm::Expected<Workload> inferWorkload(const ParsedUnit &Host,
                                       const ParsedUnit &Device,
                                       const KernelSite &Site, unsigned Launch,
                                       const Closure &C,
                                       const InferenceOptions &Options);

} // namespace mep

#endif // MEP_WORKLOAD_WORKLOADINFERENCE_H
