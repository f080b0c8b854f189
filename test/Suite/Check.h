// What the suite's programs share: random input, a device buffer, the verdict.
#pragma once
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

typedef float Real;
typedef std::vector<Real> Data;

inline void check(cudaError_t E) {
  if (E != cudaSuccess) {
    std::printf("FAIL: %s\n", cudaGetErrorString(E));
    std::exit(1);
  }
}

// Asymmetric values in [-0.5, 0.5): a transposed read does not pass.
inline Data randomData(size_t Count, unsigned Seed) {
  Data D(Count);
  unsigned State = Seed * 2654435761u + 1;
  for (Real &X : D) {
    State = State * 1664525u + 1013904223u;
    X = Real(State >> 8) / Real(1 << 24) - 0.5f;
  }
  return D;
}

inline void upload(Real *To, const Data &From) {
  check(cudaMemcpy(To, From.data(), From.size() * sizeof(Real), cudaMemcpyHostToDevice));
}

inline Data download(const Real *From, size_t Count) {
  check(cudaGetLastError());
  Data D(Count);
  check(cudaMemcpy(D.data(), From, Count * sizeof(Real), cudaMemcpyDeviceToHost));
  return D;
}

// Collects the worst error relative to the largest expected value.
class Verdict {
public:
  void expect(double Got, double Expected) {
    if (!std::isfinite(Got))
      Error = INFINITY;
    Error = std::fmax(Error, std::fabs(Got - Expected));
    Scale = std::fmax(Scale, std::fabs(Expected));
    ++Count;
  }
  int report(const char *Name) const {
    bool Good = Count > 0 && Error <= 1e-4 * Scale;
    std::printf("%s: %zu values, worst error %.2e  %s\n", Name, Count, Error / Scale, Good ? "PASS" : "FAIL");
    return Good ? 0 : 1;
  }

private:
  double Error = 0, Scale = 1e-30;
  size_t Count = 0;
};
