/// \file
/// Odd-sized and small shapes: a candidate that only works for multiples of its
/// block is found out here.

#include "Shapes.h"
#include "Expressions.h"
#include "mep/Workload/Resolve.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace mep;
using llvm::StringRef;

/// Dimensions below this are radii, tile and channel counts rather than sizes.
static constexpr int64_t SmallestFree = 16;

static bool isPrime(int64_t N) {
  if (N < 2)
    return false;
  for (int64_t D = 2; D * D <= N; ++D)
    if (N % D == 0)
      return false;
  return true;
}

int64_t mep::primeBelow(int64_t Limit, const std::vector<int64_t> &Taken) {
  for (int64_t N = Limit; N > 2; --N)
    if (isPrime(N) && !llvm::is_contained(Taken, N))
      return N;
  return 2;
}

/// \p Name occurs in the declaration of a `__shared__` array.
static bool sizesShared(StringRef Text, StringRef Name) {
  for (size_t At = Text.find("__shared__"); At != StringRef::npos;
       At = Text.find("__shared__", At + 1))
    if (usesName(Text.substr(At, Text.substr(At).find(';')), Name))
      return true;
  return false;
}

void mep::fixDimensions(Workload &W, StringRef DeviceText) {
  for (Dimension &D : W.Dimensions) {
    bool Bounds = llvm::any_of(
        W.Buffers, [&](const Buffer &B) { return usesName(B.Extent, D.Name); });
    bool InBlock = usesName(W.Launch.SharedBytes, D.Name) ||
                   llvm::any_of(W.Launch.Block, [&](const std::string &B) {
                     return usesName(B, D.Name);
                   });
    D.Fixed |= !Bounds || InBlock || D.Value < SmallestFree ||
               (D.IsMacro && sizesShared(DeviceText, D.Name));
  }
}

static int64_t oddLimit(const Dimension &D) {
  return std::max(D.Value / 4, std::min<int64_t>(D.Value - 1, 31));
}

/// True if another free dimension has the same value: launches are often right
/// only as long as it has.
static bool hasTwin(const Workload &W, const Dimension &D) {
  return llvm::count_if(W.Dimensions, [&](const Dimension &Other) {
           return !Other.Fixed && Other.Value == D.Value;
         }) > 1;
}

/// Just below a multiple of eight, so that twins differ and yet need the same
/// number of blocks: a launch that mixes them up still covers everything, a
/// candidate that mixes up their strides does not get away with it.
static int64_t oddTwin(int64_t Limit, const std::vector<int64_t> &Taken) {
  int64_t Value = std::max<int64_t>(Limit / 8 * 8, 8) - 1;
  while (Value > 1 && llvm::is_contained(Taken, Value))
    Value -= 2;
  return Value;
}

static Shape oddShape(const Workload &W) {
  Shape S{"odd", {}};
  std::vector<int64_t> Taken;
  for (const Dimension &D : W.Dimensions) {
    if (D.Fixed)
      continue;
    int64_t Limit = oddLimit(D);
    Taken.push_back(hasTwin(W, D) ? oddTwin(Limit, Taken)
                                  : primeBelow(Limit, Taken));
    S.Dimensions[D.Name] = Taken.back();
  }
  return S;
}

/// What is equal in the application stays equal.
static Shape squareShape(const Workload &W) {
  Shape S{"square", {}};
  std::map<int64_t, int64_t> Chosen;
  std::vector<int64_t> Taken;
  for (const Dimension &D : W.Dimensions) {
    if (D.Fixed)
      continue;
    int64_t &Value = Chosen[D.Value];
    if (!Value)
      Taken.push_back(Value = primeBelow(oddLimit(D), Taken));
    S.Dimensions[D.Name] = Value;
  }
  return S;
}

static Shape smallShape(const Workload &W) {
  Shape S{"small", {}};
  for (const Dimension &D : W.Dimensions) {
    if (D.Fixed)
      continue;
    // Still a multiple of what tiles commonly are, when the base is.
    int64_t Unit = D.Value % 64 == 0 ? 32 : 1;
    int64_t Value = D.Value / 4 / Unit * Unit;
    S.Dimensions[D.Name] = Value >= 32 ? Value : std::min<int64_t>(D.Value, 32);
  }
  return S;
}

static bool resolves(const Workload &W, std::vector<Shape> Shapes) {
  Workload One = W;
  One.Shapes = std::move(Shapes);
  auto Resolved = resolveShapes(One);
  if (Resolved)
    return true;
  llvm::consumeError(Resolved.takeError());
  return false;
}

void mep::addShapes(Workload &W) {
  W.Shapes = {{"base", {}}};
  bool Free =
      llvm::any_of(W.Dimensions, [](const Dimension &D) { return !D.Fixed; });
  if (!Free) {
    W.Notes.push_back("no dimension is free: only the application's own shape "
                      "is verified");
    return;
  }
  std::vector<Shape> Wanted{oddShape(W), smallShape(W)};
  if (llvm::any_of(W.Dimensions, [&](const Dimension &D) {
        return !D.Fixed && hasTwin(W, D);
      }))
    Wanted.insert(Wanted.begin() + 1, squareShape(W));
  bool All = resolves(W, Wanted);
  for (const Shape &S : Wanted)
    if (All || resolves(W, {S}))
      W.Shapes.push_back(S);
    else
      W.Notes.push_back("shape " + S.Name +
                        " is left out: the launch has no valid size for it");
}
