// What a kernel takes from <cmath>, <cstdint>, <climits> and <cstdio> is put in
// place for NVRTC, which has none of these headers; nvcc goes on including them.
// REQUIRES: cuda-toolkit
// RUN: rm -rf %t && mkdir -p %t
// RUN: echo '[{"directory": "%S", "file": "%s", "command": "nvcc -arch=sm_90 -std=c++17 -c %s"}]' > %t/compile_commands.json
// RUN: clang-mep-opt -p %t --stop-after=closure --no-proof --kernel=root %s | FileCheck %s
// RUN: clang-mep-opt -p %t --stop-after=closure --kernel=root --format=json %s | FileCheck %s --check-prefix=PROOF
// PROOF: "status": "same"

#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>

// CHECK: #ifdef __CUDACC_RTC__
// CHECK-DAG: typedef unsigned int uint32_t;
// CHECK-DAG: #define INT_MAX 2147483647
// CHECK: #endif
// CHECK-NOT: {{^}}#include <cmath>
// CHECK: __global__ void root
__global__ void root(float *A, uint32_t N) {
  if (threadIdx.x < N && N < INT_MAX)
    A[threadIdx.x] = std::sqrt(A[threadIdx.x]);
  else
    printf("%d\n", threadIdx.x);
}

int main() { root<<<1, 32>>>(nullptr, 32); }
