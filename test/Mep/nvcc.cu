// The same folder builds with one nvcc command: toolkit header, half, constant.

// REQUIRES: cuda-toolkit
// RUN: rm -rf %t && clang-mep-opt --stop-after=mep -o %t %s --
// RUN: FileCheck %s --input-file=%t/scale/kernel.cu
// RUN: nvcc %t/scale/main.cu -o %t/mep
// RUN: %t/mep --help | FileCheck %s --check-prefix=HELP
// RUN: %cxx -std=c++17 -O1 -x c++ %t/scale/main.cu -o %t/cpu -pthread
// RUN: %t/cpu --repeat 1 | FileCheck %s --check-prefix=CPU

// CHECK: #ifdef MEP_CPU
// CHECK-NEXT: #include "cpu/cuda_fp16.h"
// CHECK-NEXT: #else
// CHECK-NEXT: #include <cuda_fp16.h>
// CHECK-NEXT: #endif
// HELP: Exit codes: 0 ok, 1 mismatch
// CPU: "nan": 0

#include <cuda_fp16.h>
#define COUNT 512
__constant__ float Factor;
__global__ void scale(const __half *In, __half *Out) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < COUNT)
    Out[I] = __float2half(Factor * __half2float(In[I]));
}
int main() {
  __half *In, *Out;
  float F = 3;
  cudaMalloc((void **)&In, COUNT * sizeof(__half));
  cudaMalloc((void **)&Out, COUNT * sizeof(__half));
  cudaMemcpyToSymbol(Factor, &F, sizeof(F));
  scale<<<COUNT / 64, 64>>>(In, Out);
  return 0;
}
