/// \file
/// The last resort of the inference before the probe and the user: values that
/// are likely enough for a kernel's time to mean something, each of them said.

#include "Assumptions.h"
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

bool mep::assumeMissing(const Draft &D, const DimensionTable &Dimensions,
                        AssumedValues &Assumed) {
  bool Any = false;
  for (const NamedDimension &N : Dimensions.all()) {
    if (!N.Missing || !N.ExtentOf.empty() || Assumed.count(N.Data.Name))
      continue;
    int64_t Block = blockSize(D.Data.Launch, N.Data.Name);
    Assumed[N.Data.Name] = Block ? Block : AssumedSize;
    Any = true;
  }
  return Any;
}

bool mep::shrinkAssumed(const Draft &D, const TermValues &Values,
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

/// Says that \p What is assumed, and why.
static void say(Workload &W, const std::string &What, StringRef Why,
                StringRef Where) {
  std::string Text = "assumed: " + What;
  if (!Why.empty())
    Text += " (" + Why.str() + (Where.empty() ? "" : ", " + Where.str()) + ")";
  W.Notes.push_back(std::move(Text));
}

static const MissingMember *missing(const Draft &D, MissingMember::Kind What,
                                    StringRef Name) {
  auto It = llvm::find_if(D.Missing, [&](const MissingMember &M) {
    return M.What == What && M.Name == Name;
  });
  return It == D.Missing.end() ? nullptr : &*It;
}

static void assumeScalars(const Draft &D, Workload &W) {
  for (Argument &A : W.Arguments)
    for (ArgumentPart &P : A.Parts) {
      if (!P.Buffer.empty() || !P.Value.empty())
        continue;
      P.Value = "1";
      P.Source = "assumed";
      const MissingMember *M = missing(D, MissingMember::Value, P.Name);
      say(W, "'" + P.Name + "' is 1", M ? M->Why : "", M ? M->Where : "");
    }
}

/// The longest extent that is known, as it is printed.
static std::string longestExtent(const Draft &D, const TermValues &Values) {
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

void mep::assumeRest(const Draft &D, const TermValues &Values, Workload &W) {
  assumeScalars(D, W);
  Geometry &Launch = W.Launch;
  auto IsMissing = [](const std::array<std::string, 3> &Sides) {
    return llvm::any_of(Sides, [](const std::string &S) { return S.empty(); });
  };
  auto Say = [&](const char *Name, const std::string &Value) {
    const MissingMember *M = missing(D, MissingMember::Launch, Name);
    say(W, std::string("the launch's ") + Name + " is " + Value,
        M ? M->Why : "", M ? M->Where : "");
  };
  if (IsMissing(Launch.Block)) {
    Launch.Block = {"256", "1", "1"};
    Say("block", "256");
  }
  if (IsMissing(Launch.Grid)) {
    std::string Extent = longestExtent(D, Values);
    if (!Extent.empty()) {
      Launch.Grid = {"(" + Extent + " + block_x - 1) / block_x", "1", "1"};
      Say("grid", "what covers the largest buffer");
    }
  }
}

void mep::noteAssumptions(const DimensionTable &Dimensions, Workload &W) {
  for (const NamedDimension &N : Dimensions.all())
    if (N.IsAssumed && llvm::any_of(W.Dimensions, [&](const Dimension &D) {
          return D.Name == N.Data.Name;
        }))
      say(W, "'" + N.Data.Name + "' is " + std::to_string(N.Data.Value), N.Why,
          N.Data.Source);
}
