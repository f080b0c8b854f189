// C = alpha (A B^T + B A^T) + beta C for a square C, one thread an element.
#include "Suite.h"

#ifndef N
#define N 2048
#endif
#ifndef M
#define M 2048
#endif
#define ALPHA 1.5f
#define BETA 1.2f

__global__ void syr2k(float *a, float *b, float *c) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < N && j < N) {
    c[i * N + j] *= BETA;
    for (int k = 0; k < M; k++)
      c[i * N + j] +=
          ALPHA * (a[i * M + k] * b[j * M + k] + b[i * M + k] * a[j * M + k]);
  }
}

int main() {
  std::vector<float> A = suite::random(size_t(N) * M, 1);
  std::vector<float> B = suite::random(size_t(N) * M, 2);
  std::vector<float> C = suite::random(size_t(N) * N, 3), Result(C.size());
  float *a, *b, *c;
  suite::require(cudaMalloc((void **)&a, sizeof(float) * N * M), "a");
  suite::require(cudaMalloc((void **)&b, sizeof(float) * N * M), "b");
  suite::require(cudaMalloc((void **)&c, sizeof(float) * N * N), "c");
  cudaMemcpy(a, A.data(), sizeof(float) * N * M, cudaMemcpyHostToDevice);
  cudaMemcpy(b, B.data(), sizeof(float) * N * M, cudaMemcpyHostToDevice);
  cudaMemcpy(c, C.data(), sizeof(float) * N * N, cudaMemcpyHostToDevice);

  dim3 block(32, 8);
  dim3 grid((N + block.x - 1) / block.x, (N + block.y - 1) / block.y);
  suite::Timer timer;
  syr2k<<<grid, block>>>(a, b, c);
  double ms = timer.stop();
  cudaMemcpy(Result.data(), c, sizeof(float) * N * N, cudaMemcpyDeviceToHost);

  suite::Check check("syr2k");
  for (size_t At : suite::sample(Result.size(), 4096)) {
    size_t i = At / N, j = At % N;
    suite::Sum want;
    want.add(double(BETA) * C[At]);
    for (size_t k = 0; k < M; k++) {
      want.add(double(ALPHA) * A[i * M + k] * B[j * M + k]);
      want.add(double(ALPHA) * B[i * M + k] * A[j * M + k]);
    }
    check.compare("C", At, Result[At], want);
  }
  return check.finish(ms);
}
