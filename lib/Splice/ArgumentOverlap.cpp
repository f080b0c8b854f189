#include "ArgumentOverlap.h"
#include "PointersApart.h"
#include "SpliceText.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace mep;
using namespace clang;
using llvm::dyn_cast;
using llvm::StringRef;

namespace {

/// Chains of callers that are looked at one by one; of more, and of longer
/// ones, all that any caller passes is taken together.
constexpr size_t MostChains = 64, MostCalls = 5;

void climb(const HostStores &Stores, const FunctionDecl *F, size_t Calls,
           std::vector<std::vector<HostCallSite>> &Chains,
           std::vector<HostCallSite> &Upward) {
  const auto &Callers = F ? Stores.callers(F) : std::vector<HostCallSite>();
  if (F && !Callers.empty() && Stores.escapes(F))
    Chains.push_back(Upward);
  if (Callers.empty() || F->isMain() || Calls == MostCalls ||
      Chains.size() > MostChains) {
    Chains.push_back(Upward);
    return;
  }
  for (const HostCallSite &C : Callers) {
    bool Again = llvm::any_of(
        Upward, [&](const HostCallSite &Open) { return Open.Call == C.Call; });
    Upward.push_back(C);
    climb(Stores, Again ? nullptr : C.In, Calls + 1, Chains, Upward);
    Upward.pop_back();
  }
}

/// The ways to \p F, each from the nearest caller upward.
std::vector<std::vector<HostCallSite>> chainsTo(const HostStores &Stores,
                                                const FunctionDecl *F) {
  std::vector<std::vector<HostCallSite>> Chains;
  std::vector<HostCallSite> Upward;
  climb(Stores, F, 0, Chains, Upward);
  if (Chains.size() > MostChains)
    Chains = {{}};
  return Chains;
}

const FunctionDecl *calledBy(const Expr *Call, const HostStores &Stores) {
  const FunctionDecl *F = nullptr;
  if (auto *Made = dyn_cast<CXXConstructExpr>(Call))
    F = Made->getConstructor();
  else
    F = cast<CallExpr>(Call)->getDirectCallee();
  return F ? Stores.seen(F) : nullptr;
}

BindingRef bind(const std::vector<HostCallSite> &Chain,
                const HostStores &Stores) {
  BindingRef At;
  for (const HostCallSite &C : llvm::reverse(Chain))
    At = std::make_shared<CallBinding>(
        CallBinding{calledBy(C.Call, Stores), C.Call, At});
  return At;
}

/// What a launch passes for parameter \p I; null: it is not seen.
const Expr *passedBy(const HostCallSite &At, unsigned I,
                     const HostStores &Stores) {
  auto *Call = cast<CallExpr>(At.Call);
  if (isa<CUDAKernelCallExpr>(Call))
    return I < Call->getNumArgs() ? Call->getArg(I) : nullptr;
  // `void *args[] = {&a, &b}`
  auto *Name = Call->getNumArgs() > 3
                   ? dyn_cast<DeclRefExpr>(bareExpression(Call->getArg(3)))
                   : nullptr;
  auto *Array = Name ? dyn_cast<VarDecl>(Name->getDecl()) : nullptr;
  // What else is put into the array is not followed.
  bool IsSet = Array && (Stores.isReachable(Array->getCanonicalDecl()) ||
                         Stores.direct(Array).size() > 1);
  auto *List = Array && Array->getInit() && !IsSet
                   ? dyn_cast<InitListExpr>(bareExpression(Array->getInit()))
                   : nullptr;
  auto *Address =
      List && I < List->getNumInits()
          ? dyn_cast<UnaryOperator>(bareExpression(List->getInit(I)))
          : nullptr;
  return Address && Address->getOpcode() == UO_AddrOf ? Address->getSubExpr()
                                                      : nullptr;
}

bool isPointer(const KernelParameter &P) {
  return StringRef(P.CanonicalType).contains('*');
}

bool isConstPointer(const KernelParameter &P) {
  return StringRef(P.CanonicalType).starts_with("const ") &&
         StringRef(P.CanonicalType).count('*') == 1;
}

} // namespace

// ---- what was measured -----------------------------------------------------

ArgumentOverlap::Relation ArgumentOverlap::measured(size_t A, size_t B) {
  auto PartOf = [&](size_t I) -> const ArgumentPart * {
    for (const Argument &Each : Data.Arguments)
      if (Each.Name == Site.Parameters[I].Name && Each.Parts.size() == 1 &&
          !Each.Parts.front().Buffer.empty())
        return &Each.Parts.front();
    return nullptr;
  };
  auto IsRead = [&](const ArgumentPart *P) {
    return llvm::any_of(Data.Buffers, [&](const Buffer &Each) {
      return P && Each.Name == P->Buffer && Each.Use == Role::In;
    });
  };
  const ArgumentPart *X = PartOf(A), *Y = PartOf(B);
  if (IsRead(X) && IsRead(Y))
    return Relation::Harmless;
  if (X && Y)
    return X->Buffer != Y->Buffer               ? Relation::Apart
           : X->BufferOffset == Y->BufferOffset ? Relation::Same
                                                : Relation::Shared;
  // Without a workload: what the kernel's type and the first launch say.
  if (!X && !Y && isConstPointer(Site.Parameters[A]) &&
      isConstPointer(Site.Parameters[B]))
    return Relation::Harmless;
  const LaunchSite &First = Site.Launches.front();
  const HostStores *Stores = storesOf(First);
  if (!Stores)
    return Relation::Apart;
  for (const HostCallSite &C :
       Stores->launches(First.Call.File, First.Call.Begin)) {
    const Expr *P = passedBy(C, A, *Stores), *Q = passedBy(C, B, *Stores);
    if (!P || !Q)
      continue;
    if (PointersApart(*Stores, false).isSame({P, nullptr}, {Q, nullptr}))
      return Relation::Same;
    OriginSet O = PointerOrigins(*Stores).of(P, nullptr);
    OriginSet R = PointerOrigins(*Stores).of(Q, nullptr);
    bool Always = O.All.size() == 1 && R.All.size() == 1 && O.Unknown.empty() &&
                  R.Unknown.empty();
    if (Always && mayBeSame(*O.All.begin(), *R.All.begin()))
      return Relation::Shared;
  }
  return Relation::Apart;
}

// ---- the launches ----------------------------------------------------------

const HostStores *ArgumentOverlap::storesOf(const LaunchSite &Launch) {
  auto &Stores = Units[Launch.Unit];
  if (!Stores)
    if (const ParsedUnit *Unit = Host(Launch.Unit))
      Stores = std::make_unique<HostStores>(*Unit);
  return Stores.get();
}

/// Of one launch, through all its callers.
std::string ArgumentOverlap::judge(const HostStores &Stores,
                                   const HostCallSite &At) {
  std::vector<std::vector<HostCallSite>> Chains = chainsTo(Stores, At.In);
  for (size_t I = 0; I < Site.Parameters.size(); ++I)
    for (size_t J = I + 1; J < Site.Parameters.size(); ++J) {
      if (!isPointer(Site.Parameters[I]) || !isPointer(Site.Parameters[J]))
        continue;
      Relation Wanted = measured(I, J);
      if (Wanted == Relation::Harmless)
        continue;
      const Expr *X = passedBy(At, unsigned(I), Stores),
                 *Y = passedBy(At, unsigned(J), Stores);
      if (!X || !Y)
        return "it is not seen what it passes for '" +
               Site.Parameters[X ? J : I].Name + "'";
      for (const auto &Chain : Chains) {
        BindingRef Way = bind(Chain, Stores);
        bool AtOnce = Stores.isQuiet(At.Call) &&
                      llvm::all_of(Chain, [&](const HostCallSite &C) {
                        return Stores.isQuiet(C.Call);
                      });
        PointersApart Apart(Stores, AtOnce);
        bool IsSame = Apart.isSame({X, Way}, {Y, Way});
        std::string Why;
        if (Wanted == Relation::Same && !IsSame)
          Why = "they may be two where the measured launch passes one";
        else if (Wanted != Relation::Same && IsSame)
          Why = "'" + Stores.Unit.text(X->getSourceRange()).str() +
                "' is passed for both";
        else if (Wanted == Relation::Apart)
          Why = Apart.whyNot({X, Way}, {Y, Way});
        if (!Why.empty())
          return "'" + Site.Parameters[I].Name + "' and '" +
                 Site.Parameters[J].Name + "': " + Why +
                 (Chain.empty()
                      ? ""
                      : ", by the call at " +
                            Stores.Unit
                                .span(Chain.front().Call->getSourceRange())
                                .str());
        for (const std::string &Pair : Apart.assumed())
          Assumed.insert(Pair + " are taken to be separate memory: what is "
                                "passed for them is not seen");
      }
    }
  return "";
}

std::string ArgumentOverlap::whyNot(const LaunchSite &Launch) {
  if (llvm::count_if(Site.Parameters, isPointer) < 2)
    return "";
  const std::string Otherwise = "its pointer arguments may overlap otherwise "
                                "than those of the measured launch: ";
  const HostStores *Stores = storesOf(Launch);
  if (!Stores)
    return Otherwise + "its unit is not parsed";
  auto Calls = Stores->launches(Launch.Call.File, Launch.Call.Begin);
  if (Calls.empty())
    return Otherwise + "it does not stand in host code that is compiled";
  for (const HostCallSite &Call : Calls)
    if (std::string Why = judge(*Stores, Call); !Why.empty())
      return Otherwise + Why;
  return "";
}
