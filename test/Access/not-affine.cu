// A product of two indices is no affine subscript, and says so.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK: triangle: 1 of 2 accesses affine
// CHECK: not affine, product 'threadIdx.x*(threadIdx.x + 1)' of two variables (not-affine.cu:
// CHECK: b: elements of 4 bytes, written 0 to 31 (32), no input

#include <cuda_runtime.h>
__global__ void triangle(float *a, float *b) {
  int i = threadIdx.x;
  a[i * (i + 1) / 2] = 0;
  b[i] = 1;
}
int main() {
  float *a;
  cudaMalloc(&a, 600 * sizeof(float));
  float *b;
  cudaMalloc(&b, 32 * sizeof(float));
  triangle<<<1, 32>>>(a, b);
  return cudaDeviceSynchronize();
}
