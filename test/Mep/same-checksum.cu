// The program alone and the worker make the same bytes: inputs by the same
// generator, outputs checked by the same sum.

// RUN: rm -rf %t && mkdir %t
// RUN: clang-mep-opt --stop-after=evaluate --platform=cpu --t-min=1 --t-max=2000 --repeat=3 -o %t/out %s -- > %t/both
// RUN: %cxx -std=c++17 -O2 -x c++ %t/out/mix/main.cu -o %t/mep -pthread
// RUN: %t/mep --repeat 2 >> %t/both
// RUN: FileCheck %s --input-file=%t/both

// CHECK: "checksum": "[[SUM:[0-9a-f]+]]"
// CHECK: "checksum": "[[SUM]]"

#define COUNT 5000
__global__ void mix(const int *Keys, double *Values, unsigned char *Flags, int Count) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count) {
    Values[I] = Values[I] / 3.0;
    Flags[I] = Keys[I] > 0;
  }
}
int main() {
  int *Keys;
  double *Values;
  unsigned char *Flags;
  cudaMalloc((void **)&Keys, COUNT * sizeof(int));
  cudaMalloc((void **)&Values, COUNT * sizeof(double));
  cudaMalloc((void **)&Flags, COUNT);
  mix<<<(COUNT + 255) / 256, 256>>>(Keys, Values, Flags, COUNT);
  return 0;
}
