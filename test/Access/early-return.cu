// What follows an early return runs under its negation, also behind a branch
// that only sometimes returns.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK: write [threadIdx.x] if threadIdx.x < n: affine
// CHECK: write [threadIdx.x + 100] if threadIdx.x < n and 5 < m and 3 <= threadIdx.x: affine
// CHECK: write [threadIdx.x + 200] if threadIdx.x < n and (m <= 5 || 3 <= threadIdx.x): affine
// CHECK: written 0 to 209 (24)

#include <cuda_runtime.h>
__global__ void edge(float *a, int n, int m) {
  int i = threadIdx.x;
  if (i >= n)
    return;
  a[i] = 0;
  if (m > 5) {
    if (i < 3)
      return;
    a[i + 100] = 0;
  }
  a[i + 200] = 0;
}
int main() {
  float *a;
  cudaMalloc(&a, 400 * sizeof(float));
  edge<<<1, 64>>>(a, 10, 6);
  return cudaDeviceSynchronize();
}
