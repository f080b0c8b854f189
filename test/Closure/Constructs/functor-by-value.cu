// A function object passed by value brings its class, its members and what its call
// operator needs; its host methods go without a body.
// RUN: rm -rf %t && mkdir -p %t
// RUN: echo '[{"directory": "%S", "file": "%s", "command": "nvcc -arch=sm_90 -std=c++17 -c %s"}]' > %t/compile_commands.json
// RUN: clang-mep-opt -p %t --cuda-path=none --stop-after=closure --kernel=each %s | FileCheck %s
// RUN: %if cuda-toolkit %{ clang-mep-opt -p %t --stop-after=closure --kernel=each --format=json %s | FileCheck %s --check-prefix=PROOF %}
// PROOF: "status": "same"

#include <cstdlib>
struct Base { float Offset; };
struct Scale : Base {
  float By;
  __device__ float operator()(float V) const { return V * By + Offset; }
  void load(const char *Text) { By = atof(Text); }
};

// CHECK: struct Base
// CHECK: struct Scale : Base
// CHECK: operator()(float V) const { return V * By + Offset; }
// CHECK-NOT: atof
// CHECK: __global__ void each
template <class F> __global__ void each(float *A, F Do) {
  A[threadIdx.x] = Do(A[threadIdx.x]);
}

int main(int, char **Arguments) {
  Scale S;
  S.load(Arguments[1]);
  each<<<1, 32>>>((float *)nullptr, S);
}
