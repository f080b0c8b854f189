// Sums the rows of a matrix, one thread a row.
#include <cuda_runtime.h>
#include <cstdio>

__global__ void rowSum(const float *a, float *sum, int rows, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows) {
    float s = 0;
    for (int j = 0; j < width; ++j)
      s += a[i * width + j];
    sum[i] = s;
  }
}

int main() {
  const int rows = 2048, width = 192;
  float *a, *sum;
  cudaMalloc((void **)&a, rows * width * sizeof(float));
  cudaMalloc((void **)&sum, rows * sizeof(float));
  rowSum<<<(rows + 63) / 64, 64>>>(a, sum, rows, width);
  if (cudaDeviceSynchronize() != cudaSuccess)
    std::puts("failed");
  cudaFree(a);
  cudaFree(sum);
}
