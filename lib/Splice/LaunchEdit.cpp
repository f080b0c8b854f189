#include "LaunchEdit.h"
#include "HostNames.h"
#include "SpliceText.h"
#include "mep/Frontend/ParsedUnit.h"
#include "mep/Support/Error.h"
#include "mep/Support/Files.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mep;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

Error refuse(const llvm::Twine &Why, const SourceSpan &Place) {
  return makeError(Failure::Unsupported, Why.str(), Place.str());
}

class LaunchWriter {
public:
  LaunchWriter(const ParsedUnit &Host, const KernelSite &Site,
               const Workload &Data, const LaunchPlan &Plan,
               const std::map<std::string, int64_t> &Tune,
               const KernelEdit &Kernel, const LaunchSite &Launch)
      : Host(Host), Site(Site), Data(Data), Plan(Plan), Tune(Tune),
        Kernel(Kernel), Launch(Launch) {}

  Expected<Edit> write(clang::CUDAKernelCallExpr *Call);

private:
  Expected<std::string> oneLaunch(const PlannedLaunch &P);
  Expected<std::string> extent(const std::array<std::string, 3> &Sides,
                               StringRef Prefix, StringRef Original);
  Expected<std::string> arguments(const PlannedLaunch &P);
  Error declareScratch(std::vector<std::string> &Before,
                       std::vector<std::string> &After);
  Expected<std::string> inWords(StringRef Text) {
    return hostExpression(Host, Site, Launch, Data, Names, Text);
  }
  Expected<Edit> place(const std::vector<std::string> &Statements,
                       bool NeedsScope, clang::CUDAKernelCallExpr *Call);
  Expected<Edit> guardedPlace(Edit New, LaunchContext Context,
                              clang::CUDAKernelCallExpr *Call);

  const ParsedUnit &Host;
  const KernelSite &Site;
  const Workload &Data;
  const LaunchPlan &Plan;
  const std::map<std::string, int64_t> &Tune;
  const KernelEdit &Kernel;
  const LaunchSite &Launch;
  HostNames Names;
  std::map<std::string, std::string> Scratch; ///< Plan's name to host's.
};

Expected<std::string>
LaunchWriter::extent(const std::array<std::string, 3> &Sides, StringRef Prefix,
                     StringRef Original) {
  bool Same = true;
  std::vector<std::string> Out;
  for (unsigned Axis = 0; Axis < 3; ++Axis) {
    Same &= Sides[Axis] == (Prefix + "_" + llvm::Twine("xyz"[Axis])).str();
    auto Side = inWords(Sides[Axis]);
    if (!Side)
      return Side.takeError();
    Out.push_back(std::move(*Side));
  }
  if (Same)
    return Original.str();
  while (Out.size() > 1 && Out.back() == "1")
    Out.pop_back();
  return "dim3(" + llvm::join(Out, ", ") + ")";
}

Expected<std::string> LaunchWriter::arguments(const PlannedLaunch &P) {
  if (P.Arguments.empty())
    return llvm::join(Names.Arguments, ", ");
  std::vector<std::string> Out;
  for (const std::string &Name : P.Arguments) {
    auto It = llvm::find_if(Site.Parameters, [&](const KernelParameter &K) {
      return K.Name == Name;
    });
    size_t Index = It - Site.Parameters.begin();
    if (auto Made = Scratch.find(Name); Made != Scratch.end())
      Out.push_back(Made->second);
    else if (Index < Names.Arguments.size())
      Out.push_back(Names.Arguments[Index]);
    else
      return refuse("the new launch passes '" + Name +
                        "', which the original does not have",
                    Launch.Call);
  }
  return llvm::join(Out, ", ");
}

Expected<std::string> LaunchWriter::oneLaunch(const PlannedLaunch &P) {
  auto Grid = extent(P.Grid, "grid", Names.Grid);
  if (!Grid)
    return Grid.takeError();
  auto Block = extent(P.Block, "block", Names.Block);
  if (!Block)
    return Block.takeError();
  auto Shared =
      P.SharedBytes == "shared_bytes"
          ? Expected<std::string>(Names.Shared.empty() ? "0" : Names.Shared)
          : inWords(P.SharedBytes);
  if (!Shared)
    return Shared.takeError();
  auto Arguments = arguments(P);
  if (!Arguments)
    return Arguments.takeError();
  StringRef Text = Host.text(Launch.Call);
  std::string Callee = Text.take_front(Text.find("<<<")).rtrim().str();
  StringRef Wanted = P.Kernel.empty() || P.Kernel == Site.Name
                         ? StringRef(Kernel.LaunchName)
                         : StringRef(P.Kernel);
  if (Wanted != Site.Name)
    Callee = replaceLastName(Callee, Site.Name, Wanted);
  std::string Out = Callee + "<<<" + *Grid + ", " + *Block;
  if (*Shared != "0" || !Names.Stream.empty())
    Out += ", " + *Shared;
  if (!Names.Stream.empty())
    Out += ", " + Names.Stream;
  return Out + ">>>(" + *Arguments + ")";
}

/// Stream-ordered allocations around the launches: nothing waits for them.
Error LaunchWriter::declareScratch(std::vector<std::string> &Before,
                                   std::vector<std::string> &After) {
  std::string Api = Host.command().IsHip ? "hip" : "cuda";
  std::string Stream = Names.Stream.empty() ? "0" : Names.Stream;
  for (const ScratchBuffer &B : Plan.Scratch) {
    auto Bytes = inWords(B.Bytes);
    if (!Bytes)
      return Bytes.takeError();
    std::string Name = B.Name;
    while (mentions(Host.fileText(Launch.Call.File), Name))
      Name += '_';
    Scratch[B.Name] = Name;
    StringRef Type = StringRef(B.Type).rtrim();
    Type.consume_back("*");
    Type = Type.rtrim();
    Before.push_back((Type + " *" + Name + " = nullptr;").str());
    Before.push_back(Api + "MallocAsync(&" + Name + ", " + *Bytes + ", " +
                     Stream + ");");
    After.push_back(Api + "FreeAsync(" + Name + ", " + Stream + ");");
  }
  return Error::success();
}

/// The statements in the launch's place. Where one statement stood alone under
/// an `if` they need braces; where names are declared, braces keep them apart.
Expected<Edit> LaunchWriter::place(const std::vector<std::string> &Statements,
                                   bool NeedsScope,
                                   clang::CUDAKernelCallExpr *Call) {
  StringRef File = Host.fileText(Launch.Call.File);
  StringRef Line = File.take_front(Launch.Call.Begin);
  Line = Line.drop_front(Line.rfind('\n') + 1);
  std::string Indent =
      Line.take_while([](char C) { return C == ' ' || C == '\t'; }).str();
  bool CarriageReturns = usesCarriageReturns(File);
  SourceSpan Place = Launch.Call;
  LaunchContext Context = contextOf(Host, Call);
  bool Braces =
      NeedsScope || (Statements.size() > 1 && Context != LaunchContext::Block);
  if (Statements.size() > 1 || NeedsScope) {
    if (Context == LaunchContext::Expression)
      return refuse("several statements would have to stand in an expression",
                    Launch.Call);
    // The `;` belongs to the statement that is replaced.
    StringRef Rest = File.drop_front(Place.End);
    if (!Rest.ltrim().starts_with(";"))
      return refuse("the launch is not followed by ';'", Launch.Call);
    Place.End += unsigned(Rest.find(';')) + 1;
  }
  std::string Text;
  if (Place.End == Launch.Call.End) {
    Text = StringRef(Statements.front()).rtrim(';').str();
  } else if (Braces) {
    Text = "{\n";
    for (const std::string &Each : Statements)
      Text += Indent + "  " + Each + "\n";
    Text += Indent + "}";
  } else {
    Text = llvm::join(Statements, "\n" + Indent);
  }
  Edit New{Place, withLineEnds(Text, CarriageReturns),
           contentHash(Host.text(Place))};
  return Kernel.Marker.empty() ? Expected<Edit>(std::move(New))
                               : guardedPlace(std::move(New), Context, Call);
}

/// \p New where the winner is compiled, the original launch elsewhere.
Expected<Edit> LaunchWriter::guardedPlace(Edit New, LaunchContext Context,
                                          clang::CUDAKernelCallExpr *Call) {
  StringRef File = Host.fileText(New.Place.File);
  StringRef Rest = File.drop_front(New.Place.End);
  if (Context == LaunchContext::Expression || Call->getBeginLoc().isMacroID())
    return refuse(
        "the kernel is another in other branches of conditional code, "
        "and its launch is part of a larger expression",
        Launch.Call);
  if (New.Place.End == Launch.Call.End && Rest.ltrim().starts_with(";")) {
    New.Place.End += unsigned(Rest.find(';')) + 1;
    New.Replacement += ";";
    Rest = File.drop_front(New.Place.End);
  }
  StringRef Before = File.take_front(New.Place.Begin);
  StringRef Indent = Before.substr(Before.rfind('\n') + 1);
  std::string Text = Indent.trim().empty() ? "" : "\n";
  Text +=
      "#ifdef " + Kernel.Marker + "\n" +
      Indent.take_while([](char C) { return C == ' ' || C == '\t'; }).str() +
      New.Replacement + "\n#else\n" + Host.text(New.Place).str() + "\n#endif";
  if (!Rest.take_until([](char C) { return C == '\n'; }).trim().empty())
    Text += "\n";
  New.Replacement = withLineEnds(Text, usesCarriageReturns(File));
  New.Hash = contentHash(Host.text(New.Place));
  return New;
}

Expected<Edit> LaunchWriter::write(clang::CUDAKernelCallExpr *Call) {
  auto Known = hostNames(Host, Site, Launch, Call, Plan, Tune);
  if (!Known)
    return Known.takeError();
  Names = std::move(*Known);
  std::vector<std::string> Statements = Names.Locals, After;
  if (Error E = declareScratch(Statements, After))
    return E;
  bool NeedsScope = !Statements.empty();
  for (const PlannedLaunch &P : Plan.Launches) {
    auto One = oneLaunch(P);
    if (!One)
      return One.takeError();
    Statements.push_back(*One + ";");
  }
  llvm::append_range(Statements, After);
  return place(Statements, NeedsScope, Call);
}

} // namespace

std::string mep::whyNotEdited(const ParsedUnit &Host, const KernelSite &Site,
                              const LaunchSite &Launch,
                              const LaunchIndex &Index) {
  const LaunchSite &Measured = Site.Launches.front();
  if (Launch.Unit != Host.command().File)
    return "launched from another unit too";
  if (Launch.Kind != LaunchKind::Triple)
    return (llvm::Twine("launched by a ") + name(Launch.Kind) +
            " launch, whose configuration is not edited")
        .str();
  const clang::CUDAKernelCallExpr *Call = Index.find(Launch);
  if (!Call)
    return "the launch is not where it was";
  if (!Call->getDirectCallee())
    return "launched through a variable, which is not edited";
  if (Launch.Instantiation != Measured.Instantiation)
    return "launched with other template arguments than those measured";
  if (squeezed(Launch.BlockText) != squeezed(Measured.BlockText) ||
      squeezed(Launch.SharedText) != squeezed(Measured.SharedText))
    return "launched with another block than the one measured";
  return "";
}

Expected<std::vector<Edit>> mep::editLaunches(
    const ParsedUnit &Host, const KernelSite &Site, const Workload &Data,
    const LaunchPlan &Plan, const std::map<std::string, int64_t> &Tune,
    const KernelEdit &Kernel, const std::vector<const LaunchSite *> &Launches,
    const LaunchIndex &Index) {
  std::vector<Edit> Edits;
  LaunchPlan Full = Plan;
  if (Full.Launches.empty())
    Full.Launches.emplace_back();
  for (const LaunchSite *Launch : Launches) {
    LaunchWriter Writer(Host, Site, Data, Full, Tune, Kernel, *Launch);
    auto E = Writer.write(Index.find(*Launch));
    if (!E)
      return E.takeError();
    Edits.push_back(std::move(*E));
  }
  return Edits;
}
