/// \file
/// Larger (or smaller) problems of the same proportions, for kernels too short
/// to be timed at the application's size.

#include "mep/Workload/Resolve.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <limits>
#include <optional>

using namespace mep;

namespace {

constexpr int64_t UsualUnit = 256;

/// \p Value times \p Scale, as divisible by powers of two (up to \p MostUnit)
/// as it was, so that tiled kernels keep fitting.
int64_t scaledValue(int64_t Value, double Scale, int64_t MostUnit) {
  int64_t Unit = 1;
  while (Unit < MostUnit && Value % (Unit * 2) == 0)
    Unit *= 2;
  const double Units = double(Value) * Scale / double(Unit);
  // Where every unit counts, rather less than what is asked for.
  int64_t Scaled =
      (MostUnit < UsualUnit ? int64_t(Units) : std::llround(Units)) * Unit;
  return std::max(Scaled, std::min<int64_t>(Value, Unit));
}

/// Scales the free dimensions by up to \p Factor, in even steps of the
/// logarithm; each becomes a shape, so that one evaluation judges all of them.
std::vector<Shape> ladder(const Workload &W, double Factor, int64_t MostUnit) {
  constexpr int Steps = 48;
  std::vector<Shape> Shapes;
  for (int I = 0; I <= Steps; ++I) {
    Shape S{std::to_string(I), {}};
    for (const Dimension &D : W.Dimensions)
      if (!D.Fixed)
        S.Dimensions[D.Name] =
            scaledValue(D.Value, std::pow(Factor, double(I) / Steps), MostUnit);
    Shapes.push_back(std::move(S));
  }
  return Shapes;
}

/// 32-bit subscripts still reach every element.
bool indexable(const ResolvedShape &S) {
  for (const ResolvedBuffer &B : S.Buffers)
    if (B.Count > uint64_t(std::numeric_limits<int32_t>::max()))
      return false;
  return true;
}

/// Resolves the ladder from below; steps that no longer resolve (a grid too
/// large) end it.
std::vector<ResolvedShape> resolveLadder(Workload W,
                                         std::vector<Shape> Shapes) {
  while (!Shapes.empty()) {
    W.Shapes = Shapes;
    auto Resolved = resolveShapes(W);
    if (Resolved)
      return std::move(*Resolved);
    llvm::consumeError(Resolved.takeError());
    Shapes.resize(Shapes.size() / 2);
  }
  return {};
}

/// The step of the ladder that holds closest to \p Factor times as many bytes,
/// in smaller units at most as many; none when only the one it begins with is
/// there.
std::optional<ResolvedShape> closestStep(const Workload &Base, double Factor,
                                         int64_t MostUnit) {
  std::vector<ResolvedShape> Steps =
      resolveLadder(Base, ladder(Base, Factor, MostUnit));
  if (Steps.size() < 2)
    return std::nullopt;
  double Wanted = Factor * double(Steps[0].totalBytes());
  const ResolvedShape *Best = nullptr;
  auto Distance = [&](const ResolvedShape &S) {
    return std::fabs(std::log(double(S.totalBytes()) / Wanted));
  };
  for (const ResolvedShape &S : Steps)
    if (!Best || Distance(S) < Distance(*Best))
      Best = &S;
  if (MostUnit < UsualUnit)
    Best = &*llvm::find_if(Steps, [&](const ResolvedShape &S) {
      return double(S.totalBytes()) <= Wanted || &S == &Steps.back();
    });
  if (Best->totalBytes() == Steps[0].totalBytes())
    return std::nullopt;
  return *Best;
}

} // namespace

Workload mep::scaledWorkload(const Workload &W, double Factor,
                             uint64_t MaxBytes) {
  bool Free = false;
  for (const Dimension &D : W.Dimensions)
    Free |= !D.Fixed;
  if (!Free || !(Factor > 0) || Factor == 1 || W.Shapes.empty())
    return W;
  Workload Base = W;
  for (Dimension &D : Base.Dimensions)
    if (auto Set = W.Shapes[0].Dimensions.find(D.Name);
        Set != W.Shapes[0].Dimensions.end())
      D.Value = Set->second;
  // A single large power of two cannot get smaller and stay divisible by it.
  std::optional<ResolvedShape> Best;
  for (int64_t MostUnit : {UsualUnit, UsualUnit / 8, int64_t(1)})
    if (!Best && (MostUnit == UsualUnit || Factor < 1))
      Best = closestStep(Base, Factor, MostUnit);
  if (!Best || Best->totalBytes() > MaxBytes ||
      (Factor > 1 && !indexable(*Best)))
    return W;
  for (Dimension &D : Base.Dimensions)
    D.Value = Best->Dimensions.find(D.Name)->second;
  Base.Shapes[0].Dimensions.clear();
  return Base;
}
