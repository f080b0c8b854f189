// An application of several processes parses where no MPI is installed, and nothing is
// concluded from values that an MPI would give.
// RUN: clang-mep-opt --stop-after=workload --cuda-path=none -o %t %s -- -x cu 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=NOTE --implicit-check-not=warning < %t.err

// CHECK: "kernel": "fill"
// CHECK: "name": "ranks",
// CHECK-NEXT: "value": 1024
// NOTE: assumed: 'ranks' is 1024

#include <cuda_runtime.h>
#include <mpi.h>
__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = 1;
}
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int ranks, rank;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char name[MPI_MAX_PROCESSOR_NAME];
  int length;
  MPI_Get_processor_name(name, &length);
  float *a;
  cudaMalloc(&a, ranks * sizeof(float));
  fill<<<(ranks + 63) / 64, 64>>>(a, ranks);
  double sum = rank, all;
  MPI_Request sent;
  MPI_Isend(&sum, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &sent);
  MPI_Status status;
  MPI_Wait(&sent, &status);
  MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return status.MPI_ERROR == MPI_SUCCESS ? 0 : 1;
}
