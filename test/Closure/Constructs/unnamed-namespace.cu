// A kernel of an unnamed namespace keeps its scope under a name that is the same in
// every compile.
// RUN: rm -rf %t && mkdir -p %t
// RUN: echo '[{"directory": "%S", "file": "%s", "command": "nvcc -arch=sm_90 -std=c++17 -c %s"}]' > %t/compile_commands.json
// RUN: clang-mep-opt -p %t --cuda-path=none --stop-after=closure --kernel=scale %s | FileCheck %s
// RUN: %if cuda-toolkit %{ clang-mep-opt -p %t --stop-after=closure --kernel=scale --format=json %s | FileCheck %s --check-prefix=PROOF %}
// PROOF: "status": "same"

namespace app {
namespace {
__device__ float factor() { return 3; }
// CHECK: namespace app {
// CHECK-NEXT: inline namespace mep_local {
// CHECK-NEXT: __device__ float factor
// CHECK-NEXT: __global__ void scale
__global__ void scale(float *A) { A[threadIdx.x] *= factor(); }
} // namespace
void run() { scale<<<1, 32>>>(nullptr); }
} // namespace app
