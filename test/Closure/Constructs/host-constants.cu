// A constant of the host that device code reads is a value in its text: nothing to be
// filled or copied, unlike a __constant__ variable.
// RUN: rm -rf %t && mkdir -p %t
// RUN: echo '[{"directory": "%S", "file": "%s", "command": "nvcc -arch=sm_90 -std=c++17 -c %s"}]' > %t/compile_commands.json
// RUN: clang-mep-opt -p %t --cuda-path=none --stop-after=closure --no-proof --kernel=limit --format=json %s | FileCheck %s --implicit-check-not='"symbol": "Top"' --implicit-check-not='"symbol": "Steps"'
// RUN: clang-mep-opt -p %t --cuda-path=none --no-proof --stop-after=evaluate --platform=cpu --kernel=limit -o %t/out %s | FileCheck %s --check-prefix=DONE
// RUN: %if cuda-toolkit %{ clang-mep-opt -p %t --stop-after=closure --kernel=limit --format=json %s | FileCheck %s --check-prefix=PROOF %}
// CHECK: "globals": [
// CHECK: "symbol": "Factors"
// DONE: "checksum"
// PROOF: "status": "same"

#include <cuda_runtime.h>
static const float Top = 65504.F;
const int Steps = 3;
__constant__ float Factors[4] = {1, 2, 3, 4};

__global__ void limit(float *A) {
  for (int I = 0; I < Steps; ++I)
    A[threadIdx.x] = fminf(A[threadIdx.x] * Factors[I], Top);
}

int main() {
  float *A;
  cudaMalloc(&A, 32 * sizeof(float));
  limit<<<1, 32>>>(A);
}
