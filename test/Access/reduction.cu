// A stride that halves: one set of elements for each of its values.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK: sum: 8 of 8 accesses affine
// CHECK: counts the loop over s, {{.*}}, by a factor
// CHECK: in: elements of 4 bytes, read 0 to 511 (512)
// CHECK: out: elements of 4 bytes, written 1 to 381 (20), no input

#include <cuda_runtime.h>
__global__ void sum(const float *in, float *out) {
  extern __shared__ float part[];
  unsigned t = threadIdx.x;
  part[t] = in[blockIdx.x * blockDim.x * 2 + t] + in[blockIdx.x * blockDim.x * 2 + t + blockDim.x];
  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
    __syncthreads();
    if (t < s)
      part[t] += part[t + s];
  }
  for (int d = 1; d < 100; d *= 3)
    if (t == 0)
      out[blockIdx.x * 100 + d] = part[0];
}
int main() {
  float *in;
  cudaMalloc(&in, 4 * 128 * sizeof(float));
  float *out;
  cudaMalloc(&out, 400 * sizeof(float));
  sum<<<4, 64, 64 * sizeof(float)>>>(in, out);
  return cudaDeviceSynchronize();
}
