// What nvcc takes and Clang alone does not: host min and max, cache-operator
// stores, calls that CUDA 13 removed, managed memory, `register`.
// RUN: clang-mep-opt --list %s -- 2>%t.err | FileCheck %s
// RUN: count 0 < %t.err
// REQUIRES: cuda-toolkit

__managed__ int Counter;

// CHECK: store
__global__ void store(float *Out, int N) {
  register int I = min(threadIdx.x, N);
  __stcs(Out + I, 1.0f);
  __stcg(Out + I, 2.0f);
  Counter = N;
}

int main() {
  unsigned long Rows = 7;
  int Blocks = max(min(3, 4), 1);
  float *Out = nullptr;
  store<<<Blocks, min(32ul, Rows)>>>(Out, max(1u, 2));
  cudaThreadSynchronize();
  return int(max(1.0f, 2.0));
}
