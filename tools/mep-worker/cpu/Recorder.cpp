/// \file
/// What recorded kernels call at every access: the interface that compilers'
/// -fsanitize=thread instruments for (compiler-rt, tsan_interface.h and
/// tsan_interface_atomic.h), with the probe's marks in place of that runtime.
/// Exported, so that kernels find these functions here.

#include "../Probe.h"

using namespace mepworker;

namespace {
/// The touch comes first: it makes the memory.
inline void note(const volatile void *Address, uint64_t Bytes,
                 AccessKind Kind) {
  if (!ActiveTouches)
    return;
  const bool Reads =
                 Kind != AccessKind::Write && Kind != AccessKind::VolatileWrite,
             Writes = Kind != AccessKind::Read &&
                      Kind != AccessKind::AtomicRead &&
                      Kind != AccessKind::VolatileRead;
  if (Reads)
    ActiveTouches->touch(Address, Bytes, false);
  if (Writes)
    ActiveTouches->touch(Address, Bytes, true);
  if (ActiveHazards)
    ActiveHazards->access(Address, Bytes, Kind);
}
inline void read(const volatile void *Address, uint64_t Bytes) {
  note(Address, Bytes, AccessKind::Read);
}
inline void write(const volatile void *Address, uint64_t Bytes) {
  note(Address, Bytes, AccessKind::Write);
}
} // namespace

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
void __tsan_ignore_thread_begin() {}
void __tsan_ignore_thread_end() {}

uint64_t mep_cpu_probe_block(uint64_t Number, uint64_t Blocks,
                             const void *ThreadIndex) {
  if (!ActiveTouches)
    return Number;
  uint64_t Block = ActiveTouches->enterBlock(Number, Blocks, ThreadIndex);
  if (ActiveHazards)
    ActiveHazards->beginBlock(Block, ThreadIndex);
  return Block;
}
void mep_cpu_probe_barrier() {
  if (ActiveHazards)
    ActiveHazards->barrier();
}
void mep_cpu_probe_running(bool Kernel) {
  if (ActiveHazards)
    ActiveHazards->setRunning(Kernel);
}
void mep_cpu_probe_meet(unsigned Warp) {
  if (ActiveHazards)
    ActiveHazards->meet(Warp);
}
void mep_cpu_probe_shared(const void *Dynamic, uint64_t Bytes,
                          const void *ThreadIndex, const void *const *Own,
                          const uint64_t *OwnBytes, unsigned Count) {
  if (!ActiveHazards)
    return;
  std::vector<std::pair<const void *, uint64_t>> Runtime;
  for (unsigned I = 0; I < Count; ++I)
    Runtime.emplace_back(Own[I], OwnBytes[I]);
  ActiveHazards->setShared(Dynamic, Bytes, ThreadIndex, Runtime);
}

#define MEP_RECORD(Bytes)                                                      \
  void __tsan_read##Bytes(void *At) { read(At, Bytes); }                       \
  void __tsan_write##Bytes(void *At) { write(At, Bytes); }                     \
  void __tsan_read_write##Bytes(void *At) {                                    \
    read(At, Bytes);                                                           \
    write(At, Bytes);                                                          \
  }                                                                            \
  void __tsan_unaligned_read##Bytes(void *At) { read(At, Bytes); }             \
  void __tsan_unaligned_write##Bytes(void *At) { write(At, Bytes); }           \
  void __tsan_unaligned_read_write##Bytes(void *At) {                          \
    read(At, Bytes);                                                           \
    write(At, Bytes);                                                          \
  }                                                                            \
  void __tsan_volatile_read##Bytes(void *At) {                                 \
    note(At, Bytes, AccessKind::VolatileRead);                                 \
  }                                                                            \
  void __tsan_volatile_write##Bytes(void *At) {                                \
    note(At, Bytes, AccessKind::VolatileWrite);                                \
  }
MEP_RECORD(1)
MEP_RECORD(2)
MEP_RECORD(4)
MEP_RECORD(8)
MEP_RECORD(16)
#undef MEP_RECORD

void __tsan_read_range(void *At, uint64_t Bytes) {
  if (Bytes)
    read(At, Bytes);
}
void __tsan_write_range(void *At, uint64_t Bytes) {
  if (Bytes)
    write(At, Bytes);
}
void __tsan_vptr_read(void **At) { read(At, sizeof(void *)); }
void __tsan_vptr_update(void **At, void *) { write(At, sizeof(void *)); }

void *__tsan_memcpy(void *To, const void *From, size_t Bytes) {
  __tsan_read_range(const_cast<void *>(From), Bytes);
  __tsan_write_range(To, Bytes);
  return __builtin_memcpy(To, From, Bytes);
}
void *__tsan_memmove(void *To, const void *From, size_t Bytes) {
  __tsan_read_range(const_cast<void *>(From), Bytes);
  __tsan_write_range(To, Bytes);
  return __builtin_memmove(To, From, Bytes);
}
void *__tsan_memset(void *To, int Value, size_t Bytes) {
  __tsan_write_range(To, Bytes);
  return __builtin_memset(To, Value, Bytes);
}

void __tsan_atomic_thread_fence(int) {
  if (ActiveHazards)
    ActiveHazards->fence();
}
void __tsan_atomic_signal_fence(int) {}

// One thread runs all of a probe, so atomics are plain; a comparison that fails
// writes nothing.
#define MEP_FETCH(Bits, Name, Expression)                                      \
  uint##Bits##_t __tsan_atomic##Bits##_##Name(volatile uint##Bits##_t *At,     \
                                              uint##Bits##_t Value, int) {     \
    note(At, Bits / 8, AccessKind::AtomicUpdate);                              \
    uint##Bits##_t Old = *At;                                                  \
    *At = uint##Bits##_t(Expression);                                          \
    return Old;                                                                \
  }
#define MEP_ATOMIC(Bits)                                                       \
  uint##Bits##_t __tsan_atomic##Bits##_load(const volatile uint##Bits##_t *At, \
                                            int) {                             \
    note(At, Bits / 8, AccessKind::AtomicRead);                                \
    return *At;                                                                \
  }                                                                            \
  void __tsan_atomic##Bits##_store(volatile uint##Bits##_t *At,                \
                                   uint##Bits##_t Value, int) {                \
    note(At, Bits / 8, AccessKind::AtomicWrite);                               \
    *At = Value;                                                               \
  }                                                                            \
  MEP_FETCH(Bits, exchange, Value)                                             \
  MEP_FETCH(Bits, fetch_add, Old + Value)                                      \
  MEP_FETCH(Bits, fetch_sub, Old - Value)                                      \
  MEP_FETCH(Bits, fetch_and, Old &Value)                                       \
  MEP_FETCH(Bits, fetch_or, Old | Value)                                       \
  MEP_FETCH(Bits, fetch_xor, Old ^ Value)                                      \
  MEP_FETCH(Bits, fetch_nand, ~(Old & Value))                                  \
  uint##Bits##_t __tsan_atomic##Bits##_compare_exchange_val(                   \
      volatile uint##Bits##_t *At, uint##Bits##_t Expected,                    \
      uint##Bits##_t Value, int, int) {                                        \
    note(At, Bits / 8, AccessKind::AtomicRead);                                \
    uint##Bits##_t Old = *At;                                                  \
    if (Old == Expected) {                                                     \
      note(At, Bits / 8, AccessKind::AtomicWrite);                             \
      *At = Value;                                                             \
    }                                                                          \
    return Old;                                                                \
  }                                                                            \
  int __tsan_atomic##Bits##_compare_exchange_strong(                           \
      volatile uint##Bits##_t *At, uint##Bits##_t *Expected,                   \
      uint##Bits##_t Value, int, int) {                                        \
    uint##Bits##_t Old = __tsan_atomic##Bits##_compare_exchange_val(           \
        At, *Expected, Value, 0, 0);                                           \
    bool Same = Old == *Expected;                                              \
    *Expected = Old;                                                           \
    return Same;                                                               \
  }                                                                            \
  int __tsan_atomic##Bits##_compare_exchange_weak(                             \
      volatile uint##Bits##_t *At, uint##Bits##_t *Expected,                   \
      uint##Bits##_t Value, int, int) {                                        \
    return __tsan_atomic##Bits##_compare_exchange_strong(At, Expected, Value,  \
                                                         0, 0);                \
  }
MEP_ATOMIC(8)
MEP_ATOMIC(16)
MEP_ATOMIC(32)
MEP_ATOMIC(64)
#undef MEP_ATOMIC
#undef MEP_FETCH

} // extern "C"
