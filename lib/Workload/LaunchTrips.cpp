#include "LaunchTrips.h"
#include "WorkloadDraft.h"
#include "mep/Frontend/LoopTrips.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mep;
using namespace clang;
using llvm::dyn_cast;
using llvm::isa;
using llvm::StringRef;

namespace {

/// Trips of one loop that are gone through one by one; how often the launch is
/// looked at in all.
constexpr int64_t MostTrips = 512, MostLooks = 2048;

// ---- what a launch is given ------------------------------------------------

/// All that a launch is given, as text: equal where the kernel gets the same.
class GivenNumbers {
public:
  GivenNumbers(HostValues &Values, const DimensionTable &Table, const Point &At)
      : Values(Values), Table(Table), At(At) {}

  void add(const TermRef &T) {
    auto V = evaluate(T, Table.values());
    Text += !V           ? "?"
            : V->IsFloat ? std::to_string(V->Float)
                         : std::to_string(V->Integer);
    Text += ',';
  }
  void argument(QualType T, const Expr *E, const FieldPath &Path) {
    T = T.getCanonicalType().getNonReferenceType();
    Values.forget();
    if (T->isPointerType())
      return pointer(Path.empty() ? Values.pointer(E, At)
                                  : Values.pointerMember(E, Path, At));
    const RecordDecl *R = T->getAsRecordDecl();
    if (!R)
      return add(Path.empty() ? Values.value(E, At)
                              : Values.member(E, Path, At));
    if (!R->getDefinition() || Path.size() > MostNested)
      return;
    if (auto *C = dyn_cast<CXXRecordDecl>(R->getDefinition()))
      for (const CXXBaseSpecifier &B : C->bases())
        if (const CXXRecordDecl *Base = B.getType()->getAsCXXRecordDecl())
          fields(Base, E, Path);
    fields(R->getDefinition(), E, Path);
  }
  void fields(const RecordDecl *R, const Expr *E, const FieldPath &Path) {
    for (const FieldDecl *F : R->fields()) {
      FieldPath Inner = Path;
      Inner.push_back(F);
      argument(F->getType(), E, Inner);
    }
  }
  std::string take() { return std::move(Text); }

private:
  static constexpr size_t MostNested = 4;
  void pointer(const PointerValue &V) {
    Text += V.Id + (V.What == PointerValue::Null ? "null" : "") + V.Name + '+';
    add(V.OffsetBytes);
    add(V.Bytes);
  }

  HostValues &Values;
  const DimensionTable &Table;
  const Point &At;
  std::string Text;
};

// ---- conditions ------------------------------------------------------------

bool isStatus(QualType T) {
  auto *Enum = T.getCanonicalType()->getAs<EnumType>();
  return Enum && llvm::StringSwitch<bool>(Enum->getDecl()->getName())
                     .Cases({"cudaError", "cudaError_enum", "hipError_t"}, true)
                     .Default(false);
}

/// Asks for the status of the GPU's API, or whether a pointer is null: such
/// conditions lead to where errors are handled.
bool isErrorCheck(const Stmt *S) {
  if (auto *E = llvm::dyn_cast_or_null<Expr>(S); E && isStatus(E->getType()))
    return true;
  if (auto *C = llvm::dyn_cast_or_null<CastExpr>(S);
      C && C->getCastKind() == CK_PointerToBoolean)
    return true;
  if (auto *B = llvm::dyn_cast_or_null<BinaryOperator>(S);
      B && B->isComparisonOp() && B->getLHS()->getType()->isPointerType())
    return true;
  return S && !isa<CallExpr>(S) && llvm::any_of(S->children(), isErrorCheck);
}

/// By itself or through what initialises its variables.
bool restsOnParameters(const Stmt *S, unsigned Depth = 0) {
  constexpr unsigned MostDepth = 8;
  if (!S || Depth > MostDepth)
    return S != nullptr;
  if (auto *R = dyn_cast<DeclRefExpr>(S)) {
    auto *V = dyn_cast<VarDecl>(R->getDecl());
    return V && (isa<ParmVarDecl>(V) ||
                 (V->isLocalVarDecl() &&
                  restsOnParameters(V->getInit(), Depth + 1)));
  }
  return llvm::any_of(S->children(), [&](const Stmt *Child) {
    return restsOnParameters(Child, Depth + 1);
  });
}

struct CountedSet {
  std::string Key;
  TripSet Set;
};

class TripWalk {
public:
  TripWalk(HostProgram &Program, const DimensionTable &Table,
           const LaunchCall &Call, const LaunchWay &Way)
      : Program(Program), Table(Table), Call(Call), Way(Way) {
    Program.way() = Way.Way;
  }

  LaunchTrips run();

private:
  bool place(size_t I, double Runs);
  bool guards(size_t I, size_t G, double Runs);
  bool loop(size_t I, size_t G, double Runs);
  bool everyTrip(size_t I, size_t G, int64_t Trips, double Runs);
  bool someTrips(size_t I, size_t G, int64_t Trips, double Runs);
  bool choice(size_t I, size_t G, double Runs);
  void launch(double Runs);

  /// What a trip does before and behind the place inside.
  enum Course { Goes, Skipped, EndsBefore, EndsAfter };
  struct TripCourse {
    Course What = Goes;
    bool IsReturn = false, IsKnown = true;
  };
  TripCourse course(size_t I, size_t G);
  std::optional<bool> taken(const HostExit &X, size_t From, size_t I);
  bool leavesLoop(const HostExit &X, size_t I, size_t G) const;
  bool hasExits(size_t I, size_t G) const;
  std::optional<int64_t> trips(size_t I, size_t G);
  std::optional<int64_t> countedTrips(size_t I, size_t G, int64_t Most);
  std::optional<bool> goesOn(size_t I, size_t G, int64_t Number);

  std::optional<int64_t> known(const Expr *E, size_t I, const Point &At);
  Point before(size_t I, size_t G) const {
    const Point &P = Way.Places[I].At;
    return {P.In, P.Under[G].Order, {P.Under.begin(), P.Under.begin() + G}};
  }
  void bind(const Stmt *Loop, int64_t Number, int64_t Of, bool Follows) {
    Program.way().Trips[Loop] = {Number, Of, Follows, false};
  }
  bool inLoop() const { return Loops != 0; }
  std::string placeOf(size_t I, SourceLocation L) const {
    SourceSpan Span = Way.Places[I].Unit->span(SourceRange(L, L));
    return Span.valid() ? Span.str() : Way.Places[I].Unit->command().File;
  }
  void add(std::vector<std::string> &List, std::string Text) {
    if (!llvm::is_contained(List, Text))
      List.push_back(std::move(Text));
  }
  std::string tripText() const;
  void reduce();

  HostProgram &Program;
  const DimensionTable &Table;
  const LaunchCall &Call;
  const LaunchWay &Way;
  LaunchTrips Out;
  std::vector<CountedSet> Found;
  std::vector<std::pair<const Stmt *, size_t>> Around; ///< And their places.
  unsigned Loops = 0, Unknown = 0; ///< Around what is looked at.
  int64_t Looks = 0;
};

/// What rests on a size that is not known, or on how deep a recursion is, is
/// not known.
std::optional<int64_t> TripWalk::known(const Expr *E, size_t I,
                                       const Point &At) {
  const WayPlace &P = Way.Places[I];
  if (P.IsRecursive && restsOnParameters(E))
    return std::nullopt;
  DimensionTable Scratch = Table;
  HostValues Values(Program, Scratch, *P.Unit, *P.Index);
  Values.forget();
  auto V = evaluate(Values.value(E, At), Scratch.values());
  if (!V)
    return std::nullopt;
  return V->IsFloat ? int64_t(V->Float != 0) : V->Integer;
}

// ---- ways out of loops -----------------------------------------------------

/// \p X is in the loop and leaves its trip, or the function without being in a
/// loop further in that is around the place as well.
bool TripWalk::leavesLoop(const HostExit &X, size_t I, size_t G) const {
  const Guards &Under = Way.Places[I].At.Under;
  if (X.Under.size() <= G ||
      !std::equal(X.Under.begin(), X.Under.begin() + G + 1, Under.begin()))
    return false;
  for (size_t J = G + 1; J < X.Under.size(); ++J) {
    bool IsShared = J < Under.size() && X.Under[J] == Under[J];
    bool Holds = X.How == HostExit::Return
                     ? X.Under[J].isLoop() && IsShared
                     : X.Under[J].isLoop() || (X.How == HostExit::Break &&
                                               X.Under[J].Where == Guard::Case);
    if (Holds)
      return false;
    if (!IsShared && X.How == HostExit::Return)
      break;
  }
  return true;
}

bool TripWalk::hasExits(size_t I, size_t G) const {
  const WayPlace &P = Way.Places[I];
  return P.At.In->Function &&
         llvm::any_of(P.Index->exits(P.At.In->Function),
                      [&](const HostExit &X) { return leavesLoop(X, I, G); });
}

/// Nothing: not known.
std::optional<bool> TripWalk::taken(const HostExit &X, size_t From, size_t I) {
  const Point &At = Way.Places[I].At;
  bool IsKnown = true;
  for (size_t J = From; J < X.Under.size(); ++J) {
    const Guard &G = X.Under[J];
    if (J < At.Under.size() && At.Under[J].Statement == G.Statement &&
        At.Under[J].Where != G.Where)
      return false; // The other branch of an `if` around the launch.
    auto *If = dyn_cast<IfStmt>(G.Statement);
    if (!If) {
      IsKnown = false;
      continue;
    }
    auto Holds =
        known(If->getCond(), I,
              {At.In, G.Order, {X.Under.begin(), X.Under.begin() + J}});
    if (Holds && (*Holds != 0) != (G.Where == Guard::Then))
      return false;
    if (!Holds && isErrorCheck(If->getCond()))
      return false;
    IsKnown &= Holds.has_value();
  }
  return IsKnown ? std::optional(true) : std::nullopt;
}

TripWalk::TripCourse TripWalk::course(size_t I, size_t G) {
  const WayPlace &P = Way.Places[I];
  TripCourse Result;
  if (!P.At.In->Function)
    return Result;
  for (const HostExit &X : P.Index->exits(P.At.In->Function)) {
    bool IsBehind = X.Order > P.At.Order;
    if (!leavesLoop(X, I, G) || (IsBehind && X.How == HostExit::Continue))
      continue;
    auto Taken = taken(X, G + 1, I);
    if (!Taken) {
      Result.IsKnown = false;
      add(Out.Uncertain, "the way out at " +
                             placeOf(I, X.Statement->getBeginLoc()) +
                             " depends on the run");
      continue;
    }
    if (!*Taken)
      continue;
    Result.What = IsBehind                      ? EndsAfter
                  : X.How == HostExit::Continue ? Skipped
                                                : EndsBefore;
    Result.IsReturn = X.How == HostExit::Return;
    return Result;
  }
  return Result;
}

// ---- how many trips --------------------------------------------------------

std::optional<bool> TripWalk::goesOn(size_t I, size_t G, int64_t Number) {
  const Stmt *S = Way.Places[I].At.Under[G].Statement;
  const Expr *Condition = nullptr;
  if (auto *For = dyn_cast<ForStmt>(S))
    Condition = For->getCond();
  else if (auto *While = dyn_cast<WhileStmt>(S))
    Condition = While->getCond();
  else if (auto *Do = dyn_cast<DoStmt>(S))
    Condition = Number == 0 ? nullptr : Do->getCond();
  else
    return std::nullopt;
  if (!Condition)
    return true;
  bool IsDo = isa<DoStmt>(S);
  bind(S, IsDo ? Number - 1 : Number, 0, false);
  const Point &At = Way.Places[I].At;
  auto Holds = known(Condition, I,
                     {At.In,
                      Way.Places[I].Index->loopOrder(S).Condition,
                      {At.Under.begin(), At.Under.begin() + G + 1}});
  return Holds ? std::optional(*Holds != 0) : std::nullopt;
}

/// By its conditions and ways out; nothing if they are not known or let it go
/// on for more than \p Most trips.
std::optional<int64_t> TripWalk::countedTrips(size_t I, size_t G,
                                              int64_t Most) {
  const Stmt *S = Way.Places[I].At.Under[G].Statement;
  for (int64_t Number = 0; Number <= Most; ++Number) {
    auto On = goesOn(I, G, Number);
    if (!On)
      return std::nullopt;
    if (!*On)
      return Number;
    bind(S, Number, 0, false);
    TripCourse C = course(I, G);
    if (C.What == EndsBefore || C.What == EndsAfter)
      return Number + (C.What == EndsAfter);
    if (!C.IsKnown)
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<int64_t> TripWalk::trips(size_t I, size_t G) {
  const Stmt *S = Way.Places[I].At.Under[G].Statement;
  Point Here = before(I, G);
  std::optional<double> ByHead =
      loopTrips(S, [&](const Expr *E) { return known(E, I, Here); });
  bool IsCounted = false;
  if (auto Head = loopHead(S); Head && ByHead) {
    // What the body does to the counter is not in the head.
    unsigned Steps = 0;
    for (const Definition &D : Way.Places[I].Index->definitions(Head->Counter))
      Steps += llvm::is_contained(D.Under, Way.Places[I].At.Under[G]);
    IsCounted = Steps > 1;
  }
  if (ByHead && !IsCounted)
    return int64_t(std::min(*ByHead, 1e15));
  return countedTrips(I, G, MostTrips);
}

// ---- the walk --------------------------------------------------------------

/// Calls and the launch, from place \p I on. True if the function was left for
/// good.
bool TripWalk::place(size_t I, double Runs) {
  if (I == Way.Places.size()) {
    launch(Runs);
    return false;
  }
  const WayPlace &P = Way.Places[I];
  if (P.IsRecursive)
    add(Out.Uncertain, "'" + P.At.In->Function->getNameAsString() +
                           "' calls itself, which counts as one call");
  if (!P.At.In->Function)
    return guards(I, 0, Runs);
  for (const HostExit &X : P.Index->exits(P.At.In->Function)) {
    bool IsInLoop = false; // Then the loop looks at it.
    for (size_t J = 0; J < X.Under.size() && J < P.At.Under.size() &&
                       X.Under[J] == P.At.Under[J];
         ++J)
      IsInLoop |= X.Under[J].isLoop();
    if (X.How != HostExit::Return || X.Order > P.At.Order || IsInLoop)
      continue;
    auto Taken = taken(X, 0, I);
    if (Taken && *Taken && !Unknown)
      return true;
    if ((!Taken || *Taken) && inLoop() && !P.IsRecursive)
      add(Out.Uncertain, "the return at " +
                             placeOf(I, X.Statement->getBeginLoc()) +
                             " depends on the run");
  }
  guards(I, 0, Runs);
  return false;
}

bool TripWalk::guards(size_t I, size_t G, double Runs) {
  const Point &At = Way.Places[I].At;
  if (G == At.Under.size()) {
    place(I + 1, Runs);
    return false;
  }
  const Guard &Here = At.Under[G];
  if (Here.isLoop())
    return loop(I, G, Runs);
  auto *If = dyn_cast<IfStmt>(Here.Statement);
  if (!If)
    return choice(I, G, Runs);
  auto Holds = known(If->getCond(), I, before(I, G));
  bool IsOther = Holds && (*Holds != 0) != (Here.Where == Guard::Then);
  // On another trip of a loop that is not known it may.
  if (IsOther && !Unknown)
    return false;
  if ((!Holds || IsOther) && inLoop() && !Way.Places[I].IsRecursive &&
      !isErrorCheck(If->getCond()))
    add(Out.Uncertain, "the condition at " + placeOf(I, If->getBeginLoc()) +
                           " depends on the run");
  return guards(I, G + 1, Runs);
}

/// A `switch`: from its label on, up to a `break`.
bool TripWalk::choice(size_t I, size_t G, double Runs) {
  const WayPlace &P = Way.Places[I];
  auto *Switch = dyn_cast<SwitchStmt>(P.At.Under[G].Statement);
  auto Value =
      Switch ? known(Switch->getCond(), I, before(I, G)) : std::nullopt;
  if (!Value || Unknown) {
    if (inLoop())
      add(Out.Uncertain,
          "the switch at " +
              placeOf(I, P.At.Under[G].Statement->getBeginLoc()) +
              " depends on the run");
    return guards(I, G + 1, Runs);
  }
  std::optional<unsigned> From, Default;
  for (const auto &[Label, Order] : P.Index->labels(Switch)) {
    auto *Case = dyn_cast<CaseStmt>(Label);
    if (!Case) {
      Default = Order;
      continue;
    }
    auto Low = known(Case->getLHS(), I, before(I, G));
    auto High = Case->getRHS() ? known(Case->getRHS(), I, before(I, G)) : Low;
    if (Low && High && *Low <= *Value && *Value <= *High && !From)
      From = Order;
  }
  if (!From)
    From = Default;
  if (!From || *From > P.At.Order)
    return false;
  for (const HostExit &X : P.Index->exits(P.At.In->Function))
    if (X.How == HostExit::Break && X.Under.size() == G + 1 &&
        X.Under[G] == P.At.Under[G] && X.Order > *From && X.Order < P.At.Order)
      return false;
  return guards(I, G + 1, Runs);
}

bool TripWalk::loop(size_t I, size_t G, double Runs) {
  const Stmt *S = Way.Places[I].At.Under[G].Statement;
  HostWay &Now = Program.way();
  auto Trips = trips(I, G);
  if (!Trips) {
    Now.Trips.erase(S);
    add(Out.NotKnown, "the loop at " + placeOf(I, S->getBeginLoc()));
    ++Loops;
    ++Unknown;
    guards(I, G + 1, Runs);
    --Unknown;
    --Loops;
    return false;
  }
  if (*Trips == 0) {
    Now.Trips.erase(S);
    return false;
  }
  ++Loops;
  Around.push_back({S, I});
  // First as if all trips were like the first; what asks says otherwise.
  std::vector<CountedSet> Before = Found;
  bool Left = false;
  bind(S, 0, *Trips, false);
  if (course(I, G).What == Goes) {
    guards(I, G + 1, Runs * double(*Trips));
  } else {
    Now.trip(S);
  }
  if (Now.Trips[S].IsAsked) {
    Found = std::move(Before);
    Left = *Trips <= MostTrips && Looks + *Trips <= MostLooks
               ? everyTrip(I, G, *Trips, Runs)
               : someTrips(I, G, *Trips, Runs);
  }
  Around.pop_back();
  --Loops;
  Now.Trips.erase(S);
  return Left;
}

bool TripWalk::everyTrip(size_t I, size_t G, int64_t Trips, double Runs) {
  const Stmt *S = Way.Places[I].At.Under[G].Statement;
  for (int64_t Number = 0; Number < Trips; ++Number) {
    bind(S, Number, Trips, false);
    Program.way().trip(S);
    TripCourse C = course(I, G);
    if (C.What == Skipped)
      continue;
    if (C.What == EndsBefore)
      return C.IsReturn;
    bool Left = guards(I, G + 1, Runs);
    if (Left || C.What == EndsAfter)
      return Left || C.IsReturn;
  }
  return false;
}

bool TripWalk::someTrips(size_t I, size_t G, int64_t Trips, double Runs) {
  const Stmt *S = Way.Places[I].At.Under[G].Statement;
  const std::string At = placeOf(I, S->getBeginLoc());
  if (hasExits(I, G))
    add(Out.Uncertain, "the loop at " + At + " may be left early");
  Out.LeftOut = "of the " + std::to_string(Trips) + " trips of the loop at " +
                At +
                " the first, the middle and the last are looked at, "
                "weighted 1:4:1";
  const std::pair<int64_t, double> Parts[] = {
      {0, 1}, {Trips / 2, 4}, {Trips - 1, 1}};
  for (const auto &[Number, Part] : Parts) {
    bind(S, Number, Trips, true);
    Program.way().trip(S);
    if (course(I, G).What != Skipped)
      guards(I, G + 1, Runs * double(Trips) * Part / 6);
  }
  return false;
}

std::string TripWalk::tripText() const {
  std::string Text;
  for (const auto &[S, I] : Around) {
    auto Trip = Program.way().Trips.find(S);
    if (Trip == Program.way().Trips.end() || !Trip->second.IsAsked)
      continue;
    Text += (Text.empty() ? "trip " : ", trip ") +
            std::to_string(Trip->second.Number + 1) + " of the loop at " +
            placeOf(I, S->getBeginLoc());
  }
  return Text;
}

void TripWalk::launch(double Runs) {
  ++Looks;
  const WayPlace &P = Way.Places.back();
  DimensionTable Scratch = Table;
  HostValues Values(Program, Scratch);
  WorkloadDraft Draft;
  inferGeometry(Call, P.At, Values, Scratch, Draft);
  GivenNumbers Numbers(Values, Scratch, P.At);
  for (const auto &Terms : {Draft.Grid, Draft.Block})
    for (const TermRef &T : Terms) {
      TermRef Whole = T;
      for (unsigned Axis = 0; Axis < 3; ++Axis)
        Whole = Whole ? substitute(Whole, std::string("block_") + "xyz"[Axis],
                                   Draft.Block[Axis])
                      : Whole;
      Numbers.add(Whole);
    }
  Values.forget();
  Numbers.add(Call.Shared ? Values.value(Call.Shared, P.At) : nullptr);
  for (unsigned A = 0;
       A < Call.Kernel->getNumParams() && A < Call.Arguments.size(); ++A)
    Numbers.argument(Call.Kernel->getParamDecl(A)->getType(), Call.Arguments[A],
                     {});
  std::string Key = Numbers.take();
  for (CountedSet &Known : Found)
    if (Known.Key == Key) {
      Known.Set.Runs += Runs;
      return;
    }
  Found.push_back(
      {std::move(Key), {Program.way(), Runs, Draft.Threads, tripText()}});
}

/// Of more sets than are kept, the first, the middle and the last stand for
/// all.
void TripWalk::reduce() {
  if (Found.size() <= MostTripSets)
    return;
  double All = 0;
  for (const CountedSet &Each : Found)
    All += Each.Set.Runs;
  Out.LeftOut = "of " + std::to_string(Found.size()) +
                " different sets of values the first, the middle and the last "
                "stand for all, weighted 1:4:1";
  std::vector<CountedSet> Kept{Found.front(), Found[Found.size() / 2],
                               Found.back()};
  for (size_t I = 0; I < Kept.size(); ++I) {
    Kept[I].Set.Runs = All * (I == 1 ? 4 : 1) / 6;
    for (auto &[Loop, Trip] : Kept[I].Set.Way.Trips)
      Trip.Follows = true;
  }
  Found = std::move(Kept);
}

LaunchTrips TripWalk::run() {
  place(0, 1);
  reduce();
  for (CountedSet &Each : Found)
    Out.Sets.push_back(std::move(Each.Set));
  if (Out.Sets.empty())
    Out.Sets.push_back({Way.Way, 0, 0, ""});
  Program.way() = {};
  return std::move(Out);
}

} // namespace

LaunchTrips mep::launchTrips(HostProgram &Program,
                             const DimensionTable &Dimensions,
                             const LaunchCall &Call, const LaunchWay &Way) {
  return TripWalk(Program, Dimensions, Call, Way).run();
}
