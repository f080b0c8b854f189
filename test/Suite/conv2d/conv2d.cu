// A 3x3 convolution of the inner points; the border stays as it was.
#include "Suite.h"

#ifndef NI
#define NI 4096
#endif
#ifndef NJ
#define NJ 4096
#endif

__constant__ float weights[9];

__global__ void conv2d(int ni, int nj, float *in, float *out) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i > 0 && i < ni - 1 && j > 0 && j < nj - 1) {
    out[i * nj + j] = 0;
    for (int di = -1; di <= 1; di++)
      for (int dj = -1; dj <= 1; dj++)
        out[i * nj + j] +=
            weights[(di + 1) * 3 + dj + 1] * in[(i + di) * nj + j + dj];
  }
}

int main() {
  const float Weights[9] = {0.2f, -0.3f, 0.4f,  0.5f, 0.6f,
                            0.7f, -0.8f, -0.9f, 0.1f};
  std::vector<float> In = suite::random(size_t(NI) * NJ, 1);
  std::vector<float> Old = suite::random(size_t(NI) * NJ, 2),
                     Result(Old.size());
  float *in, *out;
  suite::require(cudaMalloc((void **)&in, sizeof(float) * NI * NJ), "in");
  suite::require(cudaMalloc((void **)&out, sizeof(float) * NI * NJ), "out");
  cudaMemcpyToSymbol(weights, Weights, sizeof(Weights));
  cudaMemcpy(in, In.data(), sizeof(float) * NI * NJ, cudaMemcpyHostToDevice);
  cudaMemcpy(out, Old.data(), sizeof(float) * NI * NJ, cudaMemcpyHostToDevice);

  dim3 block(32, 8);
  dim3 grid((NJ + block.x - 1) / block.x, (NI + block.y - 1) / block.y);
  suite::Timer timer;
  conv2d<<<grid, block>>>(NI, NJ, in, out);
  double ms = timer.stop();
  cudaMemcpy(Result.data(), out, sizeof(float) * NI * NJ,
             cudaMemcpyDeviceToHost);

  suite::Check check("conv2d");
  for (size_t i = 0; i < NI; i++)
    for (size_t j = 0; j < NJ; j++) {
      suite::Sum want;
      if (i == 0 || j == 0 || i == NI - 1 || j == NJ - 1)
        want.add(Old[i * NJ + j]);
      else
        for (size_t k = 0; k < 9; k++)
          want.add(double(Weights[k]) *
                   In[(i + k / 3 - 1) * NJ + j + k % 3 - 1]);
      check.compare("out", i * NJ + j, Result[i * NJ + j], want);
    }
  return check.finish(ms);
}
