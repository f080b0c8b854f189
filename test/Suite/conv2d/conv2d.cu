// A 3 x 3 convolution of the inner points, one thread a point.
#include "../Check.h"

#ifndef NI
#define NI 4096
#endif
#ifndef NJ
#define NJ 4096
#endif

__global__ void conv2d(const Real *A, Real *B) {
  int J = blockIdx.x * blockDim.x + threadIdx.x;
  int I = blockIdx.y * blockDim.y + threadIdx.y;
  if (I > 0 && I < NI - 1 && J > 0 && J < NJ - 1)
    B[I * NJ + J] = 0.25f * A[(I - 1) * NJ + (J - 1)] - 0.3f * A[(I - 1) * NJ + J] + 0.4f * A[(I - 1) * NJ + (J + 1)] +
                    0.1f * A[I * NJ + (J - 1)] + 0.6f * A[I * NJ + J] - 0.9f * A[I * NJ + (J + 1)] +
                    0.5f * A[(I + 1) * NJ + (J - 1)] + 0.7f * A[(I + 1) * NJ + J] + 0.15f * A[(I + 1) * NJ + (J + 1)];
}

int main() {
  static const double Taps[3][3] = {{0.25, -0.3, 0.4}, {0.1, 0.6, -0.9}, {0.5, 0.7, 0.15}};
  Data A = randomData(size_t(NI) * NJ, 1);
  Real *DA, *DB;
  check(cudaMalloc((void **)&DA, sizeof(Real) * NI * NJ));
  check(cudaMalloc((void **)&DB, sizeof(Real) * NI * NJ));
  upload(DA, A);
  dim3 Block(32, 8);
  dim3 Grid((NJ + Block.x - 1) / Block.x, (NI + Block.y - 1) / Block.y);
  conv2d<<<Grid, Block>>>(DA, DB);
  Data Got = download(DB, size_t(NI) * NJ);
  Verdict V;
  for (int I = 1; I < NI - 1; ++I)
    for (int J = 1; J < NJ - 1; ++J) {
      double Sum = 0;
      for (int DI = -1; DI <= 1; ++DI)
        for (int DJ = -1; DJ <= 1; ++DJ)
          Sum += Taps[DI + 1][DJ + 1] * A[size_t(I + DI) * NJ + J + DJ];
      V.expect(Got[size_t(I) * NJ + J], Sum);
    }
  return V.report("conv2d");
}
