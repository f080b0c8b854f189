// x1 += A y1 and x2 += A^T y2.
#include "Suite.h"

#ifndef N
#define N 4096
#endif

__global__ void addProduct(int n, float *a, float *x1, float *y1) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int j = 0; j < n; j++)
      x1[i] += a[i * n + j] * y1[j];
}

__global__ void addTransposedProduct(int n, float *a, float *x2, float *y2) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int j = 0; j < n; j++)
      x2[i] += a[j * n + i] * y2[j];
}

int main() {
  std::vector<float> A = suite::random(size_t(N) * N, 1);
  std::vector<float> X1 = suite::random(N, 2), X2 = suite::random(N, 3);
  std::vector<float> Y1 = suite::random(N, 4), Y2 = suite::random(N, 5),
                     Got1(N), Got2(N);
  float *a, *x1, *x2, *y1, *y2;
  suite::require(cudaMalloc((void **)&a, sizeof(float) * N * N), "a");
  suite::require(cudaMalloc((void **)&x1, sizeof(float) * N), "x1");
  suite::require(cudaMalloc((void **)&x2, sizeof(float) * N), "x2");
  suite::require(cudaMalloc((void **)&y1, sizeof(float) * N), "y1");
  suite::require(cudaMalloc((void **)&y2, sizeof(float) * N), "y2");
  cudaMemcpy(a, A.data(), sizeof(float) * N * N, cudaMemcpyHostToDevice);
  cudaMemcpy(x1, X1.data(), sizeof(float) * N, cudaMemcpyHostToDevice);
  cudaMemcpy(x2, X2.data(), sizeof(float) * N, cudaMemcpyHostToDevice);
  cudaMemcpy(y1, Y1.data(), sizeof(float) * N, cudaMemcpyHostToDevice);
  cudaMemcpy(y2, Y2.data(), sizeof(float) * N, cudaMemcpyHostToDevice);

  dim3 block(256);
  dim3 grid((N + block.x - 1) / block.x);
  suite::Timer timer;
  addProduct<<<grid, block>>>(N, a, x1, y1);
  addTransposedProduct<<<grid, block>>>(N, a, x2, y2);
  double ms = timer.stop();
  cudaMemcpy(Got1.data(), x1, sizeof(float) * N, cudaMemcpyDeviceToHost);
  cudaMemcpy(Got2.data(), x2, sizeof(float) * N, cudaMemcpyDeviceToHost);

  std::vector<suite::Sum> Want1(N), Want2(N);
  for (size_t i = 0; i < N; i++) {
    Want1[i].add(X1[i]);
    Want2[i].add(X2[i]);
  }
  for (size_t i = 0; i < N; i++)
    for (size_t j = 0; j < N; j++) {
      Want1[i].add(double(A[i * N + j]) * Y1[j]);
      Want2[j].add(double(A[i * N + j]) * Y2[i]);
    }
  suite::Check check("mvt");
  for (size_t i = 0; i < N; i++) {
    check.compare("x1", i, Got1[i], Want1[i]);
    check.compare("x2", i, Got2[i], Want2[i]);
  }
  return check.finish(ms);
}
