// Of the two lvalues of a conditional operator the one that is chosen is read;
// a parameter beside an element is no second buffer.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK: mask: 2 of 2 accesses affine, the kernel exactly
// CHECK: a: elements of 4 bytes, read 0 to 9 (10)
// CHECK: b: elements of 4 bytes, written 0 to 31 (32), no input

#include <cuda_runtime.h>
__global__ void mask(const float *a, float *b, float fill, int n) {
  int i = threadIdx.x;
  b[i] = i >= n ? fill : a[i];
}
int main() {
  float *a, *b;
  cudaMalloc(&a, 10 * sizeof(float));
  cudaMalloc(&b, 32 * sizeof(float));
  mask<<<1, 32>>>(a, b, 0, 10);
  return cudaDeviceSynchronize();
}
