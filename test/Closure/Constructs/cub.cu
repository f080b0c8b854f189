// A kernel that uses cub includes the header it needs, and the host headers beside it
// do not come along.
// REQUIRES: cuda-toolkit
// RUN: rm -rf %t && mkdir -p %t
// RUN: echo '[{"directory": "%S", "file": "%s", "command": "nvcc -arch=sm_90 -std=c++17 -c %s"}]' > %t/compile_commands.json
// RUN: clang-mep-opt -p %t --stop-after=closure --no-proof --kernel=total %s | FileCheck %s
// RUN: clang-mep-opt -p %t --stop-after=closure --kernel=total --format=json %s | FileCheck %s --check-prefix=PROOF
// PROOF: "status": "same"

#include <cub/block/block_reduce.cuh>
#include <vector>

// CHECK: #include <cub/block/block_reduce.cuh>
// CHECK-NOT: vector
// CHECK: __global__ void total
__global__ void total(const int *A, int *Out) {
  using Reduce = cub::BlockReduce<int, 128>;
  __shared__ typename Reduce::TempStorage Room;
  int Sum = Reduce(Room).Sum(A[threadIdx.x]);
  if (threadIdx.x == 0)
    *Out = Sum;
}

int main() {
  std::vector<int> A(128);
  total<<<1, 128>>>(nullptr, nullptr);
}
