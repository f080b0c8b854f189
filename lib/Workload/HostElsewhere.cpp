/// \file
/// Values that the launching unit does not have: from callers and definitions
/// in other units, from the command line and from the device.

#include "HostProgram.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringSwitch.h"
#include <cstdlib>

using namespace mep;
using namespace clang;
using llvm::dyn_cast;
using llvm::isa;
using llvm::StringRef;

HostValues::HostValues(HostProgram &Program, DimensionTable &Dimensions,
                       unsigned LoopQuarters)
    : Program(Program), Host(Program.unit()), Index(Program.index()),
      Flow(Index, Program.optionsOf(Host, Index)), Dimensions(Dimensions),
      LoopQuarters(LoopQuarters) {}

HostValues::HostValues(HostProgram &Program, DimensionTable &Dimensions,
                       const ParsedUnit &Host, const HostIndex &Index)
    : Program(Program), Host(Host), Index(Index),
      Flow(Index, Program.optionsOf(Host, Index)), Dimensions(Dimensions),
      LoopQuarters(2) {}

HostValues::HostValues(const HostValues &Asking, const ParsedUnit &Host,
                       const HostIndex &Index)
    : Program(Asking.Program), Host(Host), Index(Index),
      Flow(Index, Program.optionsOf(Host, Index)),
      Dimensions(Asking.Dimensions), LoopQuarters(Asking.LoopQuarters),
      Depth(Asking.Depth + 1) {}

// ---- other units -----------------------------------------------------------

void HostValues::takeReasons(HostValues &Other) {
  if (Why.empty()) {
    Why = Other.Why;
    Where = Other.Where;
  }
  for (std::string &Text : Other.Notes)
    note(std::move(Text));
}

bool HostValues::fromCaller(
    const ValueDecl *D,
    llvm::function_ref<void(HostValues &, const Expr *, const Point &)> Ask) {
  auto *Parameter = dyn_cast_or_null<ParmVarDecl>(D);
  auto *F =
      Parameter ? dyn_cast<FunctionDecl>(Parameter->getDeclContext()) : nullptr;
  HostProgram::Elsewhere Call = Program.callOf(F, Host);
  const Expr *Given =
      Call ? callArgument(Call.Call->Call, Parameter->getFunctionScopeIndex())
           : nullptr;
  if (!Given)
    return false;
  HostValues Other(*this, *Call.Unit, *Call.Index);
  Ask(Other, Given, Call.At.In ? Call.At : Other.Flow.pointOf(*Call.Call));
  takeReasons(Other);
  return true;
}

bool HostValues::fromDefinition(
    const ValueDecl *D,
    llvm::function_ref<void(HostValues &, const ValueDecl *)> Ask) {
  HostProgram::Elsewhere Found = Program.definitionOf(D, Host);
  if (!Found)
    return false;
  HostValues Other(*this, *Found.Unit, *Found.Index);
  Ask(Other, Found.Name);
  takeReasons(Other);
  return true;
}

/// \p Path, of another unit's declarations, in the structure \p T of this one.
static FieldPath inStructure(const FieldPath &Path, QualType T) {
  FieldPath Same;
  for (const FieldDecl *F : Path) {
    T = T.getNonReferenceType();
    if (T->isPointerType())
      T = T->getPointeeType();
    const RecordDecl *R = T->getAsRecordDecl();
    const FieldDecl *Found = nullptr;
    if (R && R->getDefinition())
      for (const FieldDecl *Each : R->getDefinition()->fields())
        if (Each->getName() == F->getName())
          Found = Each;
    if (!Found)
      return {};
    Same.push_back(Found);
    T = Found->getType();
  }
  return Same;
}

/// The parameter at the bottom of `p`, `p.a`, `p->a`, `*p`; \p Path gets the
/// members in front of what it has.
static const ValueDecl *parameterOf(const Expr *E, FieldPath &Path) {
  while ((E = bare(E))) {
    if (auto *M = dyn_cast<MemberExpr>(E)) {
      auto *F = dyn_cast<FieldDecl>(M->getMemberDecl());
      if (!F)
        return nullptr;
      Path.insert(Path.begin(), F);
      E = M->getBase();
    } else if (auto *U = dyn_cast<UnaryOperator>(E)) {
      E = U->getSubExpr();
    } else {
      auto *R = dyn_cast<DeclRefExpr>(E);
      return R && isa<ParmVarDecl>(R->getDecl()) ? R->getDecl() : nullptr;
    }
  }
  return nullptr;
}

TermRef HostValues::memberElsewhere(const Expr *E, const FieldPath &Path) {
  TermRef Result;
  FieldPath Whole = Path;
  fromCaller(parameterOf(E, Whole),
             [&](HostValues &Other, const Expr *Given, const Point &At) {
               FieldPath Same = inStructure(Whole, Given->getType());
               if (!Same.empty())
                 Result = Other.member(Given, Same, At);
             });
  if (!Result)
    fromDefinition(Path.back(), [&](HostValues &Other, const ValueDecl *D) {
      auto *F = llvm::cast<FieldDecl>(D);
      Result =
          Other.memberTerm(F, Other.memberAnywhere({F}, {}), F->getLocation());
    });
  return Result;
}

PointerValue HostValues::pointerElsewhere(const Expr *E,
                                          const FieldPath &Path) {
  PointerValue Result;
  FieldPath Whole = Path;
  fromCaller(parameterOf(E, Whole),
             [&](HostValues &Other, const Expr *Given, const Point &At) {
               FieldPath Same = inStructure(Whole, Given->getType());
               if (!Same.empty())
                 Result = Other.pointerMember(Given, Same, At);
             });
  if (Result.What == PointerValue::Unknown)
    fromDefinition(Path.back(), [&](HostValues &Other, const ValueDecl *D) {
      Result = Other.pointerVariable(D, nullptr, {});
    });
  return Result;
}

// ---- the command line ------------------------------------------------------

/// \p E is parameter \p Which of main, handed on as it is.
bool HostValues::isMainParameter(const Expr *E, unsigned Which,
                                 const Point &P) {
  auto *R = dyn_cast<DeclRefExpr>(bare(E));
  if (!R || Depth > 48)
    return false;
  auto *Parameter = dyn_cast<ParmVarDecl>(R->getDecl());
  auto *F =
      Parameter ? dyn_cast<FunctionDecl>(Parameter->getDeclContext()) : nullptr;
  // Handed on, it is still the same list.
  bool Kept =
      llvm::all_of(Index.definitions(R->getDecl()), [](const Definition &D) {
        return D.How == Definition::Passed || D.How == Definition::Initializer;
      });
  if (!Kept)
    return false;
  if (F && F->isMain())
    return Parameter->getFunctionScopeIndex() == Which;
  auto Known = [&](const Expr *C, const Point &At) { return decide(C, At); };
  Reach From =
      Flow.find(R->getDecl(), nullptr, F ? Point{P.In, 0, {}} : P, Known);
  if (From.What == Reach::Parameter)
    return isMainParameter(From.Argument, Which, From.Place);
  if (From.What == Reach::Nothing) {
    bool Is = false;
    fromCaller(Parameter,
               [&](HostValues &Other, const Expr *E, const Point &At) {
                 Is = Other.isMainParameter(E, Which, At);
               });
    return Is;
  }
  return From.What == Reach::Defined && From.Source->Value && !From.Loop &&
         isMainParameter(From.Source->Value, Which, From.Place);
}

std::optional<std::string> HostValues::commandLineWord(const Expr *E,
                                                       const Point &P) {
  if (!E || !Program.arguments())
    return std::nullopt;
  E = bare(E);
  if (auto *S = dyn_cast<ArraySubscriptExpr>(E)) {
    if (!isMainParameter(S->getBase(), 1, P))
      return std::nullopt;
    auto I = mep::evaluate(value(S->getIdx(), P), Dimensions.values());
    if (!I || I->IsFloat || I->Integer < 1 ||
        uint64_t(I->Integer) > Program.arguments()->size())
      return std::nullopt;
    Program.wordsRead().insert(size_t(I->Integer - 1));
    return (*Program.arguments())[I->Integer - 1];
  }
  if (auto *C = dyn_cast<CXXConstructExpr>(E))
    return C->getNumArgs() ? commandLineWord(C->getArg(0), P) : std::nullopt;
  if (auto *M = dyn_cast<CXXMemberCallExpr>(E); M && calledName(M) == "c_str")
    return commandLineWord(M->getImplicitObjectArgument(), P);
  auto *R = dyn_cast<DeclRefExpr>(E);
  if (!R)
    return std::nullopt;
  auto Known = [&](const Expr *C, const Point &At) { return decide(C, At); };
  Reach From = Flow.find(R->getDecl(), nullptr, P, Known);
  if (From.What == Reach::Parameter)
    return commandLineWord(From.Argument, From.Place);
  if (From.What == Reach::Nothing) {
    std::optional<std::string> Word;
    fromCaller(R->getDecl(),
               [&](HostValues &Other, const Expr *E, const Point &At) {
                 Word = Other.commandLineWord(E, At);
               });
    return Word;
  }
  if (From.What == Reach::Defined && From.Source->Value && !From.Loop)
    return commandLineWord(From.Source->Value, From.Place);
  return std::nullopt;
}

/// `atoi(argv[1])` and its kin.
TermRef HostValues::commandLineNumber(const CallExpr *C, const Point &P) {
  enum {
    None,
    Whole,
    Real
  } Kind = llvm::StringSwitch<decltype(Kind)>(calledName(C))
               .Cases({"atoi", "atol", "atoll", "strtol", "strtoul", "strtoll",
                       "strtoull", "stoi", "stol", "stoul", "stoll", "stoull"},
                      Whole)
               .Cases({"atof", "strtod", "strtof", "stof", "stod"}, Real)
               .Default(None);
  if (Kind == None || C->getNumArgs() == 0)
    return nullptr;
  auto Word = commandLineWord(C->getArg(0), P);
  if (!Word)
    return nullptr;
  if (Kind == Real)
    return floatTerm(std::strtod(Word->c_str(), nullptr));
  return integerTerm(std::strtoll(Word->c_str(), nullptr, 10));
}

// ---- the device ------------------------------------------------------------

/// What the host asks the device for, as a current data-centre GPU answers;
/// only its order of magnitude matters to a workload.
static std::optional<int64_t> deviceProperty(StringRef Name) {
  return llvm::StringSwitch<std::optional<int64_t>>(Name)
      .Cases({"multiProcessorCount", "cudaDevAttrMultiProcessorCount",
              "hipDeviceAttributeMultiprocessorCount"},
             128)
      .Cases({"maxThreadsPerBlock", "cudaDevAttrMaxThreadsPerBlock"}, 1024)
      .Cases({"maxThreadsPerMultiProcessor",
              "cudaDevAttrMaxThreadsPerMultiProcessor"},
             2048)
      .Cases({"sharedMemPerBlock", "cudaDevAttrMaxSharedMemoryPerBlock"},
             48 * 1024)
      .Cases({"warpSize", "cudaDevAttrWarpSize"}, 32)
      .Default(std::nullopt);
}

TermRef HostValues::ofDevice(StringRef Name, SourceLocation L) {
  auto Value = deviceProperty(Name);
  if (!Value)
    return nullptr;
  note("'" + Name.str() + "' at " + placeOf(L) +
       " is asked of the device: " + std::to_string(*Value) + " is taken");
  return integerTerm(*Value);
}

TermRef HostValues::setByDevice(const Definition &Def) {
  StringRef Name = calledName(Def.Call);
  if (Name == "cudaDeviceGetAttribute" || Name == "hipDeviceGetAttribute") {
    const Expr *Which = bare(callArgument(Def.Call, 1));
    auto *R = dyn_cast_or_null<DeclRefExpr>(Which);
    return R ? ofDevice(R->getDecl()->getName(), Def.At) : nullptr;
  }
  bool Potential = Name.contains("OccupancyMaxPotentialBlockSize");
  if (!Potential && !Name.contains("OccupancyMaxActiveBlocksPerMultiprocessor"))
    return nullptr;
  int64_t Value = !Potential ? 8 : Def.Argument == 0 ? 128 * 8 : 256;
  note("'" + Name.str() + "' at " + placeOf(Def.At) +
       " is asked of the device: " + std::to_string(Value) + " is taken");
  return integerTerm(Value);
}
