#include "IndexCheck.h"
#include "mep/Access/AccessNumbers.h"
#include "mep/Workload/Resolve.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mep;

namespace {

struct NumberRange {
  double Least = 0, Most = 0;
};

/// What the rule `iota` counts through.
NumberRange countedRange(const ResolvedBuffer &B) {
  double Last = std::floor(double(B.Count - 1) / double(B.Each));
  if (B.Period > 0)
    Last = std::min(Last, double(B.Period - 1));
  double First = std::trunc(B.Low), End = First + double(B.Step) * Last;
  NumberRange R{std::min(First, End), std::max(First, End)};
  if (B.Modulus > 0 && (R.Least < 0 || R.Most >= double(B.Modulus))) {
    R.Most = double(B.Modulus - 1);
    R.Least = R.Least < 0 ? -R.Most : 0;
  }
  return R;
}

NumberRange listedRange(const ResolvedBuffer &B) {
  NumberRange R{B.Table.front(), B.Table.front()};
  for (double N : B.Table)
    R = {std::min(R.Least, N), std::max(R.Most, N)};
  if (B.Count > B.Table.size()) // Zeros follow.
    R = {std::min(R.Least, 0.0), std::max(R.Most, 0.0)};
  return R;
}

NumberRange rangeOf(const ResolvedBuffer &B) {
  if (B.Rule == "iota")
    return countedRange(B);
  if (B.Rule == "table" && !B.Table.empty())
    return listedRange(B);
  if (B.Rule == "permutation")
    return {B.Low, B.Low + double(B.Count - 1)};
  return {B.Low, std::ceil(B.High) - 1};
}

/// Held by the host code, and checkable.
bool isHeld(const Buffer &B) {
  return !B.Subscripts.Rule.empty() && !B.Fill.Given &&
         !(B.Fill == B.Subscripts) &&
         (B.Fill == B.HostFill || B.Fill.Rule == "index");
}

bool fits(const ResolvedBuffer &Held, const ResolvedBuffer &Valid) {
  NumberRange R = rangeOf(Held);
  double Most =
      Valid.Rule == "offsets" ? Valid.High : std::ceil(Valid.High) - 1;
  return R.Least <= R.Most && R.Least >= Valid.Low && R.Most <= Most;
}

void refill(Workload &W, Buffer &B) {
  W.Notes.push_back("what the host code puts into '" + B.Name +
                    "' are not valid subscripts for the buffers as they are "
                    "inferred; it holds random valid ones");
  B.Fill = B.Subscripts;
}

/// No size may change beside the others.
void fixAll(Workload &W, const std::string &Why) {
  W.Notes.push_back(Why + ": no dimension is varied");
  for (Dimension &D : W.Dimensions)
    D.Fixed = true;
  if (W.Shapes.size() > 1)
    W.Shapes.erase(std::remove_if(W.Shapes.begin() + 1, W.Shapes.end(),
                                  [](const Shape &S) { return S.Weight == 0; }),
                   W.Shapes.end());
}

} // namespace

void mep::checkIndexFills(Workload &W) {
  if (llvm::none_of(W.Buffers, isHeld))
    return;
  Workload Safe = W;
  for (Buffer &B : Safe.Buffers)
    if (isHeld(B))
      B.Fill = B.Subscripts;
  auto Valid = resolveShapes(Safe);
  if (!Valid)
    return llvm::consumeError(Valid.takeError()); // Said where it is used.
  auto Held = resolveShapes(W);
  std::string Loose;
  for (size_t I = 0; I < W.Buffers.size(); ++I) {
    Buffer &B = W.Buffers[I];
    if (!isHeld(B))
      continue;
    bool OnLaunches = bool(Held), OnOthers = true;
    for (size_t S = 0; Held && S < Held->size(); ++S)
      if (!fits((*Held)[S].Buffers[I], (*Valid)[S].Buffers[I]))
        ((*Held)[S].Weight > 0 ? OnLaunches : OnOthers) = false;
    if (!OnLaunches)
      refill(W, B);
    else if (!OnOthers)
      Loose = B.Name;
  }
  if (!Held)
    llvm::consumeError(Held.takeError());
  if (!Loose.empty())
    fixAll(W, "what the host code puts into '" + Loose +
                  "' are valid subscripts for the application's sizes only");
}

// ---- static answers --------------------------------------------------------

static bool isOutside(const std::optional<ElementRange> &R, uint64_t Extent) {
  return R && (R->First < 0 || R->Last >= int64_t(Extent));
}

std::string mep::needOfRun(const AccessModel &Accesses, const Workload &W) {
  for (const MemoryAccess &A : Accesses.Accesses)
    if (A.State == AccessState::NotAffine &&
        Accesses.Buffers[A.Buffer].Space != BufferSpace::Shared)
      return "where " + A.Text + " lies is not known before it runs (" +
             A.Reason + ")";
  if (!Accesses.Unknown.empty())
    return Accesses.Unknown.front().Reason;
  Workload Base = W;
  Base.Shapes.resize(std::min<size_t>(Base.Shapes.size(), 1));
  auto Shapes = resolveShapes(Base);
  if (!Shapes) {
    llvm::consumeError(Shapes.takeError());
    return "";
  }
  for (const AccessedElements &T :
       touchedElements(Accesses, Base, Shapes->front()))
    if (T.Extent &&
        (isOutside(T.Read, *T.Extent) || isOutside(T.Written, *T.Extent)))
      return "an access to '" + T.Buffer + "' may lie outside of it";
  return "";
}
