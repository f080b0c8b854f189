/// \file
/// Fourth step of the walk, from launch site to workload: index the host code,
/// follow the launch's expressions, look at the kernel's accesses, let the
/// user's file override, and say what is missing.

#include "mep/Workload/WorkloadInference.h"
#include "AccessExtents.h"
#include "Assumptions.h"
#include "BufferTable.h"
#include "Expressions.h"
#include "HostProgram.h"
#include "IndexCheck.h"
#include "OtherLaunches.h"
#include "Shapes.h"
#include "UserFile.h"
#include "WorkloadDraft.h"
#include "mep/Access/AccessAnalysis.h"
#include "mep/Discovery/Discovery.h"
#include "mep/Frontend/ParsedUnit.h"
#include "mep/Support/Error.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"
#include <nlohmann/json.hpp>

using namespace mep;
using llvm::StringRef;

namespace {

/// Calls \p Visit with every expression of \p W.
void eachExpression(Workload &W, llvm::function_ref<void(std::string &)> Visit,
                    bool HostFills = true) {
  for (Buffer &B : W.Buffers) {
    Visit(B.Extent);
    for (std::string *E : B.Fill.expressions())
      Visit(*E);
    if (HostFills)
      for (FillRule *F : {&B.HostFill, &B.Subscripts})
        for (std::string *E : F->expressions())
          Visit(*E);
    for (ElementPointer &P : B.Pointers) {
      Visit(P.BufferOffset);
      Visit(P.Stride);
    }
    for (ElementValue &V : B.Values)
      Visit(V.Value);
  }
  for (Argument &A : W.Arguments)
    for (ArgumentPart &P : A.Parts)
      Visit(P.Buffer.empty() ? P.Value : P.BufferOffset);
  for (int I = 0; I < 3; ++I) {
    Visit(W.Launch.Grid[I]);
    Visit(W.Launch.Block[I]);
  }
  Visit(W.Launch.SharedBytes);
}

/// In plans a parameter's name means the parameter: a dimension of that name
/// but another value has to give way.
void separateNames(Workload &W, DimensionTable &Dimensions) {
  for (const Argument &A : W.Arguments)
    for (const ArgumentPart &P : A.Parts) {
      NamedDimension *D = Dimensions.find(P.Name);
      if (!D || (P.Buffer.empty() && P.Value == P.Name))
        continue;
      std::string Old = D->Data.Name, New = Dimensions.rename(Old);
      eachExpression(W, [&](std::string &E) {
        E = replaceNames(
            E, [&](StringRef N) { return N == Old ? New : std::string(); });
      });
    }
}

bool boundsBuffer(const Workload &W, StringRef Name) {
  return llvm::any_of(
      W.Buffers, [&](const Buffer &B) { return usesName(B.Extent, Name); });
}

/// What buffers may be filled with, if need be, makes nothing a dimension.
bool isUsed(Workload &W, StringRef Name) {
  bool Used = false;
  eachExpression(
      W, [&](std::string &E) { Used |= usesName(E, Name); },
      /*HostFills=*/false);
  return Used;
}

/// Its declaration has other numbers too: calls that are written with numbers,
/// `make(100, 200)` and `make(200, 300)`, have no other name for a size.
bool isOneOfSeveral(const NamedDimension &D, const DimensionTable &Dimensions) {
  return D.Owner && llvm::any_of(Dimensions.all(), [&](const auto &E) {
           return &E != &D && E.Owner == D.Owner && E.HostValue && !E.IsAssumed;
         });
}

/// `n` given to the kernel and `n` given to the allocation as separate
/// constants of one value are one size: varying one of them alone would leave
/// the buffers.
void tieEqualDimensions(Workload &W, DimensionTable &Dimensions) {
  for (NamedDimension &D : Dimensions.all()) {
    bool IsNumber = isOneOfSeveral(D, Dimensions);
    if (!D.Owner || D.Missing || D.Data.Fixed || !isUsed(W, D.Data.Name) ||
        (!IsNumber && (D.Data.Value < 64 || boundsBuffer(W, D.Data.Name))))
      continue;
    std::vector<const NamedDimension *> Equal;
    for (const NamedDimension &E : Dimensions.all())
      if (&E != &D && !E.Missing && !E.Data.Fixed &&
          E.Data.Value == D.Data.Value && boundsBuffer(W, E.Data.Name))
        Equal.push_back(&E);
    if (Equal.empty() || (Equal.size() != 1 && !IsNumber))
      continue;
    std::string Old = D.Data.Name, New = Equal.front()->Data.Name;
    eachExpression(W, [&](std::string &E) {
      E = replaceNames(
          E, [&](StringRef N) { return N == Old ? New : std::string(); });
    });
    W.Notes.push_back("'" + Old + "' (" + D.Data.Source + ") and '" + New +
                      "' (" + Equal.front()->Data.Source + ") are both " +
                      std::to_string(D.Data.Value) +
                      " and are taken as one size");
  }
}

/// Numbers for the names in host fills that are no dimensions of \p W; a name
/// without one leaves the buffer without a host fill.
void settleHostFills(const DimensionTable &Dimensions, Workload &W) {
  for (Buffer &B : W.Buffers) {
    bool IsKnown = true;
    auto Settle = [&](StringRef Name) -> std::string {
      if (llvm::any_of(W.Dimensions,
                       [&](const Dimension &D) { return D.Name == Name; }))
        return "";
      for (const NamedDimension &N : Dimensions.all())
        if (N.Data.Name == Name && !N.Missing)
          return std::to_string(N.Data.Value);
      IsKnown &= !llvm::any_of(Dimensions.all(), [&](const NamedDimension &N) {
        return N.Data.Name == Name;
      });
      return "";
    };
    for (FillRule *F : {&B.HostFill, &B.Subscripts}) {
      IsKnown = true;
      for (std::string *E : F->expressions())
        *E = replaceNames(*E, Settle);
      if (!IsKnown)
        *F = {"", "", ""};
    }
  }
}

/// Dimensions some expression uses, and the closure's macros that the user's
/// file sets. The others keep what the closure's text says, to the letter: `-D`
/// would lose a literal's suffix.
void takeDimensions(Workload &W, DimensionTable &Dimensions, const Closure &C,
                    const std::map<std::string, int64_t> &Given) {
  for (const DimensionMacro &M : C.Dimensions) {
    bool Extends = isUsed(W, M.Name) && !Dimensions.find(M.Name);
    if (!Given.count(M.Name) && !Extends)
      continue;
    Dimensions.macro(M.Name, M.Value, "closure");
    // Only the extent of a device variable names it: part of the kernel's
    // text, no size of the problem.
    if (Extends)
      Dimensions.find(M.Name)->Data.Fixed = true;
  }
  for (const NamedDimension &D : Dimensions.all())
    if (isUsed(W, D.Data.Name) || (D.Data.IsMacro && Given.count(D.Data.Name)))
      W.Dimensions.push_back(D.Data);
}

/// After how many quarters of its host loops the launch is looked at: where it
/// has more threads, else in the middle.
unsigned loopQuarters(HostProgram &Program, const LaunchPoint &Launch,
                      const DimensionTable &Dimensions) {
  auto Threads = [&](unsigned Quarters) {
    DimensionTable Scratch = Dimensions;
    HostValues Values(Program, Scratch, Quarters);
    WorkloadDraft Out;
    inferGeometry(Launch.Call, Launch.At, Values, Scratch, Out);
    return Out.Threads;
  };
  double Early = Threads(1), Late = Threads(3);
  return Early > Late ? 1 : Early < Late ? 3 : 2;
}

/// Gives extents that nobody knows a name, so that fill rules can refer to
/// them.
void nameUnknownExtents(WorkloadDraft &Out, DimensionTable &Dimensions) {
  for (Buffer &B : Out.Data.Buffers)
    if (B.Extent.empty())
      B.Extent = Dimensions.unknownExtent(B.Name, B.Source);
}

/// Where the user's file gives such an extent, it stands in place of the name.
void takeGivenExtents(Workload &W, DimensionTable &Dimensions) {
  for (NamedDimension &D : Dimensions.all())
    for (const Buffer &B : W.Buffers) {
      if (D.ExtentOf != B.Name || B.Extent == D.Data.Name)
        continue;
      std::string Given = "(" + B.Extent + ")";
      eachExpression(W, [&](std::string &E) {
        E = replaceNames(E, [&](StringRef N) {
          return N == D.Data.Name ? Given : std::string();
        });
      });
    }
}

llvm::Expected<WorkloadDraft>
makeDraft(HostProgram &Program, const ParsedUnit &Device,
          const KernelSite &Site, const LaunchPoint &Launch, const Closure &C,
          const std::map<std::string, int64_t> &Given, bool Assume,
          const AccessModel &Accesses, DimensionTable &Dimensions) {
  HostValues Values(Program, Dimensions,
                    loopQuarters(Program, Launch, Dimensions));
  WorkloadDraft Out;
  Out.Data.Kernel = Site.QualifiedName;
  inferGeometry(Launch.Call, Launch.At, Values, Dimensions, Out);
  BufferTable Buffers(Values, Out);
  if (llvm::Error E =
          inferArguments(Launch.Call, Site, Launch.At, Values, Buffers, Out))
    return E;
  std::vector<std::string> Names;
  for (const Argument &A : Out.Data.Arguments)
    Names.push_back(A.Name);
  const clang::FunctionDecl *Kernel =
      findKernel(Device, Site, Site.Launches[Launch.Number].Instantiation);
  if (!Kernel || Kernel->getNumParams() != Names.size())
    return makeError(Failure::Workload,
                     "the device view has no definition of '" + Site.Name + "'",
                     Site.Definition.str());
  KernelUses Uses = findUses(Kernel, Names, Device.context());
  if (llvm::Error E =
          inferGlobals(C, Program.index(), Uses, Values, Buffers, Out))
    return E;
  findSuspects(Accesses, Dimensions.values(), Out);
  if (Assume)
    dropImpossible(Out, Dimensions.values());
  nameUnknownExtents(Out, Dimensions);
  inferFills(Uses, Dimensions, Out);
  llvm::append_range(Out.Data.Notes, Values.notes());
  tieEqualDimensions(Out.Data, Dimensions);
  separateNames(Out.Data, Dimensions);
  takeDimensions(Out.Data, Dimensions, C, Given);
  Out.Data.Shapes = {{"base", {}}};
  return Out;
}

/// Drafts until no size is missing: what is assumed of one may lead to others.
/// \p Dimensions get the table of the last draft.
llvm::Expected<WorkloadDraft>
makeWholeDraft(HostProgram &Program, const ParsedUnit &Device,
               const KernelSite &Site, const LaunchPoint &Launch,
               const Closure &C, const std::map<std::string, int64_t> &Given,
               bool Assume, const AccessModel &Accesses,
               std::optional<DimensionTable> &Dimensions) {
  constexpr unsigned MostDrafts = 16;
  AssumedValues Assumed;
  NothingValues Nothing;
  for (unsigned I = 0;; ++I) {
    Dimensions.emplace(C, Given, Assumed, Nothing);
    auto D = makeDraft(Program, Device, Site, Launch, C, Given, Assume,
                       Accesses, *Dimensions);
    if (!D)
      return D;
    if (doubtNothing(*D, *Dimensions, Nothing))
      continue;
    if (!Assume)
      return D;
    bool Again = assumeMissing(*D, *Dimensions, Assumed) ||
                 shrinkAssumed(*D, Dimensions->values(), Assumed);
    if (!Again || I == MostDrafts)
      return D;
  }
}

// ---- what is missing -------------------------------------------------------

/// All that is missing, as the file that would supply it.
struct MissingReport {
  Json Members = Json::object();
  std::string First, Place;

  void add(const char *List, Json Entry, const std::string &Message,
           const std::string &Where) {
    Members[List].push_back(std::move(Entry));
    if (First.empty()) {
      First = Message;
      Place = Where;
    }
  }
};

std::string reasonOf(const WorkloadDraft &D, MissingMember::Kind What,
                     StringRef Name, std::string &Where) {
  for (const MissingMember &M : D.Missing)
    if (M.What == What && M.Name == Name) {
      Where = M.Where;
      return M.Why.empty() ? "" : ": " + M.Why;
    }
  return "";
}

void reportLaunch(const Workload &W, const WorkloadDraft &D,
                  MissingReport &Report) {
  std::string Where;
  auto Any = [](const std::array<std::string, 3> &A) {
    return llvm::any_of(A, [](const std::string &E) { return E.empty(); });
  };
  auto Add = [&](const char *Name, Json Example) {
    if (Report.First.empty())
      Report.First = std::string("cannot infer the launch's ") + Name +
                     reasonOf(D, MissingMember::Launch, Name, Report.Place);
    Report.Members["launch"][Name] = std::move(Example);
  };
  if (Any(W.Launch.Grid))
    Add("grid", {"1024"});
  if (Any(W.Launch.Block))
    Add("block", {"256"});
  if (W.Launch.SharedBytes.empty())
    Add("shared_bytes", "0");
}

bool isUnknownExtent(const Buffer &B, DimensionTable &Dimensions) {
  const NamedDimension *D = Dimensions.find(B.Extent);
  return B.Extent.empty() || (D && D->Missing && !D->ExtentOf.empty());
}

MissingReport findMissing(Workload &W, const WorkloadDraft &D,
                          DimensionTable &Dimensions) {
  MissingReport Report;
  std::string Where;
  for (const NamedDimension &N : Dimensions.all())
    if (N.Missing && N.ExtentOf.empty() && isUsed(W, N.Data.Name))
      Report.add("dimensions", {{"name", N.Data.Name}, {"value", 1024}},
                 "cannot infer the value of '" + N.Data.Name + "'" +
                     (N.Why.empty() ? "" : ": " + N.Why),
                 N.Data.Source);
  for (const Argument &A : W.Arguments)
    for (const ArgumentPart &P : A.Parts)
      if (P.Buffer.empty() && P.Value.empty()) {
        std::string Why = reasonOf(D, MissingMember::Value, P.Name, Where);
        Report.add("arguments", {{"name", P.Name}, {"value", "1"}},
                   "cannot infer the value of parameter '" + P.Name + "'" + Why,
                   Where);
      }
  for (const Buffer &B : W.Buffers)
    if (isUnknownExtent(B, Dimensions)) {
      std::string Why = reasonOf(D, MissingMember::Extent, B.Name, Where);
      Report.add("buffers", {{"name", B.Name}, {"extent", "1024"}},
                 "cannot infer the extent of buffer '" + B.Name + "'" + Why,
                 Where);
    }
  reportLaunch(W, D, Report);
  return Report;
}

llvm::Error missingError(const MissingReport &Report, const KernelSite &Site,
                         unsigned Launch) {
  std::string Message = "kernel '" + Site.Name + "': " + Report.First;
  if (!Report.Place.empty())
    Message += " (" + Report.Place + ")";
  return makeError(Failure::Workload, Message, Site.Launches[Launch].Call.str(),
                   "give it with --workload=FILE, e.g. " +
                       printJson(Report.Members));
}

/// The user is told which words of the command line changed nothing.
void noteWordsNotRead(HostProgram &Program, Workload &W) {
  if (!Program.arguments())
    return;
  std::string Words;
  for (size_t I = 0; I < Program.arguments()->size(); ++I)
    if (!Program.wordsRead().count(I))
      Words += (Words.empty() ? "'" : ", '") + (*Program.arguments())[I] + "'";
  if (!Words.empty())
    W.Notes.push_back("of --args, " + Words +
                      " had no effect: no code that reads a size from it was "
                      "followed");
}

void noteDoubts(const Workload &W, const DimensionTable &Dimensions,
                OpenExtents &Open) {
  for (const NamedDimension &D : Dimensions.all()) {
    if (!D.IsAssumed)
      continue;
    Open.Assumed.insert(D.Data.Name);
    for (const Buffer &B : W.Buffers)
      if (usesName(B.Extent, D.Data.Name))
        Open.Doubtful.insert(B.Name);
  }
}

/// True, with \p Open filled in, when extents are all that is missing.
bool leaveOpen(const MissingReport &Report, const Workload &W,
               DimensionTable &Dimensions, OpenExtents &Open) {
  if (Report.Members.size() != 1 || !Report.Members.contains("buffers"))
    return false;
  for (const Buffer &B : W.Buffers)
    if (isUnknownExtent(B, Dimensions))
      Open.Buffers[B.Name] = B.Extent;
  return true;
}

} // namespace

void mep::closeExtents(Workload &W, const OpenExtents &Open,
                       const std::map<std::string, ClosedExtent> &Extents,
                       StringRef DeviceText) {
  bool AllFollow = true;
  for (const auto &[Buffer, Name] : Open.Buffers) {
    const ClosedExtent &Extent = Extents.at(Buffer);
    AllFollow &= Extent.Follows;
    int64_t Number = 0;
    if (!StringRef(Extent.Text).getAsInteger(10, Number)) {
      for (Dimension &D : W.Dimensions)
        if (D.Name == Name) {
          D.Value = Number;
          D.Source = "probe";
        }
      continue;
    }
    eachExpression(W, [&, Name = Name](std::string &E) {
      std::string Inside = E == Name ? Extent.Text : "(" + Extent.Text + ")";
      E = replaceNames(
          E, [&](StringRef N) { return N == Name ? Inside : std::string(); });
    });
    llvm::erase_if(W.Dimensions, [&, Name = Name](const Dimension &D) {
      return D.Name == Name;
    });
  }
  // Any of them may be what the extents depend on.
  if (!AllFollow)
    for (Dimension &D : W.Dimensions)
      D.Fixed = true;
  std::set<std::string> Shrinking = fixDimensions(W, DeviceText);
  if (!Open.HasShapes)
    addShapes(W, Shrinking);
}

namespace {

/// What all launches of a kernel are inferred with.
struct LaunchContext {
  const ParsedUnit &Device;
  const KernelSite &Site;
  const Closure &C;
  const InferenceOptions &Options;
  Json File; ///< The user's.
  std::map<std::string, int64_t> Given;
  const AccessModel &Accesses;
};

/// One launch, with what is \p Missing of it. \p Dimensions get its table.
llvm::Expected<Workload> inferLaunch(const LaunchContext &In,
                                     HostProgram &Program,
                                     const LaunchPoint &Launch,
                                     std::optional<DimensionTable> &Dimensions,
                                     MissingReport &Missing) {
  Program.way() = Launch.Way;
  auto D = makeWholeDraft(Program, In.Device, In.Site, Launch, In.C, In.Given,
                          In.Options.Assume, In.Accesses, Dimensions);
  if (!D)
    return D.takeError();
  takeWrittenRoles(In.Accesses, D->Data);
  auto W = mergeUserFile(D->Data, In.File, In.Options.UserPath);
  if (!W)
    return W.takeError();
  auto IsUnknown = [&](const Buffer &B) {
    return isUnknownExtent(B, *Dimensions);
  };
  takeExtents(In.Accesses, IsUnknown, *W);
  takeGivenExtents(*W, *Dimensions);
  if (In.Options.Assume)
    assumeRest(*D, Dimensions->values(), *W);
  Missing = findMissing(*W, *D, *Dimensions);
  llvm::erase_if(W->Dimensions, [&](const Dimension &N) {
    return !N.IsMacro && !isUsed(*W, N.Name);
  });
  settleHostFills(*Dimensions, *W);
  noteAssumptions(*Dimensions, *W);
  return W;
}

/// Launches of the kernel with other template arguments than \p Launch's are
/// other machine code, of which nothing is measured.
void noteOtherInstantiations(const KernelSite &Site, unsigned Launch,
                             std::vector<std::string> &Notes) {
  for (unsigned I = 0; I < Site.Instantiations.size(); ++I) {
    std::vector<std::string> Places;
    for (const LaunchSite &L : Site.Launches)
      if (L.Instantiation == I && I != Site.Launches[Launch].Instantiation)
        Places.push_back(L.Call.str());
    if (Places.empty())
      continue;
    std::string Note =
        "the instantiation <" + Site.Instantiations[I].Arguments +
        "> is not measured and not verified; it is launched at " +
        Places.front();
    if (Places.size() > 1)
      Note += " and " + std::to_string(Places.size() - 1) + " more places";
    Notes.push_back(Note + (llvm::any_of(Site.Launches,
                                         [&](const LaunchSite &L) {
                                           return L.Instantiation == I &&
                                                  L.InLoop;
                                         })
                                ? ", in a loop"
                                : ""));
  }
}

} // namespace

llvm::Expected<Workload> mep::inferWorkload(const ParsedUnit &Host,
                                            const ParsedUnit &Device,
                                            const KernelSite &Site,
                                            unsigned Launch, const Closure &C,
                                            const InferenceOptions &Options) {
  if (Launch >= Site.Launches.size())
    return makeError(Failure::Workload,
                     "no launch of '" + Site.Name + "' is in this unit",
                     Site.Definition.str());
  Json File = Json::object();
  if (!StringRef(Options.UserFile).trim().empty()) {
    auto Parsed = parseJson(Options.UserFile, Options.UserPath);
    if (!Parsed)
      return Parsed.takeError();
    File = std::move(*Parsed);
  }
  auto Given = givenDimensions(File, Options.UserPath);
  if (!Given)
    return Given.takeError();
  HostProgram Program(Host, Options.UnitsNaming, Options.Arguments);
  Program.setNotRead(Options.UnitsNotRead);
  auto Call = findLaunch(Host, Program.index(), Site, Launch);
  if (!Call)
    return Call.takeError();
  const DimensionTable Empty(C, *Given);
  std::vector<std::string> Notes;
  std::vector<LaunchPoint> Points =
      launchPoints(Program, Site, Launch, *Call, Empty, Notes);
  AccessModel Accesses =
      analyzeAccesses(Device, Site, Site.Launches[Launch].Instantiation, C);
  const LaunchContext In{
      Device, Site, C, Options, std::move(File), std::move(*Given), Accesses};
  std::optional<DimensionTable> Dimensions;
  MissingReport Report;
  auto W = inferLaunch(In, Program, Points.front(), Dimensions, Report);
  if (!W)
    return W.takeError();
  llvm::append_range(W->Notes, Notes);
  noteWordsNotRead(Program, *W);
  if (Options.Open)
    noteDoubts(*W, *Dimensions, *Options.Open);
  const bool HasShapes = In.File.contains("shapes");
  if (!HasShapes)
    noteOtherInstantiations(Site, Launch, W->Notes);
  if (!Report.First.empty()) {
    llvm::Error Missing = missingError(Report, Site, Launch);
    if (!Options.Open || !leaveOpen(Report, *W, *Dimensions, *Options.Open))
      return Missing;
    Options.Open->Missing = llvm::toString(std::move(Missing));
    Options.Open->HasShapes = HasShapes;
    if (!HasShapes && (hasOtherLaunches(Site, Launch) || Points.size() > 1))
      W->Notes.push_back("the kernel's other launches are not part of the "
                         "workload: only a run of the first tells its extents");
    return std::move(*W);
  }
  std::set<std::string> Shrinking = fixDimensions(*W, C.Text);
  if (Options.Open)
    Options.Open->NeedsRun = needOfRun(Accesses, *W);
  if (HasShapes) {
    checkIndexFills(*W);
    return std::move(*W);
  }
  addShapes(*W, Shrinking);
  addOtherLaunches(
      {Site, Options, C.Text}, Program, std::move(Points), Empty,
      [&](HostProgram &There, const LaunchPoint &Other,
          std::optional<DimensionTable> &Known, std::string &Missing) {
        MissingReport Left;
        auto Data = inferLaunch(In, There, Other, Known, Left);
        Missing = Left.First;
        return Data;
      },
      *W);
  checkIndexFills(*W);
  return std::move(*W);
}
