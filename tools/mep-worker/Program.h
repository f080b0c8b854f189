/// \file
/// A device source compiled for the shapes, and its launches bound to a shape's
/// buffers.

#ifndef MEP_WORKER_PROGRAM_H
#define MEP_WORKER_PROGRAM_H

#include "ShapeData.h"

namespace mepworker {

/// One module with what was found out when it was made.
struct Program {
  std::unique_ptr<Module> Loaded;
  std::vector<std::string> Kernels; ///< As compiled: name expressions.
  std::vector<KernelResources> Resources;
  Initializers Initial; ///< Device globals before the first launch, once kept.
  std::string Compiler;
};

/// The name expression for a launch's kernel: an unqualified name lies in the
/// namespace of \p Prepared, and the plain name of \p Prepared (or none) means
/// its instantiation.
std::string kernelExpression(const std::string &Prepared,
                             const std::string &Name);

/// Throws Failure (resource-limit) when a launch of \p Shape cannot be on a
/// device of \p Facts.
void checkLimits(const Geometry &Shape, const DeviceFacts &Facts,
                 const KernelResources &Kernel, const std::string &Where);

/// The arguments of \p What: its own, or else all of \p Shape's. Throws Failure
/// (launch-failed) when \p Kernel has another number of parameters, as far as
/// that is known (\p Wanted, else -1): the device would read beyond them.
std::vector<std::string> argumentsOf(const PlannedLaunch &What,
                                     const ShapeSpec &Shape,
                                     const std::string &Kernel, int Wanted,
                                     const std::string &Where);

/// What a plan launches of one program on one shape.
class Binding {
public:
  /// Throws Failure (resource-limit) when a launch cannot be on this device,
  /// RequestError (with \p Where) for an unknown argument name.
  Binding(Platform &P, Program &From, const ShapeData &Data, const Plan &What,
          const std::string &Prepared, const std::string &Where);

  /// Writes the current addresses of \p Data into the arguments.
  void patch(const ShapeData &Data);
  void poisonScratch(uint8_t Poison);
  void checkScratch() const;

  const std::vector<Launch> &launches() const { return Launches; }
  /// Per buffer of the shape: the device global, or null.
  const std::vector<void *> &globals() const { return Globals; }
  const KernelResources &resources() const { return Resources; }

private:
  struct Bound {
    std::vector<uint64_t> Words; ///< The argument's bytes, aligned.
    std::vector<PointerSpec> Pointers;
    int Scratch = -1;
  };
  void bindLaunch(Program &From, const ShapeData &Data,
                  const PlannedLaunch &What, const std::string &Prepared,
                  const std::string &Where);
  Bound bindArgument(const ShapeData &Data, const Plan &What,
                     const std::string &Name, const std::string &Where) const;
  char *pointee(const ShapeData &Data, const std::string &Buffer) const;

  Platform &Device;
  Plan Planned;
  std::vector<Launch> Launches;
  std::vector<std::vector<Bound>> Arguments; ///< Per launch.
  std::vector<std::unique_ptr<GuardedBuffer>> Scratch;
  std::vector<void *> Globals;
  KernelResources Resources; ///< The largest of its launches'.
};

/// The original launch of \p Shape as a plan.
Plan originalPlan(const ShapeSpec &Shape);

} // namespace mepworker

#endif // MEP_WORKER_PROGRAM_H
