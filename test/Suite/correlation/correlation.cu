// The correlation matrix of M variables over N observations: mean, deviation,
// centring and scaling, then one thread a variable for its row of products.
#include "../Check.h"

#ifndef M
#define M 1024
#endif
#ifndef N
#define N 1024
#endif

__global__ void means(Real *Mean, const Real *X) {
  int J = blockIdx.x * blockDim.x + threadIdx.x;
  if (J < M) {
    Mean[J] = 0;
    for (int I = 0; I < N; I++)
      Mean[J] += X[I * M + J];
    Mean[J] /= (Real)N;
  }
}

__global__ void deviations(Real *Deviation, const Real *Mean, const Real *X) {
  int J = blockIdx.x * blockDim.x + threadIdx.x;
  if (J < M) {
    Deviation[J] = 0;
    for (int I = 0; I < N; I++)
      Deviation[J] += (X[I * M + J] - Mean[J]) * (X[I * M + J] - Mean[J]);
    Deviation[J] = sqrtf(Deviation[J] / (Real)N);
  }
}

__global__ void standardize(Real *X, const Real *Mean, const Real *Deviation) {
  int J = blockIdx.x * blockDim.x + threadIdx.x;
  int I = blockIdx.y * blockDim.y + threadIdx.y;
  if (I < N && J < M)
    X[I * M + J] = (X[I * M + J] - Mean[J]) / (sqrtf((Real)N) * Deviation[J]);
}

__global__ void correlate(Real *C, const Real *X) {
  int J1 = blockIdx.x * blockDim.x + threadIdx.x;
  if (J1 < M - 1) {
    C[J1 * M + J1] = 1;
    for (int J2 = J1 + 1; J2 < M; J2++) {
      C[J1 * M + J2] = 0;
      for (int I = 0; I < N; I++)
        C[J1 * M + J2] += X[I * M + J1] * X[I * M + J2];
      C[J2 * M + J1] = C[J1 * M + J2];
    }
  }
}

int main() {
  Data X = randomData(N * M, 1);
  Real *DX, *DMean, *DDeviation, *DC;
  check(cudaMalloc((void **)&DX, N * M * sizeof(Real)));
  check(cudaMalloc((void **)&DMean, M * sizeof(Real)));
  check(cudaMalloc((void **)&DDeviation, M * sizeof(Real)));
  check(cudaMalloc((void **)&DC, M * M * sizeof(Real)));
  upload(DX, X);
  dim3 Block(32, 8);
  dim3 Grid((M + Block.x - 1) / Block.x, (N + Block.y - 1) / Block.y);
  means<<<(M + 255) / 256, 256>>>(DMean, DX);
  deviations<<<(M + 255) / 256, 256>>>(DDeviation, DMean, DX);
  standardize<<<Grid, Block>>>(DX, DMean, DDeviation);
  correlate<<<(M + 255) / 256, 256>>>(DC, DX);
  Data Got = download(DC, M * M);
  std::vector<double> Mean(M), Deviation(M);
  for (int I = 0; I < N; ++I)
    for (int J = 0; J < M; ++J)
      Mean[J] += X[I * M + J] / double(N);
  for (int I = 0; I < N; ++I)
    for (int J = 0; J < M; ++J)
      Deviation[J] += (X[I * M + J] - Mean[J]) * (X[I * M + J] - Mean[J]) / N;
  Verdict V;
  for (int J1 = 0; J1 < M - 1; J1 += 37)
    for (int J2 = J1; J2 < M; J2 += 11) {
      double Sum = 0;
      for (int I = 0; I < N; ++I)
        Sum += (X[I * M + J1] - Mean[J1]) * (X[I * M + J2] - Mean[J2]) / N;
      Sum /= std::sqrt(Deviation[J1] * Deviation[J2]);
      V.expect(Got[J1 * M + J2], Sum);
      V.expect(Got[J2 * M + J1], Sum);
    }
  return V.report("correlation");
}
