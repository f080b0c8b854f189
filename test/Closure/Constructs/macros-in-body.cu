// Macros that are defined and undefined inside a body stay there, and the same name
// has its other meaning before and after.
// RUN: rm -rf %t && mkdir -p %t
// RUN: echo '[{"directory": "%S", "file": "%s", "command": "nvcc -arch=sm_90 -std=c++17 -c %s"}]' > %t/compile_commands.json
// RUN: clang-mep-opt -p %t --cuda-path=none --stop-after=closure --kernel=unrolled %s | FileCheck %s
// RUN: %if cuda-toolkit %{ clang-mep-opt -p %t --stop-after=closure --kernel=unrolled --format=json %s | FileCheck %s --check-prefix=PROOF %}
// PROOF: "status": "same"

#define STEP(i) (2 * (i))
// CHECK: #define STEP(i) (2 * (i))
// CHECK: __global__ void unrolled
// CHECK: #undef STEP
// CHECK-NEXT: #define STEP(i) (3 * (i))
// CHECK: #undef STEP
__global__ void unrolled(int *A) {
  A[0] = STEP(A[0]);
#undef STEP
#define STEP(i) (3 * (i))
  A[1] = STEP(A[1]);
#undef STEP
}
#define STEP(i) (5 * (i))

int main() { unrolled<<<1, 1>>>(nullptr); return STEP(0); }
