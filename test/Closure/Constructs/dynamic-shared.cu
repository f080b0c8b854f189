// Dynamic shared memory that several functions see as several types is one stretch
// of memory: all its declarations stay.
// RUN: rm -rf %t && mkdir -p %t
// RUN: echo '[{"directory": "%S", "file": "%s", "command": "nvcc -arch=sm_90 -std=c++17 -c %s"}]' > %t/compile_commands.json
// RUN: clang-mep-opt -p %t --cuda-path=none --stop-after=closure --kernel=sort %s | FileCheck %s
// RUN: %if cuda-toolkit %{ clang-mep-opt -p %t --stop-after=closure --kernel=sort --format=json %s | FileCheck %s --check-prefix=PROOF %}
// PROOF: "status": "same"

extern __shared__ unsigned char Raw[];
template <class T> __device__ T *room() {
  extern __shared__ __align__(16) unsigned char Bytes[];
  return reinterpret_cast<T *>(Bytes);
}

// CHECK: extern __shared__ unsigned char Raw[];
// CHECK: template <class T> __device__ T *room()
// CHECK: __global__ void sort
__global__ void sort(float *A, int *B) {
  float *F = room<float>();
  int *I = room<int>();
  F[threadIdx.x] = A[threadIdx.x];
  __syncthreads();
  B[threadIdx.x] = I[blockDim.x - 1 - threadIdx.x] + Raw[0];
}

int main() { sort<<<1, 32, 32 * sizeof(float)>>>(nullptr, nullptr); }
