/// \file
/// Reaching definitions of host variables. Second half of the host data flow.

#include "HostFlow.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <deque>

using namespace mep;
using namespace clang;
using llvm::dyn_cast;

bool mep::encloses(const Guards &Outer, const Guards &Inner) {
  return Outer.size() <= Inner.size() &&
         std::equal(Outer.begin(), Outer.end(), Inner.begin());
}

// ---- frames ----------------------------------------------------------------

FrameRef HostFlow::frameOf(const FunctionDecl *F) const {
  // Breadth first upward; each step remembers the call that leads down.
  struct Step {
    const FunctionDecl *Function;
    const CallPlace *Down;
    int Below;
  };
  std::vector<Step> Steps = {{F, nullptr, -1}};
  llvm::SmallPtrSet<const Decl *, 16> Seen = {F->getCanonicalDecl()};
  int Root = -1;
  for (int I = 0; I < int(Steps.size()); ++I) {
    const auto &Callers = Index.callers(Steps[I].Function);
    bool IsMain = Steps[I].Function->isMain();
    if (IsMain || (Callers.empty() && Root < 0))
      Root = I;
    if (IsMain)
      break;
    for (const CallPlace &C : Callers)
      if (C.In && Seen.insert(C.In->getCanonicalDecl()).second)
        Steps.push_back({C.In, &C, I});
  }
  auto Top = std::make_shared<Frame>();
  if (Root < 0) {
    Top->Function = F;
    return Top;
  }
  Top->Function = Steps[Root].Function;
  FrameRef Current = Top;
  for (int I = Root; Steps[I].Below >= 0; I = Steps[I].Below) {
    auto Next = std::make_shared<Frame>();
    Next->Function = Steps[Steps[I].Below].Function;
    Next->Call = Steps[I].Down->Call;
    Next->Caller = {Current, Steps[I].Down->Order, Steps[I].Down->Under};
    Current = Next;
  }
  return Current;
}

Point HostFlow::pointOf(const CallPlace &P) const {
  return {P.In ? frameOf(P.In) : std::make_shared<Frame>(), P.Order, P.Under};
}

namespace {

/// Calls from the root of a chain down to a function.
using CallChain = std::vector<const CallPlace *>;

/// Steps of the search for chains: programs in which everything calls
/// everything have more of them than anyone counts.
constexpr unsigned MostChainSteps = 2000;

struct ChainSearch {
  const HostIndex &Index;
  unsigned Most, Steps = 0;
  std::vector<CallChain> ToMain, ToOthers;
  CallChain Upward;
  llvm::SmallPtrSet<const Decl *, 16> Open;

  void climb(const FunctionDecl *F) {
    if (++Steps > MostChainSteps || ToMain.size() >= Most ||
        !Open.insert(F->getCanonicalDecl()).second)
      return;
    const auto &Callers = Index.callers(F);
    CallChain Down(Upward.rbegin(), Upward.rend());
    if (F->isMain())
      ToMain.push_back(std::move(Down));
    else if (Callers.empty() && ToOthers.size() < Most)
      ToOthers.push_back(std::move(Down));
    for (const CallPlace &C : Callers) {
      if (!C.In || F->isMain())
        continue;
      Upward.push_back(&C);
      climb(C.In);
      Upward.pop_back();
    }
    Open.erase(F->getCanonicalDecl());
  }
};

FrameRef framesOf(const CallChain &Chain, const FunctionDecl *Last) {
  auto Top = std::make_shared<Frame>();
  Top->Function = Chain.empty() ? Last : Chain.front()->In;
  FrameRef Current = Top;
  for (size_t I = 0; I < Chain.size(); ++I) {
    auto Next = std::make_shared<Frame>();
    Next->Function = I + 1 < Chain.size() ? Chain[I + 1]->In : Last;
    Next->Call = Chain[I]->Call;
    Next->Caller = {Current, Chain[I]->Order, Chain[I]->Under};
    Current = Next;
  }
  return Current;
}

bool sameCalls(const Frame *A, const Frame *B) {
  while (A && B && A->Call == B->Call) {
    A = A->Caller.In.get();
    B = B->Caller.In.get();
  }
  return !A && !B;
}

} // namespace

std::vector<Point> HostFlow::pointsOf(const CallPlace &P, unsigned Most) const {
  std::vector<Point> Points{pointOf(P)};
  if (!P.In)
    return Points;
  ChainSearch Search{Index, Most, 0, {}, {}, {}, {}};
  Search.climb(P.In);
  for (const CallChain &Chain :
       Search.ToMain.empty() ? Search.ToOthers : Search.ToMain) {
    Point At{framesOf(Chain, P.In), P.Order, P.Under};
    if (Points.size() < Most &&
        !sameCalls(At.In.get(), Points.front().In.get()))
      Points.push_back(std::move(At));
  }
  return Points;
}

Point HostFlow::pointOf(const Definition &D, const Point &Near) const {
  Point P{nullptr, D.Order, D.Under};
  for (FrameRef F = Near.In; F; F = F->Caller.In)
    if (F->Function == D.In)
      P.In = F;
  if (!P.In)
    P.In = D.In ? frameOf(D.In) : std::make_shared<Frame>();
  return P;
}

Point HostFlow::inside(const FunctionDecl *Callee, const Expr *Call,
                       const Point &At) const {
  auto F = std::make_shared<Frame>();
  F->Function = Callee;
  F->Call = Call;
  F->Caller = At;
  return {F, ~0u, {}};
}

// ---- definitions -----------------------------------------------------------

/// Whether the guards of \p D beyond those of \p P let it run.
static std::optional<bool> runs(const Definition &D, const Point &P,
                                const Point &Place, Decide Known) {
  size_t Common = 0;
  while (Common < D.Under.size() && Common < P.Under.size() &&
         D.Under[Common] == P.Under[Common])
    ++Common;
  std::optional<bool> All = true;
  for (size_t I = Common; I < D.Under.size(); ++I) {
    const Guard &G = D.Under[I];
    auto *If = dyn_cast<IfStmt>(G.Statement);
    if (!If) {
      All = std::nullopt;
      continue;
    }
    // The other branch of the same `if` as the use's own.
    if (I == Common && I < P.Under.size() &&
        P.Under[I].Statement == G.Statement)
      return false;
    auto Value = Known(If->getCond(), Place);
    if (Value && *Value != (G.Where == Guard::Then))
      return false;
    if (!Value)
      All = std::nullopt;
  }
  return All;
}

static void noteLoop(const std::vector<const Definition *> &All, const Point &P,
                     Reach &Out) {
  for (const Guard &G : P.Under) {
    if (!G.isLoop() || llvm::is_contained(Out.Source->Under, G))
      continue;
    for (const Definition *D : All)
      if (D != Out.Source && D->How != Definition::Initializer &&
          D->How != Definition::Passed && D->In == Out.Source->In &&
          llvm::is_contained(D->Under, G)) {
        Out.Loop = G.Statement;
        Out.Step = D;
        return;
      }
  }
}

/// Looks among the definitions of \p P's own function that stand before it.
bool HostFlow::findIn(const std::vector<const Definition *> &All,
                      const Point &P, Decide Known, Reach &Out) const {
  const Definition *Maybe = nullptr, *Unlikely = nullptr;
  for (size_t I = All.size(); I-- && Out.What == Reach::Nothing;) {
    const Definition *D = All[I];
    if (!P.In || D->In != P.In->Function || D->Order >= P.Order)
      continue;
    std::optional<bool> Runs = true;
    if (!encloses(D->Under, P.Under))
      Runs = runs(*D, P, {P.In, D->Order, D->Under}, Known);
    if (Runs && *Runs) {
      Out.What = Reach::Defined;
      Out.Source = D;
    } else if (!Runs && !Maybe) {
      Maybe = D;
    } else if (Runs && !Unlikely) {
      Unlikely = D;
    }
  }
  // A program that does nothing without arguments: what it would do with them.
  if (!Maybe)
    Maybe = Unlikely;
  if (Out.What == Reach::Nothing && Maybe) {
    Out.What = Reach::Defined;
    Out.Source = Maybe;
  } else if (Maybe && Maybe != Unlikely) {
    Out.Skipped = Maybe;
  }
  if (Out.What == Reach::Nothing)
    return false;
  Out.Place = {P.In, Out.Source->Order, Out.Source->Under};
  noteLoop(All, P, Out);
  return true;
}

/// Globals and fields: the callers' functions, then the rest of the unit.
void HostFlow::findElsewhere(const std::vector<const Definition *> &All,
                             const Point &P, Decide Known, Reach &Out) const {
  for (FrameRef F = P.In; F && F->Call; F = F->Caller.In)
    if (findIn(All, F->Caller, Known, Out))
      return;
  const Definition *Initial = nullptr, *Assigned = nullptr, *Unlikely = nullptr;
  for (const Definition *D : All) {
    if (P.In && D->In && D->In == P.In->Function)
      continue;
    if (D->How == Definition::Initializer) {
      Initial = Initial ? Initial : D;
      continue;
    }
    Point Place = pointOf(*D, P);
    auto Runs = runs(*D, {Place.In, D->Order, {}}, Place, Known);
    if (Runs && !*Runs) {
      Unlikely = D;
      continue;
    }
    if (!Runs && Initial) {
      Out.Skipped = D;
      continue;
    }
    if (Assigned && !Out.Skipped)
      Out.Skipped = D;
    Assigned = Assigned ? Assigned : D;
  }
  Out.Source = Assigned ? Assigned : Initial ? Initial : Unlikely;
  if (!Out.Source)
    return;
  Out.What = Reach::Defined;
  Out.Place = pointOf(*Out.Source, P);
}

Reach HostFlow::find(const ValueDecl *Key, const ValueDecl *Base,
                     const Point &P, Decide Known) const {
  std::vector<const Definition *> All;
  for (const Definition &D : Index.definitions(Key))
    if (!Base || D.Base == Base->getCanonicalDecl())
      All.push_back(&D);
  Reach Out;
  if (findIn(All, P, Known, Out))
    return Out;
  if (auto *Parameter = dyn_cast<ParmVarDecl>(Key)) {
    for (FrameRef F = P.In; F; F = F->Caller.In) {
      unsigned I = Parameter->getFunctionScopeIndex();
      if (!F->Call || I >= F->Function->getNumParams() ||
          F->Function->getParamDecl(I)->getCanonicalDecl() !=
              Parameter->getCanonicalDecl())
        continue;
      Out.Argument = callArgument(F->Call, I);
      Out.Place = F->Caller;
      if (Out.Argument)
        Out.What = Reach::Parameter;
      return Out;
    }
    return Out;
  }
  auto *V = dyn_cast<VarDecl>(Key);
  if (!V || V->hasGlobalStorage())
    findElsewhere(All, P, Known, Out);
  return Out;
}
