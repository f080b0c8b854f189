// A constant number is no memory that a kernel reads, whatever its type; what the
// host can write is.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK: scale: 2 of 2 accesses affine
// CHECK-NOT: factor:
// CHECK-NOT: shift:
// CHECK: constant float given[1]: read

#include <cuda_runtime.h>
const float factor = 0.5f;
const int shift = 3;
__constant__ float given;
__global__ void scale(float *a) { a[threadIdx.x + shift] = factor * given; }
int main() {
  float *a, one = 1;
  cudaMalloc(&a, 64 * sizeof(float));
  cudaMemcpyToSymbol(given, &one, sizeof(float));
  scale<<<1, 32>>>(a);
  return cudaDeviceSynchronize();
}
