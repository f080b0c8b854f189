// An upper bound cuts the grid: elements stop where the guard does, not where
// the threads do.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK: scale: 2 of 2 accesses affine
// CHECK: read [blockIdx.x*blockDim.x + threadIdx.x] if blockIdx.x*blockDim.x + threadIdx.x < n: affine, 4 bytes to the next thread
// CHECK: a: elements of 4 bytes, read 0 to 999 (1000), written 0 to 999 (1000), input

#include <cuda_runtime.h>
__global__ void scale(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= 2;
}
int main() {
  float *a;
  cudaMalloc(&a, 1000 * sizeof(float));
  scale<<<8, 128>>>(a, 1000);
  return cudaDeviceSynchronize();
}
