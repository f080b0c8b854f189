/// \file
/// Which loops read the command line, and the statements in them.

#include "OptionRunner.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mep;
using namespace clang;
using llvm::cast;
using llvm::dyn_cast;
using llvm::dyn_cast_or_null;
using llvm::isa;
using llvm::StringRef;

// ---- what is asked ---------------------------------------------------------

OptionRuns::OptionRuns(const ParsedUnit &Unit, const HostIndex &Index,
                       std::vector<std::string> Given, std::set<size_t> &Read)
    : Unit(Unit), Index(Index), Read(Read) {
  Words.push_back({"program", -1});
  for (std::string &Word : Given)
    Words.push_back({std::move(Word), int(Words.size()) - 1});
}

static bool isWordList(QualType T) {
  if (!T->isPointerType() && !T->isArrayType())
    return false;
  T = T->isPointerType() ? T->getPointeeType()
                         : QualType(T->getArrayElementTypeNoTypeQual(), 0);
  return T->isPointerType() && T->getPointeeType()->isAnyCharacterType();
}

/// Names argv, or calls getopt.
static bool readsWords(const Stmt *S) {
  if (auto *R = dyn_cast_or_null<DeclRefExpr>(S)) {
    auto *D = R->getDecl();
    if (auto *P = dyn_cast<ParmVarDecl>(D); P && isWordList(P->getType()))
      return true;
    if (D->getDeclName().isIdentifier() && D->getName().starts_with("getopt"))
      return true;
  }
  return S && llvm::any_of(S->children(), readsWords);
}

bool OptionRuns::isOfMain(const ParmVarDecl *Parameter, unsigned Which,
                          unsigned Depth) const {
  auto *F = dyn_cast<FunctionDecl>(Parameter->getDeclContext());
  if (!F || Depth > 8)
    return false;
  unsigned Place = Parameter->getFunctionScopeIndex();
  if (F->isMain())
    return Place == Which;
  const auto &Callers = Index.callers(F);
  return !Callers.empty() && llvm::all_of(Callers, [&](const CallPlace &C) {
    const Expr *Given = callArgument(C.Call, Place);
    auto *R = Given ? dyn_cast<DeclRefExpr>(bare(Given)) : nullptr;
    auto *Handed = R ? dyn_cast<ParmVarDecl>(R->getDecl()) : nullptr;
    return Handed && isOfMain(Handed, Which, Depth + 1);
  });
}

static const Guard *outerLoop(const Definition &D, const Guards &At) {
  for (const Guard &G : D.Under)
    if (G.isLoop() && !llvm::is_contained(At, G))
      return &G;
  return nullptr;
}

Guards OptionRuns::around(const Definition &D, const Guards &At) {
  Guards Outside;
  const Guard *Loop = outerLoop(D, At);
  for (const Guard &G : D.Under) {
    if (&G == Loop)
      break;
    Outside.push_back(G);
  }
  return Outside;
}

const OptionRuns::Outcome *OptionRuns::outcome(const Definition &D,
                                               const Guards &At) const {
  const Guard *Loop = D.Target ? outerLoop(D, At) : nullptr;
  if (!Loop)
    return nullptr;
  auto &Slot = Outcomes[Loop->Statement];
  if (!Slot) {
    Slot = std::make_unique<Outcome>();
    if (readsWords(Loop->Statement)) {
      OptionRunner Runner(*this, D.In, Loop->Order);
      Slot->IsFollowed = Runner.run(Loop->Statement, *Slot);
      if (Slot->IsFollowed)
        Read.insert(Runner.read().begin(), Runner.read().end());
    }
  }
  return Slot->IsFollowed ? Slot.get() : nullptr;
}

std::optional<bool> OptionRuns::settles(const Definition &D,
                                        const Guards &At) const {
  const Outcome *O = outcome(D, At);
  auto Key = O ? OptionRunner::keyOf(D.Target) : std::nullopt;
  if (!Key || O->Open.count(*Key))
    return std::nullopt;
  return O->Given.count(D.Target) != 0;
}

TermRef OptionRuns::given(const Definition &D, const Guards &At) const {
  const Outcome *O = outcome(D, At);
  auto Found = O ? O->Given.find(D.Target) : decltype(O->Given.end())();
  return O && Found != O->Given.end() ? Found->second : nullptr;
}

TermRef OptionRuns::returned(const CallExpr *Call) const {
  const FunctionDecl *F = calledFunction(Call);
  if (!F || !F->hasBody() ||
      llvm::none_of(F->parameters(), [](const ParmVarDecl *P) {
        return isWordList(P->getType());
      }))
    return nullptr;
  for (const CallPlace &C : Index.callers(F)) {
    if (C.Call != Call)
      continue;
    OptionRunner Runner(*this, C.In, C.Order);
    OptionValue V = Runner.call(Call);
    if (Runner.hasFailed() || V.What != OptionValue::Number)
      return nullptr;
    Read.insert(Runner.read().begin(), Runner.read().end());
    return V.Num;
  }
  return nullptr;
}

// ---- running ---------------------------------------------------------------

bool OptionRunner::run(const Stmt *Loop, OptionRuns::Outcome &Out) {
  // The head's own variables were set before it, and are found there.
  if (auto *For = dyn_cast<ForStmt>(Loop))
    loop(For->getCond(), For->getInc(), For->getBody(), true);
  else
    statement(Loop);
  if (Failed)
    return false;
  for (const auto &[Key, Target] : Last) {
    const OptionValue &V = State[Key];
    Out.Given[Target] = V.What == OptionValue::Number ? V.Num : nullptr;
  }
  Out.Open = Open;
  return true;
}

/// Ends the application where it runs.
bool OptionRunner::leaves(const Stmt *S) const {
  if (!S)
    return false;
  if (auto *Block = dyn_cast<CompoundStmt>(S))
    return !Block->body_empty() && leaves(Block->body_back());
  if (isa<ReturnStmt>(S))
    return Calls == 0 && In && In->isMain();
  auto *E = dyn_cast<Expr>(S);
  auto *Call = E ? dyn_cast<CallExpr>(bare(E)) : nullptr;
  if (E && isa<CXXThrowExpr>(bare(E)))
    return true;
  const FunctionDecl *F = Call ? calledFunction(Call) : nullptr;
  if (!F)
    return false;
  if (F->isNoReturn())
    return true;
  auto *Body = F->hasBody() ? dyn_cast<CompoundStmt>(F->getBody()) : nullptr;
  const Stmt *End = Body && !Body->body_empty() ? Body->body_back() : nullptr;
  auto *Inner = dyn_cast_or_null<CallExpr>(End);
  const FunctionDecl *G = Inner ? Inner->getDirectCallee() : nullptr;
  return G && G->isNoReturn();
}

/// Leaves the statement around \p S by a jump.
static bool jumps(const Stmt *S) {
  return S &&
         (isa<BreakStmt>(S) || isa<ContinueStmt>(S) || isa<ReturnStmt>(S) ||
          isa<GotoStmt>(S) || llvm::any_of(S->children(), jumps));
}

OptionRunner::Next OptionRunner::unknownCondition(const IfStmt *If) {
  // An application that goes on did not go where it would have ended.
  if (leaves(If->getThen()))
    return statement(If->getElse());
  if (leaves(If->getElse()))
    return statement(If->getThen());
  if (jumps(If->getThen()) || jumps(If->getElse()))
    return fail();
  forget(If->getThen());
  forget(If->getElse());
  return Next::On;
}

OptionRunner::Next OptionRunner::condition(const IfStmt *If) {
  statement(If->getInit());
  if (const VarDecl *V = If->getConditionVariable())
    declare(V);
  auto Holds = value(If->getCond()).asBool();
  if (Failed)
    return Next::Return;
  if (!Holds)
    return unknownCondition(If);
  return statement(*Holds ? If->getThen() : If->getElse());
}

OptionRunner::Next OptionRunner::loop(const Expr *Condition, const Expr *After,
                                      const Stmt *Body, bool TestsFirst) {
  for (bool First = true; !isSpent(); First = false) {
    if (Condition && (TestsFirst || !First)) {
      auto Holds = value(Condition).asBool();
      if (!Holds)
        return fail();
      if (!*Holds)
        return Next::On;
    }
    Next N = statement(Body);
    if (N == Next::Break)
      return Next::On;
    if (N == Next::Return)
      return N;
    if (After)
      value(After);
  }
  return fail();
}

OptionRunner::Next OptionRunner::switched(const SwitchStmt *S) {
  auto Wanted = value(S->getCond()).asInteger();
  auto *Block = dyn_cast<CompoundStmt>(S->getBody());
  if (!Wanted || !Block)
    return fail();
  auto Matches = [&](const Stmt *Label, bool Default) {
    for (; auto *C = dyn_cast_or_null<SwitchCase>(Label);
         Label = C->getSubStmt()) {
      auto *Case = dyn_cast<CaseStmt>(C);
      if (Case ? !Default && value(Case->getLHS()).asInteger() == Wanted
               : Default)
        return true;
    }
    return false;
  };
  for (bool Default : {false, true}) {
    auto At = llvm::find_if(Block->body(),
                            [&](const Stmt *L) { return Matches(L, Default); });
    if (At == Block->body_end())
      continue;
    for (; At != Block->body_end(); ++At)
      if (Next N = statement(*At); N != Next::On)
        return N == Next::Break ? Next::On : N;
    return Next::On;
  }
  return Next::On;
}

void OptionRunner::declare(const VarDecl *V) {
  Key Of{V->getCanonicalDecl(), nullptr};
  // A static one keeps what it had.
  if (V->isStaticLocal())
    State[Of] = {};
  else
    State[Of] = V->getInit() ? value(V->getInit()) : OptionValue();
}

OptionRunner::Next OptionRunner::statement(const Stmt *S) {
  if (!S)
    return Next::On;
  if (isSpent())
    return fail();
  if (auto *Block = dyn_cast<CompoundStmt>(S)) {
    for (const Stmt *Each : Block->body())
      if (Next N = statement(Each); N != Next::On)
        return N;
    return Next::On;
  }
  if (auto *D = dyn_cast<DeclStmt>(S)) {
    for (const Decl *Each : D->decls())
      if (auto *V = dyn_cast<VarDecl>(Each))
        declare(V);
    return Failed ? Next::Return : Next::On;
  }
  if (auto *If = dyn_cast<IfStmt>(S))
    return condition(If);
  if (auto *For = dyn_cast<ForStmt>(S)) {
    statement(For->getInit());
    return loop(For->getCond(), For->getInc(), For->getBody(), true);
  }
  if (auto *While = dyn_cast<WhileStmt>(S))
    return While->getConditionVariable()
               ? fail()
               : loop(While->getCond(), nullptr, While->getBody(), true);
  if (auto *Do = dyn_cast<DoStmt>(S))
    return loop(Do->getCond(), nullptr, Do->getBody(), false);
  if (auto *Switch = dyn_cast<SwitchStmt>(S))
    return switched(Switch);
  if (auto *Label = dyn_cast<SwitchCase>(S))
    return statement(Label->getSubStmt());
  if (isa<BreakStmt>(S))
    return Next::Break;
  if (isa<ContinueStmt>(S))
    return Next::Continue;
  if (isa<NullStmt>(S))
    return Next::On;
  if (auto *Try = dyn_cast<CXXTryStmt>(S))
    return statement(Try->getTryBlock());
  if (auto *R = dyn_cast<ReturnStmt>(S)) {
    // The rest of the function, which was not asked for, would not run.
    if (Calls == 0)
      return fail();
    Returned = R->getRetValue() ? value(R->getRetValue()) : OptionValue();
    return Next::Return;
  }
  auto *E = dyn_cast<Expr>(S);
  if (!E)
    return fail();
  value(E);
  return Failed ? Next::Return : Next::On;
}
