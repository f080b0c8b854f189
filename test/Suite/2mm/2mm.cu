// D = alpha A B C + beta D, in two products through a temporary matrix.
#include "Suite.h"

#ifndef NI
#define NI 2048
#endif
#ifndef NJ
#define NJ 2048
#endif
#ifndef NK
#define NK 2048
#endif
#ifndef NL
#define NL 2048
#endif

__global__ void firstProduct(int ni, int nj, int nk, float alpha, float *tmp,
                             float *a, float *b) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < ni && j < nj) {
    tmp[i * nj + j] = 0;
    for (int k = 0; k < nk; k++)
      tmp[i * nj + j] += alpha * a[i * nk + k] * b[k * nj + j];
  }
}

__global__ void secondProduct(int ni, int nj, int nl, float beta, float *tmp,
                              float *c, float *d) {
  int l = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < ni && l < nl) {
    d[i * nl + l] *= beta;
    for (int j = 0; j < nj; j++)
      d[i * nl + l] += tmp[i * nj + j] * c[j * nl + l];
  }
}

/// Row \p i of alpha A B, in double precision, with the sums of magnitudes.
static std::vector<suite::Sum> referenceRow(const std::vector<float> &A,
                                            const std::vector<float> &B,
                                            size_t i, double alpha) {
  std::vector<suite::Sum> Row(NJ);
  for (size_t k = 0; k < NK; k++)
    for (size_t j = 0; j < NJ; j++)
      Row[j].add(alpha * A[i * NK + k] * B[k * NJ + j]);
  return Row;
}

int main() {
  const float alpha = 1.5f, beta = 1.2f;
  std::vector<float> A = suite::random(size_t(NI) * NK, 1);
  std::vector<float> B = suite::random(size_t(NK) * NJ, 2);
  std::vector<float> C = suite::random(size_t(NJ) * NL, 3);
  std::vector<float> D = suite::random(size_t(NI) * NL, 4), Result(D.size());
  float *a, *b, *c, *d, *tmp;
  suite::require(cudaMalloc((void **)&a, sizeof(float) * NI * NK), "a");
  suite::require(cudaMalloc((void **)&b, sizeof(float) * NK * NJ), "b");
  suite::require(cudaMalloc((void **)&c, sizeof(float) * NJ * NL), "c");
  suite::require(cudaMalloc((void **)&d, sizeof(float) * NI * NL), "d");
  suite::require(cudaMalloc((void **)&tmp, sizeof(float) * NI * NJ), "tmp");
  cudaMemcpy(a, A.data(), sizeof(float) * NI * NK, cudaMemcpyHostToDevice);
  cudaMemcpy(b, B.data(), sizeof(float) * NK * NJ, cudaMemcpyHostToDevice);
  cudaMemcpy(c, C.data(), sizeof(float) * NJ * NL, cudaMemcpyHostToDevice);
  cudaMemcpy(d, D.data(), sizeof(float) * NI * NL, cudaMemcpyHostToDevice);

  dim3 block(32, 8);
  dim3 grid1((NJ + block.x - 1) / block.x, (NI + block.y - 1) / block.y);
  dim3 grid2((NL + block.x - 1) / block.x, (NI + block.y - 1) / block.y);
  suite::Timer timer;
  firstProduct<<<grid1, block>>>(NI, NJ, NK, alpha, tmp, a, b);
  secondProduct<<<grid2, block>>>(NI, NJ, NL, beta, tmp, c, d);
  double ms = timer.stop();
  cudaMemcpy(Result.data(), d, sizeof(float) * NI * NL, cudaMemcpyDeviceToHost);

  suite::Check check("2mm");
  for (size_t i : suite::sample(NI, 4)) {
    std::vector<suite::Sum> Row = referenceRow(A, B, i, alpha);
    for (size_t l : suite::sample(NL, 256)) {
      suite::Sum want;
      want.add(double(beta) * D[i * NL + l]);
      for (size_t j = 0; j < NJ; j++) {
        double Factor = C[j * NL + l];
        want.Value += Row[j].Value * Factor;
        want.Scale += Row[j].Scale * std::fabs(Factor);
      }
      check.compare("D", i * NL + l, Result[i * NL + l], want);
    }
  }
  return check.finish(ms);
}
