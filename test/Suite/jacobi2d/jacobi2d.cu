// Jacobi sweeps over the inner points of a square, one thread a point.
#include "../Check.h"

#ifndef N
#define N 1000
#endif
#ifndef STEPS
#define STEPS 20
#endif

__global__ void sweep(const Real *A, Real *B) {
  int J = blockIdx.x * blockDim.x + threadIdx.x;
  int I = blockIdx.y * blockDim.y + threadIdx.y;
  if (I > 0 && I < N - 1 && J > 0 && J < N - 1)
    B[I * N + J] = 0.2f * (A[I * N + J] + A[I * N + (J - 1)] + A[I * N + (J + 1)] + A[(I + 1) * N + J] + A[(I - 1) * N + J]);
}

int main() {
  Data Start = randomData(N * N, 1);
  Real *DA, *DB;
  check(cudaMalloc((void **)&DA, N * N * sizeof(Real)));
  check(cudaMalloc((void **)&DB, N * N * sizeof(Real)));
  upload(DA, Start);
  upload(DB, Start);
  dim3 Block(32, 8);
  dim3 Grid((N + Block.x - 1) / Block.x, (N + Block.y - 1) / Block.y);
  for (int T = 0; T < STEPS; T += 2) {
    sweep<<<Grid, Block>>>(DA, DB);
    sweep<<<Grid, Block>>>(DB, DA);
  }
  Data Got = download(DA, N * N);
  std::vector<double> A(Start.begin(), Start.end()), B = A;
  for (int T = 0; T < STEPS; ++T) {
    for (int I = 1; I < N - 1; ++I)
      for (int J = 1; J < N - 1; ++J)
        B[I * N + J] = 0.2 * (A[I * N + J] + A[I * N + J - 1] + A[I * N + J + 1] + A[(I + 1) * N + J] + A[(I - 1) * N + J]);
    A.swap(B);
  }
  Verdict V;
  for (int I = 0; I < N * N; ++I)
    V.expect(Got[I], A[I]);
  return V.report("jacobi2d");
}
