// Lists and counts are the same bytes in the program alone and in the worker.

// RUN: rm -rf %t && mkdir %t
// RUN: clang-mep-opt --stop-after=evaluate --platform=cpu --t-min=1 --t-max=2000 --repeat=3 -o %t/out %s -- > %t/both
// RUN: FileCheck %s --input-file=%t/out/mix/main.cu --check-prefix=TEXT
// RUN: %cxx -std=c++17 -O2 -x c++ %t/out/mix/main.cu -o %t/mep -pthread
// RUN: %t/mep --repeat 2 >> %t/both
// RUN: FileCheck %s --input-file=%t/both

// TEXT-DAG: static const double mep_table_Steps[] = {3, -1, 4, 1, 5};
// TEXT-DAG: static const double mep_table_Weights[] = {0.25, 0.5, 2};
// TEXT-DAG: mep.buffer("Rows", {{.*}}, "iota", 7, 7, {{[{][{]}}static_cast<int64_t>(-2), static_cast<int64_t>(1), static_cast<int64_t>(3), static_cast<int64_t>(0){{[}][}]}});
// CHECK: "checksum": "[[SUM:[0-9a-f]+]]"
// CHECK: "checksum": "[[SUM]]"

#define COUNT 5000
__constant__ float Weights[3];
__global__ void mix(const int *Rows, const int *Steps, float *Values) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < COUNT)
    Values[I] = Values[Rows[I]] * 0 + Weights[I % 3] * Steps[I % 5] + Rows[I];
}
int main() {
  const int List[5] = {3, -1, 4, 1, 5};
  const float Own[3] = {0.25f, 0.5f, 2};
  int Host[COUNT];
  for (int I = 0; I < COUNT; ++I)
    Host[I] = 7 - 2 * (I % 3);
  int *Rows, *Steps;
  float *Values;
  cudaMalloc((void **)&Rows, COUNT * sizeof(int));
  cudaMalloc((void **)&Steps, sizeof(List));
  cudaMalloc((void **)&Values, COUNT * sizeof(float));
  cudaMemcpy(Rows, Host, sizeof(Host), cudaMemcpyHostToDevice);
  cudaMemcpy(Steps, List, sizeof(List), cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(Weights, Own, sizeof(Own));
  mix<<<(COUNT + 255) / 256, 256>>>(Rows, Steps, Values);
  return 0;
}
