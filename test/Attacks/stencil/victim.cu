// Smooths a line: each block stages its part and a halo in shared memory.
#include <cuda_runtime.h>
#include <cstdio>

#define BLOCK 128
#define RADIUS 3

__global__ void smooth(const float *in, float *out, int n) {
  __shared__ float tile[BLOCK + 2 * RADIUS];
  int i = blockIdx.x * BLOCK + threadIdx.x, at = threadIdx.x + RADIUS;
  tile[at] = i < n ? in[i] : 0;
  if (threadIdx.x < RADIUS) {
    tile[threadIdx.x] = i >= RADIUS && i - RADIUS < n ? in[i - RADIUS] : 0;
    tile[at + BLOCK] = i + BLOCK < n ? in[i + BLOCK] : 0;
  }
  __syncthreads();
  if (i >= n)
    return;
  float s = 0;
  for (int k = -RADIUS; k <= RADIUS; ++k)
    s += tile[at + k] * (RADIUS + 1 - abs(k));
  out[i] = s;
}

int main() {
  const int n = 4096;
  float *in, *out;
  cudaMalloc((void **)&in, n * sizeof(float));
  cudaMalloc((void **)&out, n * sizeof(float));
  smooth<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n);
  if (cudaDeviceSynchronize() != cudaSuccess)
    std::puts("failed");
  cudaFree(in);
  cudaFree(out);
}
