// C = alpha A A^T + beta C for a square C, one thread for each element.
#include "Suite.h"

#ifndef N
#define N 1024
#endif
#ifndef M
#define M 1024
#endif

__global__ void syrk(int n, int m, float alpha, float beta, float *a,
                     float *c) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) {
    c[i * n + j] *= beta;
    for (int k = 0; k < m; k++)
      c[i * n + j] += alpha * a[i * m + k] * a[j * m + k];
  }
}

int main() {
  const float alpha = 1.5f, beta = 1.2f;
  std::vector<float> A = suite::random(size_t(N) * M, 1);
  std::vector<float> C = suite::random(size_t(N) * N, 2), Result(C.size());
  float *a, *c;
  suite::require(cudaMalloc((void **)&a, sizeof(float) * N * M), "a");
  suite::require(cudaMalloc((void **)&c, sizeof(float) * N * N), "c");
  cudaMemcpy(a, A.data(), sizeof(float) * N * M, cudaMemcpyHostToDevice);
  cudaMemcpy(c, C.data(), sizeof(float) * N * N, cudaMemcpyHostToDevice);

  dim3 block(32, 8);
  dim3 grid((N + block.x - 1) / block.x, (N + block.y - 1) / block.y);
  suite::Timer timer;
  syrk<<<grid, block>>>(N, M, alpha, beta, a, c);
  double ms = timer.stop();
  cudaMemcpy(Result.data(), c, sizeof(float) * N * N, cudaMemcpyDeviceToHost);

  suite::Check check("syrk");
  for (size_t At : suite::sample(Result.size(), 4096)) {
    size_t i = At / N, j = At % N;
    suite::Sum want;
    want.add(double(beta) * C[At]);
    for (size_t k = 0; k < M; k++)
      want.add(double(alpha) * A[i * M + k] * A[j * M + k]);
    check.compare("C", At, Result[At], want);
  }
  return check.finish(ms);
}
