// y = alpha A x + beta B x, one thread for each row.
#include "Suite.h"

#ifndef N
#define N 4096
#endif

__global__ void gesummv(int n, float alpha, float beta, float *a, float *b,
                        float *tmp, float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    tmp[i] = 0;
    y[i] = 0;
    for (int j = 0; j < n; j++) {
      tmp[i] += a[i * n + j] * x[j];
      y[i] += b[i * n + j] * x[j];
    }
    y[i] = alpha * tmp[i] + beta * y[i];
  }
}

int main() {
  const float alpha = 1.5f, beta = 1.2f;
  std::vector<float> A = suite::random(size_t(N) * N, 1);
  std::vector<float> B = suite::random(size_t(N) * N, 2);
  std::vector<float> X = suite::random(N, 3), Result(N);
  float *a, *b, *tmp, *x, *y;
  suite::require(cudaMalloc((void **)&a, sizeof(float) * N * N), "a");
  suite::require(cudaMalloc((void **)&b, sizeof(float) * N * N), "b");
  suite::require(cudaMalloc((void **)&tmp, sizeof(float) * N), "tmp");
  suite::require(cudaMalloc((void **)&x, sizeof(float) * N), "x");
  suite::require(cudaMalloc((void **)&y, sizeof(float) * N), "y");
  cudaMemcpy(a, A.data(), sizeof(float) * N * N, cudaMemcpyHostToDevice);
  cudaMemcpy(b, B.data(), sizeof(float) * N * N, cudaMemcpyHostToDevice);
  cudaMemcpy(x, X.data(), sizeof(float) * N, cudaMemcpyHostToDevice);

  dim3 block(256);
  dim3 grid((N + block.x - 1) / block.x);
  suite::Timer timer;
  gesummv<<<grid, block>>>(N, alpha, beta, a, b, tmp, x, y);
  double ms = timer.stop();
  cudaMemcpy(Result.data(), y, sizeof(float) * N, cudaMemcpyDeviceToHost);

  suite::Check check("gesummv");
  for (size_t i = 0; i < N; i++) {
    suite::Sum want;
    for (size_t j = 0; j < N; j++) {
      want.add(double(alpha) * A[i * N + j] * X[j]);
      want.add(double(beta) * B[i * N + j] * X[j]);
    }
    check.compare("y", i, Result[i], want);
  }
  return check.finish(ms);
}
