// A variable that only one branch sets has that value wherever it is read:
// reading it elsewhere has no meaning. In a loop it may be one of an iteration
// before.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK: later: 1 of 2 accesses affine
// CHECK: not affine, 'at' changes in a loop
// CHECK: halo: 1 of 1 accesses affine
// CHECK: a: elements of 4 bytes, written 100 to 107 (8), no input

#include <cuda_runtime.h>
__global__ void halo(float *a, int n) {
  int i = threadIdx.x, at;
  bool isHalo = i < n;
  if (isHalo)
    at = 100 + i;
  if (isHalo)
    a[at] = 1;
}
__global__ void later(float *a, const float *b, int n) {
  int at;
  for (int k = 0; k < n; ++k) {
    if (k > 0)
      a[at] = 1;
    if (k == 0 || b[k] > 0)
      at = k;
  }
}
int main() {
  float *b;
  cudaMalloc(&b, 200 * sizeof(float));
  float *a;
  cudaMalloc(&a, 200 * sizeof(float));
  halo<<<1, 32>>>(a, 8);
  later<<<1, 1>>>(a, b, 8);
  return cudaDeviceSynchronize();
}
