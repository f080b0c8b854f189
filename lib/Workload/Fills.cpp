/// \file
/// Roles and fill rules of buffers, from what the kernel does with them.

#include "WorkloadDraft.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mep;

namespace {

/// Integers from Low to below High, as texts.
struct IndexBounds {
  std::string Low = "0", High;
};

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
  void chooseSubscripts(Buffer &B, const BufferUse &U);
  bool validIn(const IndexUse &I, IndexBounds &Valid) const;
  bool takeHostFill(Buffer &B, const BufferUse &U);
  bool takeTable(Buffer &B);
  bool takeCopied(Buffer &B, const BufferUse &U);
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
  if (From.IsOffsets && !To.IsOffsets)
    To.OffsetSteps = From.OffsetSteps;
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

// ---- subscripts ------------------------------------------------------------

/// \p Text as an operand: in parentheses unless it is one word.
std::string operand(const std::string &Text) {
  int Depth = 0;
  bool IsWord = true, IsGroup = Text.front() == '(';
  for (size_t I = 0; I < Text.size(); ++I) {
    char C = Text[I];
    IsWord &= llvm::isAlnum(C) || C == '_' || C == '.' || C == ':';
    Depth += C == '(' ? 1 : C == ')' ? -1 : 0;
    IsGroup &= Depth > 0 || I + 1 == Text.size();
  }
  return IsWord || IsGroup ? Text : "(" + Text + ")";
}

/// \p Left \p Operator \p Right, where numbers are computed.
std::string joined(const std::string &Left, const char *Operator,
                   const std::string &Right) {
  const bool IsSum = *Operator == '+' || *Operator == '-';
  int64_t L = 0, R = 0;
  bool IsLeft = !llvm::StringRef(Left).getAsInteger(10, L);
  bool IsRight = !llvm::StringRef(Right).getAsInteger(10, R);
  if (IsRight && R == 0 && IsSum)
    return Left;
  if (IsLeft && L == 0 && !IsSum)
    return Left;
  if (IsLeft && IsRight)
    return print(binaryTerm(Operator, integerTerm(L), integerTerm(R)));
  return operand(Left) + " " + Operator + " " + operand(Right);
}

/// Rounded up.
std::string quotient(const std::string &Of, const IndexStep &By) {
  return Of == "0" || By.HasRest
             ? joined(Of, "/", By.First)
             : joined(joined(joined(Of, "+", By.First), "-", "1"), "/",
                      By.First);
}

/// What an element has to be for the outcome of \p Step to be in \p To.
void undo(const IndexStep &Step, IndexBounds &To) {
  IndexBounds Out = To;
  switch (Step.What) {
  case IndexStep::Add:
    Out = {joined(To.Low, "-", Step.First), joined(To.High, "-", Step.Last)};
    break;
  case IndexStep::Subtract:
    Out = {joined(To.Low, "+", Step.Last), joined(To.High, "+", Step.First)};
    break;
  case IndexStep::From:
    Out = {joined(joined(Step.Last, "-", To.High), "+", "1"),
           joined(joined(Step.First, "-", To.Low), "+", "1")};
    break;
  case IndexStep::Scale:
    Out = {quotient(To.Low, Step), quotient(To.High, Step)};
    break;
  case IndexStep::Divide:
    Out = {joined(To.Low, "*", Step.First), joined(To.High, "*", Step.First)};
    break;
  case IndexStep::Wrap:
    Out = {To.Low, To.High == Step.First
                       ? To.High
                       : "min(" + To.High + ", " + Step.First + ")"};
    break;
  }
  To = Out;
}

/// `element * length + k` with k from 0 to below length.
bool fillsScale(const IndexStep &Added, const IndexStep &Next) {
  return Added.What == IndexStep::Add && Next.What == IndexStep::Scale &&
         Added.First == "0" && Added.Last == "(" + Next.First + " - 1)";
}

/// The elements that make a valid subscript; false when that is not known.
bool FillInference::validIn(const IndexUse &I, IndexBounds &Valid) const {
  Valid.High = I.Target.empty() ? (I.Extent ? std::to_string(I.Extent) : "")
                                : room(I.Target);
  if (!I.Exact || Valid.High.empty())
    return false;
  for (size_t N = 0; N < I.Steps.size(); ++N) {
    IndexStep Step = I.Steps[N];
    if (N + 1 < I.Steps.size() && fillsScale(Step, I.Steps[N + 1])) {
      Step = I.Steps[++N];
      Step.HasRest = true;
    }
    undo(Step, Valid);
  }
  return true;
}

/// The host code's own values, where they are more than one number for all.
bool FillInference::takeHostFill(Buffer &B, const BufferUse &U) {
  const FillRule &Host = B.HostFill;
  if (Host.Rule == "uniform" && B.Subscripts.Rule == "index") {
    FillRule Both = B.Subscripts;
    Both.Low = Both.Low == Host.Low ? Both.Low
                                    : "max(" + Both.Low + ", " + Host.Low + ")";
    Both.High = "min(" + Both.High + ", " + joined(Host.High, "+", "1") + ")";
    B.Fill = Both;
    return true;
  }
  if (Host.Rule != "iota" && Host.Rule != "table" &&
      (Host.Rule != "permutation" || B.Subscripts.Rule == "offsets"))
    return false;
  if (!U.Written || U.Read) {
    B.Fill = Host;
    note("'" + B.Name + "' holds what the host code puts there");
    return true;
  }
  return false;
}

/// Nobody knows the application's own. Where as many elements as the other
/// buffer has say which of them are written, each once: random ones would make
/// threads write the same element, which the application may never do.
void FillInference::chooseSubscripts(Buffer &B, const BufferUse &U) {
  B.Fill = B.Subscripts;
  const IndexUse &Only = U.Indexes.front();
  std::string Offset = "0";
  const Buffer *To =
      Only.Target.empty() ? nullptr : bufferOf(Only.Target, Offset);
  const BufferUse Theirs = To ? merged(*To) : BufferUse();
  bool IsScattered = !U.Written && Theirs.Written && !Theirs.Read;
  bool IsOne = llvm::all_of(U.Indexes, [&](const IndexUse &I) {
    return I.Target == Only.Target && I.Steps.empty();
  });
  if (IsScattered && IsOne && B.Subscripts.Low == "0" &&
      B.Subscripts.High == B.Extent) {
    B.Fill = {"permutation", "0", "0"};
    note("'" + B.Name + "' says which elements of '" + To->Name +
         "' are written, and what the application has there is not known: " +
         "it holds each valid subscript once, in random order");
    return;
  }
  note("what the application has in '" + B.Name +
       "' is not known: it holds random valid subscripts" +
       (IsScattered ? ", some more than once, so that threads may write the "
                      "same element of '" +
                          To->Name + "'"
                    : ""));
}

void FillInference::fillIndex(Buffer &B, const BufferUse &U) {
  std::vector<std::string> Lows, Highs;
  const IndexUse *Lost = nullptr;
  for (const IndexUse &I : U.Indexes) {
    IndexBounds Valid;
    if (!validIn(I, Valid)) {
      Lost = &I;
      break;
    }
    if (!llvm::is_contained(Lows, Valid.Low))
      Lows.push_back(Valid.Low);
    if (!llvm::is_contained(Highs, Valid.High))
      Highs.push_back(Valid.High);
  }
  if (!Lost) {
    std::string Low;
    for (const std::string &L : Lows)
      Low = Low.empty() ? L : "max(" + Low + ", " + L + ")";
    B.Subscripts = {"index", Low, least(Highs)};
  }
  if (takeHostFill(B, U))
    return;
  if (!Lost)
    return chooseSubscripts(B, U);
  B.Fill = {"constant", "0", "0"};
  note("'" + B.Name + "' is part of a subscript of '" +
       (Lost->Target.empty() ? "a local array" : Lost->Target) +
       "' in a way that is not followed; it is all zeros. Give it a fill "
       "rule with --workload if that is not representative");
}

void FillInference::fillIntegers(Buffer &B, const BufferUse &U) {
  bool Positive = U.Positive || U.Divides;
  if (U.IsOffsets) {
    std::vector<std::string> Bounds;
    for (const std::string &T : U.OffsetTargets)
      if (std::string R = room(T); !R.empty() && !llvm::is_contained(Bounds, R))
        Bounds.push_back(R);
    if (!Bounds.empty()) {
      IndexBounds Valid{"0", least(Bounds)};
      for (const IndexStep &Step : U.OffsetSteps)
        if (Step.What <= IndexStep::Subtract && Step.First == Step.Last)
          undo(Step, Valid);
      B.Subscripts = {"offsets", Valid.Low, Valid.High};
      if (!takeHostFill(B, U))
        B.Fill = B.Subscripts;
      return;
    }
  }
  if (!U.Indexes.empty())
    return fillIndex(B, U);
  // A loop runs as often, a comparison holds as often, as with these. Zeros
  // are what stands there until a kernel counts.
  if (takeHostFill(B, U))
    return;
  const FillRule &Host = B.HostFill;
  if (U.LoopBound && (Host.Rule == "uniform" || Host.Rule == "constant")) {
    B.Fill = Host;
    note("'" + B.Name + "' holds what the host code puts there");
    return;
  }
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

/// Numbers that the source lists are no data that any other may stand for.
bool FillInference::takeTable(Buffer &B) {
  if (B.HostFill.Rule != "table" || B.Use != Role::In || !B.Symbol.empty())
    return false;
  B.Fill = B.HostFill;
  note("'" + B.Name + "' holds the numbers that the host code lists");
  return true;
}

/// A device global that nothing but the host code gives a value.
bool FillInference::takeCopied(Buffer &B, const BufferUse &U) {
  if (B.Symbol.empty() || B.HostFill.Rule.empty() || U.IsOffsets)
    return false;
  B.Fill = B.HostFill;
  return true;
}

void FillInference::fill(Buffer &B, const BufferUse &U) {
  if (B.Fill.Rule != "uniform" || B.Element.Components.empty())
    return;
  if (U.Indexes.empty() && (takeTable(B) || takeCopied(B, U)))
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
