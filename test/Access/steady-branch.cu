// A step that a condition decides which is the same in all iterations is one of
// two formulas; one that is decided anew has none.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK: planes: 2 of 2 accesses affine
// CHECK: a: elements of 4 bytes, written 0 to 43 (20), no input
// CHECK: chosen: 1 of 2 accesses affine
// CHECK: not affine, 'best' changes in a loop

#include <cuda_runtime.h>
__global__ void planes(float *a, float *b, int n) {
  int i = threadIdx.x;
  bool active = i < 4;
  int at = i;
  for (int k = 0; k < n; ++k) {
    if (active) {
      a[at] = 1;
      at += 10;
    }
  }
  b[i] = 1;
}
__global__ void chosen(const float *c, float *d, int n) {
  int best = 0;
  for (int k = 0; k < n; ++k)
    if (c[k] > 1)
      best = k;
  d[best] = 1;
}
int main() {
  float *a, *b, *c, *d;
  cudaMalloc(&a, 100 * sizeof(float));
  cudaMalloc(&b, 100 * sizeof(float));
  cudaMalloc(&c, 100 * sizeof(float));
  cudaMalloc(&d, 100 * sizeof(float));
  planes<<<1, 8>>>(a, b, 5);
  chosen<<<1, 1>>>(c, d, 5);
  return cudaDeviceSynchronize();
}
