/// \file
/// Fifth step of the walk: the data the kernel runs on, from the launch site
/// and the host code around it.

#ifndef MEP_WORKLOAD_WORKLOADINFERENCE_H
#define MEP_WORKLOAD_WORKLOADINFERENCE_H

#include "mep/Model/Closure.h"
#include "mep/Model/KernelSite.h"
#include "mep/Model/Workload.h"
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace mep {
class ParsedUnit;

/// Extents that only a run of the kernel can tell. Each is a dimension of its
/// own, which shapes leave alone and which has no value yet.
struct OpenExtents {
  std::map<std::string, std::string> Buffers; ///< To the dimension's name.
  std::string Missing;    ///< What to say if they stay unknown.
  bool HasShapes = false; ///< The user's file gives shapes.
  /// Dimensions whose value is assumed, and the buffers whose extent rests on
  /// one: found, but not believed against what a run shows. Not part of
  /// empty().
  std::set<std::string> Assumed, Doubtful;
  /// Why a run has to show that the launch stays inside its buffers though
  /// nothing is assumed; empty: the accesses themselves show it.
  std::string NeedsRun;
  bool empty() const { return Buffers.empty(); }
};

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
  /// How many further units mention it, which are not looked at; may be empty.
  std::function<size_t(llvm::StringRef Name)> UnitsNotRead;
  /// The host view of a unit that launches the kernel as well; null if there is
  /// none. May be empty: launches in other units are not looked at.
  std::function<const ParsedUnit *(llvm::StringRef File)> HostOf;
  /// Sizes that are known only when the application runs get a value of ours,
  /// and a note that says so; without it they are an error.
  bool Assume = true;
  /// Takes extents that are all that is missing, which are an error without it.
  OpenExtents *Open = nullptr;
};

/// Infers the workload of \p Site's launch \p Launch; the other launches of its
/// instantiation that have numbers of their own become further shapes, with how
/// often each runs as their weights. Errors: Workload naming
/// the parameter that cannot be inferred and the line of workload.json that
/// would supply it; Unsupported with a place.
llvm::Expected<Workload> inferWorkload(const ParsedUnit &Host,
                                       const ParsedUnit &Device,
                                       const KernelSite &Site, unsigned Launch,
                                       const Closure &C,
                                       const InferenceOptions &Options);

/// An extent for an open one.
struct ClosedExtent {
  std::string Text;     ///< Over the dimensions, or a number.
  bool Follows = false; ///< It holds for other values of the dimensions too.
};

/// Gives the buffers of \p Open their \p Extents, all of them. Where one of
/// them does not follow from the dimensions, these become fixed. \p DeviceText:
/// of the closure.
void closeExtents(Workload &W, const OpenExtents &Open,
                  const std::map<std::string, ClosedExtent> &Extents,
                  llvm::StringRef DeviceText);

} // namespace mep

#endif // MEP_WORKLOAD_WORKLOADINFERENCE_H
