/// \file
/// Parts of one range of addresses.

#include "DeviceArena.h"
#include <algorithm>
#include <sys/mman.h>

using namespace mepworker;

namespace {
constexpr uint64_t PageBytes = 4096;
/// Readable before the first and after the last allocation.
constexpr uint64_t MarginBytes = uint64_t(1) << 30;
/// Addresses cost nothing: with so many of them, gaps do not matter.
constexpr uint64_t AddressesPerByte = 4;
constexpr int Mapping = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
} // namespace

DeviceArena::DeviceArena(uint64_t Bytes)
    : Left(Bytes), Span(AddressesPerByte * Bytes + 2 * MarginBytes) {
  void *Got = mmap(nullptr, Span, PROT_READ, Mapping, -1, 0);
  Base = Got == MAP_FAILED ? nullptr : static_cast<char *>(Got);
}

DeviceArena::~DeviceArena() {
  if (Base)
    munmap(Base, Span);
}

bool DeviceArena::take(uint64_t Bytes) {
  if (Bytes > Left)
    return false;
  Left -= Bytes;
  return true;
}

void *DeviceArena::allocate(uint64_t Bytes) {
  if (Bytes > Left)
    return nullptr;
  Bytes = std::max((Bytes + PageBytes - 1) / PageBytes * PageBytes, PageBytes);
  uint64_t At = MarginBytes;
  for (auto [Offset, Length] : Parts) {
    if (Offset - At >= Bytes)
      break;
    At = Offset + Length;
  }
  if (Bytes > Span - MarginBytes - At || !take(Bytes))
    return nullptr;
  if (mprotect(Base + At, Bytes, PROT_READ | PROT_WRITE)) {
    giveBack(Bytes);
    return nullptr;
  }
  Parts[At] = Bytes;
  return Base + At;
}

void DeviceArena::release(void *Pointer) {
  auto Part = Parts.find(uint64_t(static_cast<char *>(Pointer) - Base));
  mmap(Base + Part->first, Part->second, PROT_READ, Mapping | MAP_FIXED, -1, 0);
  giveBack(Part->second);
  Parts.erase(Part);
}
