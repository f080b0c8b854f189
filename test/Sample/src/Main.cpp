// Runs each kernel of the application once and checks it against plain loops.
#include "Grid.h"
#include <cmath>
#include <cstdio>
#include <vector>

namespace {

typedef std::vector<Real> Field;

Field randomField(unsigned Count, unsigned Seed) {
  Field F(Count);
  for (Real &X : F) {
    Seed = Seed * 1664525u + 1013904223u;
    X = Real(Seed >> 8) / Real(1 << 24) - 0.5f;
  }
  return F;
}

// Largest difference relative to the largest expected value.
double worst(const Field &Got, const std::vector<double> &Expected) {
  double Error = 0, Scale = 1e-30;
  for (size_t I = 0; I < Got.size(); ++I) {
    if (!std::isfinite(Got[I]))
      return INFINITY;
    Error = std::fmax(Error, std::fabs(Got[I] - Expected[I]));
    Scale = std::fmax(Scale, std::fabs(Expected[I]));
  }
  return Error / Scale;
}

int report(const char *What, double Error) {
  bool Good = Error < 1e-4;
  std::printf("%-12s worst error %.2e  %s\n", What, Error, Good ? "PASS" : "FAIL");
  return Good ? 0 : 1;
}

int checkDiffuse(const Field &Now) {
  Field Next(Now.size());
  diffuse(Next.data(), Now.data());
  std::vector<double> Expected(Now.begin(), Now.end());
  for (int R = 1; R < NY - 1; ++R)
    for (int C = 1; C < NX - 1; ++C) {
      int I = index(R, C, NX);
      Expected[I] += double(TIME_STEP) * DIFFUSIVITY * (double(Now[I - 1]) + Now[I + 1] + Now[I - NX] + Now[I + NX] - 4.0 * Now[I]);
    }
  return report("diffuse", worst(Next, Expected));
}

int checkSummary(const Field &F) {
  Field Weights = randomField(NX, 7), Sum(NY), Norm(NX);
  summarize(Sum.data(), Norm.data(), F.data(), Weights.data());
  std::vector<double> ExpectedSum(NY), ExpectedNorm(NX);
  for (int R = 0; R < NY; ++R)
    for (int C = 0; C < NX; ++C) {
      double X = F[index(R, C, NX)];
      ExpectedSum[R] += X * Weights[C];
      ExpectedNorm[C] += X * X;
    }
  return report("row sums", worst(Sum, ExpectedSum)) + report("column norms", worst(Norm, ExpectedNorm));
}

int checkSmooth(const Field &F) {
  static const double Taps[] = {0.1, 0.2, 0.4, 0.2, 0.1};
  Field Out(F.size());
  smooth(Out.data(), F.data(), NX, NY);
  std::vector<double> Expected(F.begin(), F.end());
  for (int R = 0; R < NY; ++R)
    for (int C = 2; C < NX - 2; ++C) {
      double S = 0;
      for (int K = -2; K <= 2; ++K)
        S += Taps[K + 2] * F[index(R, C + K, NX)];
      Expected[index(R, C, NX)] = S;
    }
  return report("smooth", worst(Out, Expected));
}

} // namespace

int main() {
  Field F = randomField(NX * NY, 1);
  int Failures = checkDiffuse(F) + checkSummary(F) + checkSmooth(F);
  std::printf(Failures ? "FAILED\n" : "ALL PASS\n");
  return Failures ? 1 : 0;
}
