// A table of device functions brings the functions it names; those it does not name
// stay behind.
// RUN: rm -rf %t && mkdir -p %t
// RUN: echo '[{"directory": "%S", "file": "%s", "command": "nvcc -arch=sm_90 -std=c++17 -c %s"}]' > %t/compile_commands.json
// RUN: clang-mep-opt -p %t --cuda-path=none --stop-after=closure --kernel=dispatch %s | FileCheck %s
// RUN: %if cuda-toolkit %{ clang-mep-opt -p %t --stop-after=closure --kernel=dispatch --format=json %s | FileCheck %s --check-prefix=PROOF %}
// PROOF: "status": "same"

using Unary = float (*)(float);
__device__ float negate(float V) { return -V; }
__device__ float square(float V) { return V * V; }
__device__ float unused(float V) { return V; }
__device__ const Unary Operations[] = {negate, square};

// CHECK: using Unary
// CHECK: float negate
// CHECK: float square
// CHECK-NOT: unused
// CHECK: Operations[] = {negate, square};
__global__ void dispatch(float *A, int Which) {
  Unary Each = Operations[Which];
  A[threadIdx.x] = Each(A[threadIdx.x]);
}

int main() { dispatch<<<1, 32>>>(nullptr, 1); }
