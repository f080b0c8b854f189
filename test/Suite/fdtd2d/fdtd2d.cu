// Finite-difference time domain in two dimensions: two electric components and
// the magnetic one, a kernel each.
#include "../Check.h"

#ifndef NX
#define NX 2048
#endif
#ifndef NY
#define NY 2048
#endif
#ifndef STEPS
#define STEPS 10
#endif

__global__ void electricY(Real *Ey, const Real *Hz, const Real *Source, int T) {
  int J = blockIdx.x * blockDim.x + threadIdx.x;
  int I = blockIdx.y * blockDim.y + threadIdx.y;
  if (I < NX && J < NY) {
    if (I == 0)
      Ey[I * NY + J] = Source[T];
    else
      Ey[I * NY + J] = Ey[I * NY + J] - 0.5f * (Hz[I * NY + J] - Hz[(I - 1) * NY + J]);
  }
}

__global__ void electricX(Real *Ex, const Real *Hz) {
  int J = blockIdx.x * blockDim.x + threadIdx.x;
  int I = blockIdx.y * blockDim.y + threadIdx.y;
  if (I < NX && J > 0 && J < NY)
    Ex[I * NY + J] = Ex[I * NY + J] - 0.5f * (Hz[I * NY + J] - Hz[I * NY + (J - 1)]);
}

__global__ void magnetic(const Real *Ex, const Real *Ey, Real *Hz) {
  int J = blockIdx.x * blockDim.x + threadIdx.x;
  int I = blockIdx.y * blockDim.y + threadIdx.y;
  if (I < NX - 1 && J < NY - 1)
    Hz[I * NY + J] = Hz[I * NY + J] - 0.7f * (Ex[I * NY + (J + 1)] - Ex[I * NY + J] + Ey[(I + 1) * NY + J] - Ey[I * NY + J]);
}

int main() {
  Data Ex = randomData(NX * NY, 1), Ey = randomData(NX * NY, 2), Hz = randomData(NX * NY, 3), Source = randomData(STEPS, 4);
  Real *DEx, *DEy, *DHz, *DSource;
  check(cudaMalloc((void **)&DEx, NX * NY * sizeof(Real)));
  check(cudaMalloc((void **)&DEy, NX * NY * sizeof(Real)));
  check(cudaMalloc((void **)&DHz, NX * NY * sizeof(Real)));
  check(cudaMalloc((void **)&DSource, STEPS * sizeof(Real)));
  upload(DEx, Ex);
  upload(DEy, Ey);
  upload(DHz, Hz);
  upload(DSource, Source);
  dim3 Block(32, 8);
  dim3 Grid((NY + Block.x - 1) / Block.x, (NX + Block.y - 1) / Block.y);
  for (int T = 0; T < STEPS; T++) {
    electricY<<<Grid, Block>>>(DEy, DHz, DSource, T);
    electricX<<<Grid, Block>>>(DEx, DHz);
    magnetic<<<Grid, Block>>>(DEx, DEy, DHz);
  }
  Data Got = download(DHz, NX * NY);
  std::vector<double> X(Ex.begin(), Ex.end()), Y(Ey.begin(), Ey.end()), H(Hz.begin(), Hz.end());
  for (int T = 0; T < STEPS; ++T) {
    for (int J = 0; J < NY; ++J)
      Y[J] = Source[T];
    for (int I = 1; I < NX; ++I)
      for (int J = 0; J < NY; ++J)
        Y[I * NY + J] -= 0.5 * (H[I * NY + J] - H[(I - 1) * NY + J]);
    for (int I = 0; I < NX; ++I)
      for (int J = 1; J < NY; ++J)
        X[I * NY + J] -= 0.5 * (H[I * NY + J] - H[I * NY + J - 1]);
    for (int I = 0; I < NX - 1; ++I)
      for (int J = 0; J < NY - 1; ++J)
        H[I * NY + J] -= 0.7 * (X[I * NY + J + 1] - X[I * NY + J] + Y[(I + 1) * NY + J] - Y[I * NY + J]);
  }
  Verdict V;
  for (int I = 0; I < NX * NY; ++I)
    V.expect(Got[I], H[I]);
  return V.report("fdtd2d");
}
