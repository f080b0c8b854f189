// Multiplies matrices, one thread an element.
#include <cuda_runtime.h>
#include <cstdio>

#define ROWS 64
#define COLS 96
#define DEPTH 80

__global__ void product(const float *a, const float *b, float *c) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= ROWS || col >= COLS)
    return;
  float s = 0;
  for (int k = 0; k < DEPTH; ++k)
    s += a[row * DEPTH + k] * b[k * COLS + col];
  c[row * COLS + col] = s;
}

int main() {
  float *a, *b, *c;
  cudaMalloc((void **)&a, ROWS * DEPTH * sizeof(float));
  cudaMalloc((void **)&b, DEPTH * COLS * sizeof(float));
  cudaMalloc((void **)&c, ROWS * COLS * sizeof(float));
  dim3 block(16, 8), grid((COLS + 15) / 16, (ROWS + 7) / 8);
  product<<<grid, block>>>(a, b, c);
  if (cudaDeviceSynchronize() != cudaSuccess)
    std::puts("failed");
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
}
