// Pointers that come from outside the unit have no allocation to see: their
// extents are what the kernel touches, in the launch's own scalars.
// RUN: clang-mep-opt --stop-after=workload --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK: "name": "a",
// CHECK: "extent": "((long long)n - 1)*(long long)m + (long long)m",
// CHECK: "source": "the kernel's accesses"
// CHECK: "name": "b",
// CHECK: "extent": "m + 20",
// CHECK: "name": "c",
// CHECK: "extent": "{{.*}}block_x",

#include <cuda_runtime.h>
__global__ void sums(const float *a, const float *b, float *c, int n, int m) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  if (row < n)
    for (int k = 0; k < m; ++k)
      s += a[row * m + k] * b[k + 20];
  c[row] = s;
}
void run(const float *a, const float *b, float *c) {
  int n = 100, m = 30;
  sums<<<(n + 63) / 64, 64>>>(a, b, c, n, m);
}
