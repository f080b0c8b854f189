// A lambda of host code that is passed to a kernel is carved as a function object
// with the same members and body: the machine code is the same.
// RUN: rm -rf %t && mkdir -p %t
// RUN: echo '[{"directory": "%S", "file": "%s", "command": "nvcc -arch=sm_90 -std=c++17 --extended-lambda -c %s"}]' > %t/compile_commands.json
// RUN: clang-mep-opt -p %t --cuda-path=none --stop-after=closure --kernel=each %s | FileCheck %s --implicit-check-not='void run'
// RUN: %if cuda-toolkit %{ clang-mep-opt -p %t --stop-after=closure --kernel=each --format=json %s | FileCheck %s --check-prefix=PROOF %}
// PROOF: "status": "same"

__device__ float twice(float V) { return 2 * V; }

template <class F> __global__ void each(int N, F Do) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N)
    Do(I);
}

// CHECK: __device__ float twice
// CHECK: template <class F> __global__ void each
// CHECK: struct mep_lambda_0 {
// CHECK-NEXT: using T = float;
// CHECK: float * A;
// CHECK: __device__ void operator()(int I) const {
// CHECK: template __global__ void each<mep_lambda_0>(int, mep_lambda_0);
template <class T> void run(T *A, int N, T By) {
  auto Scale = [=] __device__(int I) { A[I] = twice(A[I]) * T(By); };
  each<<<N / 32, 32>>>(N, Scale);
}

int main() { run<float>(nullptr, 64, 3); }
