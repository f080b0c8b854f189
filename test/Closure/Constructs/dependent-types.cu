// A template that is launched with several arguments: the pattern is kept, with
// the types its arguments lead to, and the launched instantiation is asked for.
// RUN: rm -rf %t && mkdir -p %t
// RUN: echo '[{"directory": "%S", "file": "%s", "command": "nvcc -arch=sm_90 -std=c++17 -c %s"}]' > %t/compile_commands.json
// RUN: clang-mep-opt -p %t --cuda-path=none --stop-after=closure --kernel=apply %s | FileCheck %s
// RUN: %if cuda-toolkit %{ clang-mep-opt -p %t --stop-after=closure --kernel=apply --format=json %s | FileCheck %s --check-prefix=PROOF %}
// PROOF: "status": "same"

template <class T> struct Traits;
template <> struct Traits<float> { using Wide = double; };
template <> struct Traits<int> { using Wide = long long; };
struct NotNeeded {};

// CHECK: template <class T> struct Traits;
// CHECK: template <> struct Traits<{{float|int}}>
// CHECK-NOT: NotNeeded
// CHECK: template <class T, int N> __global__ void apply
// CHECK: typename Traits<T>::Wide
// CHECK: template __global__ void apply<{{float, 4|int, 8}}>({{float|int}} *);
template <class T, int N> __global__ void apply(T *A) {
  typename Traits<T>::Wide Sum = 0;
  for (int I = 0; I < N; ++I)
    Sum += A[N * threadIdx.x + I];
  A[N * threadIdx.x] = Sum;
}

int main() {
  apply<float, 4><<<1, 32>>>(nullptr);
  apply<int, 8><<<1, 32>>>(nullptr);
}
