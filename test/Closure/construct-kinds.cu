// A kernel's closure holds the macro, the type and the device function it
// needs, in the order of the unit, and nothing of the host.
// RUN: clang-mep-opt --stop-after=closure --kernel=scale %s -- -x cu | FileCheck %s --implicit-check-not=main

#define SIZE 64
#define STEP(x) ((x) + OFFSET)
#define OFFSET 2

namespace app {
struct Pair { float First, Second; };
__device__ float pick(const Pair &P) { return P.Second; }
}

int hostOnly() { return SIZE; }

// CHECK: #ifndef SIZE
// CHECK-NEXT: #define SIZE 64
// CHECK-NEXT: #endif
// CHECK: #define STEP(x) ((x) + OFFSET)
// CHECK: #ifndef OFFSET
// CHECK-NEXT: #define OFFSET 2
// CHECK: namespace app {
// CHECK-NEXT: struct Pair
// CHECK-NEXT: __device__ float pick
// CHECK-NEXT: {{^}}}{{$}}
// CHECK-NEXT: __global__ void scale
__global__ void scale(app::Pair *In, float *Out) {
  int I = blockIdx.x * SIZE + threadIdx.x;
  Out[STEP(I)] = app::pick(In[I]);
}

int main() {
  scale<<<1, SIZE>>>(nullptr, nullptr);
  return hostOnly();
}
