// Thread groups. Declarations only.
#ifndef MEP_STUB_COOPERATIVE_GROUPS_H
#define MEP_STUB_COOPERATIVE_GROUPS_H
#include "cuda_runtime.h"
namespace cooperative_groups {
class thread_group {
public:
  __device__ void sync() const;
  __device__ unsigned long long size() const;
  __device__ unsigned long long num_threads() const;
  __device__ unsigned long long thread_rank() const;
  __device__ bool is_valid() const;
};
class thread_block : public thread_group {
public:
  static __device__ void sync();
  static __device__ unsigned size();
  static __device__ unsigned num_threads();
  static __device__ unsigned thread_rank();
  static __device__ dim3 group_index();
  static __device__ dim3 thread_index();
  static __device__ dim3 group_dim();
  static __device__ dim3 dim_threads();
};
class grid_group : public thread_group {
public:
  static __device__ dim3 group_dim();
  static __device__ dim3 dim_blocks();
  static __device__ dim3 block_index();
  static __device__ unsigned long long block_rank();
  static __device__ unsigned long long num_blocks();
};
class warp_operations : public thread_group {
public:
  __device__ unsigned size() const;
  __device__ unsigned num_threads() const;
  __device__ unsigned thread_rank() const;
  __device__ unsigned meta_group_size() const;
  __device__ unsigned meta_group_rank() const;
  template <class T> __device__ T shfl(T value, int lane) const;
  template <class T> __device__ T shfl_up(T value, int delta) const;
  template <class T> __device__ T shfl_down(T value, int delta) const;
  template <class T> __device__ T shfl_xor(T value, int mask) const;
  __device__ int any(int predicate) const;
  __device__ int all(int predicate) const;
  __device__ unsigned ballot(int predicate) const;
  template <class T> __device__ unsigned match_any(T value) const;
};
class coalesced_group : public warp_operations {};
template <unsigned Size, class Parent = void> class thread_block_tile : public warp_operations {};
__device__ thread_block this_thread_block();
__device__ grid_group this_grid();
__device__ coalesced_group coalesced_threads();
template <class Group> __device__ void sync(const Group &group);
template <class Group> __device__ void wait(const Group &group);
template <unsigned Size, class Parent> __device__ thread_block_tile<Size, Parent> tiled_partition(const Parent &parent);
template <class Parent> __device__ thread_group tiled_partition(const Parent &parent, unsigned size);
template <class T> struct plus { __device__ T operator()(T a, T b) const; };
template <class T> struct less { __device__ T operator()(T a, T b) const; };
template <class T> struct greater { __device__ T operator()(T a, T b) const; };
template <class Group, class T, class Operation> __device__ T reduce(const Group &group, T value, Operation &&operation);
template <class Group, class T, class Operation> __device__ T inclusive_scan(const Group &group, T value, Operation &&operation);
template <class Group, class T, class Operation> __device__ T exclusive_scan(const Group &group, T value, Operation &&operation);
} // namespace cooperative_groups
#endif
