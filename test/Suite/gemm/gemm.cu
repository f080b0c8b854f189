// C = alpha A B + beta C, one thread for each element of C.
#include "Suite.h"

#ifndef NI
#define NI 512
#endif
#ifndef NJ
#define NJ 512
#endif
#ifndef NK
#define NK 512
#endif

__global__ void gemm(int ni, int nj, int nk, float alpha, float beta, float *a,
                     float *b, float *c) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < ni && j < nj) {
    c[i * nj + j] *= beta;
    for (int k = 0; k < nk; k++)
      c[i * nj + j] += alpha * a[i * nk + k] * b[k * nj + j];
  }
}

int main() {
  const float alpha = 1.5f, beta = 1.2f;
  std::vector<float> A = suite::random(size_t(NI) * NK, 1);
  std::vector<float> B = suite::random(size_t(NK) * NJ, 2);
  std::vector<float> C = suite::random(size_t(NI) * NJ, 3), Result(C.size());
  float *a, *b, *c;
  suite::require(cudaMalloc((void **)&a, sizeof(float) * NI * NK), "a");
  suite::require(cudaMalloc((void **)&b, sizeof(float) * NK * NJ), "b");
  suite::require(cudaMalloc((void **)&c, sizeof(float) * NI * NJ), "c");
  cudaMemcpy(a, A.data(), sizeof(float) * NI * NK, cudaMemcpyHostToDevice);
  cudaMemcpy(b, B.data(), sizeof(float) * NK * NJ, cudaMemcpyHostToDevice);
  cudaMemcpy(c, C.data(), sizeof(float) * NI * NJ, cudaMemcpyHostToDevice);

  dim3 block(32, 8);
  dim3 grid((NJ + block.x - 1) / block.x, (NI + block.y - 1) / block.y);
  suite::Timer timer;
  gemm<<<grid, block>>>(NI, NJ, NK, alpha, beta, a, b, c);
  double ms = timer.stop();
  cudaMemcpy(Result.data(), c, sizeof(float) * NI * NJ, cudaMemcpyDeviceToHost);

  suite::Check check("gemm");
  for (size_t At : suite::sample(Result.size(), 4096)) {
    size_t i = At / NJ, j = At % NJ;
    suite::Sum want;
    want.add(double(beta) * C[At]);
    for (size_t k = 0; k < NK; k++)
      want.add(double(alpha) * A[i * NK + k] * B[k * NJ + j]);
    check.compare("C", At, Result[At], want);
  }
  return check.finish(ms);
}
