// Device globals keep their initialiser, and what it needs; a host variable beside
// them stays behind.
// RUN: rm -rf %t && mkdir -p %t
// RUN: echo '[{"directory": "%S", "file": "%s", "command": "nvcc -arch=sm_90 -std=c++17 -c %s"}]' > %t/compile_commands.json
// RUN: clang-mep-opt -p %t --cuda-path=none --stop-after=closure --kernel=lookup %s | FileCheck %s
// RUN: %if cuda-toolkit %{ clang-mep-opt -p %t --stop-after=closure --kernel=lookup --format=json %s | FileCheck %s --check-prefix=PROOF %}
// PROOF: "status": "same"

#define BASE 7
struct Entry { int Key; float Value; };
enum { First = BASE, Second };
int Host[3] = {1, 2, 3};

// CHECK: #define BASE 7
// CHECK: struct Entry
// CHECK: enum { First = BASE, Second };
// CHECK-NOT: Host
// CHECK: __constant__ Entry Table[] = {{[{][{]}}First, 1.5f}, {Second, 2.5f}};
// CHECK: __device__ int Count = sizeof(Table) / sizeof(Entry);
__constant__ Entry Table[] = {{First, 1.5f}, {Second, 2.5f}};
__device__ int Count = sizeof(Table) / sizeof(Entry);

__global__ void lookup(float *A, int Key) {
  for (int I = 0; I < Count; ++I)
    if (Table[I].Key == Key)
      A[threadIdx.x] = Table[I].Value;
}

int main() { lookup<<<1, Host[2]>>>(nullptr, First); }
