// A loop that may end early makes what is in it accesses that may happen.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK: may, 4 bytes to the next thread, the loop may end early
// CHECK: write [n]: affine
// CHECK: a: elements of 4 bytes, read 0 to 99 at most

#include <cuda_runtime.h>
__global__ void find(const float *a, int *out, int n) {
  for (int k = threadIdx.x; k < n; k += blockDim.x)
    if (a[k] > 0.5f) {
      out[k] = 1;
      break;
    }
  out[n] = 2;
}
int main() {
  float *a;
  cudaMalloc(&a, 100 * sizeof(float));
  int *out;
  cudaMalloc(&out, 101 * sizeof(int));
  find<<<1, 32>>>(a, out, 100);
  return cudaDeviceSynchronize();
}
