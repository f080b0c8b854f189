// E = (A B) D by two products, one thread an element.
#include "../Check.h"

#ifndef NI
#define NI 2048
#endif
#ifndef NJ
#define NJ 2048
#endif
#ifndef NK
#define NK 2048
#endif
#ifndef NL
#define NL 2048
#endif

__global__ void firstProduct(Real *T, const Real *A, const Real *B) {
  int J = blockIdx.x * blockDim.x + threadIdx.x;
  int I = blockIdx.y * blockDim.y + threadIdx.y;
  if (I < NI && J < NJ) {
    T[I * NJ + J] = 0;
    for (int K = 0; K < NK; K++)
      T[I * NJ + J] += A[I * NK + K] * B[K * NJ + J];
  }
}

__global__ void secondProduct(Real *E, const Real *T, const Real *D) {
  int L = blockIdx.x * blockDim.x + threadIdx.x;
  int I = blockIdx.y * blockDim.y + threadIdx.y;
  if (I < NI && L < NL) {
    E[I * NL + L] = 0;
    for (int J = 0; J < NJ; J++)
      E[I * NL + L] += T[I * NJ + J] * D[J * NL + L];
  }
}

int main() {
  Data A = randomData(size_t(NI) * NK, 1), B = randomData(size_t(NK) * NJ, 2), D = randomData(size_t(NJ) * NL, 3);
  Real *DA, *DB, *DT, *DD, *DE;
  check(cudaMalloc((void **)&DA, sizeof(Real) * NI * NK));
  check(cudaMalloc((void **)&DB, sizeof(Real) * NK * NJ));
  check(cudaMalloc((void **)&DT, sizeof(Real) * NI * NJ));
  check(cudaMalloc((void **)&DD, sizeof(Real) * NJ * NL));
  check(cudaMalloc((void **)&DE, sizeof(Real) * NI * NL));
  upload(DA, A);
  upload(DB, B);
  upload(DD, D);
  dim3 Block(32, 8);
  dim3 FirstGrid((NJ + Block.x - 1) / Block.x, (NI + Block.y - 1) / Block.y);
  dim3 SecondGrid((NL + Block.x - 1) / Block.x, (NI + Block.y - 1) / Block.y);
  firstProduct<<<FirstGrid, Block>>>(DT, DA, DB);
  secondProduct<<<SecondGrid, Block>>>(DE, DT, DD);
  Data Got = download(DE, size_t(NI) * NL);
  Verdict V;
  for (int I = 0; I < NI; I += NI / 3) {
    std::vector<double> Row(NJ);
    for (int K = 0; K < NK; ++K)
      for (int J = 0; J < NJ; ++J)
        Row[J] += double(A[size_t(I) * NK + K]) * B[size_t(K) * NJ + J];
    for (int L = 0; L < NL; L += 11) {
      double Sum = 0;
      for (int J = 0; J < NJ; ++J)
        Sum += Row[J] * D[size_t(J) * NL + L];
      V.expect(Got[size_t(I) * NL + L], Sum);
    }
  }
  return V.report("2mm");
}
