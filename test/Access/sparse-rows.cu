// A loop between two elements of a row table has no known bounds.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK: read [threadIdx.x]: affine
// CHECK: read [threadIdx.x + 1]: affine
// CHECK: not affine, element of 'row'
// CHECK: row: elements of 4 bytes, read 0 to 64 (65)
// CHECK: y: elements of 4 bytes, written 0 to 63 (64), no input

#include <cuda_runtime.h>
__global__ void spmv(const int *row, const float *val, float *y) {
  int i = threadIdx.x;
  float s = 0;
  for (int k = row[i]; k < row[i + 1]; ++k)
    s += val[k];
  y[i] = s;
}
int main() {
  int *row;
  cudaMalloc(&row, 65 * sizeof(int));
  float *val;
  cudaMalloc(&val, 640 * sizeof(float));
  float *y;
  cudaMalloc(&y, 64 * sizeof(float));
  spmv<<<1, 64>>>(row, val, y);
  return cudaDeviceSynchronize();
}
