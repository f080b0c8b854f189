// s = A^T r and q = A p, the two products of a bi-conjugate gradient step.
#include "../Check.h"

#ifndef NX
#define NX 4096
#endif
#ifndef NY
#define NY 4096
#endif

__global__ void transposedTimesR(const Real *A, const Real *R, Real *S) {
  int J = blockIdx.x * blockDim.x + threadIdx.x;
  if (J < NY) {
    S[J] = 0;
    for (int I = 0; I < NX; I++)
      S[J] += R[I] * A[I * NY + J];
  }
}

__global__ void timesP(const Real *A, const Real *P, Real *Q) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < NX) {
    Q[I] = 0;
    for (int J = 0; J < NY; J++)
      Q[I] += A[I * NY + J] * P[J];
  }
}

int main() {
  Data A = randomData(size_t(NX) * NY, 1), R = randomData(NX, 2), P = randomData(NY, 3);
  Real *DA, *DR, *DS, *DP, *DQ;
  check(cudaMalloc((void **)&DA, sizeof(Real) * NX * NY));
  check(cudaMalloc((void **)&DR, sizeof(Real) * NX));
  check(cudaMalloc((void **)&DS, sizeof(Real) * NY));
  check(cudaMalloc((void **)&DP, sizeof(Real) * NY));
  check(cudaMalloc((void **)&DQ, sizeof(Real) * NX));
  upload(DA, A);
  upload(DR, R);
  upload(DP, P);
  transposedTimesR<<<(NY + 255) / 256, 256>>>(DA, DR, DS);
  timesP<<<(NX + 255) / 256, 256>>>(DA, DP, DQ);
  Data GotS = download(DS, NY), GotQ = download(DQ, NX);
  std::vector<double> S(NY), Q(NX);
  for (int I = 0; I < NX; ++I)
    for (int J = 0; J < NY; ++J) {
      double X = A[size_t(I) * NY + J];
      S[J] += X * R[I];
      Q[I] += X * P[J];
    }
  Verdict V;
  for (int J = 0; J < NY; ++J)
    V.expect(GotS[J], S[J]);
  for (int I = 0; I < NX; ++I)
    V.expect(GotQ[I], Q[I]);
  return V.report("bicg");
}
