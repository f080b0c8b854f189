// Inline assembly stays as it is written, also where a macro makes it, and its
// barriers count.
// RUN: rm -rf %t && mkdir -p %t
// RUN: echo '[{"directory": "%S", "file": "%s", "command": "nvcc -arch=sm_90 -std=c++17 -c %s"}]' > %t/compile_commands.json
// RUN: clang-mep-opt -p %t --cuda-path=none --stop-after=closure --kernel=barrier %s | FileCheck %s
// RUN: %if cuda-toolkit %{ clang-mep-opt -p %t --stop-after=closure --kernel=barrier --format=json %s | FileCheck %s --check-prefix=PROOF %}
// PROOF: "status": "same"

#define SPECIAL(Into, Name) asm("mov.u32 %0, %%" #Name ";" : "=r"(Into))

// CHECK: #define SPECIAL(Into, Name)
// CHECK: __global__ void barrier
// CHECK: SPECIAL(Lane, laneid);
// CHECK: asm volatile("bar.sync 0;");
__global__ void barrier(unsigned *A) {
  unsigned Lane;
  SPECIAL(Lane, laneid);
  asm volatile("bar.sync 0;");
  A[threadIdx.x] = Lane;
}

int main() { barrier<<<1, 64>>>(nullptr); }
