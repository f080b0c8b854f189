// Of a template the instantiation is analysed: its types and numbers.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK: global double a: written
// CHECK-NEXT: write [5*threadIdx.x + #0] if #0 < 5: affine, 40 bytes to the next thread
// CHECK-NOT: 100000
// CHECK: a: elements of 8 bytes, written 0 to 79 (80), no input

#include <cuda_runtime.h>
template <typename T, int W> __global__ void rows(T *a) {
  for (int k = 0; k < W; ++k)
    a[threadIdx.x * W + k] = T(0);
  if (W > 100)
    a[100000] = T(1);
}
int main() {
  double *a;
  cudaMalloc(&a, 100 * sizeof(double));
  rows<double, 5><<<1, 16>>>(a);
  return cudaDeviceSynchronize();
}
