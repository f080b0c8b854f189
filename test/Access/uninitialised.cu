// A variable that only one branch sets has that value wherever it is read:
// reading it elsewhere has no meaning.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

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
int main() {
  float *a;
  cudaMalloc(&a, 200 * sizeof(float));
  halo<<<1, 32>>>(a, 8);
  return cudaDeviceSynchronize();
}
