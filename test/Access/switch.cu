// In a switch each case may run, with the values from before it.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK: write [threadIdx.x + 100] if {a case of a switch}: may, 4 bytes to the next thread, a case of a switch
// CHECK: write [threadIdx.x + 200] if {a case of a switch}: may, 4 bytes to the next thread, a case of a switch
// CHECK: not affine, 'i' is set in a switch

#include <cuda_runtime.h>
__global__ void cases(float *a, int mode) {
  int i = threadIdx.x;
  switch (mode) {
  case 0:
    i += 100;
    a[i] = 1;
    break;
  case 1:
    a[i + 200] = 1;
    break;
  }
  a[i] = 2;
}
int main() {
  float *a;
  cudaMalloc(&a, 300 * sizeof(float));
  cases<<<1, 32>>>(a, 1);
  return cudaDeviceSynchronize();
}
