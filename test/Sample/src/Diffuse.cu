// The time step: a five-point stencil with its parameters in a structure.
#include "Grid.h"
#include <cuda_runtime.h>

namespace heat {

__device__ Real laplacian(const Real *F, int Center, int Width) {
  return F[Center - 1] + F[Center + 1] + F[Center - Width] + F[Center + Width] -
         4 * F[Center];
}

__global__ void step(Real *Next, const Real *Now, StepParameters P) {
  int Column = blockIdx.x * blockDim.x + threadIdx.x;
  int Row = blockIdx.y * blockDim.y + threadIdx.y;
  if (Column > 0 && Column < P.Width - 1 && Row > 0 && Row < P.Height - 1) {
    int Center = Row * P.Width + Column;
    Next[Center] = Now[Center] + P.Dt * P.Diffusivity * laplacian(Now, Center, P.Width);
  }
}

} // namespace heat

void diffuse(Real *Next, const Real *Now) {
  Real *DeviceNext, *DeviceNow;
  cudaMalloc((void **)&DeviceNext, NX * NY * sizeof(Real));
  cudaMalloc((void **)&DeviceNow, NX * NY * sizeof(Real));
  cudaMemcpy(DeviceNow, Now, NX * NY * sizeof(Real), cudaMemcpyHostToDevice);
  cudaMemcpy(DeviceNext, Now, NX * NY * sizeof(Real), cudaMemcpyHostToDevice);
  StepParameters Step;
  Step.Width = NX;
  Step.Height = NY;
  Step.Dt = TIME_STEP;
  Step.Diffusivity = DIFFUSIVITY;
  dim3 Block(8, 32);
  dim3 Grid((NX + Block.x - 1) / Block.x, (NY + Block.y - 1) / Block.y);
  heat::step<<<Grid, Block>>>(DeviceNext, DeviceNow, Step);
  cudaMemcpy(Next, DeviceNext, NX * NY * sizeof(Real), cudaMemcpyDeviceToHost);
  cudaFree(DeviceNext);
  cudaFree(DeviceNow);
}
