// Cooperative groups of HIP parse without ROCm, in the unit and in what is carved from
// it.
// RUN: rm -rf %t && mkdir -p %t
// RUN: echo '[{"directory": "%S", "file": "%s", "command": "hipcc --offload-arch=gfx906 -std=c++17 -c %s"}]' > %t/compile_commands.json
// RUN: clang-mep-opt -p %t --stop-after=closure --no-proof %s 2>%t/err | FileCheck %s
// RUN: count 0 < %t/err

#include <hip/hip_runtime.h>
#include <hip/hip_cooperative_groups.h>
namespace cg = cooperative_groups;

// CHECK: #include <hip/hip_cooperative_groups.h>
// CHECK: namespace cg = cooperative_groups;
// CHECK: __global__ void reduce
__global__ void reduce(const int *A, int *Out) {
  cg::thread_block Block = cg::this_thread_block();
  auto Tile = cg::tiled_partition<16>(Block);
  int V = A[Block.thread_rank()];
  for (int I = Tile.size() / 2; I > 0; I /= 2)
    V += Tile.shfl_down(V, I);
  Block.sync();
  if (Tile.thread_rank() == 0)
    atomicAdd(Out, V);
}

int main() {
  int *A, *Out;
  if (hipMalloc(&A, 512) == hipSuccess && hipMalloc(&Out, 4) == hipSuccess)
    reduce<<<1, 128>>>(A, Out);
}
