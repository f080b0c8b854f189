// A grid-stride loop touches every element up to its bound, whatever the grid.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK-DAG: a: elements of 4 bytes, written 0 to 4999 (5000), no input
// CHECK-DAG: b: elements of 4 bytes, written 0 to 4998 (4999), no input

#include <cuda_runtime.h>
__global__ void fill(float *a, unsigned n) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    a[i] = 1;
}
__global__ void whileFill(float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  while (i < n) {
    b[i] = 1;
    i += gridDim.x * blockDim.x;
  }
}
int main() {
  float *a;
  cudaMalloc(&a, 5000 * sizeof(float));
  float *b;
  cudaMalloc(&b, 5000 * sizeof(float));
  fill<<<3, 64>>>(a, 5000);
  whileFill<<<3, 64>>>(b, 4999);
  return cudaDeviceSynchronize();
}
