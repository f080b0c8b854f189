// The floor counts what the baseline is seen to read and write, not whole
// buffers: a row of a matrix; an update reads and writes its buffer.
// RUN: clang-mep-opt --platform=cpu --t-min=1 --kernel=slice -o %t.out --stop-after=evaluate %s -- | FileCheck %s --check-prefix=SLICE
// RUN: clang-mep-opt --platform=cpu --t-min=1 --kernel=update -o %t.out --stop-after=evaluate %s -- | FileCheck %s --check-prefix=UPDATE

// SLICE: "compulsory_bytes": 32768,
// Of y, 512 elements are the smallest part that is looked at here.
// UPDATE: "compulsory_bytes": 1050624,
// One float of each 256 is read: a sector of 32 bytes each time, as far as eight
// draws can tell (16 KiB, between half and three times).
// RUN: clang-mep-opt --platform=cpu --t-min=1 --kernel=column -o %t.out --stop-after=evaluate %s -- | FileCheck %s --check-prefix=COLUMN
// COLUMN: "compulsory_bytes": {{[89]...|[1-5]....}},

#include <cuda_runtime.h>
#define ROWS 32
#define COLUMNS 4096
__global__ void slice(float *out, const float *in, int row) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < COLUMNS)
    out[row * COLUMNS + j] = 2.0f * in[row * COLUMNS + j] + 1.0f;
}
__global__ void update(float *x, const float *y) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < ROWS * COLUMNS)
    x[j] = 2.0f * x[j] + y[0];
}
__global__ void column(float *out, const float *in) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < 512)
    out[j] = 2.0f * in[j * 256];
}
int main() {
  float *a, *b;
  cudaMalloc(&a, ROWS * COLUMNS * sizeof(float));
  cudaMalloc(&b, ROWS * COLUMNS * sizeof(float));
  slice<<<COLUMNS / 256, 256>>>(a, b, 17);
  update<<<ROWS * COLUMNS / 256, 256>>>(a, b);
  column<<<2, 256>>>(a, b);
  cudaDeviceSynchronize();
}
