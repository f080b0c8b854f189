/// \file
/// Ends the worker when a launch or a compilation does not come back. Neither
/// can be stopped from inside the process, so the watchdog sends the answer
/// that the request has earned and exits; the tool starts another worker.

#ifndef MEP_WORKER_WATCHDOG_H
#define MEP_WORKER_WATCHDOG_H

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace mepworker {

class Watchdog {
public:
  /// Gets what ran too long (`a launch`) and the limit; sends the last answer.
  using Farewell = std::function<void(const std::string &What, double Seconds)>;

  Watchdog();
  ~Watchdog();
  void onTimeout(Farewell Last);

  /// While it lives, the limit counts.
  class Guard {
  public:
    Guard(Watchdog &Dog, const std::string &What, double Seconds);
    ~Guard();

  private:
    Watchdog &Dog;
  };

private:
  void watch();
  std::mutex Mutex;
  std::condition_variable Changed;
  Farewell Last;
  std::string What;
  double Seconds = 0; ///< 0: nothing is watched.
  std::chrono::steady_clock::time_point Deadline;
  bool Ending = false;
  std::thread Thread;
};

} // namespace mepworker

#endif // MEP_WORKER_WATCHDOG_H
