// C = alpha A A^T + beta C, one thread an element.
#include "../Check.h"

#ifndef N
#define N 1024
#endif
#ifndef M
#define M 1024
#endif

__global__ void syrk(Real *C, const Real *A, Real Alpha, Real Beta) {
  int J = blockIdx.x * blockDim.x + threadIdx.x;
  int I = blockIdx.y * blockDim.y + threadIdx.y;
  if (I < N && J < N) {
    C[I * N + J] *= Beta;
    for (int K = 0; K < M; K++)
      C[I * N + J] += Alpha * A[I * M + K] * A[J * M + K];
  }
}

int main() {
  const Real Alpha = 1.25f, Beta = 0.5f;
  Data A = randomData(N * M, 1), C = randomData(N * N, 2);
  Real *DA, *DC;
  check(cudaMalloc((void **)&DA, N * M * sizeof(Real)));
  check(cudaMalloc((void **)&DC, N * N * sizeof(Real)));
  upload(DA, A);
  upload(DC, C);
  dim3 Block(32, 8);
  dim3 Grid((N + Block.x - 1) / Block.x, (N + Block.y - 1) / Block.y);
  syrk<<<Grid, Block>>>(DC, DA, Alpha, Beta);
  Data Got = download(DC, N * N);
  Verdict V;
  for (int I = 0; I < N; I += 13)
    for (int J = 0; J < N; J += 17) {
      double Sum = Beta * C[I * N + J];
      for (int K = 0; K < M; ++K)
        Sum += double(Alpha) * A[I * M + K] * A[J * M + K];
      V.expect(Got[I * N + J], Sum);
    }
  return V.report("syrk");
}
