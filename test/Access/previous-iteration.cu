// What an iteration leaves in a variable is there in the next one.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK: a: elements of 4 bytes, read 1 to 9 (9)
// CHECK: b: elements of 4 bytes, read 0 to 7 (5)

#include <cuda_runtime.h>
__global__ void shifted(const float *a, const float *b, float *out, int n) {
  int before = 1;
  float sum = 0;
  for (int i = 2; i <= n; ++i) {
    sum += a[before];
    before = i;
  }
  int at = 7;
  for (int i = 0; i < 5; ++i) {
    sum += b[at];
    at = i;
  }
  out[0] = sum;
}
int main() {
  float *a, *b, *out;
  cudaMalloc(&a, 100 * sizeof(float));
  cudaMalloc(&b, 100 * sizeof(float));
  cudaMalloc(&out, sizeof(float));
  shifted<<<1, 1>>>(a, b, out, 10);
  return cudaDeviceSynchronize();
}
