// Prefix sums of the segments of a line, one block a segment.
#include <cuda_runtime.h>
#include <cstdio>

#define SEGMENT 128

__global__ void scan(const int *in, int *out, int n) {
  __shared__ int part[2][SEGMENT];
  int i = blockIdx.x * SEGMENT + threadIdx.x, now = 0;
  part[0][threadIdx.x] = i < n ? in[i] : 0;
  for (int step = 1; step < SEGMENT; step *= 2) {
    __syncthreads();
    int v = part[now][threadIdx.x];
    if (threadIdx.x >= step)
      v += part[now][threadIdx.x - step];
    now = 1 - now;
    part[now][threadIdx.x] = v;
  }
  if (i < n)
    out[i] = part[now][threadIdx.x];
}

int main() {
  const int n = 4000;
  int *in, *out;
  cudaMalloc((void **)&in, n * sizeof(int));
  cudaMalloc((void **)&out, n * sizeof(int));
  scan<<<(n + SEGMENT - 1) / SEGMENT, SEGMENT>>>(in, out, n);
  if (cudaDeviceSynchronize() != cudaSuccess)
    std::puts("failed");
  cudaFree(in);
  cudaFree(out);
}
