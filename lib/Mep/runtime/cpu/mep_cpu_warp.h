/// \file
/// Barriers, votes and shuffles.

#ifndef MEP_CPU_WARP_H
#define MEP_CPU_WARP_H

#include "mep_cpu_block.h"

#ifdef MEP_NO_FIBERS

namespace mep_cpu {
static inline unsigned barrier(bool) { needsFibers(); }
static inline unsigned barrierSize() { needsFibers(); }
static inline unsigned laneNumber() { needsFibers(); }
static inline uint64_t aliveLanes() { needsFibers(); }
static inline uint64_t vote(uint64_t, bool, uint64_t &) { needsFibers(); }
template <typename Type> static inline Type swap(uint64_t, Type, unsigned) {
  needsFibers();
}
} // namespace mep_cpu

#else

namespace mep_cpu {

static inline unsigned barrier(bool Vote) { return Current->barrier(Vote); }
static inline unsigned barrierSize() { return Current->barrierSize(); }
static inline unsigned laneNumber() { return Current->laneNumber(); }
static inline uint64_t aliveLanes() { return Current->aliveLanes(); }

/// Lanes of \p Mask with a true \p Vote; \p Together: those that met.
static inline uint64_t vote(uint64_t Mask, bool Vote, uint64_t &Together) {
  Current->lane().Vote = Vote;
  Exchange &Met = Current->meet(Mask);
  Together = Met.Together;
  return Met.Votes;
}

/// The value that lane \p Source brings.
template <typename Type>
static inline Type swap(uint64_t Mask, Type Value, unsigned Source) {
  static_assert(sizeof(Type) <= 16 && std::is_trivially_copyable_v<Type>,
                "a warp exchanges values of at most 16 bytes");
  Exchange &Lane = Current->lane();
  std::memcpy(Lane.Value, &Value, sizeof(Type));
  Lane.Source = Source;
  Exchange &Met = Current->meet(Mask);
  std::memcpy(&Value, Met.Result, sizeof(Type));
  return Value;
}

} // namespace mep_cpu

#endif // MEP_NO_FIBERS

namespace mep_cpu {

#if MEP_WARP_SIZE > 32
typedef unsigned long long WarpMask;
#else
typedef unsigned int WarpMask;
#endif
static constexpr uint64_t AllLanes =
    MEP_WARP_SIZE == 64 ? ~uint64_t(0)
                        : (uint64_t(1) << (MEP_WARP_SIZE & 63)) - 1;

/// A full 32-bit mask means the whole warp on a wider device too.
static inline uint64_t lanes(uint64_t Mask) {
  return Mask == 0xffffffffu || Mask == ~uint64_t(0) ? AllLanes : Mask;
}

} // namespace mep_cpu

static inline void __syncthreads() { mep_cpu::barrier(false); }
static inline int __syncthreads_count(int Predicate) {
  return int(mep_cpu::barrier(Predicate != 0));
}
static inline int __syncthreads_or(int Predicate) {
  return mep_cpu::barrier(Predicate != 0) != 0;
}
static inline int __syncthreads_and(int Predicate) {
  return mep_cpu::barrier(Predicate != 0) == mep_cpu::barrierSize();
}

static inline void __syncwarp(uint64_t Mask = ~uint64_t(0)) {
  uint64_t Together;
  mep_cpu::vote(mep_cpu::lanes(Mask), false, Together);
}
static inline mep_cpu::WarpMask __activemask() {
  return mep_cpu::WarpMask(mep_cpu::aliveLanes());
}
static inline mep_cpu::WarpMask __ballot_sync(uint64_t Mask, int Predicate) {
  uint64_t Together;
  return mep_cpu::WarpMask(
      mep_cpu::vote(mep_cpu::lanes(Mask), Predicate != 0, Together));
}
static inline int __any_sync(uint64_t Mask, int Predicate) {
  return __ballot_sync(Mask, Predicate) != 0;
}
static inline int __all_sync(uint64_t Mask, int Predicate) {
  uint64_t Together;
  uint64_t Votes =
      mep_cpu::vote(mep_cpu::lanes(Mask), Predicate != 0, Together);
  return Votes == Together;
}

template <typename Type>
static inline Type __shfl_sync(uint64_t Mask, Type Value, int Source,
                               int Width = MEP_WARP_SIZE) {
  unsigned Lane = mep_cpu::laneNumber();
  unsigned First = Lane & ~unsigned(Width - 1);
  return mep_cpu::swap(mep_cpu::lanes(Mask), Value,
                       First | (unsigned(Source) & unsigned(Width - 1)));
}
template <typename Type>
static inline Type __shfl_up_sync(uint64_t Mask, Type Value, unsigned Delta,
                                  int Width = MEP_WARP_SIZE) {
  unsigned Lane = mep_cpu::laneNumber();
  bool Inside = (Lane & unsigned(Width - 1)) >= Delta;
  return mep_cpu::swap(mep_cpu::lanes(Mask), Value,
                       Inside ? Lane - Delta : Lane);
}
template <typename Type>
static inline Type __shfl_down_sync(uint64_t Mask, Type Value, unsigned Delta,
                                    int Width = MEP_WARP_SIZE) {
  unsigned Lane = mep_cpu::laneNumber();
  bool Inside = (Lane & unsigned(Width - 1)) + Delta < unsigned(Width);
  return mep_cpu::swap(mep_cpu::lanes(Mask), Value,
                       Inside ? Lane + Delta : Lane);
}
template <typename Type>
static inline Type __shfl_xor_sync(uint64_t Mask, Type Value, int Bits,
                                   int Width = MEP_WARP_SIZE) {
  unsigned Lane = mep_cpu::laneNumber();
  unsigned Source = Lane ^ unsigned(Bits);
  bool Inside = Source < (Lane & ~unsigned(Width - 1)) + unsigned(Width);
  return mep_cpu::swap(mep_cpu::lanes(Mask), Value, Inside ? Source : Lane);
}

// Spellings before CUDA 9 and of HIP: the whole warp.
template <typename Type>
static inline Type __shfl(Type Value, int Source, int Width = MEP_WARP_SIZE) {
  return __shfl_sync(~uint64_t(0), Value, Source, Width);
}
template <typename Type>
static inline Type __shfl_up(Type Value, unsigned Delta,
                             int Width = MEP_WARP_SIZE) {
  return __shfl_up_sync(~uint64_t(0), Value, Delta, Width);
}
template <typename Type>
static inline Type __shfl_down(Type Value, unsigned Delta,
                               int Width = MEP_WARP_SIZE) {
  return __shfl_down_sync(~uint64_t(0), Value, Delta, Width);
}
template <typename Type>
static inline Type __shfl_xor(Type Value, int Bits,
                              int Width = MEP_WARP_SIZE) {
  return __shfl_xor_sync(~uint64_t(0), Value, Bits, Width);
}
static inline mep_cpu::WarpMask __ballot(int Predicate) {
  return __ballot_sync(~uint64_t(0), Predicate);
}
static inline int __any(int Predicate) {
  return __any_sync(~uint64_t(0), Predicate);
}
static inline int __all(int Predicate) {
  return __all_sync(~uint64_t(0), Predicate);
}

namespace mep_cpu {

/// Folds the values of all lanes that are alive and in \p Mask.
template <typename Type, typename Fold>
static inline Type reduce(uint64_t Mask, Type Value, Fold Join) {
  uint64_t Together;
  vote(lanes(Mask), true, Together);
  Type Sum{};
  bool First = true;
  for (uint64_t Rest = Together; Rest; Rest &= Rest - 1) {
    Type Other = swap(Together, Value, unsigned(__builtin_ctzll(Rest)));
    Sum = First ? Other : Join(Sum, Other);
    First = false;
  }
  return Sum;
}

} // namespace mep_cpu

#define MEP_CPU_REDUCE(Name, Expression)                                       \
  template <typename Type>                                                     \
  static inline Type Name(uint64_t Mask, Type Value) {                         \
    return mep_cpu::reduce(Mask, Value, [](Type Left, Type Right) {            \
      return Type(Expression);                                                 \
    });                                                                        \
  }
MEP_CPU_REDUCE(__reduce_add_sync, Left + Right)
MEP_CPU_REDUCE(__reduce_min_sync, Right < Left ? Right : Left)
MEP_CPU_REDUCE(__reduce_max_sync, Left < Right ? Right : Left)
MEP_CPU_REDUCE(__reduce_and_sync, Left & Right)
MEP_CPU_REDUCE(__reduce_or_sync, Left | Right)
MEP_CPU_REDUCE(__reduce_xor_sync, Left ^ Right)
#undef MEP_CPU_REDUCE

template <typename Type>
static inline mep_cpu::WarpMask __match_any_sync(uint64_t Mask, Type Value) {
  uint64_t Together, Equal = 0;
  mep_cpu::vote(mep_cpu::lanes(Mask), true, Together);
  for (uint64_t Rest = Together; Rest; Rest &= Rest - 1) {
    unsigned Lane = unsigned(__builtin_ctzll(Rest));
    Equal |= uint64_t(mep_cpu::swap(Together, Value, Lane) == Value) << Lane;
  }
  return mep_cpu::WarpMask(Equal);
}

#endif // MEP_CPU_WARP_H
