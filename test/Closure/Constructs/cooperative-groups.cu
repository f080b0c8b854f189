// Cooperative groups are an include of the toolkit that stays; the alias of the
// namespace comes along.
// REQUIRES: cuda-toolkit
// RUN: rm -rf %t && mkdir -p %t
// RUN: echo '[{"directory": "%S", "file": "%s", "command": "nvcc -arch=sm_90 -std=c++17 -c %s"}]' > %t/compile_commands.json
// RUN: clang-mep-opt -p %t --stop-after=closure --no-proof --kernel=reduce %s | FileCheck %s
// RUN: clang-mep-opt -p %t --stop-after=closure --kernel=reduce --format=json %s | FileCheck %s --check-prefix=PROOF
// PROOF: "status": "same"

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// CHECK: #include <cooperative_groups.h>
// CHECK: namespace cg = cooperative_groups;
// CHECK: __global__ void reduce
__global__ void reduce(const int *A, int *Out) {
  cg::thread_block Block = cg::this_thread_block();
  auto Tile = cg::tiled_partition<32>(Block);
  int V = A[Block.thread_rank()];
  for (int I = Tile.size() / 2; I > 0; I /= 2)
    V += Tile.shfl_down(V, I);
  if (Tile.thread_rank() == 0)
    atomicAdd(Out, V);
}

int main() { reduce<<<1, 128>>>(nullptr, nullptr); }
