// Arrays of structures are touched a member at a time, structures of arrays a
// pointer at a time.
// RUN: clang-mep-opt --stop-after=access --cuda-path=none -o %t %s -- -x cu | FileCheck %s

// CHECK: write [threadIdx.x, byte 4] (4 bytes) if threadIdx.x < s.n: affine, 12 bytes to the next thread
// CHECK: read [threadIdx.x + 1] if threadIdx.x < s.n: affine
// CHECK-DAG: global float s.v: read
// CHECK-DAG: global float s.u: written
// CHECK-DAG: p: elements of 12 bytes, read 1 to 50 (50), written 0 to 49 (50), input
// CHECK-DAG: elements of 4 bytes, written 0 to 98 (50), no input
// CHECK-DAG: elements of 4 bytes, read 0 to 49 (50)

#include <cuda_runtime.h>
struct Point { float x, y; int tag; };
struct Arrays { float *u; const float *v; int n; };
__global__ void move(Point *p, Arrays s) {
  int i = threadIdx.x;
  if (i >= s.n)
    return;
  p[i].y = s.v[i];
  Point q = p[i + 1];
  s.u[2 * i] = q.x;
}
int main() {
  Point *p;
  Arrays s;
  cudaMalloc(&p, 65 * sizeof(Point));
  cudaMalloc(&s.u, 128 * sizeof(float));
  cudaMalloc((void **)&s.v, 64 * sizeof(float));
  s.n = 50;
  move<<<1, 64>>>(p, s);
  return cudaDeviceSynchronize();
}
