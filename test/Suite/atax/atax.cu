// y = A^T (A x) in two kernels, one thread a row and one thread a column.
#include "../Check.h"

#ifndef NX
#define NX 4096
#endif
#ifndef NY
#define NY 4096
#endif

__global__ void timesX(const Real *A, const Real *X, Real *T) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < NX) {
    T[I] = 0;
    for (int J = 0; J < NY; J++)
      T[I] += A[I * NY + J] * X[J];
  }
}

__global__ void transposedTimesT(const Real *A, Real *Y, const Real *T) {
  int J = blockIdx.x * blockDim.x + threadIdx.x;
  if (J < NY) {
    Y[J] = 0;
    for (int I = 0; I < NX; I++)
      Y[J] += A[I * NY + J] * T[I];
  }
}

int main() {
  Data A = randomData(size_t(NX) * NY, 1), X = randomData(NY, 2);
  Real *DA, *DX, *DT, *DY;
  check(cudaMalloc((void **)&DA, sizeof(Real) * NX * NY));
  check(cudaMalloc((void **)&DX, sizeof(Real) * NY));
  check(cudaMalloc((void **)&DT, sizeof(Real) * NX));
  check(cudaMalloc((void **)&DY, sizeof(Real) * NY));
  upload(DA, A);
  upload(DX, X);
  timesX<<<(NX + 255) / 256, 256>>>(DA, DX, DT);
  transposedTimesT<<<(NY + 255) / 256, 256>>>(DA, DY, DT);
  Data Got = download(DY, NY);
  std::vector<double> Y(NY);
  for (int I = 0; I < NX; ++I) {
    double Sum = 0;
    for (int J = 0; J < NY; ++J)
      Sum += double(A[size_t(I) * NY + J]) * X[J];
    for (int J = 0; J < NY; ++J)
      Y[J] += A[size_t(I) * NY + J] * Sum;
  }
  Verdict V;
  for (int J = 0; J < NY; ++J)
    V.expect(Got[J], Y[J]);
  return V.report("atax");
}
