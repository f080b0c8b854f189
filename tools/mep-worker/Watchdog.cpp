/// \file
/// The thread that waits for a deadline.

#include "Watchdog.h"
#include <unistd.h>

using namespace mepworker;
using Clock = std::chrono::steady_clock;

Watchdog::Watchdog() : Thread([this] { watch(); }) {}

Watchdog::~Watchdog() {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    Ending = true;
  }
  Changed.notify_all();
  Thread.join();
}

void Watchdog::onTimeout(Farewell New) {
  std::lock_guard<std::mutex> Lock(Mutex);
  Last = std::move(New);
}

Watchdog::Guard::Guard(Watchdog &Dog, const std::string &What, double Seconds)
    : Dog(Dog) {
  std::lock_guard<std::mutex> Lock(Dog.Mutex);
  Dog.What = What;
  Dog.Seconds = Seconds;
  Dog.Deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                    std::chrono::duration<double>(Seconds));
  Dog.Changed.notify_all();
}

Watchdog::Guard::~Guard() {
  std::lock_guard<std::mutex> Lock(Dog.Mutex);
  Dog.Seconds = 0;
}

void Watchdog::watch() {
  std::unique_lock<std::mutex> Lock(Mutex);
  while (!Ending) {
    if (Seconds == 0) {
      Changed.wait(Lock);
      continue;
    }
    if (Clock::now() < Deadline) {
      Changed.wait_until(Lock, Deadline);
      continue;
    }
    if (Last)
      Last(What, Seconds);
    _exit(3);
  }
}
