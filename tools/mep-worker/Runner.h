/// \file
/// Runs a binding's launches, watched and checked.

#ifndef MEP_WORKER_RUNNER_H
#define MEP_WORKER_RUNNER_H

#include "Program.h"
#include "Watchdog.h"

namespace mepworker {

class Runner {
public:
  /// A launch that takes longer than \p HangSeconds is given up. \p PieceBytes:
  /// of what passes through the host at a time.
  Runner(Platform &P, Watchdog &Dog, double HangSeconds,
         uint64_t PieceBytes = Staging::DefaultBytes);

  /// From now on a launch may take fifty times \p BaselineNs, or the limit of
  /// the constructor if that is longer.
  void expect(double BaselineNs);

  /// One checked run: restores everything, launches, checks red zones and (with
  /// \p InputsToo) inputs, leaves the outputs in place. Throws Failure.
  void runInPlace(ShapeData &Data, Binding &Bound, uint8_t Poison,
                  bool InputsToo = true);
  /// The same without a look at the inputs, on scratch memory as the last run
  /// left it: so the further launches of a timed sample find it. What lies in
  /// shared memory is another, though.
  void runAgainInPlace(ShapeData &Data, Binding &Bound, uint8_t Poison);
  /// Only the launches, to the end.
  void launch(const Binding &Bound);
  /// Device time of \p Batch repetitions in ns, per repetition.
  double time(const Binding &Bound, unsigned Batch, bool Flush);

  double kernelMs() const { return KernelMs; }
  Platform &device() { return Device; }
  Watchdog &dog() { return Dog; }
  Staging &host() { return Host; }

private:
  [[noreturn]] void fail(const std::string &Error);
  void dirty(uint8_t Value);
  void launchChecked(ShapeData &Data, Binding &Bound, bool InputsToo);
  Platform &Device;
  Watchdog &Dog;
  double HangSeconds, LimitSeconds;
  double KernelMs = 0; ///< Spent in launches so far.
  Staging Host;
  DeviceMemory Probe; ///< To see whether the device still answers.
};

} // namespace mepworker

#endif // MEP_WORKER_RUNNER_H
