// The trace has a scope for each kernel, its stages, and every parse.
// RUN: clang-mep-opt -o %t.out --stop-after=mep --no-proof --time-trace=%t.json %s -- --cuda-gpu-arch=sm_90
// RUN: %{python} -c "import json, sys; print(*sorted({e['name'] + ' ' + e.get('args', {}).get('detail', '') for e in json.load(open(sys.argv[1]))['traceEvents']}), sep='\n')" %t.json | FileCheck %s
// CHECK-DAG: {{^}}mep: closure
// CHECK-DAG: {{^}}mep: kernel scale
// CHECK-DAG: {{^}}mep: parse, device view {{.*}}time-trace.cu
// CHECK-DAG: {{^}}mep: parse, host view {{.*}}time-trace.cu
// CHECK-DAG: {{^}}mep: workload


__global__ void scale(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= 2;
}

int main() {
  float *a;
  cudaMalloc(&a, 1024 * sizeof(float));
  scale<<<4, 256>>>(a, 1024);
}
