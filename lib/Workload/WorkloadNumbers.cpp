#include "WorkloadNumbers.h"
#include "Questions.h"
#include "mep/Support/Error.h"

using namespace mep;
using llvm::StringRef;

static int64_t elementBytes(const Workload &W, StringRef Name) {
  for (const Buffer &B : W.Buffers)
    if (B.Name == Name)
      return int64_t(B.Element.Bytes);
  return 0;
}

std::vector<Slot> mep::slotsOf(Workload &W) {
  std::vector<Slot> Slots;
  for (Argument &A : W.Arguments)
    for (ArgumentPart &P : A.Parts)
      if (P.Buffer.empty())
        Slots.push_back({&P.Value, "'" + P.Name + "'", P.Name, true});
      else
        Slots.push_back({&P.BufferOffset, "where '" + P.Name + "' points", "",
                         false, elementBytes(W, P.Buffer)});
  for (Buffer &B : W.Buffers) {
    Slots.push_back({&B.Extent, "the extent of '" + B.Name + "'",
                     B.Name + "_extent", false, 0, false, true});
    for (std::string *Bound : B.Fill.expressions())
      Slots.push_back({Bound, "the values in '" + B.Name + "'", ""});
    for (ElementPointer &P : B.Pointers)
      for (std::string *Where : {&P.BufferOffset, &P.Stride})
        Slots.push_back({Where, "where '" + P.Name + "' points", ""});
    for (ElementValue &V : B.Values)
      Slots.push_back({&V.Value, "'" + V.Name + "'", ""});
  }
  for (unsigned I = 0; I < 3; ++I) {
    std::string Axis = questions::Axis[I];
    Slots.push_back({&W.Launch.Block[I], "the block's " + Axis,
                     "launch_block_" + Axis, false, 0, true});
    Slots.push_back({&W.Launch.Grid[I], "the grid's " + Axis,
                     "launch_grid_" + Axis, false, 0, true});
  }
  Slots.push_back(
      {&W.Launch.SharedBytes, "the shared bytes", "launch_shared_bytes"});
  return Slots;
}

bool mep::isSame(const ConstantValue &A, const ConstantValue &B) {
  return A.IsFloat || B.IsFloat ? A.asDouble() == B.asDouble()
                                : A.Integer == B.Integer;
}

bool mep::isSame(const Numbers &A, const Numbers &B) {
  return A.size() == B.size() &&
         std::equal(A.begin(), A.end(), B.begin(),
                    [](const auto &X, const auto &Y) { return isSame(X, Y); });
}

std::vector<size_t> mep::differences(const Numbers &A, const Numbers &B) {
  std::vector<size_t> Differ;
  for (size_t I = 0; I < A.size(); ++I)
    if (!isSame(A[I], B[I]))
      Differ.push_back(I);
  return Differ;
}

std::optional<Numbers> mep::numbersOf(Workload &W, const Shape &S) {
  Expressions Batch;
  auto Scope = questions::openShape(Batch, W, S);
  if (!Scope) {
    llvm::consumeError(Scope.takeError());
    return std::nullopt;
  }
  std::vector<size_t> Asked;
  for (const Slot &Each : slotsOf(W))
    Asked.push_back(Batch.ask(*Each.Text, Each.What));
  if (llvm::Error E = Batch.evaluate()) {
    llvm::consumeError(std::move(E));
    return std::nullopt;
  }
  Numbers Values;
  for (size_t Index : Asked)
    Values.push_back(Batch.value(Index));
  return Values;
}
