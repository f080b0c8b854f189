/// \file
/// What Discovery finds: a kernel, its parameters and instantiations, and the
/// places that launch it.

#ifndef MEP_MODEL_KERNELSITE_H
#define MEP_MODEL_KERNELSITE_H

#include "mep/Model/Source.h"
#include "mep/Support/Json.h"
#include <cstdint>
#include <string>
#include <vector>

namespace mep {

struct KernelParameter {
  std::string Name; ///< As declared; `arg<N>` when it has none.
  std::string Type; ///< As written.
  std::string CanonicalType;
};

/// One set of template arguments that a launch uses.
struct Instantiation {
  std::string Arguments;   ///< `float, 16`, as C++ can name them.
  std::string MangledName; ///< Device symbol.
};

enum class LaunchKind {
  Triple,   ///< `k<<<g, b, s, t>>>(...)`
  Api,      ///< cudaLaunchKernel and friends
  Macro,    ///< the launch's tokens come from a macro body
  Templated ///< inside a template: one site, several kernels
};

const char *name(LaunchKind Kind);

/// One launch of one kernel.
struct LaunchSite {
  LaunchKind Kind = LaunchKind::Triple;
  std::string Unit;       ///< Main file of the unit that was parsed.
  SourceSpan Call;        ///< The whole call expression, callee to `)`.
  SourceSpan Grid, Block; ///< The configuration expressions; invalid if absent.
  SourceSpan Shared, Stream;
  std::string GridText, BlockText, SharedText, StreamText; ///< Empty if absent.
  std::vector<std::string> Arguments; ///< Text of each argument.
  std::string Function;               ///< Enclosing host function, qualified.
  unsigned Instantiation = 0;         ///< Index into the kernel's list.
  bool InLoop = false;                ///< Launched repeatedly by a host loop.
};

/// A kernel of the application.
struct KernelSite {
  std::string Name;          ///< Unqualified.
  std::string QualifiedName; ///< With namespaces, without template arguments.
  std::string MangledName;   ///< Device symbol; of the first instantiation.
  std::string Unit;          ///< Main file of the unit it was found in.
  SourceSpan Definition; ///< From its first specifier (`template`, `static`,
                         ///< `__global__`) to the closing brace.
  SourceSpan Body;       ///< `{ ... }`.
  std::vector<KernelParameter> Parameters;
  bool IsTemplate = false;
  std::vector<Instantiation> Instantiations; ///< One entry if not a template.
  std::vector<LaunchSite> Launches;
  /// Static guess of the cost, larger is hotter; only the order means anything.
  double Rank = 0;
  std::string RankReason; ///< What the guess rests on, in a few words.
};

Json toJson(const SourceSpan &Span);
Json toJson(const LaunchSite &Site);
Json toJson(const KernelSite &Site);

} // namespace mep

#endif // MEP_MODEL_KERNELSITE_H
