// main.cu in the application's own words: sizes as macros that shapes and -D
// set, arguments, buffers with their fills, and one launch for every compiler.

// RUN: rm -rf %t && clang-mep-opt --stop-after=mep -o %t %s --
// RUN: FileCheck %s --input-file=%t/saxpy/main.cu --check-prefix=MAIN
// RUN: FileCheck %s --input-file=%t/saxpy/README.md --check-prefix=README
// RUN: FileCheck %s --input-file=%t/saxpy/kernel.cu --check-prefix=KERNEL

// MAIN: #define MEP_NO_FIBERS
// MAIN: #if MEP_SHAPE == 0 // base
// MAIN-NEXT: #ifndef COUNT
// MAIN-NEXT: #define COUNT 4096
// MAIN: #if MEP_SHAPE == 1 // odd
// MAIN: #include "kernel.cu"
// MAIN: mep.shape("base",
// MAIN: mep.macro("COUNT", COUNT);
// MAIN: const int n = static_cast<int>(COUNT);
// MAIN: const float alpha = static_cast<float>(2.5
// MAIN: mep.buffer("x", "f32", static_cast<uint64_t>(COUNT), "in", "uniform", -1, 1);
// MAIN: mep.buffer("y", "f32", static_cast<uint64_t>(COUNT), "inout",
// MAIN: const float *x = mep.pointer("x");
// MAIN: float *y = mep.pointer("y");
// MAIN: mep_block(
// MAIN: mep_grid(
// MAIN: #ifdef MEP_CPU
// MAIN: mep_cpu::launch(mep_grid, mep_block, mep_shared, [&] {
// MAIN: #else
// MAIN: saxpy<<<mep_grid, mep_block, mep_shared>>>(
// MAIN-NEXT: n, alpha, x, y);

// README: nvcc -O3 {{.*}}main.cu -o mep && ./mep
// README: c++ -std=c++17 -O2 -x c++ main.cu -o mep -pthread && ./mep
// README: `odd`: COUNT = {{[0-9]+}} (build with `-DMEP_SHAPE=1`)

// KERNEL-NOT: MEP_CPU
// KERNEL: #define COUNT 4096
// KERNEL: __global__ void saxpy(

#define COUNT 4096
__global__ void saxpy(int n, float alpha, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i < COUNT)
    y[i] += alpha * x[i];
}
int main() {
  float *x, *y;
  cudaMalloc((void **)&x, COUNT * sizeof(float));
  cudaMalloc((void **)&y, COUNT * sizeof(float));
  saxpy<<<(COUNT + 127) / 128, 128>>>(COUNT, 2.5f, x, y);
  return 0;
}
