// The program fails with 1 when the kernel gives another answer than the saved
// one, and names the first wrong element; a shape that other macros make needs a
// build of its own.

// RUN: rm -rf %t && clang-mep-opt --stop-after=mep -o %t %s --
// RUN: %cxx -std=c++17 -O1 -x c++ %t/twice/main.cu -o %t/right -pthread
// RUN: %t/right --repeat 1 --save %t/out.bin > /dev/null
// RUN: not %t/right --shape odd 2>&1 | FileCheck %s --check-prefix=REBUILD
// RUN: %cxx -std=c++17 -O1 -DMEP_SHAPE=1 -x c++ %t/twice/main.cu -o %t/odd -pthread
// RUN: %t/odd --repeat 2 --shape odd | FileCheck %s --check-prefix=ODD
// RUN: sed -i 's/2 \* In/3 * In/' %t/twice/kernel.cu
// RUN: %cxx -std=c++17 -O1 -x c++ %t/twice/main.cu -o %t/wrong -pthread
// RUN: not %t/wrong --repeat 1 --reference %t/out.bin > %t/json 2> %t/err
// RUN: FileCheck %s --input-file=%t/err --check-prefix=ERR
// RUN: FileCheck %s --input-file=%t/json

// REBUILD: error: shape 'odd' needs a build with -DMEP_SHAPE=1
// ODD: "shape": "odd"
// ERR: error: Out[0]: {{.*}} is not
// CHECK: "reference": "mismatch"

#define COUNT 300
__global__ void twice(const float *In, float *Out) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < COUNT)
    Out[I] = 2 * In[I];
}
int main() {
  float *In, *Out;
  cudaMalloc((void **)&In, COUNT * sizeof(float));
  cudaMalloc((void **)&Out, COUNT * sizeof(float));
  twice<<<(COUNT + 63) / 64, 64>>>(In, Out);
  return 0;
}
