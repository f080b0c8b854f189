#include "LaunchCount.h"
#include "mep/Frontend/LoopTrips.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"

using namespace mep;
using namespace clang;
using llvm::dyn_cast;

namespace {

class RunCounter {
public:
  RunCounter(HostProgram &Program, const DimensionTable &Dimensions)
      : Table(Dimensions), Values(Program, Table) {}

  LaunchCount count(const Point &At) {
    // Outermost first, so that a loop is known when its conditions come.
    std::vector<Point> Places{At};
    for (FrameRef F = At.In; F && F->Call; F = F->Caller.In)
      Places.push_back(F->Caller);
    for (auto P = Places.rbegin(); P != Places.rend(); ++P)
      for (size_t I = 0; I < P->Under.size(); ++I)
        guard(P->Under[I],
              {P->In, P->Order, {P->Under.begin(), P->Under.begin() + I}});
    for (double T : Trips)
      Count.Runs *= T;
    return std::move(Count);
  }

private:
  void guard(const Guard &G, const Point &At) {
    if (G.isLoop()) {
      Trips.push_back(trips(G.Statement, At));
      return;
    }
    auto *If = dyn_cast<IfStmt>(G.Statement);
    if (!If)
      return;
    auto Holds = known(If->getCond(), At);
    if (!Holds || (*Holds != 0) == (G.Where == Guard::Then))
      return;
    if (Trips.empty()) {
      Count.Runs = 0;
      return;
    }
    Trips.back() = std::min(Trips.back(), 1.0);
    notKnown("the condition at ", If->getBeginLoc());
  }

  double trips(const Stmt *Loop, const Point &At) {
    auto Known = loopTrips(Loop, [&](const Expr *E) { return known(E, At); });
    if (!Known)
      notKnown("the loop at ", Loop->getBeginLoc());
    return Known.value_or(1);
  }

  /// What rests on an assumed size is not known.
  std::optional<int64_t> known(const Expr *E, const Point &At) {
    Values.forget();
    TermRef T = Values.value(E, At);
    std::set<std::string> Names;
    if (T)
      collectNames(T, Names);
    for (const std::string &Name : Names)
      if (const NamedDimension *D = Table.find(Name); D && D->IsAssumed)
        return std::nullopt;
    auto V = mep::evaluate(T, Table.values());
    return V && !V->IsFloat ? std::optional(V->Integer) : std::nullopt;
  }

  void notKnown(const char *What, SourceLocation L) {
    Count.NotKnown.push_back(What + Values.placeOf(L));
  }

  DimensionTable Table; ///< A copy: what is met on the way is not the draft's.
  HostValues Values;
  LaunchCount Count;
  std::vector<double> Trips; ///< Of the loops so far.
};

} // namespace

LaunchCount mep::countRuns(HostProgram &Program,
                           const DimensionTable &Dimensions, const Point &At) {
  return RunCounter(Program, Dimensions).count(At);
}
