// Counts values in 64 bins by atomics.
#include <cuda_runtime.h>
#include <cstdio>

#define BINS 64

__global__ void count(const unsigned *values, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&bins[values[i] % BINS], 1u);
}

int main() {
  const int n = 65536;
  unsigned *values, *bins;
  cudaMalloc((void **)&values, n * sizeof(unsigned));
  cudaMalloc((void **)&bins, BINS * sizeof(unsigned));
  cudaMemset(bins, 0, BINS * sizeof(unsigned));
  count<<<(n + 255) / 256, 256>>>(values, bins, n);
  if (cudaDeviceSynchronize() != cudaSuccess)
    std::puts("failed");
  cudaFree(values);
  cudaFree(bins);
}
