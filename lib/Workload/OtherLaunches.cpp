#include "OtherLaunches.h"
#include "Launches.h"
#include "mep/Frontend/ParsedUnit.h"
#include "mep/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace mep;
using llvm::StringRef;

namespace {

/// Ways to a launch that are looked at, and launches beside the first that are
/// inferred.
constexpr unsigned MostWays = 12, MostInferred = 16;

// ---- one launch in the source ----------------------------------------------

std::string placeOf(const KernelSite &Site, unsigned Number,
                    const LaunchWay &Way, bool IsOneOfSeveral) {
  std::string Place = Site.Launches[Number].Call.str();
  if (!IsOneOfSeveral || Way.Places.size() < 2)
    return Place;
  // The innermost call of another unit or of this one.
  const FrameRef &Last = Way.launch().In;
  const WayPlace &Caller = Way.Places[Way.Places.size() - 2];
  const clang::Expr *Call = Last->Call;
  if (auto Remote = Way.Way.Calls.find(Last->Function->getCanonicalDecl());
      !Call && Remote != Way.Way.Calls.end())
    Call = Remote->second.Call->Call;
  return Call ? Place + ", called at " +
                    Caller.Unit->span(Call->getSourceRange()).str()
              : Place;
}

/// Of those with most threads the middle one: where launches shrink or grow in
/// a loop, the small ones may find nothing left to do.
size_t largest(llvm::ArrayRef<TripSet> Sets) {
  double Most = 0;
  std::vector<size_t> Best;
  for (size_t I = 0; I < Sets.size(); ++I) {
    const double Threads = Sets[I].Threads;
    if (Threads > Most)
      Best.clear();
    if (Best.empty() || Threads == Most) {
      Most = Threads;
      Best.push_back(I);
    }
  }
  return Best[Best.size() / 2];
}

// ---- all of them -----------------------------------------------------------

class OtherLaunches {
public:
  OtherLaunches(const LaunchedKernel &Kernel, unsigned Instantiation,
                const DimensionTable &Empty, InferLaunch Infer, Workload &W)
      : Site(Kernel.Site), Instantiation(Instantiation), Empty(Empty),
        Infer(Infer), W(W) {}

  /// Those in \p Program's unit but launch \p Except.
  void addUnit(HostProgram &Program, std::optional<unsigned> Except);
  void add(HostProgram &Program, llvm::ArrayRef<LaunchPoint> Points);
  std::vector<LaunchData> take();

private:
  void leaveOut(const std::string &Place, const std::string &Why) {
    W.Notes.push_back("the launch at " + Place +
                      " is not part of the workload: " + Why);
  }

  const KernelSite &Site;
  unsigned Instantiation;
  const DimensionTable &Empty;
  InferLaunch Infer;
  Workload &W;
  std::vector<LaunchData> Found;
  std::vector<std::string> NotLookedAt;
};

LaunchData dataOf(const LaunchPoint &Point, Workload Data) {
  return {std::move(Data), Point.Runs, Point.NotKnown, Point.Place,
          Point.Uncertain};
}

void OtherLaunches::addUnit(HostProgram &Program,
                            std::optional<unsigned> Except) {
  for (unsigned I = 0; I < Site.Launches.size(); ++I) {
    const LaunchSite &L = Site.Launches[I];
    if (I == Except || L.Unit != Program.unit().command().File ||
        L.Instantiation != Instantiation)
      continue;
    if (auto Call = findLaunch(Program.unit(), Program.index(), Site, I))
      add(Program, launchPoints(Program, Site, I, *Call, Empty, W.Notes));
    else
      leaveOut(L.Call.str(), llvm::toString(Call.takeError()));
  }
}

/// What gives nothing is noted.
void OtherLaunches::add(HostProgram &Program,
                        llvm::ArrayRef<LaunchPoint> Points) {
  for (const LaunchPoint &Point : Points) {
    if (Found.size() == MostInferred) {
      NotLookedAt.push_back(Point.Place);
      continue;
    }
    std::optional<DimensionTable> Dimensions;
    std::string Missing;
    auto Data = Infer(Program, Point, Dimensions, Missing);
    if (!Data)
      Missing = llvm::toString(Data.takeError());
    if (Missing.empty())
      Found.push_back(dataOf(Point, std::move(*Data)));
    else
      leaveOut(Point.Place, Missing);
  }
}

std::vector<LaunchData> OtherLaunches::take() {
  if (!NotLookedAt.empty())
    W.Notes.push_back(
        std::to_string(NotLookedAt.size()) +
        " further launches are not part of the workload, there are too many: "
        "the first is at " +
        NotLookedAt.front());
  return std::move(Found);
}

} // namespace

std::vector<LaunchPoint>
mep::launchPoints(HostProgram &Program, const KernelSite &Site, unsigned Number,
                  const LaunchCall &Call, const DimensionTable &Dimensions,
                  std::vector<std::string> &Notes) {
  LaunchWays Ways = waysTo(Program, *Call.Place, MostWays);
  std::vector<LaunchPoint> Points;
  for (const LaunchWay &Way : Ways.All) {
    LaunchTrips Trips = launchTrips(Program, Dimensions, Call, Way);
    std::string Place = placeOf(Site, Number, Way, Ways.All.size() > 1);
    if (!Trips.LeftOut.empty())
      Notes.push_back("the launch at " + Place + ": " + Trips.LeftOut);
    for (TripSet &Set : Trips.Sets)
      Points.push_back({Number, Call, Way.launch(), std::move(Set.Way),
                        Set.Runs, Set.Threads, Trips.NotKnown, Trips.Uncertain,
                        Trips.Sets.size() > 1 && !Set.Trip.empty()
                            ? Place + " (" + Set.Trip + ")"
                            : Place});
    if (&Way == &Ways.All.front())
      std::rotate(Points.begin(), Points.begin() + largest(Trips.Sets),
                  Points.begin() + largest(Trips.Sets) + 1);
  }
  if (Ways.IsCut)
    Notes.push_back("more ways lead to the launch at " +
                    Site.Launches[Number].Call.str() +
                    " than are looked at: the other calls are not counted");
  for (const auto &[Name, Units] : Ways.NotRead) {
    std::string Note = "'" + Name + "', which leads to a launch, is named in " +
                       std::to_string(Units) +
                       " units that are not looked at: calls from there are "
                       "not counted";
    if (!llvm::is_contained(Notes, Note))
      Notes.push_back(std::move(Note));
  }
  return Points;
}

bool mep::hasOtherLaunches(const KernelSite &Site, unsigned Number) {
  return llvm::count_if(Site.Launches, [&](const LaunchSite &L) {
           return L.Instantiation == Site.Launches[Number].Instantiation;
         }) > 1;
}

void mep::addOtherLaunches(const LaunchedKernel &Kernel, HostProgram &Program,
                           std::vector<LaunchPoint> Points,
                           const DimensionTable &Empty, InferLaunch Infer,
                           Workload &W) {
  const std::vector<LaunchSite> &Launches = Kernel.Site.Launches;
  const InferenceOptions &Options = Kernel.Options;
  unsigned Wanted = Launches[Points.front().Number].Instantiation;
  OtherLaunches Others(Kernel, Wanted, Empty, Infer, W);
  Others.add(Program, llvm::ArrayRef(Points).drop_front());
  Others.addUnit(Program, Points.front().Number);
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
    There.setNotRead(Options.UnitsNotRead);
    Others.addUnit(There, std::nullopt);
  }
  if (std::vector<LaunchData> All = Others.take(); !All.empty())
    addLaunches(W, dataOf(Points.front(), W), std::move(All),
                Kernel.DeviceText);
}
