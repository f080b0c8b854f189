/// \file
/// Device memory and its red zones.

#include "DeviceMemory.h"
#include "Answer.h"
#include <vector>

using namespace mepworker;

namespace {
constexpr uint8_t ZonePattern = 0xC5;
}

void mepworker::must(bool Done, const std::string &Error) {
  if (!Done)
    throw DeviceError(Error.empty() ? "the device refused a copy" : Error);
}

DeviceMemory::DeviceMemory(Platform &P, uint64_t Bytes)
    : Owner(&P), Start(P.allocate(Bytes ? Bytes : 1)) {
  if (!Start)
    throw DeviceError("out of device memory: " + std::to_string(Bytes) +
                      " bytes more are needed of its " +
                      std::to_string(P.facts().MemoryBytes));
}

DeviceMemory::~DeviceMemory() {
  if (Start)
    Owner->release(Start);
}

GuardedBuffer::GuardedBuffer(Platform &P, std::string Name, uint64_t Bytes)
    : Device(P), Name(std::move(Name)), Bytes(Bytes),
      Capacity(2 * ZoneBytes + Places * 256 + Bytes), Memory(P, Capacity) {}

void GuardedBuffer::paintZones() {
  std::string Error;
  must(Device.set(Memory.address(), ZonePattern, front(), Error), Error);
  must(Device.set(address() + Bytes, ZonePattern, back(), Error), Error);
}

void GuardedBuffer::checkZones() const {
  checkZone(Memory.address(), front(), true);
  checkZone(address() + Bytes, back(), false);
}

void GuardedBuffer::checkZone(const char *From, uint64_t Length,
                              bool Front) const {
  std::vector<uint8_t> Zone(Length);
  std::string Error;
  must(Device.download(Zone.data(), From, Length, Error), Error);
  for (uint64_t I = 0; I < Length; ++I) {
    uint64_t At = Front ? Length - 1 - I : I;
    if (Zone[At] != ZonePattern)
      throw Failure(status::OutOfBounds,
                    std::string("writes ") +
                        (Front ? "before the start" : "past the end") +
                        " of buffer '" + Name + "' (" + std::to_string(Bytes) +
                        " bytes), first at byte " +
                        (Front ? "-" + std::to_string(I + 1)
                               : std::to_string(Bytes + I)));
  }
}
