// Diagnostics over the field: row sums and column norms.
#include "Summary.cuh"
#include <cuda_runtime.h>

void summarize(Real *RowSum, Real *ColumnNorm, const Real *Field, const Real *Weights) {
  Real *DeviceField, *DeviceWeights, *DeviceSum, *DeviceNorm;
  cudaMalloc((void **)&DeviceField, NX * NY * sizeof(Real));
  cudaMalloc((void **)&DeviceWeights, NX * sizeof(Real));
  cudaMalloc((void **)&DeviceSum, NY * sizeof(Real));
  cudaMalloc((void **)&DeviceNorm, NX * sizeof(Real));
  cudaMemcpy(DeviceField, Field, NX * NY * sizeof(Real), cudaMemcpyHostToDevice);
  cudaMemcpy(DeviceWeights, Weights, NX * sizeof(Real), cudaMemcpyHostToDevice);
  rowSums<<<(NY + 255) / 256, 256>>>(DeviceSum, DeviceField, DeviceWeights);
  columnNorms<<<(NX + 255) / 256, 256>>>(DeviceNorm, DeviceField);
  cudaMemcpy(RowSum, DeviceSum, NY * sizeof(Real), cudaMemcpyDeviceToHost);
  cudaMemcpy(ColumnNorm, DeviceNorm, NX * sizeof(Real), cudaMemcpyDeviceToHost);
  cudaFree(DeviceField);
  cudaFree(DeviceWeights);
  cudaFree(DeviceSum);
  cudaFree(DeviceNorm);
}
