// Division, remainder, shifts and masks by numbers.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK: pick: 6 of 6 accesses affine
// CHECK: a: elements of 4 bytes, read 0 to 6 (7)
// CHECK: b: elements of 4 bytes, read 0 to 4 (5)
// CHECK: c: elements of 4 bytes, read 0 to 4 (5)
// CHECK: d: elements of 4 bytes, read 0 to 12 (4)
// CHECK: e: elements of 4 bytes, read 0 to 19 (20)

#include <cuda_runtime.h>
__global__ void pick(const int *a, const int *b, const int *c, const int *d, const int *e, int *out) {
  int i = threadIdx.x;
  out[i] = a[i / 3] + b[i % 5] + c[i >> 2] + d[(i & 6) << 1] + e[i ^ 1];
}
int main() {
  int *a;
  cudaMalloc(&a, 64 * sizeof(int));
  int *b;
  cudaMalloc(&b, 64 * sizeof(int));
  int *c;
  cudaMalloc(&c, 64 * sizeof(int));
  int *d;
  cudaMalloc(&d, 64 * sizeof(int));
  int *e;
  cudaMalloc(&e, 64 * sizeof(int));
  int *out;
  cudaMalloc(&out, 64 * sizeof(int));
  pick<<<1, 20>>>(a, b, c, d, e, out);
  return cudaDeviceSynchronize();
}
