// y = alpha A x + beta B x, one thread a row.
#include "../Check.h"

#ifndef N
#define N 4096
#endif

__global__ void gesummv(const Real *A, const Real *B, const Real *X, Real *Y, Real *T, Real Alpha, Real Beta) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N) {
    T[I] = 0;
    Y[I] = 0;
    for (int J = 0; J < N; J++) {
      T[I] += A[I * N + J] * X[J];
      Y[I] += B[I * N + J] * X[J];
    }
    Y[I] = Alpha * T[I] + Beta * Y[I];
  }
}

int main() {
  const Real Alpha = 1.5f, Beta = 0.75f;
  Data A = randomData(size_t(N) * N, 1), B = randomData(size_t(N) * N, 2), X = randomData(N, 3);
  Real *DA, *DB, *DX, *DY, *DT;
  check(cudaMalloc((void **)&DA, sizeof(Real) * N * N));
  check(cudaMalloc((void **)&DB, sizeof(Real) * N * N));
  check(cudaMalloc((void **)&DX, sizeof(Real) * N));
  check(cudaMalloc((void **)&DY, sizeof(Real) * N));
  check(cudaMalloc((void **)&DT, sizeof(Real) * N));
  upload(DA, A);
  upload(DB, B);
  upload(DX, X);
  gesummv<<<(N + 255) / 256, 256>>>(DA, DB, DX, DY, DT, Alpha, Beta);
  Data Got = download(DY, N);
  Verdict V;
  for (int I = 0; I < N; ++I) {
    double First = 0, Second = 0;
    for (int J = 0; J < N; ++J) {
      First += double(A[size_t(I) * N + J]) * X[J];
      Second += double(B[size_t(I) * N + J]) * X[J];
    }
    V.expect(Got[I], Alpha * First + Beta * Second);
  }
  return V.report("gesummv");
}
