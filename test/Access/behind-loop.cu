// Behind a loop that ends by its condition a variable is what the number of
// iterations made of it; one of a loop that may be left early is not known.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK-DAG: a: elements of 4 bytes, written 40 to 43 (4), no input
// CHECK-DAG: b: elements of 4 bytes, written 12 to 12 (1), no input
// CHECK-DAG: c: elements of 4 bytes, written 5 to 5 (1), no input
// CHECK-DAG: d: elements of 4 bytes, written 21 to 21 (1), no input
// CHECK-DAG: e: elements of 4 bytes, written 30 to 30 (1), no input
// CHECK-DAG: f: elements of 4 bytes, written unknown ones; 'k' changes in a loop

#include <cuda_runtime.h>
__global__ void rows(float *a, int n, int m) {
  int at = threadIdx.x;
  for (int r = 0; r < n; ++r)
    at += m;
  a[at] = 1;
}
__global__ void strided(float *b, float *c, float *d, float *e, int n, int s) {
  int i = 0;
  for (; i < n; i += s)
    ;
  b[i] = 1;
  int k = 5;
  while (k < s) // Never.
    ++k;
  c[k] = 1;
  float *p = d;
  int j = n;
  do
    p += 2;
  while (--j >= 0);
  p[-1] = 1;
  unsigned last = 20 * s;
  for (; last > n + n + n; --last)
    ;
  e[last] = 1;
}
__global__ void left(float *f, const float *g, int n) {
  int k = 0;
  for (; k < n; ++k)
    if (g[k] > 0)
      break;
  f[k] = 1;
}
int main() {
  float *a, *b, *c, *d, *e, *f, *g;
  cudaMalloc(&a, 100 * sizeof(float));
  cudaMalloc(&b, 100 * sizeof(float));
  cudaMalloc(&c, 100 * sizeof(float));
  cudaMalloc(&d, 100 * sizeof(float));
  cudaMalloc(&e, 100 * sizeof(float));
  cudaMalloc(&f, 100 * sizeof(float));
  cudaMalloc(&g, 100 * sizeof(float));
  rows<<<1, 4>>>(a, 5, 8);
  strided<<<1, 1>>>(b, c, d, e, 10, 4);
  left<<<1, 1>>>(f, g, 100);
  return cudaDeviceSynchronize();
}
