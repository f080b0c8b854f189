// HIP's compiler takes kernels that are static members of a class, which nvcc does not:
// the class comes with them, and its host members go without bodies.
// RUN: rm -rf %t && mkdir -p %t
// RUN: echo '[{"directory": "%S", "file": "%s", "command": "hipcc --offload-arch=gfx906 -std=c++17 -c %s"}]' > %t/compile_commands.json
// RUN: clang-mep-opt -p %t --stop-after=closure --no-proof --kernel=scale %s | FileCheck %s

#include <cstdlib>
#include <hip/hip_runtime.h>
// CHECK: struct Filter {
// CHECK: static constexpr int Taps = 3;
// CHECK-NOT: getenv
// CHECK: static __global__ void scale
struct Filter {
  static constexpr int Taps = 3;
  static const char *name() { return getenv("FILTER"); }
  static __device__ float weight(int I) { return I * Taps; }
  static __global__ void scale(float *A) { A[threadIdx.x] *= weight(threadIdx.x); }
};

int main() {
  float *A;
  if (hipMalloc(&A, 32 * sizeof(float)) == hipSuccess)
    Filter::scale<<<1, 32>>>(A);
}
