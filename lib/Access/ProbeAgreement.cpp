#include "mep/Access/ProbeAgreement.h"
#include "llvm/ADT/STLExtras.h"

using namespace mep;

namespace {

/// Reads, or writes, of one buffer.
struct ClaimedSide {
  const char *Verb; ///< `reads`
  AccessedElements::State State;
  const std::optional<ElementRange> &Range;
  const std::optional<uint64_t> &Count;
};

std::string span(int64_t First, int64_t Last) {
  return std::to_string(First) + " to " + std::to_string(Last);
}

std::string said(const ClaimedSide &Side) {
  if (!Side.Range)
    return "none";
  std::string Text = span(Side.Range->First, Side.Range->Last);
  if (Side.Count)
    Text += " (" + std::to_string(*Side.Count) + ")";
  return (Side.State == AccessedElements::Exact ? "" : "at most ") + Text;
}

std::string seen(const ProbedElements &Seen) {
  return Seen.Elements ? span(Seen.First, Seen.Last) + " (" +
                             std::to_string(Seen.Elements) + ")"
                       : "none";
}

/// True if all that was seen is in what is said.
bool holds(const ClaimedSide &Side, const ProbedElements &Seen) {
  if (!Seen.Elements)
    return true;
  return Side.Range && Side.Range->First <= Seen.First &&
         Seen.Last <= Side.Range->Last &&
         (!Side.Count || Seen.Elements <= *Side.Count);
}

bool isSame(const ClaimedSide &Side, const ProbedElements &Seen) {
  if (!Side.Range || !Seen.Elements)
    return !Side.Range && !Seen.Elements;
  return Side.Range->First == Seen.First && Side.Range->Last == Seen.Last &&
         (!Side.Count || *Side.Count == Seen.Elements);
}

class Comparison {
public:
  explicit Comparison(const ProbeReport &Seen)
      : IsWhole(Seen.isFinished() && !Seen.Unseen) {}

  /// \p MayElide: a compiler may leave out some of these accesses; \p MayLack:
  /// and is asked about them all the same, as it mostly does not.
  void side(const std::string &Buffer, const ClaimedSide &Side,
            const ProbedElements &Seen, bool MayElide, bool MayLack = false) {
    if (Side.State == AccessedElements::Open) {
      ++Result.Open;
      return;
    }
    bool IsExact = Side.State == AccessedElements::Exact && IsWhole &&
                   !(MayElide && Side.Range) &&
                   !(MayLack && !isSame(Side, Seen));
    ++(IsExact ? Result.Exact : Result.AtMost);
    if (!(IsExact ? isSame(Side, Seen) : holds(Side, Seen)))
      Result.Differences.push_back("'" + Buffer + "': the kernel " + Side.Verb +
                                   " elements " + seen(Seen) +
                                   ", by the access model " + said(Side));
  }

  AccessCheck Result;

private:
  bool IsWhole; ///< What was not seen does not happen.
};

} // namespace

AccessCheck mep::compareWithProbe(const std::vector<AccessedElements> &Said,
                                  const ProbeReport &Seen, bool KnowsAll) {
  Comparison C(Seen);
  for (const ProbedBuffer &B : Seen.Buffers) {
    auto T = llvm::find_if(
        Said, [&](const AccessedElements &T) { return T.Buffer == B.Name; });
    if (T == Said.end()) {
      if (!KnowsAll)
        C.Result.Open += 2;
      else if (B.isTouched())
        C.Result.Differences.push_back("'" + B.Name +
                                       "': the kernel touches it, the access "
                                       "model knows no access of it");
      continue;
    }
    if (T->ElementBytes != B.ElementBytes) {
      C.Result.Open += 2;
      continue;
    }
    // What a thread has just written it may still have in a register, and what
    // is never used is not loaded.
    bool MayElide =
        T->Writes == AccessedElements::Open || T->Written || !B.Reads.Elements;
    C.side(B.Name, {"reads", T->Reads, T->Read, T->ReadCount}, B.Reads,
           MayElide, T->MayBeUnused);
    C.side(B.Name, {"writes", T->Writes, T->Written, T->WriteCount}, B.Writes,
           false);
    bool IsKnown = T->ReadsInput && C.Result.Differences.empty() &&
                   Seen.isFinished() && !Seen.Unseen;
    if (IsKnown && !*T->ReadsInput && B.ReadFirst.Elements)
      C.Result.Differences.push_back(
          "'" + B.Name + "': the kernel reads " +
          std::to_string(B.ReadFirst.Elements) +
          " elements that nothing was written to before, by the access model "
          "none");
  }
  return std::move(C.Result);
}
