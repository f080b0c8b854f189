/// \file
/// CPU platform: the memory that stands for a device's. One range of addresses,
/// of which allocations are parts.

#ifndef MEP_WORKER_CPU_DEVICEARENA_H
#define MEP_WORKER_CPU_DEVICEARENA_H

#include <cstdint>
#include <map>

namespace mepworker {

/// What no allocation has can be read, as zeros, and not written: on a GPU,
/// too, reads somewhat past a buffer mostly go unnoticed. What is released goes
/// back to the system.
class DeviceArena {
public:
  /// Allocations may have \p Bytes in all. Check `isOpen`.
  explicit DeviceArena(uint64_t Bytes);
  ~DeviceArena();
  DeviceArena(const DeviceArena &) = delete;
  bool isOpen() const { return Base; }

  void *allocate(uint64_t Bytes); ///< Null when there is not as much left.
  void release(void *Pointer);

  /// Counts memory that lies elsewhere; false when there is not as much left.
  bool take(uint64_t Bytes);
  void giveBack(uint64_t Bytes) { Left += Bytes; }

private:
  char *Base = nullptr;
  uint64_t Left, Span;
  std::map<uint64_t, uint64_t> Parts; ///< Bytes by offset.
};

} // namespace mepworker

#endif // MEP_WORKER_CPU_DEVICEARENA_H
