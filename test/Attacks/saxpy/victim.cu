// Adds a scaled vector to another in place.
#include <cuda_runtime.h>
#include <cstdio>

__global__ void saxpy(float a, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}

int main() {
  const int n = 200001;
  float *x, *y;
  cudaMalloc((void **)&x, n * sizeof(float));
  cudaMalloc((void **)&y, n * sizeof(float));
  saxpy<<<(n + 127) / 128, 128>>>(2.5f, x, y, n);
  if (cudaDeviceSynchronize() != cudaSuccess)
    std::puts("failed");
  cudaFree(x);
  cudaFree(y);
}
