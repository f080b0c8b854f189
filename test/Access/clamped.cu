// min, max and ?: in a subscript.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK: blur: 3 of 3 accesses affine
// CHECK: a: elements of 4 bytes, read 0 to 62 (63)
// CHECK: b: elements of 4 bytes, read 1 to 20 (20)

#include <cuda_runtime.h>
__global__ void blur(const float *a, const float *b, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int left = max(i - 1, 0), right = i + 1 < n ? i + 1 : n - 1;
  out[i] = a[left] + b[min(right, 20)];
}
int main() {
  float *a;
  cudaMalloc(&a, 64 * sizeof(float));
  float *b;
  cudaMalloc(&b, 64 * sizeof(float));
  float *out;
  cudaMalloc(&out, 64 * sizeof(float));
  blur<<<2, 32>>>(a, b, out, 64);
  return cudaDeviceSynchronize();
}
