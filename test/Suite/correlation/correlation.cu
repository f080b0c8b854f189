// The correlation matrix of M variables observed N times (data[i][j]:
// observation i of variable j): means, deviations, standardised data, products.
#include "Suite.h"

#ifndef M
#define M 2048
#endif
#ifndef N
#define N 2048
#endif

__global__ void meanOf(float *data, float *mean) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < M) {
    mean[j] = 0;
    for (int i = 0; i < N; i++)
      mean[j] += data[i * M + j];
    mean[j] /= N;
  }
}

__global__ void deviationOf(float *data, float *mean, float *deviation) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < M) {
    deviation[j] = 0;
    for (int i = 0; i < N; i++)
      deviation[j] += (data[i * M + j] - mean[j]) * (data[i * M + j] - mean[j]);
    deviation[j] = sqrtf(deviation[j] / N);
    // A constant variable correlates with nothing rather than with NaN.
    if (deviation[j] <= 1e-6f)
      deviation[j] = 1;
  }
}

__global__ void standardise(float *data, float *mean, float *deviation) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < N && j < M) {
    data[i * M + j] -= mean[j];
    data[i * M + j] /= sqrtf((float)N) * deviation[j];
  }
}

__global__ void correlate(float *data, float *corr) {
  int j1 = blockIdx.x * blockDim.x + threadIdx.x;
  if (j1 < M) {
    corr[j1 * M + j1] = 1;
    for (int j2 = j1 + 1; j2 < M; j2++) {
      corr[j1 * M + j2] = 0;
      for (int i = 0; i < N; i++)
        corr[j1 * M + j2] += data[i * M + j1] * data[i * M + j2];
      corr[j2 * M + j1] = corr[j1 * M + j2];
    }
  }
}

/// The correlation of variables \p p and \p q in double precision.
static suite::Sum reference(const std::vector<float> &Data, size_t p,
                            size_t q) {
  double MeanP = 0, MeanQ = 0, VarP = 0, VarQ = 0, Product = 0;
  for (size_t i = 0; i < N; i++) {
    MeanP += Data[i * M + p] / double(N);
    MeanQ += Data[i * M + q] / double(N);
  }
  for (size_t i = 0; i < N; i++) {
    double P = Data[i * M + p] - MeanP, Q = Data[i * M + q] - MeanQ;
    VarP += P * P;
    VarQ += Q * Q;
    Product += P * Q;
  }
  // The sum of magnitudes is at most 1 (Cauchy and Schwarz).
  return {Product / std::sqrt(VarP * VarQ), 1};
}

int main() {
  std::vector<float> Data = suite::random(size_t(N) * M, 1),
                     Result(size_t(M) * M);
  // Every variable with its own offset and spread, and tied to the one before.
  for (size_t i = 0; i < N; i++)
    for (size_t j = 1; j < M; j++)
      Data[i * M + j] =
          0.5f * Data[i * M + j - 1] + Data[i * M + j] * (1 + j % 7) + j % 5;
  float *data, *mean, *deviation, *corr;
  suite::require(cudaMalloc((void **)&data, sizeof(float) * N * M), "data");
  suite::require(cudaMalloc((void **)&mean, sizeof(float) * M), "mean");
  suite::require(cudaMalloc((void **)&deviation, sizeof(float) * M),
                 "deviation");
  suite::require(cudaMalloc((void **)&corr, sizeof(float) * M * M), "corr");
  cudaMemcpy(data, Data.data(), sizeof(float) * N * M, cudaMemcpyHostToDevice);

  dim3 line(256), linear((M + 255) / 256);
  dim3 block(32, 8), grid((M + 31) / 32, (N + 7) / 8);
  suite::Timer timer;
  meanOf<<<linear, line>>>(data, mean);
  deviationOf<<<linear, line>>>(data, mean, deviation);
  standardise<<<grid, block>>>(data, mean, deviation);
  correlate<<<linear, line>>>(data, corr);
  double ms = timer.stop();
  cudaMemcpy(Result.data(), corr, sizeof(float) * M * M,
             cudaMemcpyDeviceToHost);

  suite::Check check("correlation");
  for (size_t At : suite::sample(Result.size(), 2048))
    check.compare("corr", At, Result[At], reference(Data, At / M, At % M));
  return check.finish(ms);
}
