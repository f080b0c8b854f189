/// \file
/// Roles and fill rules of buffers, from what the kernel does with them.

#include "WorkloadDraft.h"
#include "llvm/ADT/STLExtras.h"

using namespace mep;

namespace {

class FillInference {
public:
  FillInference(const KernelUses &Uses, const DimensionTable &Dimensions,
                WorkloadDraft &Out)
      : Uses(Uses), Dimensions(Dimensions), W(Out.Data), Out(Out) {}

  void run();

private:
  BufferUse merged(const Buffer &B) const;
  std::vector<std::string> namesOf(const Buffer &Holder,
                                   const ElementPointer &P) const;
  const Buffer *bufferOf(const std::string &Part, std::string &Offset) const;
  Role role(const Buffer &B, const BufferUse &U) const;
  bool coversAll(const Buffer &B, const BufferUse &U) const;
  void fill(Buffer &B, const BufferUse &U);
  void fillFloats(Buffer &B, const BufferUse &U);
  void fillIntegers(Buffer &B, const BufferUse &U);
  void fillIndex(Buffer &B, const BufferUse &U);
  std::string room(const std::string &Target) const;
  void note(const std::string &Text) { W.Notes.push_back(Text); }

  const KernelUses &Uses;
  const DimensionTable &Dimensions;
  Workload &W;
  WorkloadDraft &Out;
};

void join(BufferUse &To, const BufferUse &From) {
  To.Read |= From.Read;
  To.Written |= From.Written;
  To.Escapes |= From.Escapes;
  To.Partial |= From.Partial;
  To.InLoop |= From.InLoop;
  To.Divides |= From.Divides;
  To.Positive |= From.Positive;
  To.LoopBound |= From.LoopBound;
  To.IsOffsets |= From.IsOffsets;
  llvm::append_range(To.Indexes, From.Indexes);
  To.OffsetTargets.insert(From.OffsetTargets.begin(), From.OffsetTargets.end());
}

/// Uses of all parts that point into \p B.
BufferUse FillInference::merged(const Buffer &B) const {
  BufferUse All;
  if (auto U = Uses.find(B.Name); U != Uses.end() && !B.Symbol.empty())
    join(All, U->second);
  for (const Argument &A : W.Arguments)
    for (const ArgumentPart &P : A.Parts)
      if (P.Buffer == B.Name)
        if (auto U = Uses.find(P.Name); U != Uses.end())
          join(All, U->second);
  for (const Buffer &Holder : W.Buffers)
    for (const ElementPointer &P : Holder.Pointers)
      if (P.Buffer == B.Name)
        for (const std::string &Name : namesOf(Holder, P))
          if (auto U = Uses.find(Name); U != Uses.end())
            join(All, U->second);
  return All;
}

/// The kernel may reach \p P through any of the arguments that point at
/// \p Holder.
std::vector<std::string> FillInference::namesOf(const Buffer &Holder,
                                                const ElementPointer &P) const {
  std::vector<std::string> Names{P.Name};
  bool IsElement = llvm::StringRef(P.Name).starts_with("*");
  for (const Argument &A : W.Arguments)
    for (const ArgumentPart &Part : A.Parts)
      if (Part.Buffer == Holder.Name && Part.Name != Holder.Name)
        Names.push_back(IsElement
                            ? "*" + Part.Name
                            : Part.Name + P.Name.substr(Holder.Name.size()));
  return Names;
}

const Buffer *FillInference::bufferOf(const std::string &Part,
                                      std::string &Offset) const {
  std::string Name = Part;
  for (const Argument &A : W.Arguments)
    for (const ArgumentPart &P : A.Parts)
      if (P.Name == Part && !P.Buffer.empty()) {
        Name = P.Buffer;
        Offset = P.BufferOffset;
      }
  for (const Buffer &Holder : W.Buffers)
    for (const ElementPointer &P : Holder.Pointers)
      if (llvm::is_contained(namesOf(Holder, P), Part)) {
        Name = P.Buffer;
        Offset = P.BufferOffset;
      }
  for (const Buffer &B : W.Buffers)
    if (B.Name == Name)
      return &B;
  return nullptr;
}

/// True when each thread writes one element and there are threads for all.
bool FillInference::coversAll(const Buffer &B, const BufferUse &U) const {
  if (U.InLoop)
    return false;
  for (const MissingMember &M : Out.Missing)
    if (M.Name == B.Name)
      return false;
  double Elements = 0;
  if (auto Extent = Out.Extents.find(B.Name); Extent != Out.Extents.end())
    if (auto V = evaluate(Extent->second, Dimensions.values()))
      Elements = V->asDouble();
  return Elements > 0 && Out.Threads >= Elements;
}

/// An output keeps what it held before wherever the kernel may not write it.
Role FillInference::role(const Buffer &B, const BufferUse &U) const {
  if (!U.Written)
    return Role::In;
  bool Whole = !U.Read && !U.Escapes && !U.Partial && B.Symbol.empty() &&
               coversAll(B, U);
  return Whole ? Role::Out : Role::InOut;
}

/// Elements of the buffer that part \p Target points at, from there on.
std::string FillInference::room(const std::string &Target) const {
  std::string Offset = "0";
  const Buffer *B = bufferOf(Target, Offset);
  if (!B || B->Extent.empty())
    return {};
  return Offset == "0" ? B->Extent : "(" + B->Extent + ") - (" + Offset + ")";
}

std::string least(const std::vector<std::string> &Bounds) {
  std::string All;
  for (const std::string &B : Bounds)
    All = All.empty() ? B : "min(" + All + ", " + B + ")";
  return All;
}

void FillInference::fillIndex(Buffer &B, const BufferUse &U) {
  std::vector<std::string> Bounds;
  for (const IndexUse &I : U.Indexes) {
    std::string Bound = I.Target.empty()
                            ? (I.Extent ? std::to_string(I.Extent) : "")
                            : room(I.Target);
    if (!I.Exact || Bound.empty()) {
      B.Fill = {"constant", "0", "0"};
      note("'" + B.Name + "' is part of a subscript of '" +
           (I.Target.empty() ? "a local array" : I.Target) +
           "' in a way that is not followed; it is all zeros. Give it a fill "
           "rule with --workload if that is not representative");
      return;
    }
    if (!I.Scale.empty())
      Bound = "(" + Bound + ") / " + I.Scale;
    if (!llvm::is_contained(Bounds, Bound))
      Bounds.push_back(Bound);
  }
  B.Fill = {"index", "0", least(Bounds)};
}

void FillInference::fillIntegers(Buffer &B, const BufferUse &U) {
  bool Positive = U.Positive || U.Divides;
  if (U.IsOffsets) {
    std::vector<std::string> Bounds;
    for (const std::string &T : U.OffsetTargets)
      if (std::string R = room(T); !R.empty() && !llvm::is_contained(Bounds, R))
        Bounds.push_back(R);
    if (!Bounds.empty()) {
      B.Fill = {"offsets", "0", least(Bounds)};
      return;
    }
  }
  if (!U.Indexes.empty())
    return fillIndex(B, U);
  switch (B.Element.Components[0].Kind) {
  case ScalarKind::U8:
    B.Fill = {"uniform", Positive ? "1" : "0", "255"};
    break;
  case ScalarKind::I8:
    B.Fill = {"uniform", Positive ? "1" : "-128", "127"};
    break;
  case ScalarKind::Bool:
    B.Fill = {"uniform", "0", "1"};
    break;
  default:
    B.Fill = {"uniform", Positive ? "1" : "0", U.LoopBound ? "4" : "15"};
  }
}

void FillInference::fillFloats(Buffer &B, const BufferUse &U) {
  B.Fill = {"uniform", "-1", "1"};
  if (!U.Positive && !U.Divides)
    return;
  // A kernel that divides by what it updates is a recurrence: values well
  // away from zero keep it from blowing up.
  bool Updated = U.Read && U.Written && !U.Positive;
  B.Fill = {"uniform", Updated ? "2" : "0.1", Updated ? "3" : "1"};
  note("'" + B.Name +
       "' is divided by, or under a root or logarithm: its "
       "values are in [" +
       B.Fill.Low + ", " + B.Fill.High + ")");
}

void FillInference::fill(Buffer &B, const BufferUse &U) {
  if (B.Fill.Rule != "uniform" || B.Element.Components.empty())
    return;
  bool Floats = false, Integers = false;
  for (const Component &C : B.Element.Components)
    (isFloating(C.Kind) ? Floats : Integers) = true;
  if (Floats && Integers)
    B.Fill = {"uniform", "0", "1"};
  else if (Floats)
    fillFloats(B, U);
  else
    fillIntegers(B, U);
}

void FillInference::run() {
  for (Buffer &B : W.Buffers) {
    BufferUse U = merged(B);
    B.Use = role(B, U);
    fill(B, U);
  }
}

} // namespace

void mep::inferFills(const KernelUses &Uses, const DimensionTable &Dimensions,
                     WorkloadDraft &Out) {
  FillInference(Uses, Dimensions, Out).run();
}
