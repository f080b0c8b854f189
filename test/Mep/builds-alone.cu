// A MEP builds with a plain C++ compiler and nothing of ours in reach, runs,
// and says what it did: barriers, dynamic shared memory, a structure by value,
// a constant and a template at once.

// RUN: rm -rf %t && clang-mep-opt --stop-after=mep -o %t %s --
// RUN: FileCheck %s --input-file=%t/smooth/kernel.cu --check-prefix=KERNEL
// RUN: %cxx -std=c++17 -O1 -x c++ %t/smooth/main.cu -o %t/mep -pthread
// RUN: %t/mep --repeat 4 --warmup 1 --save %t/out.bin | FileCheck %s
// RUN: %t/mep --repeat 2 --reference %t/out.bin | FileCheck %s --check-prefix=MATCH
// RUN: not %t/mep --repeat 2 --seed 2 --reference %t/out.bin
// RUN: %t/mep --repeat=2 --seed=2 | FileCheck %s --check-prefix=SEED
// RUN: %t/mep --repeat 2 --shape odd | FileCheck %s --check-prefix=ODD
// RUN: %t/mep --repeat 2 --set COUNT=77 | FileCheck %s --check-prefix=SET
// RUN: not %t/mep --set WIDTH=77 2>&1 | FileCheck %s --check-prefix=NOSIZE
// RUN: not %t/mep --shape nowhere 2>&1 | FileCheck %s --check-prefix=NOSHAPE
// RUN: not %t/mep --repeat none 2>&1 | FileCheck %s --check-prefix=USAGE

// KERNEL: #ifdef MEP_CPU
// KERNEL-NEXT: T *Cache = mep_cpu::dynamicShared<T>();
// KERNEL-NEXT: #else
// KERNEL-NEXT: extern __shared__ T Cache[];
// KERNEL-NEXT: #endif

// CHECK: "kernel": "smooth<float>", "shape": "base", "seed": 1, "platform": "cpu"
// CHECK: "block": [64, 1, 1], "shared_bytes": 256
// CHECK: "times_ns": [{{[0-9]+, [0-9]+, [0-9]+, [0-9]+}}]
// CHECK: "trimmed_mean_ns": {{[0-9.]+}}
// CHECK: "inputs_unchanged": true, "deterministic": true, "nan": 0, "reference": "none"
// CHECK: "checksum": "{{[0-9a-f]+}}"
// MATCH: "reference": "match", "worst_error": 0
// SEED: "seed": 2
// ODD: "shape": "odd"
// SET: "shape": "custom"
// SET: "grid": [2, 1, 1]
// NOSIZE: error: 'WIDTH' is no size that --set can change
// NOSHAPE: error: no shape is named 'nowhere'
// USAGE: error: --repeat wants an integer of at least 1, not 'none'

#define COUNT 1024
#define BLOCK 64
__constant__ float Weights[2];
struct Range {
  int Count;
  float Factor;
};
template <typename T> __global__ void smooth(Range R, const T *In, T *Out) {
  extern __shared__ T Cache[];
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  Cache[threadIdx.x] = I < R.Count ? In[I] : T(0);
  __syncthreads();
  if (I < R.Count)
    Out[I] = R.Factor * (Weights[0] * Cache[threadIdx.x] +
                         Weights[1] * Cache[blockDim.x - 1 - threadIdx.x]);
}
int main() {
  float *In, *Out, Host[2] = {0.25f, 0.75f};
  cudaMalloc((void **)&In, COUNT * sizeof(float));
  cudaMalloc((void **)&Out, COUNT * sizeof(float));
  cudaMemcpyToSymbol(Weights, Host, sizeof(Host));
  Range R;
  R.Count = COUNT;
  R.Factor = 2.0f;
  smooth<float><<<(COUNT + BLOCK - 1) / BLOCK, BLOCK, BLOCK * sizeof(float)>>>(R, In, Out);
  return 0;
}
