#include "OtherLaunches.h"
#include "LaunchCount.h"
#include "Launches.h"
#include "mep/Frontend/ParsedUnit.h"
#include "mep/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace mep;
using llvm::StringRef;

namespace {

/// Ways to launches beside the first that are looked at.
constexpr unsigned MostWays = 12;

class OtherLaunches {
public:
  OtherLaunches(const LaunchedKernel &Kernel, unsigned Instantiation,
                InferLaunch Infer, Workload &W)
      : Site(Kernel.Site), Instantiation(Instantiation), Infer(Infer), W(W) {}

  /// Those in \p Program's unit but \p First (null: it is elsewhere).
  void add(HostProgram &Program, const LaunchPoint *First);
  LaunchData data(HostProgram &Program, const LaunchPoint &Launch,
                  Workload Data, const DimensionTable &Dimensions) const;
  std::vector<LaunchData> take() { return std::move(Found); }

private:
  std::vector<LaunchPoint> ways(HostProgram &Program,
                                const LaunchPoint *First) const;
  std::string placeOf(HostProgram &Program, const LaunchPoint &Launch) const;

  const KernelSite &Site;
  unsigned Instantiation;
  InferLaunch Infer;
  Workload &W;
  std::vector<LaunchData> Found;
};

std::string OtherLaunches::placeOf(HostProgram &Program,
                                   const LaunchPoint &Launch) const {
  std::string Place = Site.Launches[Launch.Number].Call.str();
  if (Launch.IsOneOfSeveral && Launch.At.In && Launch.At.In->Call)
    Place += ", called at " +
             Program.unit().span(Launch.At.In->Call->getSourceRange()).str();
  return Place;
}

std::vector<LaunchPoint> OtherLaunches::ways(HostProgram &Program,
                                             const LaunchPoint *First) const {
  std::vector<LaunchPoint> Ways;
  HostFlow Flow(Program.index());
  for (unsigned I = 0; I < Site.Launches.size(); ++I) {
    const LaunchSite &L = Site.Launches[I];
    if (L.Unit != Program.unit().command().File ||
        L.Instantiation != Instantiation)
      continue;
    auto Call = findLaunch(Program.unit(), Program.index(), Site, I);
    if (!Call) {
      W.Notes.push_back(
          "the launch at " + L.Call.str() +
          " is not part of the workload: " + llvm::toString(Call.takeError()));
      continue;
    }
    bool IsFirst = First && First->Number == I;
    std::vector<Point> Points = Flow.pointsOf(*Call->Place, MostWays);
    for (size_t K = IsFirst ? 1 : 0; K < Points.size(); ++K)
      Ways.push_back({I, *Call, Points[K], Points.size() > 1});
  }
  return Ways;
}

LaunchData OtherLaunches::data(HostProgram &Program, const LaunchPoint &Launch,
                               Workload Data,
                               const DimensionTable &Dimensions) const {
  LaunchCount Count = countRuns(Program, Dimensions, Launch.At);
  return {std::move(Data), Count.Runs, std::move(Count.NotKnown),
          placeOf(Program, Launch)};
}

/// What gives nothing is noted.
void OtherLaunches::add(HostProgram &Program, const LaunchPoint *First) {
  for (const LaunchPoint &Way : ways(Program, First)) {
    if (Found.size() == MostWays) {
      W.Notes.push_back("the launch at " + placeOf(Program, Way) +
                        " is not looked at: there are too many");
      continue;
    }
    std::optional<DimensionTable> Dimensions;
    std::string Missing;
    auto Data = Infer(Program, Way, Dimensions, Missing);
    if (!Data)
      Missing = llvm::toString(Data.takeError());
    if (Missing.empty())
      Found.push_back(data(Program, Way, std::move(*Data), *Dimensions));
    else
      W.Notes.push_back("the launch at " + placeOf(Program, Way) +
                        " is not part of the workload: " + Missing);
  }
}

} // namespace

bool mep::hasOtherLaunches(const KernelSite &Site, unsigned Number) {
  return llvm::count_if(Site.Launches, [&](const LaunchSite &L) {
           return L.Instantiation == Site.Launches[Number].Instantiation;
         }) > 1;
}

void mep::addOtherLaunches(const LaunchedKernel &Kernel, HostProgram &Program,
                           const LaunchPoint &First,
                           const DimensionTable &Dimensions, InferLaunch Infer,
                           Workload &W) {
  const std::vector<LaunchSite> &Launches = Kernel.Site.Launches;
  const InferenceOptions &Options = Kernel.Options;
  unsigned Wanted = Launches[First.Number].Instantiation;
  OtherLaunches Others(Kernel, Wanted, Infer, W);
  Others.add(Program, &First);
  std::set<std::string> Seen{Program.unit().command().File};
  for (const LaunchSite &L : Launches) {
    if (!Options.HostOf || L.Instantiation != Wanted ||
        !Seen.insert(L.Unit).second)
      continue;
    const ParsedUnit *Unit = Options.HostOf(L.Unit);
    if (!Unit)
      continue;
    auto Naming = [&](StringRef Name) {
      std::vector<const ParsedUnit *> Units{&Program.unit()};
      if (Options.UnitsNaming)
        llvm::append_range(Units, Options.UnitsNaming(Name));
      llvm::erase(Units, Unit);
      return Units;
    };
    HostProgram There(*Unit, Naming, Options.Arguments);
    Others.add(There, nullptr);
  }
  if (std::vector<LaunchData> All = Others.take(); !All.empty())
    addLaunches(W, Others.data(Program, First, W, Dimensions), std::move(All),
                Kernel.DeviceText);
}
