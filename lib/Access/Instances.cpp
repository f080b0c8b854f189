/// \file
/// Numbers into an access: parameters and sizes, then loops that grow by a
/// factor one iteration at a time, then bounds of the other loops.

#include "Instances.h"
#include "llvm/ADT/STLExtras.h"

using namespace mep;

namespace {

/// A loop that doubles or halves ends long before; one that does not is not
/// worth more.
constexpr int64_t MaxUnrolled = 64;
constexpr size_t MaxInstances = 512;

int64_t sizeOf(const std::array<uint64_t, 3> &Sizes, llvm::StringRef Name) {
  return int64_t(Sizes[size_t(Name.back() - 'x')]);
}

/// Sizes and scalars of the launch as numbers; an index that has one value only
/// is one as well.
Index valueAt(const IndexExpr &S, const AccessModel &Model,
              const AccessPoint &At) {
  switch (S.Kind) {
  case SymbolKind::Thread:
    return sizeOf(At.Block, S.Name) == 1 ? number(0) : nullptr;
  case SymbolKind::Block:
    return sizeOf(At.Grid, S.Name) == 1 ? number(0) : nullptr;
  case SymbolKind::BlockSize:
    return number(sizeOf(At.Block, S.Name));
  case SymbolKind::GridSize:
    return number(sizeOf(At.Grid, S.Name));
  case SymbolKind::Counter:
    return nullptr;
  default:
    break;
  }
  if (auto It = At.Values.find(S.Name); It != At.Values.end())
    return number(It->second);
  for (auto &[Name, Value] : Model.Macros)
    if (S.Kind == SymbolKind::Macro && Name == S.Name)
      return number(Value);
  return unknown("the value of '" + S.Name + "' is not given", "");
}

void addRanges(const Index &E, const AccessPoint &At, Ranges &Known) {
  everyPart(E, [&](const IndexExpr &S) {
    if (S.Op != IndexOp::Symbol || Known.count(S.Name))
      return true;
    if (S.Kind == SymbolKind::Counter)
      Known[S.Name] = {0, Interval::Infinite};
    else if (S.isVarying())
      Known[S.Name] = {
          0, sizeOf(S.Kind == SymbolKind::Thread ? At.Block : At.Grid, S.Name) -
                 1};
    return true;
  });
}

/// Without the Converts that change nothing while symbols stay in \p Known.
Index withoutConverts(const Index &E, const Ranges &Known) {
  if (E->Operands.empty())
    return E;
  if (E->Op == IndexOp::Convert) {
    Index Inner = withoutConverts(E->Operands[0], Known);
    Interval I = intervalOf(Inner, Known), T = typeRange(E->Bits, E->IsSigned);
    if (T.Low <= I.Low && I.High <= T.High)
      return Inner;
    return convert(Inner, E->Bits, E->IsSigned);
  }
  std::vector<Index> Operands;
  bool Changed = false;
  for (const Index &O : E->Operands) {
    Operands.push_back(withoutConverts(O, Known));
    Changed |= Operands.back() != O;
  }
  return Changed ? withOperands(*E, std::move(Operands)) : E;
}

bool hasConvert(const Index &E) {
  return !everyPart(
      E, [](const IndexExpr &P) { return P.Op != IndexOp::Convert; });
}

/// True if every Convert in \p E keeps its value while symbols stay in
/// \p Known.
bool neverWraps(const Index &E, const Ranges &Known) {
  return !hasConvert(withoutConverts(E, Known));
}

class Instantiation {
public:
  Instantiation(const AccessModel &Model, const MemoryAccess &A,
                const AccessPoint &At)
      : Model(Model), A(A), At(At) {
    for (unsigned L : A.Loops)
      if (Model.Loops[L].Unrolled)
        Unrolled.push_back(Model.Loops[L].Counter);
  }

  std::vector<AccessInstance> run() {
    choose(0, {});
    return std::move(Out);
  }

private:
  Index specialised(const Index &E,
                    const std::map<std::string, int64_t> &Chosen) const {
    return replaced(E, [&](const IndexExpr &S) -> Index {
      if (auto It = Chosen.find(S.Name); It != Chosen.end())
        return number(It->second);
      return valueAt(S, Model, At);
    });
  }

  /// Tries the numbers of the counter \p Next until the guards refuse them.
  /// False when they refuse the choices made before already.
  void choose(size_t Next, std::map<std::string, int64_t> Chosen) {
    if (Next == Unrolled.size()) {
      if (Out.size() < MaxInstances)
        add(Chosen);
      else if (Out.size() == MaxInstances)
        giveUp("a loop with too many iterations by a factor");
      return;
    }
    for (int64_t K = 0; K <= MaxUnrolled; ++K) {
      Chosen[Unrolled[Next]] = K;
      if (isRefused(Chosen))
        return; // Conditions of loops have no gap.
      if (K == MaxUnrolled)
        return giveUp("nothing that is known ends a loop by a factor");
      choose(Next + 1, Chosen);
    }
  }

  /// True if a loop's condition does not hold in any thread.
  bool isRefused(const std::map<std::string, int64_t> &Chosen) const {
    for (unsigned L : A.Loops) {
      const AccessLoop &Loop = Model.Loops[L];
      if (!Chosen.count(Loop.Counter) || !Loop.Condition)
        continue;
      Index C = specialised(Loop.Condition, Chosen);
      Ranges Known;
      addRanges(C, At, Known);
      if (intervalOf(C, Known).High < 1)
        return true;
    }
    return false;
  }

  void giveUp(const char *Why) {
    AccessInstance I;
    I.Access = &A;
    I.Problem = Why;
    Out.push_back(std::move(I));
  }

  void add(const std::map<std::string, int64_t> &Chosen) {
    AccessInstance I;
    I.Access = &A;
    I.Chosen = Chosen;
    I.Offset = specialised(A.Offset, Chosen);
    if (const IndexExpr *U = firstUnknown(I.Offset)) {
      I.Problem = U->Name;
      Out.push_back(std::move(I));
      return;
    }
    for (const Index &G : A.Guards)
      appendParts(specialised(G, Chosen), I.Guards);
    addRanges(I.Offset, At, I.Known);
    for (const Index &G : I.Guards)
      addRanges(G, At, I.Known);
    if (!bound(I, Chosen))
      return; // Never happens.
    Out.push_back(std::move(I));
  }

  bool bound(AccessInstance &I, const std::map<std::string, int64_t> &Chosen);
  void boundLoops(AccessInstance &I,
                  const std::map<std::string, int64_t> &Chosen);

  const AccessModel &Model;
  const MemoryAccess &A;
  const AccessPoint &At;
  std::vector<std::string> Unrolled;
  std::vector<AccessInstance> Out;
};

/// An unsigned counter's condition only holds as written while nothing wraps
/// around. A loop runs its iterations one after another, so if the condition
/// fails before anything does, that was its end.
void Instantiation::boundLoops(AccessInstance &I,
                               const std::map<std::string, int64_t> &Chosen) {
  for (unsigned L : A.Loops) {
    const AccessLoop &Loop = Model.Loops[L];
    auto Counter = I.Known.find(Loop.Counter);
    if (!Loop.Condition || Counter == I.Known.end() ||
        Counter->second.High < Interval::Infinite)
      continue;
    Index C = specialised(Loop.Condition, Chosen);
    if (firstUnknown(C) && C->Op != IndexOp::And)
      continue;
    Ranges Trial = I.Known;
    addRanges(C, At, Trial);
    tighten(C, Trial);
    Interval Found = Trial[Loop.Counter];
    if (Found.High >= Interval::Infinite)
      continue;
    Ranges OneMore = I.Known;
    OneMore[Loop.Counter] = {0, std::max<Wide>(Found.High, 0) + 1};
    std::vector<Index> Parts;
    appendParts(C, Parts);
    bool Holds = llvm::all_of(Parts, [&](const Index &P) {
      return !mentions(P, Loop.Counter) || neverWraps(P, OneMore);
    });
    if (Holds)
      Counter->second.High = Found.High;
  }
}

bool Instantiation::bound(AccessInstance &I,
                          const std::map<std::string, int64_t> &Chosen) {
  for (unsigned Round = 0; Round < 3; ++Round) {
    for (Index &G : I.Guards) {
      G = withoutConverts(G, I.Known);
      if (!hasConvert(G))
        tighten(G, I.Known);
    }
    boundLoops(I, Chosen);
  }
  std::vector<Index> Kept;
  for (const Index &G : I.Guards) {
    Interval Truth = intervalOf(G, I.Known);
    if (Truth.isPoint() && Truth.Low == 0)
      return false;
    appendParts(withoutConverts(G, I.Known), Kept);
  }
  I.Guards = std::move(Kept);
  I.Offset = withoutConverts(I.Offset, I.Known);
  for (auto &[Name, Range] : I.Known) {
    if (Range.Low > Range.High)
      return false;
    if (!Range.isBounded() && mentions(I.Offset, Name))
      I.Problem = "nothing that is known bounds a loop";
  }
  return true;
}

} // namespace

std::vector<AccessInstance> mep::instancesOf(const AccessModel &Model,
                                             const MemoryAccess &A,
                                             const AccessPoint &At) {
  return Instantiation(Model, A, At).run();
}
