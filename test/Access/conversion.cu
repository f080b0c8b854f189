// A narrow type keeps the low bits of a subscript.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK: a: elements of 4 bytes, written 0 to 255 (16), no input
// CHECK: b: elements of 4 bytes, written 0 to 61440 (16), no input

#include <cuda_runtime.h>
__global__ void narrow(float *a, float *b) {
  unsigned char i = threadIdx.x + 250;
  a[i] = 1;
  short s = threadIdx.x * 4096;
  b[s + 32768] = 1;
}
int main() {
  float *a;
  cudaMalloc(&a, 256 * sizeof(float));
  float *b;
  cudaMalloc(&b, 65536 * sizeof(float));
  narrow<<<1, 16>>>(a, b);
  return cudaDeviceSynchronize();
}
