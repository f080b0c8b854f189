/// \file
/// Odd-sized and small shapes: a candidate that only works for multiples of its
/// block is found out here.

#include "Shapes.h"
#include "Expressions.h"
#include "WorkloadNumbers.h"
#include "mep/Workload/Resolve.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace mep;
using llvm::StringRef;

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

/// Some number that the kernel is given follows from it.
static bool isGiven(const Workload &W, StringRef Name) {
  return llvm::any_of(W.Arguments, [&](const Argument &A) {
    return llvm::any_of(A.Parts, [&](const ArgumentPart &P) {
      return P.Buffer.empty() && usesName(P.Value, Name);
    });
  });
}

std::set<std::string> mep::fixDimensions(Workload &W, StringRef DeviceText) {
  std::set<std::string> Shrinking;
  for (Dimension &D : W.Dimensions) {
    auto NamedIn = [&](llvm::ArrayRef<std::string> Texts) {
      return llvm::any_of(
          Texts, [&](const std::string &T) { return usesName(T, D.Name); });
    };
    bool Bounds = llvm::any_of(
        W.Buffers, [&](const Buffer &B) { return usesName(B.Extent, D.Name); });
    bool InBlock =
        usesName(W.Launch.SharedBytes, D.Name) || NamedIn(W.Launch.Block);
    bool Stays = InBlock || D.Value < SmallestSize ||
                 (D.IsMacro && sizesShared(DeviceText, D.Name));
    if (!D.Fixed && !Bounds && !Stays && !D.IsMacro && NamedIn(W.Launch.Grid) &&
        isGiven(W, D.Name))
      Shrinking.insert(D.Name);
    D.Fixed |= !Bounds || Stays;
  }
  return Shrinking;
}

int64_t mep::oddLimit(int64_t Value) {
  return std::max(Value / 4, std::min<int64_t>(Value - 1, 31));
}

namespace {

/// The dimensions that shapes vary, those that bound buffers first: what is not
/// more than another in the application is not in a shape either.
using Varied = std::vector<const Dimension *>;

Varied variedDimensions(const Workload &W,
                        const std::set<std::string> &Shrinking) {
  Varied All;
  for (const Dimension &D : W.Dimensions)
    if (!D.Fixed)
      All.push_back(&D);
  for (const Dimension &D : W.Dimensions)
    if (D.Fixed && Shrinking.count(D.Name))
      All.push_back(&D);
  return All;
}

/// True if another of them has the same value: launches are often right only as
/// long as it has.
bool hasTwin(const Varied &All, const Dimension &D) {
  return llvm::count_if(All, [&](const Dimension *Other) {
           return Other->Value == D.Value;
         }) > 1;
}

/// Just below a multiple of eight, so that twins differ and yet need the same
/// number of blocks: a launch that mixes them up still covers everything, a
/// candidate that mixes up their strides does not get away with it.
int64_t oddTwin(int64_t Limit, const std::vector<int64_t> &Taken) {
  int64_t Value = std::max<int64_t>(Limit / 8 * 8, 8) - 1;
  while (Value > 1 && llvm::is_contained(Taken, Value))
    Value -= 2;
  return Value;
}

Shape oddShape(const Varied &All) {
  Shape S{"odd", {}};
  std::vector<int64_t> Taken;
  for (const Dimension *D : All) {
    int64_t Limit = oddLimit(D->Value);
    Taken.push_back(hasTwin(All, *D) ? oddTwin(Limit, Taken)
                                     : primeBelow(Limit, Taken));
    S.Dimensions[D->Name] = Taken.back();
  }
  return S;
}

/// What is equal in the application stays equal.
Shape squareShape(const Varied &All) {
  Shape S{"square", {}};
  std::map<int64_t, int64_t> Chosen;
  std::vector<int64_t> Taken;
  for (const Dimension *D : All) {
    int64_t &Value = Chosen[D->Value];
    if (!Value)
      Taken.push_back(Value = primeBelow(oddLimit(D->Value), Taken));
    S.Dimensions[D->Name] = Value;
  }
  return S;
}

Shape smallShape(const Varied &All) {
  Shape S{"small", {}};
  for (const Dimension *D : All) {
    // Still a multiple of what tiles commonly are, when the base is.
    int64_t Unit = D->Value % 64 == 0 ? 32 : 1;
    int64_t Value = D->Value / 4 / Unit * Unit;
    S.Dimensions[D->Name] =
        Value >= 32 ? Value : std::min<int64_t>(D->Value, 32);
  }
  return S;
}

/// The kernel is given other numbers: longer or shorter buffers alone change
/// nothing that it does.
bool isOtherWork(Workload W, const Shape &A, const Shape &B) {
  for (const Dimension &D : W.Dimensions)
    if (auto Set = B.Dimensions.find(D.Name);
        D.IsMacro && Set != B.Dimensions.end() && Set->second != D.Value)
      return true;
  auto First = numbersOf(W, A), Other = numbersOf(W, B);
  if (!First || !Other)
    return true;
  const std::vector<Slot> Slots = slotsOf(W);
  return llvm::any_of(differences(*First, *Other),
                      [&](size_t I) { return !Slots[I].IsExtent; });
}

} // namespace

static bool resolves(const Workload &W, std::vector<Shape> Shapes) {
  Workload One = W;
  One.Shapes = std::move(Shapes);
  auto Resolved = resolveShapes(One);
  if (Resolved)
    return true;
  llvm::consumeError(Resolved.takeError());
  return false;
}

void mep::addShapes(Workload &W, const std::set<std::string> &Shrinking) {
  W.Shapes = {{"base", {}}};
  const Varied All = variedDimensions(W, Shrinking);
  if (All.empty()) {
    W.Notes.push_back("no dimension is free: only the application's own shape "
                      "is verified");
    return;
  }
  std::vector<Shape> Wanted{oddShape(All), smallShape(All)};
  if (llvm::any_of(All, [&](const Dimension *D) { return hasTwin(All, *D); }))
    Wanted.insert(Wanted.begin() + 1, squareShape(All));
  bool Resolve = resolves(W, Wanted);
  for (const Shape &S : Wanted)
    if (Resolve || resolves(W, {S}))
      W.Shapes.push_back(S);
    else
      W.Notes.push_back("shape " + S.Name +
                        " is left out: the launch has no valid size for it");
  if (W.Shapes.size() == 1)
    W.Notes.push_back("no other size than the application's is verified");
  auto Others = llvm::ArrayRef(W.Shapes).drop_front();
  if (!Others.empty() && llvm::none_of(Others, [&](const Shape &S) {
        return isOtherWork(W, W.Shapes.front(), S);
      }))
    W.Notes.push_back("no other size than the application's is verified: the "
                      "free dimensions are lengths of buffers alone");
}
