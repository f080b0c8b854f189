/// \file
/// Reaching definitions of host variables. Second half of the host data flow.

#include "HostFlow.h"
#include "OptionRuns.h"
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
static std::optional<bool> letsRun(const Definition &D, const Point &P,
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

/// The call of \p D, a Passed, may change what it is given: the unit does not
/// show that it leaves it.
static bool maySet(const HostIndex &Index, const Definition &D) {
  const FunctionDecl *F = calledFunction(D.Call);
  return !F || !F->hasBody() || D.Argument >= F->getNumParams() ||
         !Index.definitions(F->getParamDecl(D.Argument)).empty();
}

/// As letsRun; in a loop over the command line, whether what it gave is left.
std::optional<bool> HostFlow::runs(const Definition &D, const Point &P,
                                   const Point &Place, Decide Known) const {
  auto IsLast = Options ? Options->settles(D, P.Under) : std::nullopt;
  if (!IsLast)
    return letsRun(D, P, Place, Known);
  if (!*IsLast)
    return false;
  Definition Loop = D;
  Loop.Under = OptionRuns::around(D, P.Under);
  return letsRun(Loop, P, Place, Known);
}

/// The outermost loop around \p P, and not around what reached it, that changes
/// what is looked for.
static void noteLoop(const HostIndex &Index,
                     const std::vector<const Definition *> &All, const Point &P,
                     Reach &Out) {
  for (const Guard &G : P.Under) {
    if (!G.isLoop() || (Out.Source && llvm::is_contained(Out.Source->Under, G)))
      continue;
    for (const Definition *D : All)
      if (D != Out.Source && D->How != Definition::Initializer &&
          (D->How != Definition::Passed || maySet(Index, *D)) && P.In &&
          D->In == P.In->Function && llvm::is_contained(D->Under, G)) {
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
    Out.IsDoubtful = true;
  } else if (Maybe && Maybe != Unlikely) {
    Out.Skipped = Maybe;
  }
  if (Out.What == Reach::Nothing)
    return false;
  Out.Place = {P.In, Out.Source->Order, Out.Source->Under};
  noteLoop(Index, All, P, Out);
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
      if (Out.Argument && F == P.In)
        noteLoop(Index, All, P, Out);
      return Out;
    }
    return Out;
  }
  auto *V = dyn_cast<VarDecl>(Key);
  if (!V || V->hasGlobalStorage())
    findElsewhere(All, P, Known, Out);
  return Out;
}
