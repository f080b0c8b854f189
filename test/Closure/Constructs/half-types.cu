// Half types and their intrinsics come from their header.
// REQUIRES: cuda-toolkit
// RUN: rm -rf %t && mkdir -p %t
// RUN: echo '[{"directory": "%S", "file": "%s", "command": "nvcc -arch=sm_90 -std=c++17 -c %s"}]' > %t/compile_commands.json
// RUN: clang-mep-opt -p %t --stop-after=closure --no-proof --kernel=axpy %s | FileCheck %s
// RUN: clang-mep-opt -p %t --stop-after=closure --kernel=axpy --format=json %s | FileCheck %s --check-prefix=PROOF
// PROOF: "status": "same"

#include <cuda_fp16.h>

// CHECK: #include <cuda_fp16.h>
// CHECK: __global__ void axpy
__global__ void axpy(__half2 *Y, const __half2 *X, float *Z, __half A) {
  int I = threadIdx.x;
  Y[I] = __hfma2(__half2half2(A), X[I], Y[I]);
  Z[I] = __low2float(Y[I]);
}

int main() { axpy<<<1, 32>>>(nullptr, nullptr, nullptr, __half()); }
