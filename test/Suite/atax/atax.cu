// y = A^T (A x): a product with A, then one with its transpose.
#include "Suite.h"

#ifndef NX
#define NX 4096
#endif
#ifndef NY
#define NY 4096
#endif

__global__ void timesMatrix(float *a, float *x, float *tmp) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < NX) {
    tmp[i] = 0;
    for (int j = 0; j < NY; j++)
      tmp[i] += a[i * NY + j] * x[j];
  }
}

__global__ void timesTranspose(float *a, float *tmp, float *y) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < NY) {
    y[j] = 0;
    for (int i = 0; i < NX; i++)
      y[j] += a[i * NY + j] * tmp[i];
  }
}

int main() {
  std::vector<float> A = suite::random(size_t(NX) * NY, 1);
  std::vector<float> X = suite::random(NY, 2), Result(NY);
  float *a, *x, *y, *tmp;
  suite::require(cudaMalloc((void **)&a, sizeof(float) * NX * NY), "a");
  suite::require(cudaMalloc((void **)&x, sizeof(float) * NY), "x");
  suite::require(cudaMalloc((void **)&y, sizeof(float) * NY), "y");
  suite::require(cudaMalloc((void **)&tmp, sizeof(float) * NX), "tmp");
  cudaMemcpy(a, A.data(), sizeof(float) * NX * NY, cudaMemcpyHostToDevice);
  cudaMemcpy(x, X.data(), sizeof(float) * NY, cudaMemcpyHostToDevice);

  dim3 block(256, 1);
  suite::Timer timer;
  timesMatrix<<<(NX + 255) / 256, block>>>(a, x, tmp);
  timesTranspose<<<(NY + 255) / 256, block>>>(a, tmp, y);
  double ms = timer.stop();
  cudaMemcpy(Result.data(), y, sizeof(float) * NY, cudaMemcpyDeviceToHost);

  std::vector<suite::Sum> Want(NY);
  for (size_t i = 0; i < NX; i++) {
    suite::Sum Row;
    for (size_t j = 0; j < NY; j++)
      Row.add(double(A[i * NY + j]) * X[j]);
    for (size_t j = 0; j < NY; j++) {
      Want[j].Value += Row.Value * A[i * NY + j];
      Want[j].Scale += Row.Scale * std::fabs(A[i * NY + j]);
    }
  }
  suite::Check check("atax");
  for (size_t j = 0; j < NY; j++)
    check.compare("y", j, Result[j], Want[j]);
  return check.finish(ms);
}
