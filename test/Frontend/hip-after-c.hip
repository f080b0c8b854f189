// HIP's runtime header may come after headers of C, as hipcc includes its own
// before any: what those declare is the device's too. `__noinline__` is a word of
// the language, also inside an attribute.
// RUN: clang-mep-opt --stop-after=closure --kernel=wave %s -- | FileCheck %s --implicit-check-not=error
#include <math.h>
#include <memory>
#include <hip/hip_runtime.h>

__attribute__((__noinline__)) int host() { return 1; }
__device__ __noinline__ float phase(float x) { return acos(-1.0) * x; }

// CHECK: __noinline__ float phase
// CHECK: __global__ void wave
__global__ void wave(float *a) { a[threadIdx.x] = tanhf(phase(a[threadIdx.x])); }

int main() {
  int devices = host();
  if (hipGetDeviceCount(&devices) == hipSuccess)
    hipMemsetAsync(nullptr, 0, 0);
  hipLaunchKernelGGL(wave, dim3(1), dim3(64), 0, 0, nullptr);
}
