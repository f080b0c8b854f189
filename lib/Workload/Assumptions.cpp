/// \file
/// The last resort of the inference before the probe and the user: values that
/// are likely enough for a kernel's time to mean something, each of them said.

#include "Assumptions.h"
#include "AccessExtents.h"
#include "Expressions.h"
#include "llvm/ADT/STLExtras.h"

using namespace mep;
using llvm::StringRef;

static constexpr int64_t AssumedSize = 1024;
static constexpr int64_t SmallestSize = 16;
static constexpr double MostBytes = 256 << 20;

/// Value of a size that the block is made of: 256 threads in all.
static int64_t blockSize(const Geometry &Launch, StringRef Name) {
  unsigned Axes = 0;
  bool InBlock = false;
  for (const std::string &Side : Launch.Block) {
    Axes += Side != "1";
    InBlock |= usesName(Side, Name);
  }
  return !InBlock ? 0 : Axes == 1 ? 256 : Axes == 2 ? 16 : 8;
}

/// \p Name says how far into buffers pointers point, and nothing else.
static bool isOnlyOffset(const Workload &W, StringRef Name) {
  bool IsOffset = false;
  for (const Argument &A : W.Arguments)
    for (const ArgumentPart &P : A.Parts)
      IsOffset |= !P.Buffer.empty() && usesName(P.BufferOffset, Name);
  auto Uses = [&](const std::string &E) { return usesName(E, Name); };
  return IsOffset && llvm::none_of(W.Launch.Grid, Uses) &&
         llvm::none_of(W.Launch.Block, Uses) &&
         llvm::none_of(W.Buffers,
                       [&](const Buffer &B) { return Uses(B.Extent); });
}

bool mep::assumeMissing(const WorkloadDraft &D,
                        const DimensionTable &Dimensions,
                        AssumedValues &Assumed) {
  bool Any = false;
  for (const NamedDimension &N : Dimensions.all()) {
    // Of a buffer of the size assumed for others, an offset of that size would
    // leave nothing. That it is no more than an offset may show late.
    bool IsOffset = (N.Missing || N.IsAssumed) && N.ExtentOf.empty() &&
                    isOnlyOffset(D.Data, N.Data.Name);
    auto Known = Assumed.find(N.FirstName);
    if (IsOffset && (Known == Assumed.end() || Known->second != 0)) {
      Assumed[N.FirstName] = 0;
      Any = true;
      continue;
    }
    if (!N.Missing || !N.ExtentOf.empty() || Known != Assumed.end())
      continue;
    int64_t Block = blockSize(D.Data.Launch, N.Data.Name);
    Assumed[N.FirstName] = Block ? Block : AssumedSize;
    Any = true;
  }
  return Any;
}

/// Every name of \p T has a value.
static bool allKnown(const TermRef &T, const TermValues &Values) {
  std::set<std::string> Names;
  collectNames(T, Names);
  return llvm::all_of(
      Names, [&](const std::string &N) { return Values.count(N) != 0; });
}

/// Longer expressions come from generators of random numbers, hashes and the
/// like: no reader learns from them.
static constexpr size_t LongestExpression = 400;

static bool isCount(const TermRef &T, const TermValues &Values, double Least) {
  auto Value = evaluate(T, Values);
  return Value && Value->asDouble() >= Least;
}

/// Is known, and no count of anything.
static bool isNothing(const TermRef &T, const TermValues &Values) {
  return T && allKnown(T, Values) && !isCount(T, Values, 1);
}

/// \p Values and those of `block_x` … where known.
static TermValues withBlock(const WorkloadDraft &D, TermValues Values) {
  for (int I = 0; I < 3; ++I)
    if (auto Side = evaluate(D.Block[I], Values))
      Values[std::string("block_") + "xyz"[I]] = int64_t(Side->asDouble());
  return Values;
}

void mep::findSuspects(const AccessModel &Accesses, const TermValues &Values,
                       WorkloadDraft &D) {
  auto Doubt = [&](const TermRef &T) {
    D.IsImpossible = true;
    collectNames(T, D.Suspects);
  };
  TermValues WithBlock = withBlock(D, Values);
  auto ValueOf = [&](const IndexExpr &S) -> Index {
    size_t Axis = size_t(S.Name.back() - 'x');
    auto Value =
        S.Kind == SymbolKind::Parameter && D.Scalars.count(S.Name)
            ? evaluate(D.Scalars[S.Name], Values)
        : S.Kind == SymbolKind::BlockSize ? evaluate(D.Block[Axis], Values)
        : S.Kind == SymbolKind::GridSize  ? evaluate(D.Grid[Axis], WithBlock)
                                          : std::nullopt;
    return Value && !Value->IsFloat ? number(Value->Integer) : nullptr;
  };
  for (const Buffer &B : D.Data.Buffers) {
    TermRef Extent = D.Extents[B.Name];
    if (isNothing(Extent, Values))
      Doubt(Extent);
    else if (B.Extent.empty())
      for (const std::string &Scalar : emptiedBy(Accesses, B, D.Data, ValueOf))
        Doubt(D.Scalars[Scalar]);
  }
  for (int I = 0; I < 3; ++I) {
    if (isNothing(D.Block[I], Values))
      Doubt(D.Block[I]);
    if (isNothing(D.Grid[I], WithBlock))
      Doubt(D.Grid[I]);
  }
  for (const auto &[Name, Scalar] : D.Scalars)
    if (Scalar && allKnown(Scalar, Values) && !evaluate(Scalar, Values))
      Doubt(Scalar);
}

bool mep::doubtNothing(const WorkloadDraft &D, const DimensionTable &Dimensions,
                       NothingValues &Nothing) {
  if (!Nothing.Named)
    return Nothing.Named =
               D.IsImpossible && Dimensions.hasNothing() && !Nothing.AllSeen;
  size_t Before = Nothing.Doubted.size();
  for (const NamedDimension &N : Dimensions.all())
    if (N.IsNothing && (D.Suspects.count(N.FirstName) ||
                        N.Data.Source == DimensionTable::GivenSource))
      Nothing.Doubted.insert(N.Owner);
  Nothing.Named = false;
  Nothing.AllSeen = Nothing.Doubted.size() == Before;
  return true;
}

static void dropScalars(WorkloadDraft &D, const TermValues &Values) {
  for (Argument &A : D.Data.Arguments)
    for (ArgumentPart &P : A.Parts) {
      auto It = D.Scalars.find(P.Name);
      if (It == D.Scalars.end() || !It->second)
        continue;
      bool Short = P.Value.size() <= LongestExpression;
      if (Short &&
          (!allKnown(It->second, Values) || evaluate(It->second, Values)))
        continue;
      D.Missing.push_back({MissingMember::Value, P.Name,
                           Short ? "what the host code says divides by zero"
                                 : "what the host code says is no size",
                           P.Source});
      P.Value.clear();
    }
}

static void dropExtents(WorkloadDraft &D, const TermValues &Values) {
  for (Buffer &B : D.Data.Buffers) {
    auto It = D.Extents.find(B.Name);
    if (It == D.Extents.end() || !isNothing(It->second, Values))
      continue;
    D.Missing.push_back(
        {MissingMember::Extent, B.Name,
         "the host code says '" + B.Extent + "', which is nothing", B.Source});
    B.Extent.clear();
    It->second = nullptr;
  }
}

static void dropLaunch(WorkloadDraft &D, const TermValues &Values) {
  TermValues WithBlock = withBlock(D, Values);
  double Threads = 1;
  bool BlockKnown = true, GridFits = true;
  for (int I = 0; I < 3; ++I) {
    auto Side = evaluate(D.Block[I], Values);
    BlockKnown &= !isNothing(D.Block[I], Values);
    Threads *= Side ? Side->asDouble() : 1;
    GridFits &= !isNothing(D.Grid[I], WithBlock);
  }
  auto Drop = [&](const char *Name, std::array<std::string, 3> &Sides) {
    D.Missing.push_back({MissingMember::Launch, Name,
                         "the host code says (" + Sides[0] + ", " + Sides[1] +
                             ", " + Sides[2] + "), which cannot be launched",
                         ""});
    Sides = {"", "", ""};
  };
  if (!BlockKnown || Threads > 1024)
    Drop("block", D.Data.Launch.Block);
  if (!GridFits)
    Drop("grid", D.Data.Launch.Grid);
}

void mep::dropImpossible(WorkloadDraft &D, const TermValues &Values) {
  dropScalars(D, Values);
  dropExtents(D, Values);
  dropLaunch(D, Values);
}

bool mep::shrinkAssumed(const WorkloadDraft &D, const TermValues &Values,
                        AssumedValues &Assumed) {
  double Bytes = 0;
  for (const Buffer &B : D.Data.Buffers)
    if (auto Extent = D.Extents.find(B.Name); Extent != D.Extents.end())
      if (auto Count = evaluate(Extent->second, Values))
        Bytes += Count->asDouble() * double(B.Element.Bytes);
  if (Bytes <= MostBytes)
    return false;
  bool Any = false;
  for (auto &[Name, Value] : Assumed)
    if (Value > SmallestSize && !blockSize(D.Data.Launch, Name)) {
      Value /= 2;
      Any = true;
    }
  return Any;
}

/// Says that \p Text is assumed, and why.
static void say(Workload &W, Assumption::Kind What, StringRef Name,
                std::string Text, StringRef Why, StringRef Where) {
  if (!Why.empty())
    Text += " (" + Why.str() + (Where.empty() ? "" : ", " + Where.str()) + ")";
  W.Assumptions.push_back({What, Name.str(), std::move(Text)});
}

static const MissingMember *missing(const WorkloadDraft &D,
                                    MissingMember::Kind What, StringRef Name) {
  auto It = llvm::find_if(D.Missing, [&](const MissingMember &M) {
    return M.What == What && M.Name == Name;
  });
  return It == D.Missing.end() ? nullptr : &*It;
}

static void assumeScalars(const WorkloadDraft &D, Workload &W) {
  for (Argument &A : W.Arguments)
    for (ArgumentPart &P : A.Parts) {
      if (!P.Buffer.empty() || !P.Value.empty())
        continue;
      P.Value = "1";
      P.Source = "assumed";
      const MissingMember *M = missing(D, MissingMember::Value, P.Name);
      say(W, Assumption::Scalar, P.Name, "'" + P.Name + "' is 1",
          M ? M->Why : "", M ? M->Where : "");
    }
}

/// The longest extent that is known, as it is printed.
static std::string longestExtent(const WorkloadDraft &D,
                                 const TermValues &Values) {
  std::string Longest;
  double Most = 0;
  for (const Buffer &B : D.Data.Buffers)
    if (auto It = D.Extents.find(B.Name); It != D.Extents.end())
      if (auto Count = evaluate(It->second, Values);
          Count && Count->asDouble() > Most) {
        Most = Count->asDouble();
        Longest = B.Extent;
      }
  return Longest;
}

/// Blocks whose threads are one for each of \p Extent elements.
static std::string coveringGrid(const Geometry &Launch,
                                const std::string &Extent) {
  std::string Threads = "block_x";
  for (int I = 1; I < 3; ++I)
    if (Launch.Block[I] != "1")
      Threads += std::string(" * block_") + "xyz"[I];
  std::string Blocks = "(" + Extent + " + " + Threads + " - 1) / ";
  return Blocks + (Threads == "block_x" ? Threads : "(" + Threads + ")");
}

void mep::assumeRest(const WorkloadDraft &D, const TermValues &Values,
                     Workload &W) {
  assumeScalars(D, W);
  Geometry &Launch = W.Launch;
  auto IsMissing = [](const std::array<std::string, 3> &Sides) {
    return llvm::any_of(Sides, [](const std::string &S) { return S.empty(); });
  };
  auto Say = [&](Assumption::Kind What, const char *Name,
                 const std::string &Value) {
    const MissingMember *M = missing(D, MissingMember::Launch, Name);
    say(W, What, "", std::string("the launch's ") + Name + " is " + Value,
        M ? M->Why : "", M ? M->Where : "");
  };
  if (IsMissing(Launch.Block)) {
    Launch.Block = {"256", "1", "1"};
    Say(Assumption::Block, "block", "256");
  }
  if (IsMissing(Launch.Grid)) {
    std::string Extent = longestExtent(D, Values);
    if (!Extent.empty()) {
      Launch.Grid = {coveringGrid(Launch, Extent), "1", "1"};
      Say(Assumption::Grid, "grid", "what covers the largest buffer");
    }
  }
}

void mep::noteAssumptions(const DimensionTable &Dimensions, Workload &W) {
  for (const NamedDimension &N : Dimensions.all())
    if (N.IsAssumed && llvm::any_of(W.Dimensions, [&](const Dimension &D) {
          return D.Name == N.Data.Name;
        }))
      say(W, Assumption::Dimension, N.Data.Name,
          "'" + N.Data.Name + "' is " + std::to_string(N.Data.Value), N.Why,
          N.Data.Source);
}
