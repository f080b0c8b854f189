// The members of a structure parameter's base classes are its members.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK: fill: 1 of 1 accesses affine
// CHECK: global float v.data: written
// CHECK-NEXT: write [threadIdx.x] if threadIdx.x < v.size: affine

#include <cuda_runtime.h>
struct Base {
  float *data;
};
struct View : Base {
  int size;
};
__global__ void fill(View v) {
  if (threadIdx.x < v.size)
    v.data[threadIdx.x] = 1;
}
int main() {
  View v;
  cudaMalloc(&v.data, 32 * sizeof(float));
  v.size = 32;
  fill<<<1, 32>>>(v);
  return cudaDeviceSynchronize();
}
