// A kernel whose name is pasted together by a macro comes with the macro and is
// found under the name it ends up with.
// RUN: rm -rf %t && mkdir -p %t
// RUN: echo '[{"directory": "%S", "file": "%s", "command": "nvcc -arch=sm_90 -std=c++17 -c %s"}]' > %t/compile_commands.json
// RUN: clang-mep-opt -p %t --cuda-path=none --stop-after=closure --kernel=scale_float %s | FileCheck %s
// RUN: %if cuda-toolkit %{ clang-mep-opt -p %t --stop-after=closure --kernel=scale_float --format=json %s | FileCheck %s --check-prefix=PROOF %}
// PROOF: "status": "same"

#define NAME(Base, Type) Base##_##Type
#define SCALE(Type)                                                            \
  __global__ void NAME(scale, Type)(Type * A) { A[threadIdx.x] *= 2; }

// CHECK: #define NAME(Base, Type) Base##_##Type
// CHECK: #define SCALE(Type)
// CHECK: SCALE(float)
// CHECK-NOT: SCALE(double)
SCALE(float)
SCALE(double)

int main() {
  scale_float<<<1, 32>>>(nullptr);
  scale_double<<<1, 32>>>(nullptr);
}
