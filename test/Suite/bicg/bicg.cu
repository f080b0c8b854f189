// q = A p and s = A^T r, the two products of the biconjugate gradient method.
#include "Suite.h"

#ifndef NX
#define NX 4096
#endif
#ifndef NY
#define NY 4096
#endif

__global__ void residual(int nx, int ny, float *a, float *p, float *q) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < nx) {
    q[i] = 0;
    for (int j = 0; j < ny; j++)
      q[i] += a[i * ny + j] * p[j];
  }
}

__global__ void shadowResidual(int nx, int ny, float *a, float *r, float *s) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < ny) {
    s[j] = 0;
    for (int i = 0; i < nx; i++)
      s[j] += a[i * ny + j] * r[i];
  }
}

int main() {
  std::vector<float> A = suite::random(size_t(NX) * NY, 1);
  std::vector<float> P = suite::random(NY, 2), R = suite::random(NX, 3), Q(NX),
                     S(NY);
  float *a, *p, *q, *r, *s;
  suite::require(cudaMalloc((void **)&a, sizeof(float) * NX * NY), "a");
  suite::require(cudaMalloc((void **)&p, sizeof(float) * NY), "p");
  suite::require(cudaMalloc((void **)&q, sizeof(float) * NX), "q");
  suite::require(cudaMalloc((void **)&r, sizeof(float) * NX), "r");
  suite::require(cudaMalloc((void **)&s, sizeof(float) * NY), "s");
  cudaMemcpy(a, A.data(), sizeof(float) * NX * NY, cudaMemcpyHostToDevice);
  cudaMemcpy(p, P.data(), sizeof(float) * NY, cudaMemcpyHostToDevice);
  cudaMemcpy(r, R.data(), sizeof(float) * NX, cudaMemcpyHostToDevice);

  const int threads = 256;
  suite::Timer timer;
  residual<<<(NX + threads - 1) / threads, threads>>>(NX, NY, a, p, q);
  shadowResidual<<<(NY + threads - 1) / threads, threads>>>(NX, NY, a, r, s);
  double ms = timer.stop();
  cudaMemcpy(Q.data(), q, sizeof(float) * NX, cudaMemcpyDeviceToHost);
  cudaMemcpy(S.data(), s, sizeof(float) * NY, cudaMemcpyDeviceToHost);

  std::vector<suite::Sum> WantQ(NX), WantS(NY);
  for (size_t i = 0; i < NX; i++)
    for (size_t j = 0; j < NY; j++) {
      WantQ[i].add(double(A[i * NY + j]) * P[j]);
      WantS[j].add(double(A[i * NY + j]) * R[i]);
    }
  suite::Check check("bicg");
  for (size_t i = 0; i < NX; i++)
    check.compare("q", i, Q[i], WantQ[i]);
  for (size_t j = 0; j < NY; j++)
    check.compare("s", j, S[j], WantS[j]);
  return check.finish(ms);
}
