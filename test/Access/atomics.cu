// Atomics read and write; a global, a constant table and a macro-sized array are
// buffers as well.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK: global int bins: read and written
// CHECK-NEXT: atomic update [(blockIdx.x*blockDim.x + threadIdx.x)%BINS]
// CHECK: constant int table[64]: read
// CHECK: global unsigned int total[1]: read and written
// CHECK-DAG: bins: elements of 4 bytes, read 0 to 15 (16), written 0 to 15 (16), input
// CHECK-DAG: table: elements of 4 bytes, read 0 to 63 (64)

#include <cuda_runtime.h>
#define BINS 16
__constant__ int table[64];
__device__ unsigned total;
__global__ void count(const int *in, int *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&bins[i % BINS], in[i] + table[i % 64]);
    atomicAdd(&total, 1u);
  }
}
int main() {
  int *in;
  cudaMalloc(&in, 256 * sizeof(int));
  int *bins;
  cudaMalloc(&bins, BINS * sizeof(int));
  count<<<2, 128>>>(in, bins, 200);
  return cudaDeviceSynchronize();
}
