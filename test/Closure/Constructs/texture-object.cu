// A texture object is a scalar to the kernel; what fetches from it comes from the
// toolkit.
// REQUIRES: cuda-toolkit
// RUN: rm -rf %t && mkdir -p %t
// RUN: echo '[{"directory": "%S", "file": "%s", "command": "nvcc -arch=sm_90 -std=c++17 -c %s"}]' > %t/compile_commands.json
// RUN: clang-mep-opt -p %t --stop-after=closure --no-proof --kernel=fetch %s | FileCheck %s
// RUN: clang-mep-opt -p %t --stop-after=closure --kernel=fetch --format=json %s | FileCheck %s --check-prefix=PROOF
// PROOF: "status": "same"

// CHECK: __global__ void fetch(cudaTextureObject_t Source, float *A)
// CHECK: tex1Dfetch<float>(Source, threadIdx.x)
__global__ void fetch(cudaTextureObject_t Source, float *A) {
  A[threadIdx.x] = tex1Dfetch<float>(Source, threadIdx.x);
}

int main() { fetch<<<1, 32>>>(0, nullptr); }
