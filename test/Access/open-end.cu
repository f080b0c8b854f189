// A loop whose end is data has an affine index over a number of iterations that
// nothing bounds: accesses that may happen, with no numbers.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK: until: 0 of 1 accesses affine, the kernel fully
// CHECK: read [#0]{{.*}}: may, {{.*}}nothing that is known bounds the loop
// CHECK: a: elements of 4 bytes, read unknown ones; nothing that is known bounds a loop

#include <cuda_runtime.h>
__global__ void until(const float *a) {
  int i = 0;
  while (a[i] > 0)
    ++i;
  if (i < 0)
    __trap();
}
int main() {
  float *a;
  cudaMalloc(&a, 100 * sizeof(float));
  until<<<1, 1>>>(a);
  return cudaDeviceSynchronize();
}
