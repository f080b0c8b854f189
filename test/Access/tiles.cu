// Shared tiles filled and read: two-dimensional, within their declared size.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK: shared float tile[272]
// CHECK: write [17*threadIdx.y + threadIdx.x]: affine, 4 bytes to the next thread
// CHECK: read [17*threadIdx.x + threadIdx.y]: affine, 68 bytes to the next thread
// CHECK: out: elements of 4 bytes, written 0 to 4095 (4096), no input

#include <cuda_runtime.h>
__global__ void transpose(const float *in, float *out, int n) {
  __shared__ float tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x;
  y = blockIdx.x * 16 + threadIdx.y;
  out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}
int main() {
  float *in;
  cudaMalloc(&in, 64 * 64 * sizeof(float));
  float *out;
  cudaMalloc(&out, 64 * 64 * sizeof(float));
  transpose<<<dim3(4, 4), dim3(16, 16)>>>(in, out, 64);
  return cudaDeviceSynchronize();
}
