// A function that returns one of its two references to constants returns one of
// two values, as std::max does; one that is kept by reference may change.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK: clamp: 1 of 1 accesses affine
// CHECK: a: elements of 4 bytes, written 3 to 15 (13), no input
// CHECK: kept: 0 of 1 accesses affine

#include <cuda_runtime.h>
template <class T> __device__ const T &larger(const T &a, const T &b) {
  if (a < b)
    return b;
  return a;
}
__global__ void clamp(float *a, int low) {
  int i = threadIdx.x;
  a[larger(i, low)] = 1;
}
__global__ void kept(float *a, int low) {
  int i = threadIdx.x;
  const int &at = larger(i, low);
  i = 15;
  a[at] = 1;
}
int main() {
  float *a;
  cudaMalloc(&a, 16 * sizeof(float));
  clamp<<<1, 16>>>(a, 3);
  kept<<<1, 16>>>(a, 3);
  return cudaDeviceSynchronize();
}
