// Jacobi relaxation: every inner point becomes the mean of itself and its four
// neighbours, TSTEPS times.
#include "Suite.h"

#ifndef N
#define N 1000
#endif
#ifndef TSTEPS
#define TSTEPS 20
#endif

__global__ void relax(int n, float *a, float *b) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= 1 && i < n - 1 && j >= 1 && j < n - 1)
    b[i * n + j] = 0.2f * (a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] +
                           a[(i + 1) * n + j] + a[(i - 1) * n + j]);
}

__global__ void copyBack(int n, float *a, float *b) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= 1 && i < n - 1 && j >= 1 && j < n - 1)
    a[i * n + j] = b[i * n + j];
}

/// TSTEPS steps in double precision.
static std::vector<double> reference(const std::vector<float> &Start) {
  std::vector<double> A(Start.begin(), Start.end()), B = A;
  for (int t = 0; t < TSTEPS; t++) {
    for (size_t i = 1; i < N - 1; i++)
      for (size_t j = 1; j < N - 1; j++)
        B[i * N + j] = (A[i * N + j] + A[i * N + j - 1] + A[i * N + j + 1] +
                        A[(i + 1) * N + j] + A[(i - 1) * N + j]) /
                       5;
    std::swap(A, B);
  }
  return A;
}

int main() {
  std::vector<float> A = suite::random(size_t(N) * N, 1), Result(A.size());
  float *a, *b;
  suite::require(cudaMalloc((void **)&a, sizeof(float) * N * N), "a");
  suite::require(cudaMalloc((void **)&b, sizeof(float) * N * N), "b");
  cudaMemcpy(a, A.data(), sizeof(float) * N * N, cudaMemcpyHostToDevice);
  cudaMemcpy(b, A.data(), sizeof(float) * N * N, cudaMemcpyHostToDevice);

  dim3 block(32, 8);
  dim3 grid((N + block.x - 1) / block.x, (N + block.y - 1) / block.y);
  suite::Timer timer;
  for (int t = 0; t < TSTEPS; t++) {
    relax<<<grid, block>>>(N, a, b);
    copyBack<<<grid, block>>>(N, a, b);
  }
  double ms = timer.stop();
  cudaMemcpy(Result.data(), a, sizeof(float) * N * N, cudaMemcpyDeviceToHost);

  std::vector<double> Want = reference(A);
  suite::Check check("jacobi2d");
  for (size_t At = 0; At < Result.size(); At++)
    check.compare("a", At, Result[At], {Want[At], 1});
  return check.finish(ms);
}
