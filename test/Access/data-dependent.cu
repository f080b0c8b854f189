// A subscript from memory is marked with the buffer it comes from, and a guard
// from memory makes an access one that may happen; neither is guessed.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK: gather: 1 of 4 accesses affine
// CHECK: global float a: read
// CHECK-NEXT: read [{element of 'idx'}] if {element of 'flag'} and threadIdx.x < n: not affine, element of 'idx' (data-dependent.cu:
// CHECK: global int idx: read
// CHECK-NEXT: read [threadIdx.x] if {element of 'flag'} and threadIdx.x < n: may, 4 bytes to the next thread, element of 'flag' (data-dependent.cu
// CHECK: global int flag: read
// CHECK-NEXT: read [threadIdx.x]: affine
// CHECK: a: elements of 4 bytes, read unknown ones; element of 'idx'
// CHECK: idx: elements of 4 bytes, read 0 to 49 at most; element of 'flag'
// CHECK: flag: elements of 4 bytes, read 0 to 63 (64)
// CHECK: out: elements of 4 bytes, written 0 to 49 at most, no input; element of 'flag'

#include <cuda_runtime.h>
__global__ void gather(const float *a, const int *idx, const int *flag, float *out, int n) {
  int i = threadIdx.x;
  if (flag[i] > 0 && i < n)
    out[i] = a[idx[i]];
}
int main() {
  float *a;
  cudaMalloc(&a, 64 * sizeof(float));
  int *idx;
  cudaMalloc(&idx, 64 * sizeof(int));
  int *flag;
  cudaMalloc(&flag, 64 * sizeof(int));
  float *out;
  cudaMalloc(&out, 64 * sizeof(float));
  gather<<<1, 64>>>(a, idx, flag, out, 50);
  return cudaDeviceSynchronize();
}
