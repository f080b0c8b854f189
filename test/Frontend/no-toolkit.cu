// Without a toolkit the bundled headers stand in: ordinary host and device code
// parses without an error, in both views.
// RUN: clang-mep-opt --cuda-path=none --list %s -- 2>%t.err | FileCheck %s
// RUN: count 0 < %t.err
// RUN: clang-mep-opt --cuda-path=none --stop-after=closure %s -- 2>&1 | FileCheck %s --check-prefix=CLOSURE

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(Call)                                                            \
  do {                                                                         \
    cudaError_t Status = (Call);                                               \
    if (Status != cudaSuccess) {                                               \
      printf("%s\n", cudaGetErrorString(Status));                              \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

struct Grid {
  int Rows, Columns;
};
__constant__ float Weights[9];

// CHECK: blur {{.*}}no-toolkit.cu:[[#@LINE+2]]:1 {{.*}}1
// CLOSURE: __global__ void blur
__global__ void blur(Grid G, const float *In, float *Out) {
  __shared__ float Tile[32][33];
  int X = blockIdx.x * blockDim.x + threadIdx.x;
  int Y = blockIdx.y * blockDim.y + threadIdx.y;
  if (X < G.Columns && Y < G.Rows)
    Tile[threadIdx.y][threadIdx.x] = In[Y * G.Columns + X];
  __syncthreads();
  float Sum = __shfl_down_sync(0xffffffffu, Tile[0][0], 1);
  for (int I = 0; I < 9; ++I)
    Sum += Weights[I] * sqrtf(fmaxf(Tile[0][I], 0.f)) + expf(1.f) +
           std::abs(Sum) + __ldg(In);
  atomicAdd(Out, Sum * rsqrtf(2.f) + max(X, Y) + std::min(X, Y));
}

int main() {
  Grid G{64, 64};
  std::vector<float> Host(G.Rows * G.Columns, 1.f);
  float *In, *Out;
  size_t Bytes = Host.size() * sizeof(float);
  CHECK(cudaMalloc(&In, Bytes));
  CHECK(cudaMalloc((void **)&Out, Bytes));
  CHECK(cudaMemcpy(In, Host.data(), Bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyToSymbol(Weights, Host.data(), sizeof(Weights)));
  cudaEvent_t Start;
  cudaEventCreate(&Start);
  dim3 Block(32, 8), Blocks((G.Columns + 31) / 32, std::max(1, G.Rows / 8));
  blur<<<Blocks, Block>>>(G, In, Out);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  std::sort(Host.begin(), Host.end());
  cudaFree(In);
}
