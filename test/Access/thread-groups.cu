// What the groups of cooperative_groups say of a thread is arithmetic on its
// indices, whatever the library does to find it.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK: rank: 4 of 4 accesses affine
// CHECK-DAG: a: elements of 4 bytes, written 0 to 95 (96), no input
// CHECK-DAG: b: elements of 4 bytes, written 0 to 7 (8), no input
// CHECK-DAG: c: elements of 4 bytes, written 0 to 5 (6), no input
// CHECK-DAG: d: elements of 4 bytes, written 32 to 107 (16), no input

#include <cuda_runtime.h>
namespace cooperative_groups {
struct thread_block {
  __device__ unsigned thread_rank() const { return 7; }
  __device__ unsigned size() const { return 7; }
  __device__ dim3 group_index() const { return dim3(7); }
};
struct grid_group {
  __device__ unsigned long long thread_rank() const { return 7; }
};
template <unsigned Size, class Parent = void> struct thread_block_tile {
  thread_block_tile() = default;
  template <class Other>
  __device__ thread_block_tile(const thread_block_tile<Size, Other> &) {}
  __device__ unsigned thread_rank() const { return 7; }
  __device__ unsigned meta_group_rank() const { return 7; }
};
__device__ thread_block this_thread_block() { return {}; }
__device__ grid_group this_grid() { return {}; }
template <unsigned Size, class Parent>
__device__ thread_block_tile<Size, Parent> tiled_partition(const Parent &) {
  return {};
}
} // namespace cooperative_groups
namespace cg = cooperative_groups;
__global__ void rank(float *a, float *b, float *c, float *d) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  a[cg::this_grid().thread_rank()] = 1;
  b[tile.thread_rank()] = 1;
  cg::thread_block_tile<8> kept = tile;
  c[kept.meta_group_rank()] = 1;
  if (block.group_index().x == 1)
    d[block.size() - 16 + 5 * (block.thread_rank() % 16) + 0 * blockIdx.x] = 1;
}
int main() {
  float *a, *b, *c, *d;
  cudaMalloc(&a, 96 * sizeof(float));
  cudaMalloc(&b, 8 * sizeof(float));
  cudaMalloc(&c, 6 * sizeof(float));
  cudaMalloc(&d, 200 * sizeof(float));
  rank<<<2, dim3(16, 3)>>>(a, b, c, d);
  return cudaDeviceSynchronize();
}
