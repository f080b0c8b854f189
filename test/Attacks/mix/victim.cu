// Mixes the bits of integers.
#include <cuda_runtime.h>
#include <cstdio>

__global__ void mix(const unsigned *in, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned v = in[i];
  for (int k = 0; k < 8; ++k)
    v = (v ^ (v >> 15)) * 0x2c1b3c6du + k;
  out[i] = v;
}

int main() {
  const int n = 100003;
  unsigned *in, *out;
  cudaMalloc((void **)&in, n * sizeof(unsigned));
  cudaMalloc((void **)&out, n * sizeof(unsigned));
  mix<<<(n + 127) / 128, 128>>>(in, out, n);
  if (cudaDeviceSynchronize() != cudaSuccess)
    std::puts("failed");
  cudaFree(in);
  cudaFree(out);
}
