// Kernels of the diagnostics, in a header because two units could share them.
#pragma once
#include "Grid.h"

// One thread a row: the weighted sum of its cells.
__global__ void rowSums(Real *Sum, const Real *Field, const Real *Weights) {
  int Row = blockIdx.x * blockDim.x + threadIdx.x;
  if (Row < NY) {
    Sum[Row] = 0;
    for (int Column = 0; Column < NX; Column++)
      Sum[Row] += Field[Row * NX + Column] * Weights[Column];
  }
}

// One thread a column: the sum of squares of its cells.
__global__ void columnNorms(Real *Norm, const Real *Field) {
  int Column = blockIdx.x * blockDim.x + threadIdx.x;
  if (Column < NX) {
    Norm[Column] = 0;
    for (int Row = 0; Row < NY; Row++)
      Norm[Column] += Field[Row * NX + Column] * Field[Row * NX + Column];
  }
}
