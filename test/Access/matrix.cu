// Rows of a symbolic width: affine once the width is a number.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK: mm: 3 of 3 accesses affine
// CHECK: read [(blockIdx.y*blockDim.y + threadIdx.y)*n + #0]
// CHECK-SAME: affine, 0 bytes to the next thread
// CHECK: a: elements of 4 bytes, read 0 to 1599 (1600)
// CHECK: b: elements of 4 bytes, read 0 to 959 (960)
// CHECK: c: elements of 4 bytes, written 0 to 959 (960), no input

#include <cuda_runtime.h>
__global__ void mm(const float *a, const float *b, float *c, int n, int m) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n && col < m) {
    float s = 0;
    for (int k = 0; k < n; ++k)
      s += a[row * n + k] * b[k * m + col];
    c[row * m + col] = s;
  }
}
int main() {
  float *a;
  cudaMalloc(&a, 40 * 40 * sizeof(float));
  float *b;
  cudaMalloc(&b, 40 * 24 * sizeof(float));
  float *c;
  cudaMalloc(&c, 40 * 24 * sizeof(float));
  mm<<<dim3(2, 3), dim3(16, 16)>>>(a, b, c, 40, 24);
  return cudaDeviceSynchronize();
}
