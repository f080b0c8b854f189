// A variable that an inner loop advances grows by the whole inner loop in each
// iteration of the outer one; where the inner loop's length differs, it has no
// such formula.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK: triangle: 0 of 1 accesses affine
// CHECK: not affine, 'at' changes in a loop
// CHECK: whole: 1 of 1 accesses affine
// CHECK: read [threadIdx.x + 5*#0 + #1]{{.*}}: affine
// CHECK: a: elements of 4 bytes, read 0 to 26 (27)

#include <cuda_runtime.h>
__global__ void whole(const float *a, int n) {
  int at = threadIdx.x;
  float sum = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 5; ++j) {
      sum += a[at];
      ++at;
    }
  if (sum < 0)
    __trap();
}
__global__ void triangle(const float *b, int n) {
  int at = threadIdx.x;
  float sum = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j)
      sum += b[at++];
  if (sum < 0)
    __trap();
}
int main() {
  float *a, *b;
  cudaMalloc(&a, 100 * sizeof(float));
  cudaMalloc(&b, 100 * sizeof(float));
  whole<<<1, 3>>>(a, 5);
  triangle<<<1, 3>>>(b, 5);
  return cudaDeviceSynchronize();
}
