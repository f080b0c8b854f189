/// \file
/// Problems that fit into the device together with what verification keeps
/// beside them.

#include "Shapes.h"
#include "mep/Workload/Resolve.h"
#include <algorithm>

using namespace mep;

namespace {

/// Copies that the worker keeps beside a buffer: of inputs as filled, of
/// outputs of an earlier run. An output may turn out to be read, too.
uint64_t copiesOf(const ResolvedBuffer &B) { return B.Use == Role::In ? 1 : 2; }

/// The fixed dimensions that its shapes vary.
std::set<std::string> shrinkingIn(const Workload &W) {
  std::set<std::string> Names;
  for (const Shape &S : W.Shapes)
    for (const Dimension &D : W.Dimensions)
      if (D.Fixed && S.Dimensions.count(D.Name))
        Names.insert(D.Name);
  return Names;
}

/// True for the shapes that addShapes makes.
bool hasUsualShapes(const Workload &W) {
  Workload Usual = W;
  addShapes(Usual, shrinkingIn(W));
  return std::equal(W.Shapes.begin(), W.Shapes.end(), Usual.Shapes.begin(),
                    Usual.Shapes.end(), [](const Shape &A, const Shape &B) {
                      return A.Name == B.Name && A.Dimensions == B.Dimensions;
                    });
}

std::string sizeText(uint64_t Bytes) {
  return std::to_string(Bytes >> 20) + " MiB";
}

std::string fitNote(const Workload &From, const Workload &To, uint64_t Wanted,
                    uint64_t MaxBytes) {
  std::string Text = "smaller than in the application: its sizes need " +
                     sizeText(Wanted) +
                     " with the copies that verification keeps, of " +
                     sizeText(MaxBytes) + " that the device has for them:";
  const char *Separator = " ";
  for (size_t I = 0; I < From.Dimensions.size(); ++I) {
    const Dimension &D = To.Dimensions[I];
    if (D.Value == From.Dimensions[I].Value)
      continue;
    Text += Separator + ("'" + D.Name) + "' is " + std::to_string(D.Value) +
            " in place of " + std::to_string(From.Dimensions[I].Value);
    Separator = ", ";
  }
  return Text;
}

} // namespace

uint64_t mep::workerBytes(llvm::ArrayRef<ResolvedShape> Shapes) {
  uint64_t Total = 0, Largest = 0;
  for (const ResolvedShape &S : Shapes)
    for (const ResolvedBuffer &B : S.Buffers) {
      uint64_t Bytes = B.Count * B.Element.Bytes;
      Total += (1 + copiesOf(B)) * Bytes;
      // To see which parts are read, one input at a time is filled once more.
      Largest = std::max(Largest, Bytes);
    }
  return Total + Largest;
}

llvm::Expected<Workload> mep::fittedWorkload(const Workload &W,
                                             uint64_t MaxBytes) {
  constexpr unsigned MostSteps = 8;
  constexpr double Margin = 0.95;
  const bool Usual = hasUsualShapes(W);
  Workload Now = W;
  uint64_t Wanted = 0;
  for (unsigned Step = 0; Step < MostSteps; ++Step) {
    auto Shapes = resolveShapes(Now);
    if (!Shapes)
      return Shapes.takeError();
    // Other shapes than the first have sizes of their own, or follow it.
    uint64_t Bytes =
        workerBytes(Usual ? llvm::ArrayRef(*Shapes) : Shapes->front());
    if (Step == 0)
      Wanted = Bytes;
    if (Bytes <= MaxBytes) {
      if (Step)
        Now.Notes.push_back(fitNote(W, Now, Wanted, MaxBytes));
      return Now;
    }
    Workload Less = scaledWorkload(
        Now, Margin * double(MaxBytes) / double(Bytes), UINT64_MAX);
    if (Usual)
      addShapes(Less, shrinkingIn(W));
    Less.Notes = W.Notes;
    Now = std::move(Less);
  }
  return W;
}
