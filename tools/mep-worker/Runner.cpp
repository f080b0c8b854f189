/// \file
/// Watched launches; telling a refused launch from a lost device.

#include "Runner.h"
#include "Answer.h"
#include <algorithm>

using namespace mepworker;
using Clock = std::chrono::steady_clock;

Runner::Runner(Platform &P, Watchdog &Dog, double HangSeconds,
               uint64_t PieceBytes)
    : Device(P), Dog(Dog), HangSeconds(HangSeconds), LimitSeconds(HangSeconds),
      Host(PieceBytes), Probe(P, 256) {}

void Runner::expect(double BaselineNs) {
  LimitSeconds = std::max(HangSeconds, 50 * BaselineNs * 1e-9);
}

void Runner::fail(const std::string &Error) {
  std::string Again;
  bool Alive =
      Device.set(Probe.address(), 0, 256, Again) && Device.synchronize(Again);
  if (Alive)
    throw Failure(status::LaunchFailed, Error);
  throw Failure(status::Crashed, Error, /*Fatal=*/true);
}

void Runner::launch(const Binding &Bound) {
  Watchdog::Guard Watched(Dog, "a launch", LimitSeconds);
  auto Start = Clock::now();
  std::string Error;
  for (const Launch &Each : Bound.launches())
    if (!Device.launch(Each, Error))
      fail(Error);
  if (!Device.synchronize(Error))
    fail(Error);
  KernelMs +=
      std::chrono::duration<double, std::milli>(Clock::now() - Start).count();
}

double Runner::time(const Binding &Bound, unsigned Batch, bool Flush) {
  Watchdog::Guard Watched(Dog, "a timed launch", LimitSeconds * Batch);
  double Ns = 0;
  std::string Error;
  if (!Device.time(Bound.launches(), Batch, Flush, Ns, Error))
    fail(Error);
  KernelMs += Ns * 1e-6;
  return Ns / Batch;
}

void Runner::runInPlace(ShapeData &Data, Binding &Bound, uint8_t Poison,
                        bool InputsToo) {
  Bound.patch(Data);
  Data.restore(Bound.globals(), Poison);
  Bound.poisonScratch(Poison);
  dirty(Poison);
  launchChecked(Data, Bound, InputsToo);
}

void Runner::runAgainInPlace(ShapeData &Data, Binding &Bound, uint8_t Poison) {
  Bound.patch(Data);
  Data.restore(Bound.globals(), Poison);
  dirty(uint8_t(~Poison));
  launchChecked(Data, Bound, /*InputsToo=*/false);
}

void Runner::dirty(uint8_t Value) {
  std::string Error;
  if (!Device.dirty(Value, Error))
    fail(Error);
}

void Runner::launchChecked(ShapeData &Data, Binding &Bound, bool InputsToo) {
  launch(Bound);
  try {
    Data.checkZones();
    Bound.checkScratch();
    if (InputsToo)
      Data.checkInputs(Bound.globals());
  } catch (const Failure &Wrong) {
    throw Failure(Wrong.Status, std::string(Wrong.what()) + " (shape " +
                                    Data.spec().Name + ")");
  }
}
