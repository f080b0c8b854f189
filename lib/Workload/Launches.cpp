#include "Launches.h"
#include "Expressions.h"
#include "Shapes.h"
#include "WorkloadNumbers.h"
#include "mep/Support/Error.h"
#include "mep/Workload/Resolve.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <numeric>
#include <optional>

using namespace mep;
using llvm::StringRef;

namespace {

/// Places in a buffer that are so many bytes apart are equally aligned for
/// every access and every line of a cache.
constexpr int64_t Alignment = 256;

/// The kernel does the same: it may be given other places in its buffers, as
/// aligned as these.
bool isSameWork(const std::vector<Slot> &Slots, const Numbers &A,
                const Numbers &B) {
  for (size_t I = 0; I < A.size(); ++I) {
    if (isSame(A[I], B[I]))
      continue;
    if (!Slots[I].Element || A[I].IsFloat || B[I].IsFloat ||
        (A[I].Integer - B[I].Integer) * Slots[I].Element % Alignment != 0)
      return false;
  }
  return true;
}

// ---- structure -------------------------------------------------------------

/// What keeps \p Other from being put by the expressions of \p W; empty if
/// nothing does.
std::string otherStructure(const Workload &W, const Workload &Other) {
  for (size_t A = 0; A < W.Arguments.size(); ++A)
    for (size_t I = 0; I < W.Arguments[A].Parts.size(); ++I) {
      if (A >= Other.Arguments.size() || I >= Other.Arguments[A].Parts.size())
        return "its arguments have other parts";
      const ArgumentPart &Mine = W.Arguments[A].Parts[I],
                         &Its = Other.Arguments[A].Parts[I];
      if (Mine.Buffer.empty() != Its.Buffer.empty())
        return "'" + Mine.Name + "' is null in one of them";
      if (Mine.Buffer != Its.Buffer)
        return "'" + Mine.Name + "' points into '" + Its.Buffer +
               "' there, into '" + Mine.Buffer + "' here";
    }
  if (W.Buffers.size() != Other.Buffers.size())
    return "it has other buffers";
  for (size_t I = 0; I < W.Buffers.size(); ++I) {
    const Buffer &Mine = W.Buffers[I], &Its = Other.Buffers[I];
    if (Mine.Name != Its.Name || Mine.Symbol != Its.Symbol ||
        Mine.Element.Bytes != Its.Element.Bytes)
      return "it has other buffers";
    if (Mine.Pointers.size() != Its.Pointers.size() ||
        Mine.Values.size() != Its.Values.size())
      return "the elements of '" + Mine.Name +
             "' hold other pointers or values";
    for (size_t K = 0; K < Mine.Pointers.size(); ++K)
      if (Mine.Pointers[K].Name != Its.Pointers[K].Name ||
          Mine.Pointers[K].Buffer != Its.Pointers[K].Buffer)
        return "'" + Mine.Pointers[K].Name + "' points into another buffer";
  }
  for (const Assumption &A : Other.Assumptions)
    if (llvm::none_of(W.Assumptions, [&](const Assumption &Known) {
          return Known.What == A.What && Known.Text == A.Text;
        }))
      return "it needs what is known only when the application runs: " + A.Text;
  return {};
}

/// A buffer that one launch only partly writes is read by all of them.
void joinRoles(Workload &W, const Workload &Other) {
  for (size_t I = 0; I < W.Buffers.size(); ++I)
    if (W.Buffers[I].Use != Other.Buffers[I].Use)
      W.Buffers[I].Use = Role::InOut;
}

// ---- one launch as a shape -------------------------------------------------

class LaunchShape {
public:
  LaunchShape(Workload &W, const Workload &Other, const Numbers &Wanted,
              unsigned Number, StringRef DeviceText)
      : W(W), Other(Other), Wanted(Wanted), Number(Number),
        DeviceText(DeviceText) {}

  /// Adds the dimensions that it takes. False, \p W as it was, if the numbers
  /// do not come out.
  bool make(const Numbers &Base, Shape &Out);
  /// It would launch no block.
  bool isEmpty() const { return IsEmpty; }
  const std::vector<std::string> &differing() const { return Differing; }

private:
  size_t wrong(const Shape &S) const;
  bool hasLaunch(const Shape &S) const;
  void assignDimensions(Shape &S) const;
  void lift(size_t Index, Shape &S);
  Dimension *dimension(StringRef Name) const;
  std::string freeName(std::string Name, StringRef Parameter) const;
  bool followsSizes(size_t Index) const;
  void choose(size_t Index, Shape &S);

  Workload &W;
  const Workload &Other;
  const Numbers &Wanted;
  unsigned Number;
  StringRef DeviceText;
  std::vector<std::string> Differing;
  bool IsEmpty = false;
};

constexpr const char *Selector = "which_launch";

Dimension *LaunchShape::dimension(StringRef Name) const {
  auto It = llvm::find_if(W.Dimensions,
                          [&](const Dimension &D) { return D.Name == Name; });
  return It == W.Dimensions.end() ? nullptr : &*It;
}

/// How many numbers \p S does not give.
size_t LaunchShape::wrong(const Shape &S) const {
  auto Now = numbersOf(W, S);
  return Now ? differences(*Now, Wanted).size() : Wanted.size() + 1;
}

/// First what the launch's own inference calls by the same names; then each
/// dimension that alone is a number which is still wrong.
void LaunchShape::assignDimensions(Shape &S) const {
  Shape Named = S;
  for (const Dimension &D : Other.Dimensions)
    if (Dimension *Mine = dimension(D.Name);
        Mine && !Mine->IsMacro && Mine->Value != D.Value)
      Named.Dimensions[D.Name] = D.Value;
  size_t Left = wrong(S);
  if (size_t N = wrong(Named); N < Left) {
    S = Named;
    Left = N;
  }
  std::vector<Slot> Slots = slotsOf(W);
  for (size_t I = 0; I < Slots.size() && Left; ++I) {
    const Dimension *D = dimension(*Slots[I].Text);
    if (!D || D->IsMacro || Wanted[I].IsFloat)
      continue;
    Shape Try = S;
    Try.Dimensions[D->Name] = Wanted[I].Integer;
    if (size_t N = wrong(Try); N < Left) {
      S = std::move(Try);
      Left = N;
    }
  }
}

/// Avoids the kernel's other parameters, whose names mean them.
std::string LaunchShape::freeName(std::string Name, StringRef Parameter) const {
  for (char &C : Name)
    if (!llvm::isAlnum(C))
      C = '_';
  auto IsTaken = [&](const std::string &N) {
    if (dimension(N))
      return true;
    if (N == Parameter)
      return false;
    return usesName(DeviceText, N) ||
           llvm::any_of(W.Arguments, [&](const Argument &A) {
             return A.Name == N ||
                    llvm::any_of(A.Parts, [&](const ArgumentPart &P) {
                      return P.Name == N;
                    });
           });
  };
  std::string New = Name;
  for (unsigned I = 2; IsTaken(New); ++I)
    New = Name + "_" + std::to_string(I);
  return New;
}

std::string numberText(const ConstantValue &V) {
  if (!V.IsFloat)
    return std::to_string(V.Integer);
  char Text[40];
  std::snprintf(Text, sizeof(Text), "%.17g", V.Float);
  return StringRef(Text).find_first_of(".en") == StringRef::npos
             ? std::string(Text) + ".0"
             : Text;
}

/// Its own value in this launch: by its own expression where that has it with
/// these dimensions, so that it follows them.
void LaunchShape::choose(size_t Index, Shape &S) {
  if (!dimension(Selector)) {
    Dimension D;
    D.Name = Selector;
    D.Fixed = true;
    D.Source = "tells launches apart";
    W.Dimensions.push_back(std::move(D));
  }
  S.Dimensions[Selector] = Number;
  std::string &Text = *slotsOf(W)[Index].Text;
  const std::string First = Text;
  auto Choose = [&](const std::string &Own) {
    Text = std::string("(") + Selector + " == " + std::to_string(Number) +
           " ? " + Own + " : " + First + ")";
  };
  Workload Its = Other;
  // The same size may have another name there, beside other parameters.
  Choose(replaceNames(*slotsOf(Its)[Index].Text, [&](StringRef Name) {
    auto Theirs = llvm::find_if(
        Other.Dimensions, [&](const Dimension &D) { return D.Name == Name; });
    if (Theirs == Other.Dimensions.end() || Theirs->Source.empty())
      return std::string();
    for (const Dimension &Mine : W.Dimensions)
      if (Mine.Source == Theirs->Source && Mine.Value == Theirs->Value)
        return Mine.Name;
    return std::string();
  }));
  auto Now = numbersOf(W, S);
  if (!Now || !isSame((*Now)[Index], Wanted[Index]))
    Choose(numberText(Wanted[Index]));
}

/// The other launch's own expression changes with its sizes.
bool LaunchShape::followsSizes(size_t Index) const {
  Workload Its = Other;
  const std::string Text = *slotsOf(Its)[Index].Text;
  return llvm::any_of(Its.Dimensions, [&](const Dimension &D) {
    return !D.Fixed && usesName(Text, D.Name);
  });
}

void LaunchShape::lift(size_t Index, Shape &S) {
  const Slot To = slotsOf(W)[Index];
  Differing.push_back(To.What + " (" + numberText(Wanted[Index]) + ")");
  int64_t Literal = 0;
  if (To.Lift.empty() || Wanted[Index].IsFloat || followsSizes(Index) ||
      StringRef(*To.Text).getAsInteger(10, Literal))
    return choose(Index, S);
  Dimension D;
  D.Name = freeName(To.Lift, To.IsParameter ? To.Lift : "");
  D.Value = Literal;
  D.Fixed = true;
  D.Source = "differs between launches";
  *To.Text = D.Name;
  S.Dimensions[D.Name] = Wanted[Index].Integer;
  W.Dimensions.push_back(std::move(D));
}

/// With blocks and threads, and no more than a launch may have.
bool LaunchShape::hasLaunch(const Shape &S) const {
  Workload One = W;
  One.Shapes = {S};
  auto Resolved = resolveShapes(One);
  if (Resolved)
    return true;
  llvm::consumeError(Resolved.takeError());
  return false;
}

bool LaunchShape::make(const Numbers &Base, Shape &Out) {
  const Workload Before = W;
  Shape S = Out;
  assignDimensions(S);
  for (const auto &[Name, Value] : S.Dimensions)
    Differing.push_back("'" + Name + "' (" + std::to_string(Value) + ")");
  if (auto Now = numbersOf(W, S))
    for (size_t Index : differences(*Now, Wanted))
      lift(Index, S);
  auto After = numbersOf(W, S), First = numbersOf(W, {"base", {}});
  bool IsRight =
      After && First && isSame(*After, Wanted) && isSame(*First, Base);
  IsEmpty = IsRight && !hasLaunch(S);
  if (IsRight && !IsEmpty) {
    joinRoles(W, Other);
    Out = std::move(S);
    return true;
  }
  W = Before;
  return false;
}

// ---- all of them -----------------------------------------------------------

/// Launches with the same numbers, as one.
struct JoinedLaunch {
  LaunchData *Of;
  Numbers Values;
  double Runs, Threads;
  std::vector<std::string> Places, NotKnown, Uncertain;
  bool IsTimed = false;
};

std::string joined(const std::vector<std::string> &Texts) {
  constexpr size_t Most = 4;
  std::string All = llvm::join(llvm::ArrayRef(Texts).take_front(Most), ", ");
  if (Texts.size() > Most)
    All += " and " + std::to_string(Texts.size() - Most) + " more";
  return All;
}

void addTo(JoinedLaunch &To, LaunchData &From) {
  auto Join = [](std::vector<std::string> &All,
                 const std::vector<std::string> &More) {
    for (const std::string &Each : More)
      if (!llvm::is_contained(All, Each))
        All.push_back(Each);
  };
  To.Runs += From.Runs;
  To.Places.push_back(From.Place);
  Join(To.NotKnown, From.NotKnown);
  Join(To.Uncertain, From.Uncertain);
}

/// Whole numbers without a common factor, where they are whole.
void reduceWeights(std::vector<Shape> &Shapes) {
  int64_t Common = 0;
  for (const Shape &S : Shapes) {
    if (S.Weight != std::floor(S.Weight) || S.Weight >= 1e15)
      return;
    Common = std::gcd(Common, int64_t(S.Weight));
  }
  for (Shape &S : Shapes)
    S.Weight /= double(std::max<int64_t>(Common, 1));
}

/// So many threads take as long as fewer do: a device runs them at once.
constexpr double ThreadsAtOnce = 1 << 18;

/// In one launch, but for those that take no time.
double threadsOf(const std::vector<Slot> &Slots, const Numbers &Values) {
  double Threads = 1;
  for (size_t I = 0; I < Slots.size(); ++I)
    if (Slots[I].IsAxis)
      Threads *= Values[I].asDouble();
  return std::max(Threads, ThreadsAtOnce);
}

/// Which of \p All, beside the first, are timed and which are verified, in
/// their order; the rest is noted.
std::vector<size_t> chooseLaunches(std::vector<JoinedLaunch> &All,
                                   Workload &W) {
  std::vector<size_t> Order;
  for (size_t I = 1; I < All.size(); ++I)
    Order.push_back(I);
  llvm::sort(Order, [&](size_t A, size_t B) {
    return std::make_pair(-All[A].Runs * All[A].Threads, A) <
           std::make_pair(-All[B].Runs * All[B].Threads, B);
  });
  All.front().IsTimed = true;
  for (size_t I = 0; I < Order.size() && I < MostTimedLaunches - 1; ++I)
    All[Order[I]].IsTimed = All[Order[I]].Runs > 0;
  constexpr size_t Most = MostTimedLaunches - 1 + MostVerifiedLaunches;
  for (size_t I = Most; I < Order.size(); ++I)
    W.Notes.push_back("the launch at " + joined(All[Order[I]].Places) +
                      " is not part of the workload: there are too many");
  Order.resize(std::min(Order.size(), Most));
  llvm::sort(Order);
  return Order;
}

std::string weightNote(const JoinedLaunch &L, double Weight) {
  if (Weight == 0)
    return L.Runs > 0 ? "others have more to do: verified, not timed"
                      : "it does not run, as the application is run: verified, "
                        "not timed";
  char Text[64];
  std::snprintf(Text, sizeof(Text), "weight %g", Weight);
  std::string Note = Text;
  if (!L.NotKnown.empty())
    Note += ", where " + joined(L.NotKnown) + " counts once";
  if (!L.Uncertain.empty())
    Note += "; not certain: " + joined(L.Uncertain);
  return Note;
}

// ---- odd sizes of the other launches ----------------------------------------

/// A number of \p Launch alone that stays large while the buffers get smaller:
/// nobody knows whether it still fits.
bool keepsItsSize(const std::vector<Slot> &Slots, const Numbers &Base,
                  const Numbers &Launch, const Numbers &Odd) {
  for (size_t I = 0; I < Slots.size(); ++I)
    if (!Slots[I].IsExtent && !Launch[I].IsFloat &&
        Launch[I].Integer >= SmallestSize && isSame(Launch[I], Odd[I]) &&
        !isSame(Launch[I], Base[I]) &&
        !(Slots[I].IsAxis && StringRef(Slots[I].What).starts_with("the block")))
      return true;
  return false;
}

/// Lengths of buffers alone change nothing that the kernel does.
bool isOtherWork(const std::vector<Slot> &Slots, const Numbers &A,
                 const Numbers &B) {
  for (size_t I = 0; I < Slots.size(); ++I)
    if (!Slots[I].IsExtent && !isSame(A[I], B[I]))
      return true;
  return false;
}

/// \p Odd with what is \p Launch's own; of a dimension that both give, an odd
/// number below the launch's, and not above what was as large.
Shape oddOf(const Workload &W, const Shape &Launch, const Shape &Odd) {
  Shape S = Odd;
  S.Name = Launch.Name + "_odd";
  for (const auto &[Name, Value] : Launch.Dimensions) {
    if (!Odd.Dimensions.count(Name) || Value < SmallestSize) {
      S.Dimensions[Name] = Value;
      continue;
    }
    int64_t Most = oddLimit(Value);
    for (const Dimension &D : W.Dimensions)
      if (auto Its = Odd.Dimensions.find(D.Name);
          Its != Odd.Dimensions.end() && D.Name != Name && D.Value >= Value)
        Most = std::min(Most, Its->second);
    S.Dimensions[Name] = primeBelow(Most, {});
  }
  return S;
}

/// Gives each timed launch beside the first an odd shape as well: what only
/// that launch does is not verified on the first's.
void addOddLaunches(Workload &W, const Numbers &Base) {
  auto Odd =
      llvm::find_if(W.Shapes, [](const Shape &S) { return S.Name == "odd"; });
  if (Odd == W.Shapes.end())
    return;
  const std::vector<Slot> Slots = slotsOf(W);
  std::vector<Shape> Added;
  for (const Shape &Launch : llvm::ArrayRef(W.Shapes).drop_front()) {
    if (Launch.Weight == 0)
      continue;
    Shape S = oddOf(W, Launch, *Odd);
    auto Its = numbersOf(W, Launch), Now = numbersOf(W, S);
    Workload One = W;
    One.Shapes = {S};
    auto Resolved = resolveShapes(One);
    if (!Resolved)
      llvm::consumeError(Resolved.takeError());
    else if (Its && Now && isOtherWork(Slots, *Its, *Now) &&
             !keepsItsSize(Slots, Base, *Its, *Now))
      Added.push_back(std::move(S));
  }
  llvm::append_range(W.Shapes, Added);
}

} // namespace

void mep::addLaunches(Workload &W, const LaunchData &First,
                      std::vector<LaunchData> Others, StringRef DeviceText) {
  auto Base = numbersOf(W, {"base", {}});
  if (!Base || W.Shapes.empty())
    return;
  LaunchData Mine = First;
  std::vector<JoinedLaunch> All{{&Mine, *Base, 0, 0, {}, {}, {}, true}};
  addTo(All.front(), Mine);
  auto LeaveOut = [&](const LaunchData &L, const std::string &Why) {
    W.Notes.push_back("the launch at " + L.Place +
                      " is not part of the workload: " + Why);
  };
  for (LaunchData &L : Others) {
    if (std::string Why = otherStructure(W, L.Data); !Why.empty()) {
      LeaveOut(L, Why);
      continue;
    }
    auto Values = numbersOf(L.Data, {"base", {}});
    if (!Values) {
      LeaveOut(L, "its expressions have no value");
      continue;
    }
    auto Same = llvm::find_if(All, [&](const JoinedLaunch &Known) {
      return isSameWork(slotsOf(W), Known.Values, *Values);
    });
    if (Same == All.end()) {
      All.push_back({&L,
                     *Values,
                     0,
                     threadsOf(slotsOf(L.Data), *Values),
                     {},
                     {},
                     {},
                     false});
      Same = All.end() - 1;
    }
    addTo(*Same, L);
  }
  if (All.size() == 1)
    return;
  std::vector<Shape> Made{W.Shapes.front()};
  Made.front().Weight = All.front().Runs > 0 ? All.front().Runs : 1;
  std::vector<std::string> Texts{""};
  std::vector<size_t> Of{0};
  for (size_t I : chooseLaunches(All, W)) {
    Shape S{"launch" + std::to_string(Made.size() + 1),
            {},
            All[I].IsTimed ? All[I].Runs : 0};
    LaunchShape Maker(W, All[I].Of->Data, All[I].Values, unsigned(Made.size()),
                      DeviceText);
    if (!Maker.make(*Base, S)) {
      LeaveOut(*All[I].Of,
               Maker.isEmpty()
                   ? "it is no valid launch"
                   : "its numbers cannot be put beside the first's");
      continue;
    }
    Made.push_back(std::move(S));
    Texts.push_back(", differs in " + joined(Maker.differing()));
    Of.push_back(I);
  }
  reduceWeights(Made);
  for (size_t I = 0; I < Made.size() && Made.size() > 1; ++I)
    W.Notes.push_back("shape " + Made[I].Name + " is the launch at " +
                      joined(All[Of[I]].Places) + Texts[I] + "; " +
                      weightNote(All[Of[I]], Made[I].Weight));
  W.Shapes.erase(W.Shapes.begin());
  W.Shapes.insert(W.Shapes.begin(), Made.begin(), Made.end());
  addOddLaunches(W, *Base);
}
