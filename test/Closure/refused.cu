// What cannot be carried is refused with its place and leaves no closure.
// RUN: not clang-mep-opt --stop-after=closure --kernel=far %s -- -x cu 2>&1 | FileCheck %s

// CHECK: refused.cu:[[@LINE+1]]:{{.*}}'elsewhere' is defined in another unit
__device__ int elsewhere(int);

__global__ void far(int *A) { A[0] = elsewhere(1); }

int main() {
  far<<<1, 1>>>(nullptr);
  return 0;
}
