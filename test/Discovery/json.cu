// The machine-readable list: instantiations with their symbols, and where each
// launch stands.
// RUN: clang-mep-opt --cuda-path=none --list --format=json %s -- | FileCheck %s
// RUN: clang-mep-opt --cuda-path=none --list --at=%s:14 %s -- | FileCheck %s --check-prefix=AT
// RUN: clang-mep-opt --cuda-path=none --list --kernel=plain %s -- | FileCheck %s --check-prefix=NAME

namespace app {
template <class T, int N> __global__ void scale(T *p) { p[N] *= 2; }
} // namespace app
__global__ void plain(int *p) { *p = 1; }

void run(float *f, int *i) {
  for (int t = 0; t < 3; ++t)
    app::scale<float, 4><<<dim3(2), 32>>>(f);
  plain<<<1, 1, 0, 0>>>(i);
}

// AT: app::scale (template, 1 instantiation)
// AT-NOT: plain
// NAME-NOT: scale
// NAME: plain

// CHECK-DAG: "qualified_name": "app::scale"
// CHECK-DAG: "arguments": "float, 4"
// CHECK-DAG: "symbol": "_ZN3app5scaleIfLi4EEEvPT_"
// CHECK-DAG: "grid": "dim3(2)"
// CHECK-DAG: "in_loop": true
// CHECK-DAG: "function": "run"
// CHECK-DAG: "qualified_name": "plain"
// CHECK-DAG: "stream": "0"
