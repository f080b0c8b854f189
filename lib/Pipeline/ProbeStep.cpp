#include "ProbeStep.h"
#include "ExtentFit.h"
#include "mep/Support/Error.h"
#include "mep/Workload/Resolve.h"
#include "llvm/ADT/STLExtras.h"

using namespace mep;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

/// More data than this is scaled down before the first run.
constexpr uint64_t LargeBytes = uint64_t(64) << 20;
/// A run that was cut short is tried again with this part of the data.
constexpr double Smaller = 1.0 / 8;
constexpr unsigned MostTries = 4;
/// A stand-in while only the launch of a workload is asked for.
constexpr int64_t AnyExtent = int64_t(1) << 30;
/// Rounds of mending extents that rest on assumed sizes.
constexpr unsigned MostMends = 2, MostGrowths = 3;
/// An extent is grown to so many times what was assumed, and to this size: a
/// launch that goes further is one of sizes that do not go together.
constexpr uint64_t MostGrowth = 256, MostGrownBytes = uint64_t(256) << 20;
/// Index arrays that go into a buffer of unknown extent stay below this, and
/// below the number of threads.
constexpr uint64_t MostIndexed = 1 << 20;

Expected<ResolvedShape> resolveBase(Workload W) {
  W.Shapes.resize(std::min<size_t>(W.Shapes.size(), 1));
  auto Shapes = resolveShapes(W);
  if (!Shapes)
    return Shapes.takeError();
  return std::move(Shapes->front());
}

// ---- roles -----------------------------------------------------------------

/// A note per buffer whose role is not what the run shows. A buffer that is
/// not written on this data may be on other data, so it keeps its role: as an
/// input, a write would count as a fault.
void correctRoles(Workload &W, const ProbeReport &Seen) {
  for (Buffer &B : W.Buffers) {
    const ProbedBuffer *P = Seen.find(B.Name);
    if (!P)
      continue;
    auto Correct = [&](const std::string &Why) {
      W.Notes.push_back("probe: '" + B.Name + "' is taken as inout, not " +
                        name(B.Use) + ": the kernel " + Why);
      B.Use = Role::InOut;
    };
    if (B.Use == Role::In && P->Writes.Elements)
      Correct("writes " + std::to_string(P->Writes.Elements) +
              " elements of it");
    else if (B.Use == Role::Out && P->ReadFirst.Elements)
      Correct("reads " + std::to_string(P->ReadFirst.Elements) +
              " elements of it before anything is written to them");
    else if (B.Use != Role::In && !P->Writes.Elements && Seen.isFinished())
      W.Notes.push_back("probe: the kernel never writes to '" + B.Name +
                        "' on this data; it stays " + name(B.Use));
  }
}

ProbeLimits limits(double Seconds) {
  ProbeLimits L;
  L.Seconds = Seconds;
  L.Seeds = {1, 2};
  return L;
}

// ---- extents ---------------------------------------------------------------

class ExtentProbe {
public:
  ExtentProbe(Workload &W, const OpenExtents &Open, const Closure &C,
              Worker &On)
      : W(W), Open(Open), C(C), On(On) {}

  Error run(std::optional<ProbeReport> &Report) {
    if (Error E = chooseIndexBound())
      return E;
    std::vector<std::string> Names;
    for (const auto &[Name, Dimension] : Open.Buffers)
      Names.push_back(Name);
    auto Fits = fitExtents(W, Names, Open.Assumed, C, On);
    if (!Fits)
      return Fits.takeError();
    auto Shape = shape();
    if (!Shape)
      return Shape.takeError();
    auto Seen = On.probe(C, *Shape, limits(/*Seconds=*/10));
    if (!Seen)
      return fail(Seen.takeError());
    Report = *Seen;
    if (!Seen->isFinished())
      return fail("it " + Seen->endingText());
    std::map<std::string, ClosedExtent> Extents;
    for (const auto &[Name, Dimension] : Open.Buffers) {
      const ProbedBuffer *B = Seen->find(Name);
      if (!B)
        return fail("it says nothing of '" + Name + "'");
      if (B->Outside)
        return fail("the kernel " + B->Outside->str(Name));
      auto Fit = Fits->find(Name);
      Extents[Name] =
          extentOf(*B, Dimension, Fit == Fits->end() ? "" : Fit->second);
    }
    closeExtents(W, Open, Extents, C.Text);
    correctRoles(W, *Seen);
    return Error::success();
  }

private:
  /// The whole error: what is missing, and what came of the probe.
  Error fail(const std::string &Why) const {
    return makeError(Failure::Workload,
                     Open.Missing + "\n  the probe does not tell: " + Why);
  }

  Error fail(Error E) const {
    return failureOf(E) == Failure::Interrupted
               ? std::move(E)
               : fail(llvm::toString(std::move(E)));
  }

  /// The base shape with the open extents not known.
  Expected<ResolvedShape> shape() const {
    Workload Open = W;
    for (Buffer &B : Open.Buffers)
      if (this->Open.Buffers.count(B.Name))
        B.Extent = std::to_string(AnyExtent);
    auto Shape = resolveBase(std::move(Open));
    if (!Shape)
      return Shape.takeError();
    for (ResolvedBuffer &B : Shape->Buffers)
      if (this->Open.Buffers.count(B.Name))
        B.Count = 0;
    return Shape;
  }

  /// Fill rules refer to the open extents: until those are known, index arrays
  /// hold at most as many different subscripts as there are threads.
  Error chooseIndexBound() {
    setOpen(AnyExtent);
    auto Shape = shape();
    if (!Shape)
      return Shape.takeError();
    uint64_t Threads = 1;
    for (int I = 0; I < 3; ++I)
      Threads *= Shape->Launch.Grid[I] * Shape->Launch.Block[I];
    Bound = std::min(Threads, MostIndexed);
    setOpen(int64_t(Bound));
    return Error::success();
  }

  void setOpen(int64_t Value) {
    for (Dimension &D : W.Dimensions)
      for (const auto &[Name, Extent] : Open.Buffers)
        if (D.Name == Extent)
          D.Value = Value;
  }

  bool boundsIndexes(StringRef Dimension) const {
    return llvm::any_of(W.Buffers, [&](const Buffer &B) {
      return StringRef(B.Fill.High).contains(Dimension);
    });
  }

  /// In the base shape; 0 when it does not resolve.
  uint64_t valueOf(const std::string &Extent, StringRef Buffer) const {
    Workload One = W;
    for (mep::Buffer &B : One.Buffers)
      B.Extent = B.Name == Buffer ? Extent : "1";
    for (Argument &A : One.Arguments)
      for (ArgumentPart &P : A.Parts)
        P.BufferOffset = "0";
    auto Shape = resolveBase(std::move(One));
    if (!Shape) {
      llvm::consumeError(Shape.takeError());
      return 0;
    }
    auto It = llvm::find_if(Shape->Buffers, [&](const ResolvedBuffer &B) {
      return B.Name == Buffer;
    });
    return It->Count;
  }

  /// Also notes where it comes from. \p Fit: what small runs show, may be
  /// empty.
  ClosedExtent extentOf(const ProbedBuffer &Seen, StringRef Dimension,
                        const std::string &Fit) {
    for (Buffer &B : W.Buffers)
      if (B.Name == Seen.Name)
        B.Source = "probe";
    auto Note = [&](const std::string &Extent, const std::string &Why) {
      W.Notes.push_back("probe: '" + Seen.Name + "' has the extent " + Extent +
                        ": " + Why);
    };
    if (boundsIndexes(Dimension)) {
      std::string Extent = std::to_string(std::max(Seen.end(), Bound));
      Note(Extent, "chosen for the index arrays that subscript it");
      return {Extent, false};
    }
    if (!Fit.empty() && valueOf(Fit, Seen.Name) >= Seen.end()) {
      Note("'" + Fit + "'", "what runs on several sizes touch");
      return {Fit, true};
    }
    std::string Extent = std::to_string(std::max<uint64_t>(Seen.end(), 1));
    Note(Extent, (Seen.isTouched() ? "what the application's launch touches"
                                   : "no access was seen") +
                     std::string("; no dimension is varied, as it may depend "
                                 "on any"));
    return {Extent, false};
  }

  Workload &W;
  const OpenExtents &Open;
  const Closure &C;
  Worker &On;
  uint64_t Bound = 1;
};

// ---- check -----------------------------------------------------------------

std::string launchPlace(const KernelSite &Site) {
  return Site.Launches.empty() ? Site.Definition.str()
                               : Site.Launches.front().Call.str();
}

/// The extent of \p Seen as the workload has it.
std::string extentText(const Workload &W, const ProbedBuffer &Seen) {
  std::string Text = std::to_string(Seen.Count);
  for (const Buffer &B : W.Buffers)
    if (B.Name == Seen.Name && B.Extent != Text)
      Text += " ('" + B.Extent + "')";
  return Text;
}

/// What in workload.json would mend it: in front of a buffer no extent helps.
std::string outsideHint(const ProbedBuffer &B) {
  if (B.Outside->Element < 0)
    return "correct what leads there with --workload=FILE: a scalar, the fill "
           "rule of an index array or the buffer_offset of a pointer";
  return "give the right one with --workload=FILE, e.g. "
         "{\"buffers\":[{\"name\":\"" +
         B.Name + "\",\"extent\":\"" +
         std::to_string(std::max(B.end(), B.Count)) + "\"}]}";
}

Error outsideError(const Workload &W, const KernelSite &Site,
                   const ProbedBuffer &B) {
  return makeError(Failure::Workload,
                   "kernel '" + Site.Name + "', as the probe ran it, " +
                       B.Outside->str(B.Name) + "; the extent is " +
                       extentText(W, B),
                   launchPlace(Site), outsideHint(B));
}

/// Runs \p W as it is, then ever smaller until the run ends by itself.
Expected<ProbeReport> runScaled(const Workload &W, const Closure &C,
                                Worker &On) {
  Workload Now = W;
  auto Full = resolveBase(W);
  if (!Full)
    return Full.takeError();
  if (Full->totalBytes() > LargeBytes)
    Now = scaledWorkload(W, double(LargeBytes) / double(Full->totalBytes()),
                         LargeBytes);
  for (unsigned Try = 1;; ++Try) {
    auto Shape = resolveBase(Now);
    if (!Shape)
      return Shape.takeError();
    auto Seen = On.probe(C, *Shape, limits(/*Seconds=*/1));
    bool IsCut = Seen && (Seen->Outcome == ProbeReport::Time ||
                          Seen->Outcome == ProbeReport::Memory);
    if (!IsCut || Seen->outside() || Try == MostTries)
      return Seen;
    Workload Less = scaledWorkload(Now, Smaller, UINT64_MAX);
    auto LessShape = resolveBase(Less);
    if (!LessShape || LessShape->totalBytes() >= Shape->totalBytes()) {
      llvm::consumeError(LessShape.takeError());
      return Seen;
    }
    Now = std::move(Less);
  }
}

} // namespace

Error mep::probeExtents(Workload &W, const OpenExtents &Open, const Closure &C,
                        Worker &On, std::optional<ProbeReport> &Report) {
  return ExtentProbe(W, Open, C, On).run(Report);
}

/// Where small runs show how the doubtful extents that \p Seen leaves follow
/// from the dimensions, takes those. False: nothing changed.
static Expected<bool> mendExtents(Workload &W, const OpenExtents &Inferred,
                                  const Closure &C, Worker &On,
                                  const ProbeReport &Seen) {
  std::vector<std::string> Left;
  for (const ProbedBuffer &B : Seen.Buffers)
    if (B.Outside && B.Outside->Element >= 0 && Inferred.Doubtful.count(B.Name))
      Left.push_back(B.Name);
  if (Left.empty())
    return false;
  auto Fits = fitExtents(W, Left, Inferred.Assumed, C, On);
  if (!Fits)
    return Fits.takeError();
  bool Changed = false;
  for (Buffer &B : W.Buffers) {
    auto Fit = Fits->find(B.Name);
    if (Fit == Fits->end() || Fit->second == B.Extent)
      continue;
    W.Notes.push_back("probe: '" + B.Name + "' has the extent '" + Fit->second +
                      "', not '" + B.Extent +
                      "', which is assumed: what runs on several sizes touch");
    B.Extent = Fit->second;
    B.Source = "probe";
    Changed = true;
  }
  return Changed;
}

/// A smaller shape may be left by a kernel whose sizes stand in its own text:
/// where the base shape is not, that one stays alone and \p Seen is its run.
static Error confirmAtBase(Workload &W, const Closure &C, Worker &On,
                           ProbeReport &Seen) {
  auto Base = resolveBase(W);
  if (!Base)
    return Base.takeError();
  if (Base->Dimensions == Seen.Dimensions)
    return Error::success();
  auto Again = On.probe(C, *Base, limits(/*Seconds=*/2));
  if (!Again)
    return Again.takeError();
  if (!Again->outside()) {
    W.Notes.push_back("probe: on a smaller shape the kernel " +
                      Seen.outside()->Outside->str(Seen.outside()->Name) +
                      ", outside of it: no dimension is varied");
    for (Dimension &D : W.Dimensions)
      D.Fixed = true;
    // The application's own launches stay.
    W.Shapes.erase(std::remove_if(W.Shapes.begin() + 1, W.Shapes.end(),
                                  [](const Shape &S) { return S.Weight == 0; }),
                   W.Shapes.end());
  }
  Seen = std::move(*Again);
  return Error::success();
}

static bool mayGrow(const ProbedBuffer &B, const OpenExtents &Inferred) {
  auto Before = [](const ProbedElements &E) {
    return E.Elements && E.First < 0;
  };
  return Inferred.Doubtful.count(B.Name) && !Before(B.Reads) &&
         !Before(B.Writes) && B.end() <= MostGrowth * B.Count &&
         B.end() * B.ElementBytes <= MostGrownBytes;
}

/// Gives the doubtful extents that \p Seen, a whole run of the base shape,
/// leaves what it touches. False: nothing changed.
static bool growExtents(Workload &W, const OpenExtents &Inferred,
                        const ProbeReport &Seen) {
  if (!Seen.isFinished() ||
      llvm::any_of(Seen.Buffers, [&](const ProbedBuffer &B) {
        return B.Outside && !mayGrow(B, Inferred);
      }))
    return false;
  for (const ProbedBuffer &P : Seen.Buffers)
    for (Buffer &B : W.Buffers) {
      if (!P.Outside || B.Name != P.Name)
        continue;
      std::string Extent = std::to_string(P.end());
      W.Notes.push_back("probe: '" + B.Name + "' has the extent " + Extent +
                        ", what the launch touches, not '" + B.Extent +
                        "', which is assumed; no dimension is varied");
      B.Extent = Extent;
      B.Source = "probe";
    }
  for (Dimension &D : W.Dimensions)
    D.Fixed = true;
  keepBaseShape(W, "extents are those of the first launch alone");
  return true;
}

Error mep::checkByProbe(Workload &W, const OpenExtents &Inferred,
                        const KernelSite &Site, const Closure &C, Worker &On,
                        std::optional<ProbeReport> &Report) {
  for (unsigned Mends = 0;; ++Mends) {
    auto Seen = runScaled(W, C, On);
    if (!Seen)
      return Seen.takeError();
    Report = std::move(*Seen);
    if (!Report->outside() || Mends == MostMends)
      break;
    auto Changed = mendExtents(W, Inferred, C, On, *Report);
    if (!Changed)
      return Changed.takeError();
    if (!*Changed)
      break;
  }
  for (unsigned Growths = 0; Report->outside(); ++Growths) {
    if (Error E = confirmAtBase(W, C, On, *Report))
      return E;
    if (!Report->outside() || Growths == MostGrowths ||
        !growExtents(W, Inferred, *Report))
      break;
    auto Base = resolveBase(W);
    if (!Base)
      return Base.takeError();
    auto Again = On.probe(C, *Base, limits(/*Seconds=*/2));
    if (!Again)
      return Again.takeError();
    Report = std::move(*Again);
  }
  if (const ProbedBuffer *B = Report->outside())
    return outsideError(W, Site, *B);
  if (Report->Outcome == ProbeReport::Wild)
    return makeError(Failure::Workload,
                     "kernel '" + Site.Name + "', as the probe ran it, " +
                         Report->endingText(),
                     launchPlace(Site));
  if (!Report->isFinished())
    W.Notes.push_back("probe: cut short: the kernel " + Report->endingText());
  correctRoles(W, *Report);
  return Error::success();
}

/// A launch that ends and stores nothing; what code without records stored is
/// not known.
static bool writesNothing(const Workload &W, const ProbeReport &Seen) {
  return Seen.isFinished() && !Seen.Unseen &&
         llvm::none_of(W.Buffers, [&](const Buffer &B) {
           const ProbedBuffer *P = Seen.find(B.Name);
           return B.Use != Role::In &&
                  (!P || P->Writes.Elements || !B.Symbol.empty());
         });
}

Expected<std::optional<Trouble>>
mep::judgeByProbe(Workload &W, const OpenExtents &Inferred,
                  const KernelSite &Site, const Closure &C, Worker &On,
                  std::optional<ProbeReport> &Report) {
  if (auto Base = resolveBase(W); !Base) {
    llvm::consumeError(Base.takeError());
    return Trouble::Astray;
  }
  Error Wrong = checkByProbe(W, Inferred, Site, C, On, Report);
  if (failureOf(Wrong) == Failure::Interrupted)
    return Wrong;
  const bool IsAstray = bool(Wrong) && Report;
  llvm::consumeError(std::move(Wrong));
  std::optional<Trouble> What;
  if (IsAstray)
    What = Trouble::Astray;
  else if (Report && writesNothing(W, *Report)) {
    auto Base = resolveBase(W);
    if (Base && Base->Dimensions == Report->Dimensions)
      What = Trouble::WritesNothing;
    llvm::consumeError(Base.takeError());
  }
  return What;
}
