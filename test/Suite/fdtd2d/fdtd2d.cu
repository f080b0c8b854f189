// Maxwell's equations in two dimensions on Yee's grid: ex (NX x NY+1),
// ey (NX+1 x NY) and hz (NX x NY), with a source along the first row of ey.
#include "Suite.h"

#ifndef NX
#define NX 2048
#endif
#ifndef NY
#define NY 2048
#endif
#ifndef TMAX
#define TMAX 50
#endif

__global__ void updateEy(int nx, int ny, float source, float *ey, float *hz) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < nx && j < ny) {
    if (i == 0)
      ey[j] = source;
    else
      ey[i * ny + j] -= 0.5f * (hz[i * ny + j] - hz[(i - 1) * ny + j]);
  }
}

__global__ void updateEx(int nx, int ny, float *ex, float *hz) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < nx && j > 0 && j < ny)
    ex[i * (ny + 1) + j] -= 0.5f * (hz[i * ny + j] - hz[i * ny + j - 1]);
}

__global__ void updateHz(int nx, int ny, float *ex, float *ey, float *hz) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < nx && j < ny)
    hz[i * ny + j] -= 0.7f * (ex[i * (ny + 1) + j + 1] - ex[i * (ny + 1) + j] +
                              ey[(i + 1) * ny + j] - ey[i * ny + j]);
}

static float sourceAt(int t) { return 0.1f * t - 0.5f; }

/// hz after TMAX steps in double precision.
static std::vector<double> reference(const std::vector<float> &Ex0,
                                     const std::vector<float> &Ey0,
                                     const std::vector<float> &Hz0) {
  std::vector<double> Ex(Ex0.begin(), Ex0.end()), Ey(Ey0.begin(), Ey0.end());
  std::vector<double> Hz(Hz0.begin(), Hz0.end());
  for (int t = 0; t < TMAX; t++) {
    for (size_t j = 0; j < NY; j++)
      Ey[j] = sourceAt(t);
    for (size_t i = 1; i < NX; i++)
      for (size_t j = 0; j < NY; j++)
        Ey[i * NY + j] -= 0.5 * (Hz[i * NY + j] - Hz[(i - 1) * NY + j]);
    for (size_t i = 0; i < NX; i++)
      for (size_t j = 1; j < NY; j++)
        Ex[i * (NY + 1) + j] -= 0.5 * (Hz[i * NY + j] - Hz[i * NY + j - 1]);
    for (size_t i = 0; i < NX; i++)
      for (size_t j = 0; j < NY; j++)
        Hz[i * NY + j] -=
            0.7 * (Ex[i * (NY + 1) + j + 1] - Ex[i * (NY + 1) + j] +
                   Ey[(i + 1) * NY + j] - Ey[i * NY + j]);
  }
  return Hz;
}

int main() {
  std::vector<float> Ex = suite::random(size_t(NX) * (NY + 1), 1);
  std::vector<float> Ey = suite::random(size_t(NX + 1) * NY, 2);
  std::vector<float> Hz = suite::random(size_t(NX) * NY, 3), Result(Hz.size());
  float *ex, *ey, *hz;
  suite::require(cudaMalloc((void **)&ex, sizeof(float) * NX * (NY + 1)), "ex");
  suite::require(cudaMalloc((void **)&ey, sizeof(float) * (NX + 1) * NY), "ey");
  suite::require(cudaMalloc((void **)&hz, sizeof(float) * NX * NY), "hz");
  cudaMemcpy(ex, Ex.data(), sizeof(float) * NX * (NY + 1),
             cudaMemcpyHostToDevice);
  cudaMemcpy(ey, Ey.data(), sizeof(float) * (NX + 1) * NY,
             cudaMemcpyHostToDevice);
  cudaMemcpy(hz, Hz.data(), sizeof(float) * NX * NY, cudaMemcpyHostToDevice);

  dim3 block(32, 8);
  dim3 grid((NY + block.x - 1) / block.x, (NX + block.y - 1) / block.y);
  suite::Timer timer;
  for (int t = 0; t < TMAX; t++) {
    updateEy<<<grid, block>>>(NX, NY, sourceAt(t), ey, hz);
    updateEx<<<grid, block>>>(NX, NY, ex, hz);
    updateHz<<<grid, block>>>(NX, NY, ex, ey, hz);
  }
  double ms = timer.stop();
  cudaMemcpy(Result.data(), hz, sizeof(float) * NX * NY,
             cudaMemcpyDeviceToHost);

  std::vector<double> Want = reference(Ex, Ey, Hz);
  suite::Check check("fdtd2d");
  for (size_t At = 0; At < Result.size(); At++)
    check.compare("hz", At, Result[At], {Want[At], std::fabs(Want[At]) + 10});
  return check.finish(ms);
}
