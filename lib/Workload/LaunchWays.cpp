#include "LaunchWays.h"
#include "mep/Frontend/ParsedUnit.h"
#include "llvm/ADT/STLExtras.h"

using namespace mep;
using namespace clang;

namespace {

/// Programs in which everything calls everything have more chains than anyone
/// counts.
constexpr unsigned MostClimbs = 2000;

/// A call on the way up, and the function that it runs.
struct Climb {
  const ParsedUnit *Unit;
  const HostIndex *Index;
  const CallPlace *Call;
  const FunctionDecl *Runs; ///< In the unit below; null: a launch.
};
using Chain = std::vector<Climb>; ///< The launch first.

class WaySearch {
public:
  WaySearch(HostProgram &Program, unsigned Most)
      : Program(Program), Most(Most) {}

  void climb(const ParsedUnit &Unit, const HostIndex &Index,
             const FunctionDecl *F);
  void begin(const CallPlace &Launch) {
    Upward.push_back({&Program.unit(), &Program.index(), &Launch, nullptr});
  }
  const std::vector<Chain> &found() const {
    return ToMain.empty() ? ToOthers : ToMain;
  }
  bool isCut() const { return IsCut; }
  /// By name: each unit has declarations of its own.
  std::set<std::string> Recursive;
  std::map<std::string, size_t> NotRead;

private:
  HostProgram &Program;
  unsigned Most, Climbs = 0;
  std::vector<Chain> ToMain, ToOthers;
  Chain Upward;
  std::set<std::string> Open;
  bool IsCut = false;
};

std::string functionKey(const FunctionDecl *F) {
  std::string Name = F->getQualifiedNameAsString();
  return Name + "/" + F->getType().getCanonicalType().getAsString() +
         (F->isExternallyVisible() ? ""
                                   : std::to_string(reinterpret_cast<uintptr_t>(
                                         F->getCanonicalDecl()))) +
         (F->isTemplateInstantiation()
              ? std::to_string(
                    reinterpret_cast<uintptr_t>(F->getCanonicalDecl()))
              : "");
}

void WaySearch::climb(const ParsedUnit &Unit, const HostIndex &Index,
                      const FunctionDecl *F) {
  const std::string Key = functionKey(F);
  if (++Climbs > MostClimbs || ToMain.size() > Most) {
    IsCut = true;
    return;
  }
  if (!Open.insert(Key).second) {
    Recursive.insert(Key);
    return;
  }
  std::vector<RemoteCall> Callers;
  if (!F->isMain()) {
    for (const CallPlace &C : Index.callers(F))
      Callers.push_back({&Unit, &Index, &C, {}});
    llvm::append_range(Callers, Program.callsOf(F, Unit));
    if (size_t Units = Program.unitsNotRead(F))
      NotRead[F->getQualifiedNameAsString()] = Units;
  }
  if (F->isMain())
    ToMain.push_back(Upward);
  bool IsTop = true;
  for (const RemoteCall &C : Callers) {
    if (!C.Call->In)
      continue;
    IsTop &= functionKey(C.Call->In) == Key;
    Upward.push_back({C.Unit, C.Index, C.Call, F});
    climb(*C.Unit, *C.Index, C.Call->In);
    Upward.pop_back();
  }
  if (IsTop && !F->isMain() && ToOthers.size() <= Most)
    ToOthers.push_back(Upward);
  Open.erase(Key);
}

LaunchWay wayOf(const Chain &Up, const std::set<std::string> &Recursive) {
  LaunchWay Way;
  auto Current = std::make_shared<Frame>();
  Current->Function = Up.back().Call->In;
  for (size_t I = Up.size(); I-- > 0;) {
    const Climb &C = Up[I];
    Point At{Current, C.Call->Order, C.Call->Under};
    bool IsRecursive = C.Call->In && Recursive.count(functionKey(C.Call->In));
    Way.Places.push_back({C.Unit, C.Index, At, IsRecursive});
    if (I == 0)
      break;
    auto Next = std::make_shared<Frame>();
    Next->Function = Up[I - 1].Call->In;
    if (Up[I - 1].Unit == C.Unit) {
      Next->Call = C.Call->Call;
      Next->Caller = At;
    } else {
      Way.Way.Calls[C.Runs->getCanonicalDecl()] = {C.Unit, C.Index, C.Call, At};
    }
    Current = Next;
  }
  return Way;
}

} // namespace

LaunchWays mep::waysTo(HostProgram &Program, const CallPlace &P,
                       unsigned Most) {
  LaunchWays Ways;
  WaySearch Search(Program, Most);
  Search.begin(P);
  if (P.In)
    Search.climb(Program.unit(), Program.index(), P.In);
  std::vector<Chain> Chains = Search.found();
  // A round of functions that call each other, and nobody else does.
  if (Chains.empty())
    Chains.push_back({{&Program.unit(), &Program.index(), &P, nullptr}});
  // The shortest first, and of equals the one found first.
  std::vector<std::pair<size_t, size_t>> Order;
  for (size_t I = 0; I < Chains.size(); ++I)
    Order.emplace_back(Chains[I].size(), I);
  llvm::sort(Order);
  Ways.IsCut = Search.isCut() || Chains.size() > Most;
  Ways.NotRead = std::move(Search.NotRead);
  for (auto [Length, I] : Order)
    if (Ways.All.size() < Most)
      Ways.All.push_back(wayOf(Chains[I], Search.Recursive));
  return Ways;
}
