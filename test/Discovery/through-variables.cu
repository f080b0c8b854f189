// A launch may name its kernel through a variable that holds it from its initialiser
// on, by either kind of launch, in a template or not. One that may hold several is not
// guessed at.
// RUN: clang-mep-opt --cuda-path=none --list %s -- -x cu | FileCheck %s --check-prefix=LIST
// RUN: clang-mep-opt --cuda-path=none --stop-after=workload --kernel=scale -o %t %s -- -x cu | FileCheck %s

// LIST-DAG: scale (template, 1 instantiation) {{.*}}:[[#@LINE+14]]:1 {{ *}}1 {{ *}}
// LIST-DAG: plain {{.*}}:[[#@LINE+14]]:1 {{ *}}2 {{ *}}
// LIST-DAG: first {{.*}}:[[#@LINE+14]]:1 {{ *}}0 {{ *}}
// LIST-DAG: second {{.*}}:[[#@LINE+14]]:1 {{ *}}0 {{ *}}

// CHECK: "name": "count",
// CHECK-NEXT: "value": 4096
// CHECK: "extent": "count",
// CHECK: "grid": [
// CHECK-NEXT: "(count + 127) / 128"
// CHECK: "block": [
// CHECK-NEXT: "128"
#include <cuda_runtime.h>

template <int N, class T> __global__ void scale(T *p, int n) { p[threadIdx.x] *= N; }
__global__ void plain(int *p) { *p = 1; }
__global__ void first(int *p) { *p = 1; }
__global__ void second(int *p) { *p = 2; }

template <class T> int launch(T *p, int count) {
  auto kernel = scale<sizeof(T), T>;
  void *args[] = {&p, &count};
  return cudaLaunchKernel((void *)kernel, dim3((count + 127) / 128), dim3(128), args, 0, nullptr);
}

int main(int argc, char **) {
  const int count = 4096;
  float *a;
  cudaMalloc(&a, count * sizeof(float));
  launch(a, count);
  int *b;
  cudaMalloc(&b, 4);
  void (*by)(int *) = &plain;
  by<<<1, 1>>>(b);
  (*by)<<<1, 1>>>(b);
  auto changed = &first;
  if (argc > 1)
    changed = &second;
  changed<<<1, 1>>>(b);
}
