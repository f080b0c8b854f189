/// \file
/// What every program of the suite shares: random inputs, a timer, and a check
/// of chosen elements against a reference computed in double precision.

#ifndef SUITE_H
#define SUITE_H

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

namespace suite {

/// Ends the program when the runtime reports an error.
inline void require(cudaError_t Status, const char *What) {
  if (Status == cudaSuccess)
    return;
  std::fprintf(stderr, "%s: %s\n", What, cudaGetErrorString(Status));
  std::exit(2);
}

/// A full-period 64-bit generator (splitmix64 by Sebastiano Vigna).
inline uint64_t next(uint64_t &State) {
  uint64_t Z = State += 0x9e3779b97f4a7c15;
  Z = (Z ^ (Z >> 30)) * 0xbf58476d1ce4e5b9;
  Z = (Z ^ (Z >> 27)) * 0x94d049bb133111eb;
  return Z ^ (Z >> 31);
}

/// \p Count numbers in [-1, 1); another stream for every \p Seed, so that no
/// matrix is symmetric and no two are equal.
inline std::vector<float> random(size_t Count, uint64_t Seed) {
  uint64_t State = Seed * 0x2545f4914f6cdd1d + 1;
  std::vector<float> Values(Count);
  for (float &Value : Values)
    Value = float(next(State) >> 40) / float(1 << 23) - 1;
  return Values;
}

/// Milliseconds of device time between construction and stop().
class Timer {
public:
  Timer() {
    cudaEventCreate(&Begin);
    cudaEventCreate(&End);
    cudaEventRecord(Begin);
  }
  double stop() {
    cudaEventRecord(End);
    require(cudaEventSynchronize(End), "kernel");
    require(cudaGetLastError(), "launch");
    float Ms = 0;
    cudaEventElapsedTime(&Ms, Begin, End);
    return Ms;
  }

private:
  cudaEvent_t Begin, End;
};

/// A reference value, and the sum of the absolute values of its terms, to which
/// a rounding error in any order of summation is proportional.
struct Sum {
  double Value = 0, Scale = 0;
  void add(double Term) {
    Value += Term;
    Scale += std::fabs(Term);
  }
};

/// Collects the worst error and ends in PASS or FAIL.
class Check {
public:
  explicit Check(const char *Program) : Program(Program) {}

  void compare(const char *Name, size_t Index, float Got, const Sum &Want) {
    double Error = std::fabs(Got - Want.Value) / (Want.Scale + 1e-30);
    // The comparison is written so that NaN fails.
    if (!(Error <= 1e-5) && Wrong++ < 5)
      std::printf("%s[%zu] = %g, expected %g\n", Name, Index, Got, Want.Value);
    if (Error > Worst)
      Worst = Error;
    ++Seen;
  }

  /// Prints the verdict; returns the exit code of main.
  int finish(double Ms) {
    std::printf("%s: %.4f ms, %zu elements checked, worst error %.2g: %s\n",
                Program, Ms, Seen, Worst, Wrong ? "FAIL" : "PASS");
    return Wrong ? 1 : 0;
  }

private:
  const char *Program;
  size_t Seen = 0, Wrong = 0;
  double Worst = 0;
};

/// \p Wanted indices below \p Count, with the first and the last.
inline std::vector<size_t> sample(size_t Count, size_t Wanted) {
  std::vector<size_t> Indices = {0, Count - 1};
  uint64_t State = Count;
  while (Indices.size() < Wanted)
    Indices.push_back(next(State) % Count);
  return Indices;
}

} // namespace suite

#endif // SUITE_H
