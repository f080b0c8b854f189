// A wide load through another type touches all elements under it.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK: read [4*(blockIdx.x*blockDim.x + threadIdx.x)] (16 bytes): affine, 16 bytes to the next thread
// CHECK: in: elements of 4 bytes, read 0 to 255 (256)
// CHECK: out: elements of 4 bytes, written 0 to 127 (128), no input

#include <cuda_runtime.h>
__global__ void copy(const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = reinterpret_cast<const float4 *>(in)[i];
  reinterpret_cast<float2 *>(out)[i] = make_float2(v.x, v.y);
}
int main() {
  float *in;
  cudaMalloc(&in, 256 * sizeof(float));
  float *out;
  cudaMalloc(&out, 256 * sizeof(float));
  copy<<<2, 32>>>(in, out);
  return cudaDeviceSynchronize();
}
