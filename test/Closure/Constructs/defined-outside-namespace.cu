// A kernel template declared in a namespace and defined outside of it: what instantiates
// it stands where the definition does, and names the namespace.
// RUN: rm -rf %t && mkdir -p %t
// RUN: echo '[{"directory": "%S", "file": "%s", "command": "nvcc -arch=sm_90 -std=c++17 -c %s"}]' > %t/compile_commands.json
// RUN: clang-mep-opt -p %t --cuda-path=none --stop-after=closure --kernel=each %s | FileCheck %s
// RUN: %if cuda-toolkit %{ clang-mep-opt -p %t --stop-after=closure --kernel=each --format=json %s | FileCheck %s --check-prefix=PROOF %}
// PROOF: "status": "same"

namespace outer::inner {
template <class F, class T> __global__ void each(T *A, F Do);
struct Twice {
  __device__ float operator()(float V) const { return 2 * V; }
};
} // namespace outer::inner

// CHECK: __global__ void outer::inner::each(T *A, F Do) {
// CHECK: template __global__ void outer::inner::each<outer::inner::Twice, float>(float *, outer::inner::Twice);
template <class F, class T>
__global__ void outer::inner::each(T *A, F Do) {
  A[threadIdx.x] = Do(A[threadIdx.x]);
}

int main() {
  outer::inner::each<<<1, 32>>>((float *)nullptr, outer::inner::Twice());
}
