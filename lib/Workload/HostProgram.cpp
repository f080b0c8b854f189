/// \file
/// Functions, globals and members of one unit found again in another: by their
/// qualified names, since each unit has declarations of its own.

#include "HostProgram.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/DeclCXX.h"

using namespace mep;
using namespace clang;
using llvm::dyn_cast;

const HostIndex &HostProgram::indexOf(const ParsedUnit &Unit) {
  if (&Unit == &Main)
    return MainIndex;
  auto &Slot = Indexes[&Unit];
  if (!Slot)
    Slot = std::make_unique<HostIndex>(Unit);
  return *Slot;
}

const OptionRuns *HostProgram::optionsOf(const ParsedUnit &Unit,
                                         const HostIndex &Index) {
  if (!Arguments)
    return nullptr;
  auto &Slot = Options[&Unit];
  if (!Slot)
    Slot = std::make_unique<OptionRuns>(Unit, Index, *Arguments, WordsRead);
  return Slot.get();
}

std::vector<const ParsedUnit *> HostProgram::naming(llvm::StringRef Name,
                                                    const ParsedUnit &From) {
  std::vector<const ParsedUnit *> Units;
  if (&From != &Main)
    Units.push_back(&Main);
  if (Others && !Name.empty())
    for (const ParsedUnit *Unit : Others(Name))
      if (Unit != &From && Unit != &Main)
        Units.push_back(Unit);
  return Units;
}

/// True if main, or nobody at all, is at the top of the calls that lead to
/// \p P: the chain is complete.
static bool startsAtMain(const HostIndex &Index, const CallPlace &P) {
  HostFlow Flow(Index);
  Point At = Flow.pointOf(P);
  FrameRef Top = At.In;
  while (Top && Top->Call)
    Top = Top->Caller.In;
  return Top && Top->Function && Top->Function->isMain();
}

/// By what name other units call \p F; empty: by none. What nobody else can
/// name is called from its own unit or not at all.
static llvm::StringRef nameElsewhere(const FunctionDecl *F) {
  if (!F || !F->isExternallyVisible() || F->isMain())
    return {};
  // Constructors are called by their class's name; operators by none.
  if (auto *C = dyn_cast<CXXConstructorDecl>(F))
    return C->getParent()->getName();
  return F->getDeclName().isIdentifier() ? F->getName() : llvm::StringRef();
}

size_t HostProgram::unitsNotRead(const FunctionDecl *F) const {
  llvm::StringRef Name = nameElsewhere(F);
  return Name.empty() || !NotRead ? 0 : NotRead(Name);
}

std::vector<RemoteCall> HostProgram::callsOf(const FunctionDecl *F,
                                             const ParsedUnit &From) {
  std::vector<RemoteCall> Calls;
  llvm::StringRef Name = nameElsewhere(F);
  if (Name.empty())
    return Calls;
  for (const ParsedUnit *Unit : naming(Name, From)) {
    const HostIndex &Index = indexOf(*Unit);
    for (const CallPlace *P :
         Index.callersOf(F->getQualifiedNameAsString(), F->getNumParams()))
      Calls.push_back({Unit, &Index, P, {}});
  }
  return Calls;
}

HostProgram::Elsewhere HostProgram::callOf(const FunctionDecl *F,
                                           const ParsedUnit &From) {
  if (F)
    if (auto Chosen = Way.Calls.find(F->getCanonicalDecl());
        Chosen != Way.Calls.end()) {
      const RemoteCall &C = Chosen->second;
      return {C.Unit, C.Index, C.Call, nullptr, C.At};
    }
  Elsewhere Found;
  llvm::StringRef Name = nameElsewhere(F);
  if (Name.empty())
    return Found;
  for (const ParsedUnit *Unit : naming(Name, From)) {
    const HostIndex &Index = indexOf(*Unit);
    const CallPlace *P =
        Index.callerOf(F->getQualifiedNameAsString(), F->getNumParams());
    if (!P)
      continue;
    bool Complete = startsAtMain(Index, *P);
    if (!Found || Complete)
      Found = {Unit, &Index, P, nullptr, {}};
    if (Complete)
      break;
  }
  return Found;
}

HostProgram::Elsewhere HostProgram::definitionOf(const ValueDecl *D,
                                                 const ParsedUnit &From) {
  auto *V = llvm::dyn_cast_or_null<VarDecl>(D);
  if (!D || !D->getDeclName().isIdentifier() ||
      (V && (!V->hasGlobalStorage() || !V->isExternallyVisible())))
    return {};
  for (const ParsedUnit *Unit : naming(D->getName(), From)) {
    const HostIndex &Index = indexOf(*Unit);
    if (const ValueDecl *Same =
            Index.definedAs(D->getQualifiedNameAsString(), D->getKind()))
      return {Unit, &Index, nullptr, Same, {}};
  }
  return {};
}
