// Smoothing along rows with a table in constant memory.
#include "Grid.h"
#include <cuda_runtime.h>

#define RADIUS 2

__constant__ Real Taps[2 * RADIUS + 1] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f};

__global__ void smoothRows(Real *Out, const Real *In, int Width, int Height) {
  int Row = blockIdx.x * blockDim.x + threadIdx.x;
  int Column = blockIdx.y * blockDim.y + threadIdx.y;
  if (Row < Height && Column >= RADIUS && Column < Width - RADIUS) {
    Out[Row * Width + Column] = 0;
    for (int K = -RADIUS; K <= RADIUS; K++)
      Out[Row * Width + Column] += Taps[K + RADIUS] * In[Row * Width + Column + K];
  }
}

void smooth(Real *Out, const Real *In, int Width, int Height) {
  Real *DeviceOut, *DeviceIn;
  size_t Bytes = sizeof(Real) * NX * NY;
  cudaMalloc((void **)&DeviceOut, Bytes);
  cudaMalloc((void **)&DeviceIn, Bytes);
  cudaMemcpy(DeviceIn, In, Bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(DeviceOut, In, Bytes, cudaMemcpyHostToDevice);
  dim3 Block(32, 8);
  dim3 Grid((NY + 31) / 32, (NX + 7) / 8);
  smoothRows<<<Grid, Block>>>(DeviceOut, DeviceIn, NX, NY);
  cudaMemcpy(Out, DeviceOut, Bytes, cudaMemcpyDeviceToHost);
  cudaFree(DeviceOut);
  cudaFree(DeviceIn);
}
