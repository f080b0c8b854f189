/// \file
/// Device memory that notices writes beside it.

#ifndef MEP_WORKER_DEVICEMEMORY_H
#define MEP_WORKER_DEVICEMEMORY_H

#include "Platform.h"
#include <string>

namespace mepworker {

/// Throws DeviceError with \p Error when \p Done is false.
void must(bool Done, const std::string &Error);

/// Plain device memory, released with the object.
class DeviceMemory {
public:
  DeviceMemory() = default;
  /// Throws DeviceError when there is not enough.
  DeviceMemory(Platform &P, uint64_t Bytes);
  DeviceMemory(DeviceMemory &&Other) noexcept { swap(Other); }
  DeviceMemory &operator=(DeviceMemory &&Other) noexcept {
    swap(Other);
    return *this;
  }
  ~DeviceMemory();

  char *address() const { return static_cast<char *>(Start); }
  explicit operator bool() const { return Start; }

private:
  void swap(DeviceMemory &Other) {
    std::swap(Owner, Other.Owner);
    std::swap(Start, Other.Start);
  }
  Platform *Owner = nullptr;
  void *Start = nullptr;
};

/// A buffer between two red zones, at an address that can be moved.
class GuardedBuffer {
public:
  static constexpr uint64_t ZoneBytes = 64 * 1024;
  static constexpr unsigned Places = 16;

  GuardedBuffer(Platform &P, std::string Name, uint64_t Bytes);
  char *address() const { return Memory.address() + front(); }
  uint64_t bytes() const { return Bytes; }

  /// Moves the buffer to one of its places; content is lost.
  void move(unsigned Place) { Shift = Place % Places; }
  void paintZones();
  /// Throws Failure (out-of-bounds) when a zone has changed.
  void checkZones() const;

private:
  uint64_t front() const { return ZoneBytes + Shift * 256; }
  uint64_t back() const { return Capacity - front() - Bytes; }
  void checkZone(const char *From, uint64_t Length, bool Front) const;

  Platform &Device;
  std::string Name;
  uint64_t Bytes, Capacity;
  DeviceMemory Memory;
  unsigned Shift = 0;
};

} // namespace mepworker

#endif // MEP_WORKER_DEVICEMEMORY_H
