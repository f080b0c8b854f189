/// \file
/// What recorded kernels call at every access: the interface that compilers'
/// -fsanitize=thread instruments for (compiler-rt, tsan_interface.h and
/// tsan_interface_atomic.h), with the probe's marks in place of that runtime.
/// Exported, so that kernels find these functions here.

#include "../Probe.h"

using namespace mepworker;

namespace {
inline void touch(const volatile void *Address, uint64_t Bytes, bool Write) {
  if (ActiveTouches)
    ActiveTouches->touch(Address, Bytes, Write);
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
  return ActiveTouches ? ActiveTouches->enterBlock(Number, Blocks, ThreadIndex)
                       : Number;
}

#define MEP_RECORD(Bytes)                                                      \
  void __tsan_read##Bytes(void *At) { touch(At, Bytes, false); }               \
  void __tsan_write##Bytes(void *At) { touch(At, Bytes, true); }               \
  void __tsan_read_write##Bytes(void *At) {                                    \
    touch(At, Bytes, false);                                                   \
    touch(At, Bytes, true);                                                    \
  }                                                                            \
  void __tsan_unaligned_read##Bytes(void *At) { touch(At, Bytes, false); }     \
  void __tsan_unaligned_write##Bytes(void *At) { touch(At, Bytes, true); }     \
  void __tsan_unaligned_read_write##Bytes(void *At) {                          \
    touch(At, Bytes, false);                                                   \
    touch(At, Bytes, true);                                                    \
  }                                                                            \
  void __tsan_volatile_read##Bytes(void *At) { touch(At, Bytes, false); }      \
  void __tsan_volatile_write##Bytes(void *At) { touch(At, Bytes, true); }
MEP_RECORD(1)
MEP_RECORD(2)
MEP_RECORD(4)
MEP_RECORD(8)
MEP_RECORD(16)
#undef MEP_RECORD

void __tsan_read_range(void *At, uint64_t Bytes) {
  if (Bytes)
    touch(At, Bytes, false);
}
void __tsan_write_range(void *At, uint64_t Bytes) {
  if (Bytes)
    touch(At, Bytes, true);
}
void __tsan_vptr_read(void **At) { touch(At, sizeof(void *), false); }
void __tsan_vptr_update(void **At, void *) { touch(At, sizeof(void *), true); }

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

void __tsan_atomic_thread_fence(int) {}
void __tsan_atomic_signal_fence(int) {}

// One thread runs all of a probe, so atomics are plain; a comparison that fails
// writes nothing.
#define MEP_FETCH(Bits, Name, Expression)                                      \
  uint##Bits##_t __tsan_atomic##Bits##_##Name(volatile uint##Bits##_t *At,     \
                                              uint##Bits##_t Value, int) {     \
    touch(At, Bits / 8, false);                                                \
    touch(At, Bits / 8, true);                                                 \
    uint##Bits##_t Old = *At;                                                  \
    *At = uint##Bits##_t(Expression);                                          \
    return Old;                                                                \
  }
#define MEP_ATOMIC(Bits)                                                       \
  uint##Bits##_t __tsan_atomic##Bits##_load(const volatile uint##Bits##_t *At, \
                                            int) {                             \
    touch(At, Bits / 8, false);                                                \
    return *At;                                                                \
  }                                                                            \
  void __tsan_atomic##Bits##_store(volatile uint##Bits##_t *At,                \
                                   uint##Bits##_t Value, int) {                \
    touch(At, Bits / 8, true);                                                 \
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
    touch(At, Bits / 8, false);                                                \
    uint##Bits##_t Old = *At;                                                  \
    if (Old == Expected) {                                                     \
      touch(At, Bits / 8, true);                                               \
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
