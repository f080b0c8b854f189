#include "ExtentFit.h"
#include "mep/Support/Error.h"
#include "mep/Workload/Resolve.h"
#include "llvm/ADT/STLExtras.h"

using namespace mep;
using llvm::Expected;
using llvm::StringRef;

namespace {

constexpr int64_t MostFactor = 64, MostConstant = 64;
/// A product that is too large by more than this part of itself is none.
constexpr double MostSlack = 0.4;
constexpr unsigned MostDegree = 3;
/// Dimensions below this are radii, tile and channel counts rather than sizes.
constexpr int64_t SmallestSize = 16;
/// Of the largest data that is sampled.
constexpr uint64_t MostSampledBytes = uint64_t(16) << 20;
constexpr int64_t AnyExtent = int64_t(1) << 30;

/// All products of up to \c MostDegree of \p Count factors, as sorted lists of
/// their numbers, the short ones first.
std::vector<std::vector<size_t>> products(size_t Count) {
  std::vector<std::vector<size_t>> All{{}};
  for (size_t I = 0; I < All.size(); ++I)
    if (All[I].size() < MostDegree)
      for (size_t F = All[I].empty() ? 0 : All[I].back(); F < Count; ++F) {
        std::vector<size_t> Longer = All[I];
        Longer.push_back(F);
        All.push_back(std::move(Longer));
      }
  return All;
}

class Fit {
public:
  Fit(const std::vector<std::string> &Dimensions,
      const std::vector<ExtentSample> &Samples)
      : Dimensions(Dimensions), Samples(Samples) {}

  std::string run() {
    for (const std::vector<size_t> &Product : products(Dimensions.size())) {
      std::vector<int64_t> Values;
      for (const ExtentSample &S : Samples)
        Values.push_back(value(Product, S));
      exact(Product, Values);
      near(Product, Values);
    }
    return Exact.empty() ? Near : Exact;
  }

private:
  int64_t value(const std::vector<size_t> &Product,
                const ExtentSample &S) const {
    int64_t Value = 1;
    for (size_t F : Product)
      Value *= S.Dimensions.find(Dimensions[F])->second;
    return Value;
  }

  std::string text(const std::vector<size_t> &Product, int64_t Factor,
                   int64_t Constant) const {
    std::string Text;
    if (Factor != 1)
      Text = std::to_string(Factor);
    for (size_t F : Product)
      Text += (Text.empty() ? "" : " * ") + Dimensions[F];
    if (Text.empty())
      return std::to_string(Factor + Constant);
    if (Constant)
      Text +=
          (Constant < 0 ? " - " : " + ") + std::to_string(std::abs(Constant));
    return Text;
  }

  /// Keeps the fit with the smallest constant; products come simplest first.
  void exact(const std::vector<size_t> &Product,
             const std::vector<int64_t> &Values) {
    int64_t Run = Values[1] - Values[0];
    int64_t Rise = int64_t(Samples[1].End) - int64_t(Samples[0].End);
    bool IsConstant = Product.empty();
    if (IsConstant ? Rise != 0 : Run == 0 || Rise % Run != 0)
      return;
    int64_t Factor = IsConstant ? 1 : Rise / Run;
    int64_t Constant = int64_t(Samples[0].End) - Factor * Values[0];
    if (Factor < 1 || Factor > MostFactor ||
        (!IsConstant && std::abs(Constant) > MostConstant))
      return;
    for (size_t I = 0; I < Samples.size(); ++I)
      if (Factor * Values[I] + Constant != int64_t(Samples[I].End))
        return;
    if (!Exact.empty() && std::abs(Constant) >= ExactConstant)
      return;
    ExactConstant = std::abs(Constant);
    Exact = text(Product, Factor, Constant);
  }

  void near(const std::vector<size_t> &Product,
            const std::vector<int64_t> &Values) {
    double Slack = 0;
    for (size_t I = 0; I < Samples.size(); ++I) {
      if (int64_t(Samples[I].End) > Values[I])
        return;
      Slack = std::max(Slack, 1 - double(Samples[I].End) / double(Values[I]));
    }
    if (Slack > MostSlack || (!Near.empty() && Slack >= NearSlack))
      return;
    NearSlack = Slack;
    Near = text(Product, 1, 0);
  }

  const std::vector<std::string> &Dimensions;
  const std::vector<ExtentSample> &Samples;
  std::string Exact, Near;
  int64_t ExactConstant = 0;
  double NearSlack = 0;
};

// ---- samples ---------------------------------------------------------------

/// Names of the dimensions to vary.
std::vector<std::string> sizesOf(const Workload &W,
                                 const std::set<std::string> &Assumed) {
  std::vector<std::string> Names;
  for (const Dimension &D : W.Dimensions) {
    auto In = [&](StringRef Text) { return Text.contains(D.Name); };
    if ((!D.Fixed || Assumed.count(D.Name)) && D.Value >= SmallestSize &&
        !In(W.Launch.SharedBytes) && llvm::none_of(W.Launch.Block, In))
      Names.push_back(D.Name);
  }
  return Names;
}

/// The sizes all different, each divisible by powers of two as it was, up to
/// \p Most.
std::vector<Shape> sampleShapes(const Workload &W,
                                const std::vector<std::string> &Sizes,
                                int64_t Most) {
  static constexpr int64_t Primes[] = {5, 7, 11, 13, 17, 19, 23, 29, 31};
  std::vector<Shape> Shapes;
  for (size_t Sample = 0; Sample < 3; ++Sample) {
    Shape S{"sample" + std::to_string(Sample), {}};
    size_t Next = Sample;
    for (const Dimension &D : W.Dimensions) {
      if (!llvm::is_contained(Sizes, D.Name))
        continue;
      int64_t Unit = 1;
      while (Unit < Most && D.Value % (Unit * 2) == 0)
        Unit *= 2;
      S.Dimensions[D.Name] = Unit * Primes[Next % std::size(Primes)];
      Next += Sample + 1;
    }
    Shapes.push_back(std::move(S));
  }
  return Shapes;
}

/// Runs \p Shapes; empty when one of them does not run to its end.
Expected<std::vector<std::pair<ResolvedShape, ProbeReport>>>
runShapes(const Workload &W, const std::vector<std::string> &Buffers,
          std::vector<Shape> Shapes, const Closure &C, Worker &On) {
  std::vector<std::pair<ResolvedShape, ProbeReport>> Runs;
  Workload Small = W;
  Small.Shapes = std::move(Shapes);
  for (Buffer &B : Small.Buffers)
    if (llvm::is_contained(Buffers, B.Name))
      B.Extent = std::to_string(AnyExtent);
  auto Resolved = resolveShapes(Small);
  if (!Resolved) {
    llvm::consumeError(Resolved.takeError());
    return Runs;
  }
  ProbeLimits Limits;
  Limits.Seconds = 1;
  for (ResolvedShape &S : *Resolved) {
    for (ResolvedBuffer &B : S.Buffers)
      if (llvm::is_contained(Buffers, B.Name))
        B.Count = 0;
    auto Seen = S.totalBytes() <= MostSampledBytes
                    ? On.probe(C, S, Limits)
                    : makeError(Failure::Workload, "too large");
    if (!Seen && Worker::Interrupted)
      return Seen.takeError();
    if (!Seen || !Seen->isFinished()) {
      llvm::consumeError(Seen.takeError());
      Runs.clear();
      return Runs;
    }
    Runs.emplace_back(std::move(S), std::move(*Seen));
  }
  return Runs;
}

} // namespace

std::string mep::fitExtent(const std::vector<std::string> &Dimensions,
                           const std::vector<ExtentSample> &Samples) {
  return Samples.size() < 3 ? "" : Fit(Dimensions, Samples).run();
}

Expected<std::map<std::string, std::string>>
mep::fitExtents(const Workload &W, const std::vector<std::string> &Buffers,
                const std::set<std::string> &Assumed, const Closure &C,
                Worker &On) {
  std::map<std::string, std::string> Found;
  std::vector<std::string> Sizes = sizesOf(W, Assumed);
  if (Sizes.empty() || Sizes.size() > 8)
    return Found;
  for (int64_t Most : {16, 64, 256}) {
    auto Runs = runShapes(W, Buffers, sampleShapes(W, Sizes, Most), C, On);
    if (!Runs)
      return Runs.takeError();
    for (const std::string &Name : Buffers) {
      std::vector<ExtentSample> Samples;
      for (const auto &[S, Seen] : *Runs)
        if (const ProbedBuffer *B = Seen.find(Name);
            B && B->isTouched() && !B->Outside)
          Samples.push_back({S.Dimensions, B->end()});
      std::string Text = fitExtent(Sizes, Samples);
      if (!Text.empty())
        Found[Name] = Text;
    }
    if (!Runs->empty())
      break;
  }
  return Found;
}
