// Shared memory is a block's own: an index into it that is data leaves a kernel
// fully affine, and stands in the model all the same.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK: sum: 2 of 3 accesses affine, the kernel exactly
// CHECK: shared int bins
// CHECK-NEXT: atomic update {{.*}}: not affine, element of 'a'

#include <cuda_runtime.h>
__global__ void sum(const int *a, int *out) {
  __shared__ int bins[32];
  atomicAdd(&bins[a[threadIdx.x] & 31], 1);
  out[threadIdx.x] = 1;
}
int main() {
  int *a, *out;
  cudaMalloc(&a, 32 * sizeof(int));
  cudaMalloc(&out, 32 * sizeof(int));
  sum<<<1, 32>>>(a, out);
  return cudaDeviceSynchronize();
}
