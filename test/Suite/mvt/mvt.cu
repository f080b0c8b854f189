// x1 += A y1 and x2 += A^T y2, one thread a row and one thread a column.
#include "../Check.h"

#ifndef N
#define N 4096
#endif

__global__ void addProduct(const Real *A, Real *X1, const Real *Y1) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N) {
    for (int J = 0; J < N; J++)
      X1[I] += A[I * N + J] * Y1[J];
  }
}

__global__ void addTransposedProduct(const Real *A, Real *X2, const Real *Y2) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N) {
    for (int J = 0; J < N; J++)
      X2[I] += A[J * N + I] * Y2[J];
  }
}

int main() {
  Data A = randomData(size_t(N) * N, 1), X1 = randomData(N, 2), X2 = randomData(N, 3);
  Data Y1 = randomData(N, 4), Y2 = randomData(N, 5);
  Real *DA, *DX1, *DX2, *DY1, *DY2;
  check(cudaMalloc((void **)&DA, sizeof(Real) * N * N));
  check(cudaMalloc((void **)&DX1, sizeof(Real) * N));
  check(cudaMalloc((void **)&DX2, sizeof(Real) * N));
  check(cudaMalloc((void **)&DY1, sizeof(Real) * N));
  check(cudaMalloc((void **)&DY2, sizeof(Real) * N));
  upload(DA, A);
  upload(DX1, X1);
  upload(DX2, X2);
  upload(DY1, Y1);
  upload(DY2, Y2);
  addProduct<<<(N + 255) / 256, 256>>>(DA, DX1, DY1);
  addTransposedProduct<<<(N + 255) / 256, 256>>>(DA, DX2, DY2);
  Data Got1 = download(DX1, N), Got2 = download(DX2, N);
  std::vector<double> E1(X1.begin(), X1.end()), E2(X2.begin(), X2.end());
  for (int I = 0; I < N; ++I)
    for (int J = 0; J < N; ++J) {
      double X = A[size_t(I) * N + J];
      E1[I] += X * Y1[J];
      E2[J] += X * Y2[I];
    }
  Verdict V;
  for (int I = 0; I < N; ++I) {
    V.expect(Got1[I], E1[I]);
    V.expect(Got2[I], E2[I]);
  }
  return V.report("mvt");
}
