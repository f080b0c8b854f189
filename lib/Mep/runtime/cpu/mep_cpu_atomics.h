/// \file
/// CUDA's atomic functions: real atomics, because blocks run at the same time.

#ifndef MEP_CPU_ATOMICS_H
#define MEP_CPU_ATOMICS_H

#include "mep_cpu_types.h"

namespace mep_cpu {

/// Replaces *\p Address by \p Change of it; the value before.
template <typename Type, typename Change>
static inline std::remove_cv_t<Type> atomicChange(Type *Address, Change New) {
  using Value = std::remove_cv_t<Type>;
  Value Old, Next;
  __atomic_load(const_cast<Value *>(Address), &Old, __ATOMIC_RELAXED);
  do {
    Next = New(Old);
  } while (!__atomic_compare_exchange(const_cast<Value *>(Address), &Old, &Next,
                                      true, __ATOMIC_ACQ_REL,
                                      __ATOMIC_RELAXED));
  return Old;
}

template <typename Type> using Plain = std::remove_cv_t<Type>;

} // namespace mep_cpu

#define MEP_CPU_ATOMIC(Name, Expression)                                       \
  template <typename Type, typename Other>                                     \
  static inline mep_cpu::Plain<Type> Name(Type *Address, Other With) {         \
    using Value = mep_cpu::Plain<Type>;                                        \
    const Value Given = Value(With);                                           \
    return mep_cpu::atomicChange(                                              \
        Address, [Given]([[maybe_unused]] Value Old) {                         \
          return Value(Expression);                                            \
        });                                                                    \
  }                                                                            \
  template <typename Type, typename Other>                                     \
  static inline mep_cpu::Plain<Type> Name##_block(Type *Address, Other With) { \
    return Name(Address, With);                                                \
  }                                                                            \
  template <typename Type, typename Other>                                     \
  static inline mep_cpu::Plain<Type> Name##_system(Type *Address,              \
                                                   Other With) {               \
    return Name(Address, With);                                                \
  }
MEP_CPU_ATOMIC(atomicAdd, Old + Given)
MEP_CPU_ATOMIC(atomicSub, Old - Given)
MEP_CPU_ATOMIC(atomicExch, Given)
MEP_CPU_ATOMIC(atomicMin, Given < Old ? Given : Old)
MEP_CPU_ATOMIC(atomicMax, Old < Given ? Given : Old)
MEP_CPU_ATOMIC(atomicAnd, Old & Given)
MEP_CPU_ATOMIC(atomicOr, Old | Given)
MEP_CPU_ATOMIC(atomicXor, Old ^ Given)
MEP_CPU_ATOMIC(atomicInc, Old >= Given ? 0 : Old + 1)
MEP_CPU_ATOMIC(atomicDec, Old == 0 || Old > Given ? Given : Old - 1)
#undef MEP_CPU_ATOMIC

/// Compares bits, as the device does: two NaNs of the same bits are equal.
template <typename Type, typename Expected, typename Other>
static inline mep_cpu::Plain<Type> atomicCAS(Type *Address, Expected Compare,
                                             Other With) {
  mep_cpu::Plain<Type> Old = mep_cpu::Plain<Type>(Compare);
  mep_cpu::Plain<Type> Next = mep_cpu::Plain<Type>(With);
  __atomic_compare_exchange(const_cast<mep_cpu::Plain<Type> *>(Address), &Old,
                            &Next, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  return Old;
}
template <typename Type, typename Expected, typename Other>
static inline mep_cpu::Plain<Type>
atomicCAS_block(Type *Address, Expected Compare, Other With) {
  return atomicCAS(Address, Compare, With);
}
template <typename Type, typename Expected, typename Other>
static inline mep_cpu::Plain<Type>
atomicCAS_system(Type *Address, Expected Compare, Other With) {
  return atomicCAS(Address, Compare, With);
}

static inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_block() { __threadfence(); }
static inline void __threadfence_system() { __threadfence(); }

#endif // MEP_CPU_ATOMICS_H
