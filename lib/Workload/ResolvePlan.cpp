/// \file
/// Symbolic to numbers: the launches of a plan, on each shape of a workload.

#include "Questions.h"
#include "mep/Support/Error.h"
#include "mep/Workload/Resolve.h"
#include "llvm/ADT/StringSet.h"

using namespace mep;
using namespace mep::questions;
using llvm::StringRef;
using llvm::Twine;

namespace {

struct PlanQuestions {
  std::vector<GeometryQuestions> Launches;
  std::vector<size_t> Scratch;
};

std::vector<PlannedLaunch> launchesOf(const Workload &W,
                                      const LaunchPlan &Plan) {
  std::vector<PlannedLaunch> Launches = Plan.Launches;
  if (Launches.empty())
    Launches.emplace_back();
  for (PlannedLaunch &L : Launches) {
    if (L.Kernel.empty())
      L.Kernel = W.Kernel;
    if (L.Arguments.empty())
      for (const Argument &A : W.Arguments)
        L.Arguments.push_back(A.Name);
  }
  return Launches;
}

/// Every argument of a launch is a parameter of the original or a scratch
/// buffer.
llvm::Error checkNames(const Workload &W, const LaunchPlan &Plan,
                       const std::vector<PlannedLaunch> &Launches) {
  llvm::StringSet<> Known;
  for (const Argument &A : W.Arguments)
    Known.insert(A.Name);
  for (size_t I = 0; I < Plan.Scratch.size(); ++I)
    if (!Known.insert(Plan.Scratch[I].Name).second)
      return wrong("the name '" + Plan.Scratch[I].Name + "' is taken",
                   "plan: scratch[" + Twine(I) + "].name");
  for (size_t I = 0; I < Launches.size(); ++I)
    for (size_t K = 0; K < Launches[I].Arguments.size(); ++K)
      if (!Known.count(Launches[I].Arguments[K]))
        return wrong("'" + Launches[I].Arguments[K] +
                         "' is neither a parameter of the kernel nor a scratch "
                         "buffer",
                     "plan: launches[" + Twine(I) + "].arguments[" + Twine(K) +
                         "]");
  return llvm::Error::success();
}

void defineTunables(Expressions &Batch, const LaunchPlan &Plan,
                    const std::map<std::string, int64_t> &Tune) {
  for (const Tunable &T : Plan.Tunables)
    if (!Tune.count(T.Name) && !T.Values.empty())
      Batch.define(T.Name, "long long", std::to_string(T.Values.front()),
                   "plan: tune." + T.Name);
  for (const auto &[Name, Value] : Tune)
    Batch.define(Name, "long long", std::to_string(Value),
                 "plan: tune." + Name);
}

PlanQuestions askPlan(Expressions &Batch, const Workload &W,
                      const LaunchPlan &Plan,
                      const std::vector<PlannedLaunch> &Launches,
                      const std::map<std::string, int64_t> &Tune) {
  for (int I = 0; I < 3; ++I)
    Batch.define(std::string("grid_") + Axis[I], "long long",
                 "(long long)(" + W.Launch.Grid[I] + ")",
                 "launch.grid[" + Twine(I) + "]");
  Batch.define("shared_bytes", "long long",
               "(long long)(" + W.Launch.SharedBytes + ")",
               "launch.shared_bytes");
  defineTunables(Batch, Plan, Tune);
  PlanQuestions Q;
  for (size_t I = 0; I < Launches.size(); ++I)
    Q.Launches.push_back(askGeometry(Batch, Launches[I].Grid, Launches[I].Block,
                                     Launches[I].SharedBytes,
                                     "plan: launches[" + Twine(I) + "]."));
  for (size_t I = 0; I < Plan.Scratch.size(); ++I)
    Q.Scratch.push_back(Batch.ask(Plan.Scratch[I].Bytes,
                                  "plan: scratch[" + Twine(I) + "].bytes"));
  return Q;
}

llvm::Expected<ResolvedPlan>
fillPlan(const Expressions &Batch, const LaunchPlan &Plan,
         const std::vector<PlannedLaunch> &Launches, const PlanQuestions &Q) {
  ResolvedPlan R;
  for (size_t I = 0; I < Launches.size(); ++I) {
    auto G = geometry(Batch, Q.Launches[I]);
    if (!G)
      return G.takeError();
    R.Launches.push_back({Launches[I].Kernel, Launches[I].Arguments, *G});
  }
  for (size_t I = 0; I < Plan.Scratch.size(); ++I) {
    auto Bytes = integerIn(Batch, Q.Scratch[I], 1, int64_t(MaxBufferBytes));
    if (!Bytes)
      return Bytes.takeError();
    R.Scratch.emplace_back(Plan.Scratch[I].Name, *Bytes);
  }
  return R;
}

} // namespace

llvm::Expected<std::vector<ResolvedPlan>>
mep::resolvePlan(const Workload &W, const LaunchPlan &Plan,
                 const std::map<std::string, int64_t> &Tune) {
  std::vector<PlannedLaunch> Launches = launchesOf(W, Plan);
  if (llvm::Error E = checkNames(W, Plan, Launches))
    return E;
  Expressions Batch;
  std::vector<PlanQuestions> Questions;
  std::vector<Shape> Shapes = shapesOf(W);
  for (const Shape &S : Shapes) {
    if (auto Q = openShape(Batch, W, S); !Q)
      return Q.takeError();
    Questions.push_back(askPlan(Batch, W, Plan, Launches, Tune));
  }
  if (llvm::Error E = Batch.evaluate())
    return E;
  std::vector<ResolvedPlan> Result;
  for (size_t I = 0; I < Shapes.size(); ++I) {
    auto R = fillPlan(Batch, Plan, Launches, Questions[I]);
    if (!R)
      return inShape(R.takeError(), Shapes[I].Name);
    Result.push_back(std::move(*R));
  }
  return Result;
}
