#include "HostNames.h"
#include "SpliceText.h"
#include "mep/Frontend/ParsedUnit.h"
#include "mep/Support/Error.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/STLExtras.h"

using namespace mep;
using llvm::Expected;
using llvm::StringRef;

namespace {

std::string sideName(StringRef Prefix, unsigned Axis) {
  return (Prefix + "_" + llvm::Twine("xyz"[Axis])).str();
}

class NameBuilder {
public:
  NameBuilder(const ParsedUnit &Host, const KernelSite &Site,
              const LaunchSite &Launch, clang::CUDAKernelCallExpr *Call,
              const LaunchPlan &Plan)
      : Host(Host), Site(Site), Launch(Launch), Call(Call), Plan(Plan) {}

  HostNames build(const std::map<std::string, int64_t> &Tune) {
    const clang::CallExpr *Config = Call->getConfig();
    Names.Grid = extent(Config->getArg(0), Launch.GridText, "grid");
    Names.Block = extent(Config->getArg(1), Launch.BlockText, "block");
    Names.Shared = once(Config, 2, Launch.SharedText, "shared_bytes", "size_t");
    Names.Stream = once(Config, 3, Launch.StreamText, "stream", "auto");
    Names.Texts["shared_bytes"] =
        Names.Shared.empty() ? "0" : parenthesized(Names.Shared);
    for (const auto &[Name, Value] : Tune)
      Names.Texts[Name] = std::to_string(Value);
    arguments();
    return std::move(Names);
  }

private:
  bool hasEffects(const clang::Expr *E) const {
    return E->HasSideEffects(Host.context());
  }

  /// The plan says \p Name in an expression.
  bool needs(StringRef Name) const {
    auto Says = [&](const std::string &Text) { return mentions(Text, Name); };
    return llvm::any_of(Plan.Launches,
                        [&](const PlannedLaunch &L) {
                          return llvm::any_of(L.Grid, Says) ||
                                 llvm::any_of(L.Block, Says) ||
                                 Says(L.SharedBytes);
                        }) ||
           llvm::any_of(Plan.Scratch,
                        [&](const ScratchBuffer &B) { return Says(B.Bytes); });
  }

  /// A new name that nothing in the launch's file uses.
  std::string freshName(StringRef Base) const {
    std::string Name = Base.str();
    while (mentions(Host.fileText(Launch.Call.File), Name))
      Name += '_';
    return Name;
  }

  std::string local(StringRef Type, StringRef Base, StringRef Value) {
    std::string Name = freshName(Base);
    Names.Locals.push_back((Type + " " + Name + " = " + Value + ";").str());
    return Name;
  }

  /// The three arguments of a dim3 that is made in place, else null.
  static const clang::CXXConstructExpr *madeInPlace(const clang::Expr *E) {
    while (true) {
      E = E->IgnoreImplicit()->IgnoreParens();
      if (auto *Cast = llvm::dyn_cast<clang::CXXFunctionalCastExpr>(E)) {
        E = Cast->getSubExpr();
        continue;
      }
      auto *Made = llvm::dyn_cast<clang::CXXConstructExpr>(E);
      if (Made && Made->getNumArgs() == 1 &&
          Made->getConstructor()->isCopyOrMoveConstructor()) {
        E = Made->getArg(0);
        continue;
      }
      return Made && Made->getNumArgs() == 3 ? Made : nullptr;
    }
  }

  /// Names the sides of a grid or block; its text for a launch that keeps it.
  std::string extent(const clang::Expr *E, StringRef Text, StringRef Prefix) {
    const clang::CXXConstructExpr *Made = madeInPlace(E);
    bool Simple = Made ? llvm::none_of(Made->arguments(),
                                       [&](const clang::Expr *Side) {
                                         return hasEffects(Side);
                                       })
                       : !hasEffects(E->IgnoreUnlessSpelledInSource());
    if (!Simple) {
      std::string Name = local("dim3", (Prefix + "_dim").str(), Text);
      for (unsigned Axis = 0; Axis < 3; ++Axis)
        Names.Texts[sideName(Prefix, Axis)] = Name + "." + "xyz"[Axis];
      return Name;
    }
    for (unsigned Axis = 0; Axis < 3; ++Axis)
      Names.Texts[sideName(Prefix, Axis)] =
          Made ? side(Made->getArg(Axis))
               : parenthesized(Text) + "." + "xyz"[Axis];
    return Text.str();
  }

  std::string side(const clang::Expr *E) const {
    return llvm::isa<clang::CXXDefaultArgExpr>(E)
               ? "1"
               : parenthesized(Host.text(E->getSourceRange()));
  }

  /// A configuration value that several launches may repeat.
  std::string once(const clang::CallExpr *Config, unsigned Index,
                   StringRef Text, StringRef Name, StringRef Type) {
    if (Text.empty() || Config->getNumArgs() <= Index ||
        !hasEffects(Config->getArg(Index)) ||
        (Plan.Launches.size() < 2 && !needs(Name) && Plan.Scratch.empty()))
      return Text.str();
    return local(Type, Name, Text);
  }

  /// The argument's text where the parameter's type makes another value of it
  /// than its own.
  std::string converted(const clang::Expr *E, StringRef Text) const {
    clang::QualType From = E->IgnoreImpCasts()->getType(), To = E->getType();
    bool SameFamily = From->isFloatingType() == To->isFloatingType();
    if (SameFamily || !To->isArithmeticType())
      return parenthesized(Text);
    return "static_cast<" +
           To.getUnqualifiedType().getAsString(
               Host.context().getPrintingPolicy()) +
           ">(" + Text.str() + ")";
  }

  void arguments() {
    // One launch with the same arguments evaluates each of them once, as
    // before.
    bool Reordered =
        Plan.Launches.size() != 1 || !Plan.Launches[0].Arguments.empty();
    for (size_t I = 0; I < Launch.Arguments.size(); ++I) {
      const clang::Expr *E = Call->getArg(I);
      std::string Text = Launch.Arguments[I];
      std::string Name = I < Site.Parameters.size() ? Site.Parameters[I].Name
                                                    : "arg" + std::to_string(I);
      if (hasEffects(E) && (Reordered || needs(Name)))
        Text = local("auto", Name + "_arg", Text);
      Names.Texts[Name] = converted(E, Text);
      Names.Arguments.push_back(Text);
    }
  }

  const ParsedUnit &Host;
  const KernelSite &Site;
  const LaunchSite &Launch;
  clang::CUDAKernelCallExpr *Call;
  const LaunchPlan &Plan;
  HostNames Names;
};

/// The macro \p Name as it stands at \p Place, or null.
const clang::MacroInfo *macroAt(const ParsedUnit &Host, StringRef Name,
                                const SourceSpan &Place) {
  clang::Preprocessor &PP = Host.preprocessor();
  auto File = Host.sources().getFileManager().getOptionalFileRef(Place.File);
  if (!File)
    return nullptr;
  clang::SourceLocation At = Host.sources().translateFileLineCol(
      &File->getFileEntry(), Place.Line, Place.Column);
  clang::IdentifierInfo *Identifier = PP.getIdentifierInfo(Name);
  clang::MacroDirective *History = PP.getLocalMacroDirectiveHistory(Identifier);
  if (!History || At.isInvalid())
    return nullptr;
  auto Definition = History->findDirectiveAtLoc(At, Host.sources());
  return Definition && !Definition.isUndefined() ? Definition.getMacroInfo()
                                                 : nullptr;
}

} // namespace

Expected<HostNames> mep::hostNames(const ParsedUnit &Host,
                                   const KernelSite &Site,
                                   const LaunchSite &Launch,
                                   clang::CUDAKernelCallExpr *Call,
                                   const LaunchPlan &Plan,
                                   const std::map<std::string, int64_t> &Tune) {
  if (!Call->getConfig() || Call->getNumArgs() < Launch.Arguments.size())
    return makeError(Failure::Unsupported, "the launch is not where it was",
                     Launch.Call.str());
  return NameBuilder(Host, Site, Launch, Call, Plan).build(Tune);
}

Expected<std::string>
mep::hostExpression(const ParsedUnit &Host, const KernelSite &Site,
                    const LaunchSite &Launch, const Workload &Data,
                    const HostNames &Names, StringRef Text) {
  for (const Dimension &D : Data.Dimensions) {
    if (Names.Texts.count(D.Name) || !mentions(Text, D.Name))
      continue;
    const clang::MacroInfo *Here = macroAt(Host, D.Name, Launch.Call);
    if (!Here)
      return makeError(Failure::Unsupported,
                       "the new launch needs the value '" + D.Name +
                           "', which has no name there",
                       Launch.Call.str());
    if (D.IsMacro && Here != macroAt(Host, D.Name, Site.Definition))
      return makeError(Failure::Unsupported,
                       "macro '" + D.Name +
                           "' is not the same at the launch "
                           "and in the kernel",
                       Launch.Call.str());
  }
  return replaceNames(Text, Names.Texts);
}
