// Device functions are followed with their arguments, results and out-parameters;
// a lambda called in place as well.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK: scatter: 2 of 2 accesses affine
// CHECK: a: elements of 4 bytes, written 0 to 67 (32), no input
// CHECK: b: elements of 4 bytes, written 100 to 103 (4), no input

#include <cuda_runtime.h>
__device__ int offset(int row, int col, int width) {
  if (row < 0)
    return 0;
  return row * width + col;
}
__device__ void split(int i, int *row, int &col) {
  *row = i / 8;
  col = i % 8;
}
__global__ void scatter(float *a, float *b) {
  int row, col;
  split(threadIdx.x, &row, col);
  a[offset(row, col, 20)] = 1;
  auto put = [&](int at) { b[at + row] = 2; };
  put(100);
}
int main() {
  float *a;
  cudaMalloc(&a, 100 * sizeof(float));
  float *b;
  cudaMalloc(&b, 200 * sizeof(float));
  scatter<<<1, 32>>>(a, b);
  return cudaDeviceSynchronize();
}
