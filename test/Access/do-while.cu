// The first iteration of `do` needs no condition.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK-DAG: a: elements of 4 bytes, written 50 to 58 (5), no input
// CHECK-DAG: b: elements of 4 bytes, written 0 to 31 (32), no input

#include <cuda_runtime.h>
__global__ void steps(float *a, int n) {
  int i = 50;
  do {
    a[i] = 1;
    i += 2;
  } while (i < n);
}
__global__ void once(float *b) {
  do {
    b[threadIdx.x] = 1;
  } while (0);
}
int main() {
  float *a;
  cudaMalloc(&a, 100 * sizeof(float));
  float *b;
  cudaMalloc(&b, 32 * sizeof(float));
  steps<<<1, 1>>>(a, 60);
  steps<<<1, 1>>>(a, 60);
  once<<<1, 32>>>(b);
  return cudaDeviceSynchronize();
}
