// Pointers that are moved, taken from elements, and walked through a loop.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK-DAG: write [threadIdx.x*n + #0] if #0 < n: affine
// CHECK-DAG: write [500]: affine
// CHECK-DAG: read [#0 + 10] if #0 < n: affine
// CHECK-DAG: read [max(n, 0) + 9]: affine
// CHECK-DAG: read [60]: affine
// CHECK: a: elements of 4 bytes, written 0 to 500 (129), no input
// CHECK: b: elements of 4 bytes, read 10 to 60 (17)

#include <cuda_runtime.h>
__global__ void walk(float *a, const float *b, int n) {
  const float *from = b + 10;
  float *to = &a[threadIdx.x * n];
  for (int k = 0; k < n; ++k, ++from)
    *to++ = *from;
  float &first = a[500];
  first = from[-1] + __ldg(b + 60);
}
int main() {
  float *a;
  cudaMalloc(&a, 600 * sizeof(float));
  float *b;
  cudaMalloc(&b, 64 * sizeof(float));
  walk<<<1, 8>>>(a, b, 16);
  return cudaDeviceSynchronize();
}
