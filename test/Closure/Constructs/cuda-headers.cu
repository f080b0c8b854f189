// The cuda:: headers are includes of the toolkit that stay.
// REQUIRES: cuda-toolkit
// RUN: rm -rf %t && mkdir -p %t
// RUN: echo '[{"directory": "%S", "file": "%s", "command": "nvcc -arch=sm_90 -std=c++17 -c %s"}]' > %t/compile_commands.json
// RUN: clang-mep-opt -p %t --stop-after=closure --no-proof --kernel=count %s | FileCheck %s
// RUN: clang-mep-opt -p %t --stop-after=closure --kernel=count --format=json %s | FileCheck %s --check-prefix=PROOF
// PROOF: "status": "same"

#include <cuda/atomic>

// CHECK: #include <cuda/atomic>
// CHECK: __global__ void count
__global__ void count(const int *A, int *Out) {
  if (A[threadIdx.x] > 0)
    cuda::atomic_ref<int, cuda::thread_scope_device>(*Out).fetch_add(1);
}

int main() { count<<<1, 128>>>(nullptr, nullptr); }
