// C = alpha A B + beta C, one thread an element.
#include "../Check.h"

#ifndef NI
#define NI 512
#endif
#ifndef NJ
#define NJ 512
#endif
#ifndef NK
#define NK 512
#endif

__global__ void gemm(Real *C, const Real *A, const Real *B, Real Alpha, Real Beta) {
  int J = blockIdx.x * blockDim.x + threadIdx.x;
  int I = blockIdx.y * blockDim.y + threadIdx.y;
  if (I < NI && J < NJ) {
    C[I * NJ + J] *= Beta;
    for (int K = 0; K < NK; K++)
      C[I * NJ + J] += Alpha * A[I * NK + K] * B[K * NJ + J];
  }
}

int main() {
  const Real Alpha = 1.5f, Beta = 0.75f;
  Data A = randomData(NI * NK, 1), B = randomData(NK * NJ, 2), C = randomData(NI * NJ, 3);
  Real *DA, *DB, *DC;
  check(cudaMalloc((void **)&DA, NI * NK * sizeof(Real)));
  check(cudaMalloc((void **)&DB, NK * NJ * sizeof(Real)));
  check(cudaMalloc((void **)&DC, NI * NJ * sizeof(Real)));
  upload(DA, A);
  upload(DB, B);
  upload(DC, C);
  dim3 Block(32, 8);
  dim3 Grid((NJ + Block.x - 1) / Block.x, (NI + Block.y - 1) / Block.y);
  gemm<<<Grid, Block>>>(DC, DA, DB, Alpha, Beta);
  Data Got = download(DC, NI * NJ);
  Verdict V;
  for (int I = 0; I < NI; I += 7)
    for (int J = 0; J < NJ; J += 5) {
      double Sum = Beta * C[I * NJ + J];
      for (int K = 0; K < NK; ++K)
        Sum += double(Alpha) * A[I * NK + K] * B[K * NJ + J];
      V.expect(Got[I * NJ + J], Sum);
    }
  return V.report("gemm");
}
