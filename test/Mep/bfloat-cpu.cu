// The CPU platform has the toolkit's bfloat16 beside its half, also where a
// kernel's text includes the header without using it.
// RUN: rm -rf %t
// RUN: clang-mep-opt --no-proof --stop-after=evaluate --platform=cpu -o %t %s --
// RUN: %cxx -std=c++17 -O1 -x c++ %t/blend/main.cu -o %t/run -pthread
// RUN: %t/run --repeat 2 | FileCheck %s
// CHECK: checksum
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void blend(__nv_bfloat16 *out, const __nv_bfloat16 *in,
                      const half *scale, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * __float2bfloat16(__half2float(scale[i])) + out[i];
}
__global__ void plain(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] *= 2;
}
int main() {
  __nv_bfloat16 *out, *in;
  half *scale;
  float *x;
  cudaMalloc(&out, 1000 * sizeof(__nv_bfloat16));
  cudaMalloc(&in, 1000 * sizeof(__nv_bfloat16));
  cudaMalloc(&scale, 1000 * sizeof(half));
  cudaMalloc(&x, 1000 * sizeof(float));
  blend<<<4, 256>>>(out, in, scale, 1000);
  plain<<<4, 256>>>(x, 1000);
}
