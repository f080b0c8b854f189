#include "LaunchEdit.h"
#include "SpliceText.h"
#include "mep/Frontend/ParsedUnit.h"
#include "mep/Support/Error.h"
#include "mep/Support/Files.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace mep;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

Error refuse(const llvm::Twine &Why, const SourceSpan &Place) {
  return makeError(Failure::Unsupported, Why.str(), Place.str());
}

/// The launches of the unit by the place of their call, and how often the
/// kernel's name is used in all.
class LaunchIndex : public clang::RecursiveASTVisitor<LaunchIndex> {
public:
  LaunchIndex(const ParsedUnit &Unit, StringRef Kernel)
      : Unit(Unit), Kernel(Kernel) {
    for (clang::Decl *D : Unit.context().getTranslationUnitDecl()->decls())
      if (!Unit.isSystem(D->getLocation()))
        TraverseDecl(D);
  }

  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr *Call) {
    Calls[Unit.span(Call->getSourceRange()).Begin] = Call;
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr *Reference) {
    if (Reference->getDecl()->hasAttr<clang::CUDAGlobalAttr>() &&
        Reference->getDecl()->getQualifiedNameAsString() == Kernel)
      ++Uses;
    return true;
  }

  std::map<unsigned, clang::CUDAKernelCallExpr *> Calls;
  unsigned Uses = 0;

private:
  const ParsedUnit &Unit;
  StringRef Kernel;
};

class LaunchWriter {
public:
  LaunchWriter(const ParsedUnit &Host, const KernelSite &Site,
               const Workload &Data, const LaunchPlan &Plan,
               const std::map<std::string, int64_t> &Tune, StringRef LaunchName)
      : Host(Host), Site(Site), Data(Data), Plan(Plan), Tune(Tune),
        LaunchName(LaunchName) {}

  Expected<Edit> write(const LaunchSite &Launch,
                       clang::CUDAKernelCallExpr *Call);

private:
  Expected<std::map<std::string, std::string>>
  hostNames(const LaunchSite &Launch, clang::CUDAKernelCallExpr *Call);
  Error addExtent(const LaunchSite &Launch, const clang::Expr *E,
                  StringRef Text, StringRef Prefix,
                  std::map<std::string, std::string> &Names);
  Expected<std::string>
  oneLaunch(const PlannedLaunch &P, const LaunchSite &Launch,
            const std::map<std::string, std::string> &Names);
  Expected<std::string> extent(const std::array<std::string, 3> &Sides,
                               StringRef Prefix, StringRef Original,
                               const std::map<std::string, std::string> &Names,
                               const LaunchSite &Launch);
  Expected<std::string>
  hostExpression(StringRef Text,
                 const std::map<std::string, std::string> &Names,
                 const LaunchSite &Launch);
  bool standsInBlock(clang::CUDAKernelCallExpr *Call);

  const ParsedUnit &Host;
  const KernelSite &Site;
  const Workload &Data;
  const LaunchPlan &Plan;
  const std::map<std::string, int64_t> &Tune;
  std::string LaunchName;
};

/// `grid_x` … of one configuration expression: members of a dim3, or an integer
/// and ones.
Error LaunchWriter::addExtent(const LaunchSite &Launch, const clang::Expr *E,
                              StringRef Text, StringRef Prefix,
                              std::map<std::string, std::string> &Names) {
  const clang::Expr *Spelled = E->IgnoreUnlessSpelledInSource();
  if (E->HasSideEffects(Host.context()) &&
      !llvm::isa<clang::CXXConstructExpr>(Spelled))
    return refuse("the launch's configuration has side effects", Launch.Call);
  bool IsRecord = Spelled->getType()->isRecordType() ||
                  llvm::isa<clang::InitListExpr>(Spelled);
  for (unsigned Axis = 0; Axis < 3; ++Axis) {
    std::string Name = (Prefix + "_" + llvm::Twine("xyz"[Axis])).str();
    if (IsRecord)
      Names[Name] =
          (Text.starts_with("{") ? "dim3" + Text.str() : parenthesized(Text)) +
          "." + "xyz"[Axis];
    else
      Names[Name] = Axis ? "1" : parenthesized(Text);
  }
  // A dim3 made in place says its sides itself.
  auto *Made = llvm::dyn_cast<clang::CXXConstructExpr>(Spelled);
  if (!Made || Made->getNumArgs() != 3)
    return Error::success();
  for (unsigned Axis = 0; Axis < 3; ++Axis) {
    const clang::Expr *Side = Made->getArg(Axis);
    std::string Name = (Prefix + "_" + llvm::Twine("xyz"[Axis])).str();
    if (Side->HasSideEffects(Host.context()))
      return refuse("the launch's configuration has side effects", Launch.Call);
    Names[Name] = llvm::isa<clang::CXXDefaultArgExpr>(Side)
                      ? "1"
                      : parenthesized(Host.text(Side->getSourceRange()));
  }
  return Error::success();
}

Expected<std::map<std::string, std::string>>
LaunchWriter::hostNames(const LaunchSite &Launch,
                        clang::CUDAKernelCallExpr *Call) {
  std::map<std::string, std::string> Names;
  const clang::CallExpr *Config = Call->getConfig();
  if (Error E =
          addExtent(Launch, Config->getArg(0), Launch.GridText, "grid", Names))
    return E;
  if (Error E = addExtent(Launch, Config->getArg(1), Launch.BlockText, "block",
                          Names))
    return E;
  Names["shared_bytes"] =
      Launch.SharedText.empty() ? "0" : parenthesized(Launch.SharedText);
  for (const auto &[Name, Value] : Tune)
    Names[Name] = std::to_string(Value);
  for (size_t I = 0; I < Site.Parameters.size() && I < Launch.Arguments.size();
       ++I)
    if (!Call->getArg(I)->HasSideEffects(Host.context()))
      Names[Site.Parameters[I].Name] = parenthesized(Launch.Arguments[I]);
  return Names;
}

/// A plan's expression in the host's words; a value the host code has no name
/// for is a refusal, not a number that would be wrong for another size.
Expected<std::string>
LaunchWriter::hostExpression(StringRef Text,
                             const std::map<std::string, std::string> &Names,
                             const LaunchSite &Launch) {
  for (const Dimension &D : Data.Dimensions)
    if (!D.IsMacro && !Names.count(D.Name) && mentions(Text, D.Name))
      return refuse("the new launch needs the value '" + D.Name +
                        "', which has no name there",
                    Launch.Call);
  return replaceNames(Text, Names);
}

Expected<std::string>
LaunchWriter::extent(const std::array<std::string, 3> &Sides, StringRef Prefix,
                     StringRef Original,
                     const std::map<std::string, std::string> &Names,
                     const LaunchSite &Launch) {
  bool Same = true;
  std::vector<std::string> Out;
  for (unsigned Axis = 0; Axis < 3; ++Axis) {
    Same &= Sides[Axis] == (Prefix + "_" + llvm::Twine("xyz"[Axis])).str();
    auto Side = hostExpression(Sides[Axis], Names, Launch);
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

Expected<std::string>
LaunchWriter::oneLaunch(const PlannedLaunch &P, const LaunchSite &Launch,
                        const std::map<std::string, std::string> &Names) {
  auto Grid = extent(P.Grid, "grid", Launch.GridText, Names, Launch);
  if (!Grid)
    return Grid.takeError();
  auto Block = extent(P.Block, "block", Launch.BlockText, Names, Launch);
  if (!Block)
    return Block.takeError();
  auto Shared = hostExpression(P.SharedBytes, Names, Launch);
  if (!Shared)
    return Shared.takeError();
  StringRef Text = Host.text(Launch.Call);
  std::string Callee = Text.take_front(Text.find("<<<")).rtrim().str();
  StringRef Wanted =
      P.Kernel == Site.Name ? StringRef(LaunchName) : StringRef(P.Kernel);
  if (Wanted != Site.Name)
    Callee = replaceNames(Callee, {{Site.Name, Wanted.str()}});
  std::string Out = Callee + "<<<" + *Grid + ", " + *Block;
  if (*Shared != "0" || !Launch.StreamText.empty())
    Out += ", " + *Shared;
  if (!Launch.StreamText.empty())
    Out += ", " + Launch.StreamText;
  std::vector<std::string> Arguments = Launch.Arguments;
  if (!P.Arguments.empty()) {
    Arguments.clear();
    for (const std::string &Name : P.Arguments) {
      auto It = llvm::find_if(Site.Parameters, [&](const KernelParameter &K) {
        return K.Name == Name;
      });
      if (It == Site.Parameters.end())
        return refuse("the new launch passes '" + Name +
                          "', which the original does not have",
                      Launch.Call);
      Arguments.push_back(Launch.Arguments[It - Site.Parameters.begin()]);
    }
  }
  return Out + ">>>(" + llvm::join(Arguments, ", ") + ")";
}

/// True if the launch is a statement of its own in a `{ ... }`.
bool LaunchWriter::standsInBlock(clang::CUDAKernelCallExpr *Call) {
  clang::DynTypedNode Node = clang::DynTypedNode::create(*Call);
  for (unsigned Up = 0; Up < 4; ++Up) {
    auto Parents = Host.context().getParents(Node);
    if (Parents.size() != 1)
      return false;
    Node = Parents[0];
    if (Node.get<clang::CompoundStmt>())
      return true;
    if (!Node.get<clang::ExprWithCleanups>())
      return false;
  }
  return false;
}

Expected<Edit> LaunchWriter::write(const LaunchSite &Launch,
                                   clang::CUDAKernelCallExpr *Call) {
  auto Names = hostNames(Launch, Call);
  if (!Names)
    return Names.takeError();
  std::vector<std::string> Texts;
  for (const PlannedLaunch &P : Plan.Launches) {
    auto One = oneLaunch(P, Launch, *Names);
    if (!One)
      return One.takeError();
    Texts.push_back(std::move(*One));
  }
  StringRef File = Host.fileText(Launch.Call.File);
  StringRef Line = File.take_front(Launch.Call.Begin);
  Line = Line.drop_front(Line.rfind('\n') + 1);
  std::string Indent =
      Line.take_while([](char C) { return C == ' ' || C == '\t'; }).str();
  // Several launches where one stood: statements in a block, else one
  // expression, so that an `if` without braces stays right.
  std::string Separator = standsInBlock(Call) ? ";\n" + Indent : ", ";
  return Edit{Launch.Call, llvm::join(Texts, Separator),
              contentHash(Host.text(Launch.Call))};
}

} // namespace

Expected<std::vector<Edit>>
mep::editLaunches(const ParsedUnit &Host, const KernelSite &Site,
                  const Workload &Data, const LaunchPlan &Plan,
                  const std::map<std::string, int64_t> &Tune,
                  StringRef LaunchName) {
  if (!Plan.Scratch.empty())
    return refuse("the new version needs a scratch buffer, which the host code "
                  "does not allocate",
                  Site.Definition);
  LaunchIndex Index(Host, Site.QualifiedName);
  if (Index.Uses != Site.Launches.size())
    return refuse("kernel '" + Site.QualifiedName +
                      "' is used other than by launches that were seen",
                  Site.Definition);
  LaunchWriter Writer(Host, Site, Data, Plan, Tune, LaunchName);
  std::vector<Edit> Edits;
  for (const LaunchSite &Launch : Site.Launches) {
    if (Launch.Unit != Host.command().File)
      return refuse("launched from another unit too", Launch.Call);
    if (Launch.Kind != LaunchKind::Triple)
      return refuse(llvm::Twine("launched by a ") + name(Launch.Kind) +
                        " launch, whose configuration is not edited",
                    Launch.Call);
    auto It = Index.Calls.find(Launch.Call.Begin);
    if (It == Index.Calls.end())
      return refuse("the launch is not where it was", Launch.Call);
    auto E = Writer.write(Launch, It->second);
    if (!E)
      return E.takeError();
    Edits.push_back(std::move(*E));
  }
  return Edits;
}
