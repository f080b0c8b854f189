// What is read into a variable that is used in a branch, in a loop that may have
// no iteration or behind a conditional way out alone, compiled code need not
// read; what is used in any case it does.
// RUN: clang-mep-opt --cuda-path=none --stop-after=access --format=json %s -- | FileCheck %s
#include <cuda_runtime.h>
__global__ void k(float *out, const float *a, const float *b, const float *c,
                  const float *d, const float *e, const float *f, int n) {
  int i = threadIdx.x;
  // CHECK: "text": "a[i]",
  // CHECK: "state": "affine",
  // CHECK-NEXT: "may_be_unused": true
  float branch = a[i];
  // CHECK: "text": "b[i]",
  // CHECK: "state": "affine",
  // CHECK-NEXT: "may_be_unused": true
  float loop = b[i];
  // CHECK: "text": "c[i]",
  // CHECK-NOT: may_be_unused
  // CHECK: "text": "d[i]",
  float kept = c[i];
  // CHECK: "state": "affine",
  // CHECK-NEXT: "may_be_unused": true
  float through = d[i], sum = 0;
  float twice = 2 * through;
  // CHECK: "text": "e[i]",
  // CHECK-NOT: may_be_unused
  // CHECK: "text": "out[n]",
  sum = e[i];
  if (i < n)
    out[n] = branch + twice;
  for (int j = 0; j < n; ++j)
    out[j + i] = loop;
  out[i] = kept + sum;
  // CHECK: "text": "f[i]",
  // CHECK: "state": "affine",
  // CHECK-NEXT: "may_be_unused": true
  float behind = f[i];
  if (n > 100)
    return;
  out[2 * i] = behind;
}
int main() {
  float *p;
  cudaMalloc(&p, 4096);
  k<<<1, 32>>>(p, p + 32, p + 64, p + 96, p + 128, p + 160, p + 192, 8);
}
