// A program of several launches runs those that are timed, one after another, and
// sums their times by weight; --shape picks one. Each has its own saved outputs.

// RUN: rm -rf %t && mkdir %t
// RUN: clang-mep-opt --stop-after=mep -o %t/out %s --
// RUN: FileCheck %s --check-prefix=MAIN --input-file=%t/out/scale/main.cu
// RUN: FileCheck %s --check-prefix=README --input-file=%t/out/scale/README.md
// RUN: %cxx -std=c++17 -O2 -x c++ %t/out/scale/main.cu -o %t/mep -pthread
// RUN: %t/mep --repeat=2 --save=%t/saved > %t/all
// RUN: FileCheck %s --input-file=%t/all
// RUN: %t/mep --repeat=2 --reference=%t/saved | FileCheck %s --check-prefix=AGAIN
// RUN: %t/mep --repeat=2 --shape=launch2 | FileCheck %s --check-prefix=ONE
// RUN: cp %t/saved %t/saved.launch2
// RUN: not %t/mep --repeat=2 --reference=%t/saved 2>&1 | FileCheck %s --check-prefix=OTHER

// MAIN: mep.shape("base",
// MAIN-NEXT: {"mode", 1}}, 1);
// MAIN: mep.shape("launch2",
// MAIN-NEXT: {"mode", 0}}, 4);
// MAIN: mep.shape("odd",
// MAIN-NEXT: });
// MAIN: mep.next()
// README: - `launch2`: {{.*}}; a launch of weight 4

// CHECK: "shape": "base"
// CHECK: "checksum": "[[FIRST:[0-9a-f]+]]",
// CHECK: "launches": [
// CHECK-NEXT: {"shape": "base", "weight": 1, "trimmed_mean_ns": {{[0-9.]+}}, "reference": "none", "checksum": "[[FIRST]]"},
// CHECK-NEXT: {"shape": "launch2", "weight": 4, {{.*}}}],
// CHECK-NEXT: "weighted_total_ns": {{[0-9.]+}}}
// CHECK-NOT: {{.}}
// AGAIN: {"shape": "base", {{.*}} "reference": "match"
// AGAIN: {"shape": "launch2", {{.*}} "reference": "match"
// ONE: "shape": "launch2"
// ONE-NOT: "launches"
// OTHER: saved.launch2

#include <cuda_runtime.h>
__global__ void scale(float *x, int n, int mode) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = mode ? x[i] * 3 : -x[i];
}
int main() {
  const int n = 6000;
  float *x;
  cudaMalloc(&x, n * sizeof(float));
  scale<<<(n + 127) / 128, 128>>>(x, n, 1);
  for (int t = 0; t < 4; ++t)
    scale<<<(n + 127) / 128, 128>>>(x, n, 0);
  return cudaDeviceSynchronize();
}
