// Transposes a matrix without staging.
#include <cuda_runtime.h>
#include <cstdio>

__global__ void transpose(const float *in, float *out, int rows, int cols) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < cols)
    out[col * rows + row] = in[row * cols + col];
}

int main() {
  const int rows = 480, cols = 400;
  float *in, *out;
  cudaMalloc((void **)&in, rows * cols * sizeof(float));
  cudaMalloc((void **)&out, rows * cols * sizeof(float));
  dim3 block(16, 16), grid((cols + 15) / 16, (rows + 15) / 16);
  transpose<<<grid, block>>>(in, out, rows, cols);
  if (cudaDeviceSynchronize() != cudaSuccess)
    std::puts("failed");
  cudaFree(in);
  cudaFree(out);
}
