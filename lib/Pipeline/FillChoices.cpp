/// \file
/// What buffers hold.

#include "Choices.h"
#include "llvm/ADT/STLExtras.h"

using namespace mep;
using llvm::StringRef;

/// A rule that gives integers only.
static bool isCounted(const FillMove &M) {
  return StringRef(M.Rule) == "iota" || StringRef(M.Rule) == "permutation" ||
         StringRef(M.Rule) == "offsets";
}

static bool holds(const Buffer &B, bool Floats) {
  return llvm::any_of(B.Element.Components, [&](const Component &C) {
    return isFloating(C.Kind) == Floats;
  });
}

bool Choices::takes(const Buffer &B, Kind Which) const {
  if (B.Fill.Given || B.Use == Role::Out || B.Element.Components.empty() ||
      B.Fill.Rule == "initializer")
    return false;
  if (Which == Kind::Reals)
    return holds(B, /*Floats=*/true);
  if (!holds(B, /*Floats=*/false))
    return false;
  return Which == Kind::Integers || B.Fill.Rule == "uniform" ||
         B.Fill.Rule == "constant" || B.Fill.Rule == "zero";
}

static bool refill(Buffer &B, const FillMove &Move) {
  if (isCounted(Move) && holds(B, /*Floats=*/true))
    return false;
  FillRule New{Move.Rule, Move.Low, Move.High};
  if (New.High.empty())
    New.High = "(" + B.Extent + ") - 1";
  bool Same = B.Fill == New;
  B.Fill = New;
  return !Same;
}

void Choices::fill(const FillMove &Move, Kind Which) {
  std::vector<std::string> Names;
  Workload Trial = W;
  for (Buffer &B : Trial.Buffers)
    if (takes(B, Which) && refill(B, Move))
      Names.push_back(B.Name);
  if (Names.empty())
    return;
  add("values in " + quotedList(Names) + " " + Move.Values,
      [&](Workload &Other) {
        Other = Trial;
        return true;
      });
}

/// All bytes of \p B are \p B.SetTo, as a fill rule; nothing where none can
/// say it.
static std::optional<FillRule> setByHost(const Buffer &B) {
  if (B.SetTo == 0)
    return FillRule{"zero", "0", "0"};
  std::optional<FillRule> Rule;
  for (const Component &C : B.Element.Components) {
    unsigned Bytes = byteSize(C.Kind);
    if (isFloating(C.Kind) || C.Kind == ScalarKind::Bool || B.SetTo < 0 ||
        Bytes > 4)
      return std::nullopt;
    uint32_t All = 0x01010101u * uint32_t(B.SetTo) >> (32 - 8 * Bytes);
    bool Signed = C.Kind == ScalarKind::I8 || C.Kind == ScalarKind::I16 ||
                  C.Kind == ScalarKind::I32;
    int64_t Value = All;
    if (Signed && B.SetTo >= 128)
      Value -= int64_t(1) << 8 * Bytes;
    std::string Text = std::to_string(Value);
    if (Rule && Rule->Low != Text)
      return std::nullopt;
    Rule = FillRule{"constant", Text, Text};
  }
  return Rule;
}

/// What the host code puts into it: the byte of cudaMemset, or what it copies
/// there, where it does both \p CopiesFirst or not. False: nothing new.
bool Choices::setAsHost(Buffer &B, bool CopiesFirst) const {
  std::optional<FillRule> Copied =
      B.HostFill.Rule.empty() ? std::nullopt : std::optional(B.HostFill);
  std::optional<FillRule> Set = B.SetTo >= 0 ? setByHost(B) : std::nullopt;
  std::optional<FillRule> Rule =
      B.SetTo >= 0 && !(CopiesFirst && Copied) ? Set : Copied;
  // Values that are known to be valid subscripts stay.
  bool IsValid = B.Fill == B.Subscripts || B.Fill.Rule == "index";
  bool IsCount = Rule && Rule->Rule != "zero" && Rule->Rule != "constant";
  if (!Rule || B.Fill.Given || B.Use == Role::Out ||
      B.Fill.Rule == "initializer" || B.Fill == *Rule || (IsValid && IsCount))
    return false;
  B.Fill = *Rule;
  return true;
}

/// What the host code sets with cudaMemset, at one place or another, holds
/// that, and what it copies there from memory of its own holds what it puts
/// into that. Of a buffer that it both sets and copies to, which comes last
/// before the launch is not known: one after the other.
void Choices::fillAsHost() {
  std::vector<FillRule> Before;
  for (bool CopiesFirst : {false, true}) {
    std::vector<std::string> Names;
    std::vector<FillRule> Fills;
    Workload Trial = W;
    for (Buffer &B : Trial.Buffers) {
      if (setAsHost(B, CopiesFirst))
        Names.push_back(B.Name);
      Fills.push_back(B.Fill);
    }
    if (Names.empty() || Fills == Before)
      continue;
    add("values in " + quotedList(Names) + " are what the host code " +
            (CopiesFirst ? "copies there" : "sets them to"),
        [&](Workload &Other) {
          Other = Trial;
          return true;
        });
    Before = std::move(Fills);
  }
}

void Choices::fillSingly(llvm::ArrayRef<FillMove> Moves) {
  std::vector<std::string> Names;
  for (const Buffer &B : W.Buffers)
    if (takes(B, Kind::Integers) && Names.size() < MostSingles)
      Names.push_back(B.Name);
  // One buffer alone is what all of them were.
  if (Names.size() < 2)
    return;
  for (const FillMove &Move : Moves)
    for (const std::string &Name : Names)
      add("values in '" + Name + "' " + Move.Values, [&](Workload &Other) {
        for (Buffer &B : Other.Buffers)
          if (B.Name == Name)
            return refill(B, Move);
        return false;
      });
}

/// Row starts that lead into another buffer.
void Choices::fillOffsets() {
  size_t Count = 0;
  for (const Buffer &From : W.Buffers)
    for (const Buffer &To : W.Buffers) {
      if (&From == &To || !takes(From, Kind::Loose) || From.Use != Role::In ||
          holds(From, /*Floats=*/true) || From.Extent == To.Extent ||
          Count == MostSingles)
        continue;
      ++Count;
      add("values in '" + From.Name + "' ascend to the extent of '" + To.Name +
              "'",
          [&](Workload &Other) {
            for (Buffer &B : Other.Buffers)
              if (B.Name == From.Name)
                B.Fill = {"offsets", "0", To.Extent};
            return true;
          });
    }
}
