// Unsigned arithmetic wraps around: `i - 1 < n` is false for i of 0, and so is the
// access under it.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK: a: elements of 4 bytes, written 0 to 107 (16), no input

#include <cuda_runtime.h>
__global__ void inner(float *a, unsigned n) {
  unsigned i = threadIdx.x;
  if (i - 1 < n)
    a[i - 1] = 0;
  int j = int(threadIdx.x) - 4;
  if (j < n)
    a[j + 100] = 0;
}
int main() {
  float *a;
  cudaMalloc(&a, 200 * sizeof(float));
  inner<<<1, 32>>>(a, 8);
  return cudaDeviceSynchronize();
}
